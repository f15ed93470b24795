use chrono::{DateTime, Utc};

/// When a process may be claimed (fields, `task_params`). Both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// Not before; `None`: at once.
    pub start: Option<DateTime<Utc>>,
    /// Not after; `None`: whenever.
    pub end: Option<DateTime<Utc>>,
}

impl Window {
    /// Whether its end has passed.
    pub fn is_closed(&self, at: DateTime<Utc>) -> bool {
        self.end.is_some_and(|end| at > end)
    }

    /// The first instant from `at` on that is not before the start.
    pub(crate) fn first_chance(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        self.start.map_or(at, |start| start.max(at))
    }
}

/// How a submitted payload is to be run. The payload itself is not this crate's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Submission {
    /// Do all that an import does, but keep nothing of it. True where the payload's `task_params`
    /// or the supplier's setting ask for it.
    pub is_dry_run: bool,
    /// When it may run.
    pub window: Window,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_belong_to_the_window() {
        let at = |second: i64| DateTime::from_timestamp(second, 0).unwrap();
        let window = Window { start: Some(at(10)), end: Some(at(20)) };
        assert_eq!(window.first_chance(at(5)), at(10));
        assert_eq!(window.first_chance(at(15)), at(15));
        assert!(!window.is_closed(at(20)));
        assert!(window.is_closed(at(21)));
        assert!(!Window::default().is_closed(DateTime::<Utc>::MAX_UTC));
    }
}
