//! Places where tests make the program wait, die or fail: in the middle of what must be whole.
//!
//! A place is a [`Point`]; all of them stand here. What happens there is said in the variable `FAILPOINTS`, in the
//! words of the crate `fail`: `point=return(ABOUT|ACT)`, which does it whenever the point is reached with this
//! `ABOUT` (empty: with any), or `point=1*return(…)` for once.
//!
//! | act | what happens |
//! |---|---|
//! | `hold\|FILE` | makes the file and waits there until it is gone |
//! | `abort` | the process ends at once, as by `kill -9` |
//! | `panic` | a panic |
//! | `fail` | [`fails`] says so |
//! | `fail\|FILE` | the same for once: it makes the file, and does nothing where that is there |
//!
//! Only builds for tests have this: without the feature `failpoints` of `fail`, which only dev-dependencies ask for,
//! nothing of it is compiled.

use std::path::Path;
use std::time::Duration;

/// How often a held point looks whether it is let go.
const LOOK: Duration = Duration::from_millis(10);

/// Declares the points, each with its name.
macro_rules! points {
    ($($(#[$doc:meta])* $point:ident = $name:literal,)*) => {
        /// A place where the program can be made to wait, die or fail.
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
    /// A new account is durably stored, and nobody was told; about its number.
    Staged = "staged",
    /// Claims are written and not committed; about the number of each.
    ClaimWritten = "claim_written",
    /// Claims are committed; about the number of each.
    Claimed = "claimed",
    /// A claimed account is about to be checked; about its number.
    ImportBegun = "import_begun",
    /// Accounts are checked, and nothing of them is written; about the number of the first.
    ImportReady = "import_ready",
    /// The status of processes is written, and not their event; about the event of the first.
    StatusWritten = "status_written",
    /// Both are; about the event of the first.
    EventWritten = "event_written",
    /// The rows of accounts themselves are written, and none of their children.
    AccountWritten = "account_written",
    /// The rows of a table of theirs are; about the table.
    TableWritten = "table_written",
    /// All that an import writes is written, and not committed.
    ImportWritten = "import_written",
    /// It is committed.
    Imported = "imported",
    /// A sweep has seen leases that ran out, and has not begun to take them.
    SweepLooked = "sweep_looked",
    /// It has read them again in its transaction, and has not written.
    SweepRead = "sweep_read",
    /// A transaction of SQLite is about to be committed; about `accounts` if it stores new ones.
    Commit = "commit",
}

/// Sets the points up as the environment says, for as long as what is returned lives. In a release nothing is read.
pub fn set_up() -> Option<impl Sized> {
    fail::has_failpoints().then(fail::FailScenario::setup)
}

/// Says that a point is reached.
pub fn reached(point: Point, about: &str) {
    // Where nothing can fail, nothing is asked to.
    let _ = fails(point, about);
}

/// Says that a point is reached; whether what comes next is to fail.
pub fn fails(point: Point, about: &str) -> bool {
    let obeyed = |order: Option<String>| obey(order.as_deref().unwrap_or_default(), about);
    fail::fail_point!(point.name(), obeyed);
    // In a release these are all that is left.
    let _ = (point, obeyed);
    false
}

/// Does what an order `ABOUT|ACT` says if it is about this.
fn obey(order: &str, about: &str) -> bool {
    let (whom, act) = order.split_once('|').unwrap_or(("", order));
    if !whom.is_empty() && whom != about {
        return false;
    }
    match act.split_once('|').unwrap_or((act, "")) {
        ("hold", file) => hold(Path::new(file)),
        ("abort", _) => std::process::abort(),
        ("panic", _) => panic!("a test wants a panic here"),
        ("fail", "") => return true,
        ("fail", file) => return std::fs::File::create_new(file).is_ok(),
        _ => panic!("{order:?} is no order for a point"),
    }
    false
}

/// Waits there until the file is gone.
fn hold(file: &Path) {
    if let Err(error) = std::fs::write(file, "") {
        panic!("{}: {error}", file.display());
    }
    while file.exists() {
        std::thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_does_what_it_is_told_about_what_it_is_told() {
        assert!(fail::has_failpoints(), "tests have points");
        assert!(!fails(Point::SweepLooked, "A-1"));
        fail::cfg(Point::SweepLooked.name(), "return(A-1|fail)").unwrap();
        assert!(fails(Point::SweepLooked, "A-1"));
        assert!(!fails(Point::SweepLooked, "A-2"));
        fail::cfg(Point::SweepLooked.name(), "1*return(|panic)").unwrap();
        assert!(std::panic::catch_unwind(|| reached(Point::SweepLooked, "A-2")).is_err());
        assert!(!fails(Point::SweepLooked, "A-2"), "it was for once");
        fail::remove(Point::SweepLooked.name());
    }
}
