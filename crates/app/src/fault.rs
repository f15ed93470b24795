//! Points at which tests make the program wait, die or fail, in the middle of work that must be atomic.
//!
//! The environment variable `FAILPOINTS` configures each [`Point`], in the syntax of the crate `fail`:
//! `point=return(ABOUT|ACTION)` acts whenever the point is reached with this `ABOUT` (empty: with any), and
//! `point=1*return(…)` acts once.
//!
//! | action | effect |
//! |---|---|
//! | `hold\|FILE` | creates the file and waits until it is removed |
//! | `abort` | ends the process at once, as `kill -9` does |
//! | `panic` | panics |
//! | `fail` | makes [`fails`] return true |
//! | `fail\|FILE` | the same once: it creates the file, and does nothing if the file exists |
//!
//! Only test builds contain this code. Without the feature `failpoints` of `fail`, which only
//! dev-dependencies enable, it compiles to nothing.

use std::path::Path;
use std::time::Duration;

/// Interval at which a held point checks its file.
const HOLD_POLL: Duration = Duration::from_millis(10);

/// Declares the points, each with its name.
macro_rules! points {
    ($($(#[$doc:meta])* $point:ident = $name:literal,)*) => {
        /// A point at which the program can be made to wait, die or fail.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Point {
            $($(#[$doc])* $point,)*
        }

        impl Point {
            /// Its name in `FAILPOINTS`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$point => $name,)*
                }
            }
        }
    };
}

points! {
    /// A new account is durably stored, and the client has no answer yet; about its number.
    Staged = "staged",
    /// A business that is to be created was not found; nothing else of it has been read. About its identifier.
    BusinessSought = "business_sought",
    /// Claims are written, not committed; about the number of each.
    ClaimWritten = "claim_written",
    /// Claims are committed; about the number of each.
    Claimed = "claimed",
    /// A claimed account is about to be checked; about its number.
    ImportBegun = "import_begun",
    /// Accounts are checked, not written; about the number of the first.
    ImportReady = "import_ready",
    /// The status of processes is written, their event is not; about the event of the first.
    StatusWritten = "status_written",
    /// Status and event of processes are written; about the event of the first.
    EventWritten = "event_written",
    /// The rows of accounts are written, rows of other tables are not.
    AccountWritten = "account_written",
    /// The rows of another table of accounts are written; about the table.
    TableWritten = "table_written",
    /// All rows of an import are written, not committed.
    ImportWritten = "import_written",
    /// An import is committed.
    Imported = "imported",
    /// A sweep has found expired leases, and has not begun to release them.
    SweepLooked = "sweep_looked",
    /// A sweep has read them again in its transaction, and has not written.
    SweepRead = "sweep_read",
    /// The processes of a batch have changed; the position of the job has not moved.
    JobStepped = "job_stepped",
    /// A batch of a job is committed.
    JobBatchDone = "job_batch_done",
    /// Deliveries of a webhook have been added; its position has not moved.
    DeliveriesAdded = "deliveries_added",
    /// Deliveries have been claimed; nothing has been sent.
    DeliveriesClaimed = "deliveries_claimed",
    /// Receivers have answered; nothing has been recorded.
    DeliveriesAnswered = "deliveries_answered",
    /// A transaction of SQLite is about to be committed; about `accounts` if it stores new accounts.
    Commit = "commit",
}

/// Configures the points from the environment until the result is dropped. Release builds read nothing.
pub fn set_up() -> Option<impl Sized> {
    fail::has_failpoints().then(fail::FailScenario::setup)
}

/// Reports that a point is reached.
pub fn reached(point: Point, about: &str) {
    let _ = fails(point, about);
}

/// Reports that a point is reached, and returns true if the caller has to fail.
pub fn fails(point: Point, about: &str) -> bool {
    let obeyed = |order: Option<String>| obey(order.as_deref().unwrap_or_default(), about);
    fail::fail_point!(point.name(), obeyed);
    // Used by the macro in test builds only.
    let _ = (point, obeyed);
    false
}

/// Executes an order `ABOUT|ACTION` if it is about this; returns true if the caller has to fail.
fn obey(order: &str, about: &str) -> bool {
    let (target, act) = order.split_once('|').unwrap_or(("", order));
    if !target.is_empty() && target != about {
        return false;
    }
    match act.split_once('|').unwrap_or((act, "")) {
        ("hold", file) => hold(Path::new(file)),
        ("abort", _) => std::process::abort(),
        ("panic", _) => panic!("a test injected this panic"),
        ("fail", "") => return true,
        ("fail", file) => return std::fs::File::create_new(file).is_ok(),
        _ => panic!("{order:?} is not an order for a fault point"),
    }
    false
}

/// Creates the file and waits until it is removed.
fn hold(file: &Path) {
    if let Err(error) = std::fs::write(file, "") {
        panic!("{}: {error}", file.display());
    }
    while file.exists() {
        std::thread::sleep(HOLD_POLL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_acts_only_on_the_subject_of_its_order() {
        assert!(fail::has_failpoints(), "test builds have points");
        assert!(!fails(Point::SweepLooked, "A-1"));
        fail::cfg(Point::SweepLooked.name(), "return(A-1|fail)").unwrap();
        assert!(fails(Point::SweepLooked, "A-1"));
        assert!(!fails(Point::SweepLooked, "A-2"));
        fail::cfg(Point::SweepLooked.name(), "1*return(|panic)").unwrap();
        assert!(std::panic::catch_unwind(|| reached(Point::SweepLooked, "A-2")).is_err());
        assert!(!fails(Point::SweepLooked, "A-2"), "it acts once");
        fail::remove(Point::SweepLooked.name());
    }
}
