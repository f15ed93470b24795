//! Shortens a failing plan.

use crate::plan::{Fault, Op};
use std::time::{Duration, Instant};

/// Time limit.
const PATIENCE: Duration = Duration::from_secs(60);

/// Removes operations and disturbances while the plan still fails.
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

/// Removes the disturbances of an operation that do not matter, and operations within them.
fn calmer(mut ops: Vec<Op>, at: usize, fails: &impl Fn(&[Op]) -> bool) -> Vec<Op> {
    for n in (0..ops[at].disturbances.len()).rev() {
        let mut calmer = ops.clone();
        calmer[at].disturbances.remove(n);
        if fails(&calmer) {
            ops = calmer;
            continue;
        }
        let (Fault::Meanwhile(inner) | Fault::Within(inner)) = ops[at].disturbances[n].what.clone() else {
            continue;
        };
        for m in (0..inner.len()).rev() {
            let mut calmer = ops.clone();
            if let Fault::Meanwhile(inner) | Fault::Within(inner) = &mut calmer[at].disturbances[n].what {
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
    use crate::plan::{Action, Disturbance};

    #[test]
    fn irrelevant_operations_and_disturbances_are_removed() {
        let calm = |act| Op { node: 0, act, disturbances: Vec::new() };
        let meanwhile = Fault::Meanwhile(vec![calm(Action::Sweep), calm(Action::Fold)]);
        let fail = Disturbance { moment: 1, what: Fault::Fail };
        let disturbed = vec![fail, Disturbance { moment: 0, what: meanwhile }];
        let mut ops: Vec<Op> = (0..20).map(|n| calm(Action::Pass(n))).collect();
        ops.insert(7, Op { node: 1, act: Action::Stop, disturbances: disturbed });
        let fails = |ops: &[Op]| {
            let text = format!("{ops:?}");
            text.contains("Fold") && text.contains("Pass(3)")
        };
        let short = shrink(ops, fails);
        assert_eq!(format!("{short:?}"), "[n0 Pass(3), n1 Stop @0 Meanwhile([n0 Fold])]");
    }
}
