//! Cuts a failing run short.

use crate::plan::{Op, What};
use std::time::{Duration, Instant};

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Fewer operations, and fewer disturbances, with which it fails still.
pub(crate) fn shrink(mut ops: Vec<Op>, fails: impl Fn(&[Op]) -> bool) -> Vec<Op> {
    let begun = Instant::now();
    let fails = |ops: &[Op]| begun.elapsed() < PATIENCE && fails(ops);
    let mut size = ops.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < ops.len() {
            let mut fewer = ops.clone();
            fewer.drain(at..ops.len().min(at + size));
            if fails(&fewer) {
                ops = fewer;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    for at in 0..ops.len() {
        ops = calmer(ops, at, &fails);
    }
    ops
}

/// Without those disturbances of one operation that do not matter, and without what of them does not.
fn calmer(mut ops: Vec<Op>, at: usize, fails: &impl Fn(&[Op]) -> bool) -> Vec<Op> {
    for n in (0..ops[at].disturbances.len()).rev() {
        let mut calmer = ops.clone();
        calmer[at].disturbances.remove(n);
        if fails(&calmer) {
            ops = calmer;
            continue;
        }
        let (What::Meanwhile(inner) | What::Within(inner)) = ops[at].disturbances[n].what.clone() else {
            continue;
        };
        for m in (0..inner.len()).rev() {
            let mut calmer = ops.clone();
            if let What::Meanwhile(inner) | What::Within(inner) = &mut calmer[at].disturbances[n].what {
                inner.remove(m);
            }
            if fails(&calmer) {
                ops = calmer;
            }
        }
    }
    ops
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Act, Disturbance};

    #[test]
    fn what_does_not_matter_goes() {
        let calm = |act| Op { node: 0, act, disturbances: Vec::new() };
        let meanwhile = What::Meanwhile(vec![calm(Act::Sweep), calm(Act::Fold)]);
        let fail = Disturbance { moment: 1, what: What::Fail };
        let disturbed = vec![fail, Disturbance { moment: 0, what: meanwhile }];
        let mut ops: Vec<Op> = (0..20).map(|n| calm(Act::Pass(n))).collect();
        ops.insert(7, Op { node: 1, act: Act::Stop, disturbances: disturbed });
        let fails = |ops: &[Op]| {
            let text = format!("{ops:?}");
            text.contains("Fold") && text.contains("Pass(3)")
        };
        let short = shrink(ops, fails);
        assert_eq!(format!("{short:?}"), "[n0 Pass(3), n1 Stop @0 Meanwhile([n0 Fold])]");
    }
}
