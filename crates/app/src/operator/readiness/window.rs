//! The check of windows: accounts that wait have to begin before their windows end.

use super::facts::Facts;
use super::{Finding, count};
use crate::operator::in_words;
use crate::port::WaitingWindow;
use chrono::{DateTime, Utc};

const ACTION: &str = "Send fewer accounts in this window, send them again with a later window, or allow more imports at \
                      a time.";

/// Judges each window that was read, the first that ends first. Accounts are imported in the order in which they are due:
/// those without a window, then those whose windows end earlier. Later waves count as released at once.
pub(super) fn window(facts: &Facts) -> Finding {
    let windows = &facts.windows.windows;
    let Some(first) = windows.first() else { return Finding::ok("No account that waits has a window.") };
    let shown = |at: DateTime<Utc>| {
        facts.supplier.settings.time_zone.local(at).format("%Y-%m-%d %H:%M %:z").to_string()
    };
    if first.end <= facts.now {
        return Finding::stop(
            format!("The window of waiting accounts closed at {}.", shown(first.end)),
            "Send these accounts again with a later window, or cancel them: a release ends them with an error.",
        );
    }
    let Some(pace) = &facts.pace else {
        let detail = format!(
            "The first window closes at {}; how long the accounts need is not known.",
            shown(first.end)
        );
        return Finding::warn(detail, "Release a small wave first: its rate is used from then on.");
    };
    let mut sooner = facts.windowless();
    for (n, window) in windows.iter().enumerate() {
        sooner = if facts.is_beyond(n) { facts.left.pending } else { sooner + window.accounts };
        let ends = facts.ends(window, sooner, |accounts| pace.time_for(accounts));
        match ends {
            Some(ends) if ends <= window.end => {}
            _ => {
                let time = pace.time_for(sooner).map_or("very long".to_owned(), in_words);
                let detail = format!(
                    "{} accounts have to begin before {}, and take {time}: {}.",
                    count(sooner),
                    shown(window.end),
                    ends.map_or("too long".to_owned(), |ends| format!("until {}", shown(ends)))
                );
                return Finding::stop(detail, ACTION);
            }
        }
    }
    let time = pace.time_for(facts.left.all()).map_or("a while".to_owned(), in_words);
    Finding::ok(format!("The first window closes at {}; all that waits takes {time}.", shown(first.end)))
}

impl Facts {
    /// Returns the number of pending accounts that have no window; 0 if that is not known.
    fn windowless(&self) -> u64 {
        let windowed = self.windows.windows.iter().map(|window| window.accounts).sum();
        if self.windows.is_complete { self.left.pending.saturating_sub(windowed) } else { 0 }
    }

    /// Returns true for the last window if not all were read: everything else that is pending comes before its end.
    fn is_beyond(&self, n: usize) -> bool {
        !self.windows.is_complete && n + 1 == self.windows.windows.len()
    }

    /// Returns when the accounts of a window have ended, if all of `sooner` are begun by its end.
    fn ends(
        &self,
        window: &WaitingWindow,
        sooner: u64,
        time_for: impl Fn(u64) -> Option<chrono::TimeDelta>,
    ) -> Option<DateTime<Utc>> {
        let all = self.now.checked_add_signed(time_for(sooner)?)?;
        let start = window.start.map_or(self.now, |start| start.max(self.now));
        Some(all.max(start.checked_add_signed(time_for(window.accounts)?)?))
    }
}
