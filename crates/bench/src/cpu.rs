//! CPU seconds, user and system, from `/proc`.

/// CPU seconds of a process.
struct Used {
    parent: u32,
    own: f64,
    /// CPU seconds of its children that have ended.
    ended: f64,
}

/// CPU seconds of the children of this process that have ended.
pub(crate) fn of_ended() -> f64 {
    used("self").map_or(0.0, |used| used.ended)
}

/// CPU seconds of this process.
pub(crate) fn of_this() -> f64 {
    used("self").map_or(0.0, |used| used.own)
}

/// CPU seconds of a process and its children, including those that have ended.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(crate) fn of_family(process: u32) -> f64 {
    let Some(Used { own, ended, .. }) = used(&process.to_string()) else { return 0.0 };
    let names = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let others = names.filter_map(|entry| used(entry.file_name().to_str()?));
    own + ended + others.filter(|other| other.parent == process).map(|child| child.own).sum::<f64>()
}

fn used(process: &str) -> Option<Used> {
    parse(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// Parses times in hundredths of a second. The name, in parentheses, may contain any character.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn parse(stat: &str) -> Option<Used> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let sum = |first: usize| -> Option<f64> {
        let ticks = fields.get(first..first + 2)?.iter().map(|ticks| ticks.parse::<f64>().ok());
        Some(ticks.sum::<Option<f64>>()? / 100.0)
    };
    Some(Used { parent: fields.get(1)?.parse().ok()?, own: sum(11)?, ended: sum(13)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_behind_any_name() {
        let stat = "7 (a) b (c) S 3 7 7 0 -1 4194560 1 2 3 4 150 50 1000 25 20 0 1";
        let Used { parent, own, ended } = parse(stat).unwrap();
        assert_eq!((parent, own, ended), (3, 2.0, 10.25));
        assert!(parse("7 (a) S 3").is_none());
    }
}
