use chrono::{DateTime, Utc};

/// The time span in which a process may be claimed (`task_params` in fields 2), including both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// Start; `None` means at once.
    pub start: Option<DateTime<Utc>>,
    /// End; `None` means open.
    pub end: Option<DateTime<Utc>>,
}

impl Window {
    /// Returns true if the end has passed.
    pub fn is_closed(&self, at: DateTime<Utc>) -> bool {
        self.end.is_some_and(|end| at > end)
    }

    /// The later of `at` and the start.
    pub(crate) fn first_chance(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        self.start.map_or(at, |start| start.max(at))
    }
}

/// The parameters of the run of a submitted payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Submission {
    /// If set, the import is only tried and nothing is stored: the payload's `task_params` or the supplier's
    /// setting ask for it.
    pub is_dry_run: bool,
    /// The window in which it may run.
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
