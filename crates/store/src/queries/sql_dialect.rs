use super::super::dialect::{Conn, Db};
use super::processes::queue::{FirstPending, OpenSupplier, OverdueSupplier};
use super::processes::write::Step;
use super::refusals;
use super::terms::TermRange;
use super::types::Timestamp;
use crate::claim_hints::ClaimHints;
use crate::error::{Meaning, Result};
use chrono::{DateTime, NaiveDate, Utc};
use cutover_app::port::{FeedPosition, HeldMeterPoint, MeterPointQuestion};
use cutover_core::ExternalAccountNumber;
use diesel::backend::Backend;
use diesel::deserialize;
use diesel::serialize::{self, Output};
use std::ops::Range;

/// The parts of queries in which the databases differ.
///
/// Not in it, because types or macros have to name them: `Conn`, `Db`, `insert_all!`,
/// `column_arrays!`, `for_claim!` and `for_share!`, which each database's module `dialect` has next to its implementation.
pub(crate) trait SqlDialect {
    /// Locks the selected rows against other writers, not against new rows that refer to them.
    const LOCK: &'static str;
    /// Like [`LOCK`](Self::LOCK), for the rows of `processes` alone.
    const LOCK_PROCESSES: &'static str;
    /// Leaves out rows that others have locked. Follows [`LOCK`](Self::LOCK).
    const SKIP_LOCKED: &'static str;
    /// Compares a column to the keys that a bounded query selects, so that the rows are found by their keys.
    /// The query follows, then [`AMONG_END`](Self::AMONG_END).
    const AMONG: &'static str;
    /// Ends what [`AMONG`](Self::AMONG) begins.
    const AMONG_END: &'static str;
    /// True if each arm of a `UNION ALL` is read to its end unless it has an order and a limit of its own.
    const ORDERS_ARMS: bool;
    /// The key after which the latest changes of process figures are: several times as many as a sweep
    /// leaves.
    const LATEST_CHANGES: &'static str;
    /// The lower bound of the keys of process figures that are not folded.
    const FIRST_PROCESS_CHANGE: &'static str;
    /// The lower bound of the keys of changes of causes that are not folded.
    const FIRST_CAUSE_CHANGE: &'static str;
    /// The lower bound of the keys of totals that are not folded.
    const FIRST_TOTAL_CHANGE: &'static str;
    /// The lower bound of the keys of changes of activity that are not folded.
    const FIRST_ACTIVITY_CHANGE: &'static str;
    /// The lower bound of the keys of changes of rows that are not folded.
    const FIRST_ROW_CHANGE: &'static str;
    /// The number of the transaction that writes an event.
    const WRITTEN_IN: &'static str;
    /// The key of an event of the supplier `s`.
    const EVENT_ID: &'static str;
    /// Leaves out events before which others may still appear.
    const VISIBLE_EVENTS: &'static str;
    /// True if no statement succeeds in a transaction after one was refused.
    const REFUSAL_ENDS_TRANSACTION: bool;

    /// The state of a fold between [`begin_fold`](Self::begin_fold) and [`end_fold`](Self::end_fold).
    type Fold;

    /// Returns the id of the database's history. `opened` is that of the store's opening.
    fn history(conn: &mut Conn, opened: &str) -> Result<String>;

    /// Returns processes of blocks with such terms, by block, term and key, at most its limit.
    fn processes_with_terms(conn: &mut Conn, blocks: Range<i64>, range: &TermRange) -> Result<Vec<i64>>;

    /// Returns the key of the next process.
    fn next_process_id(conn: &mut Conn) -> Result<i64>;

    /// Returns numbers, keys and creation times of those processes of a supplier that have one of these numbers.
    fn processes_among(
        conn: &mut Conn,
        supplier_id: i64,
        numbers: &[String],
    ) -> Result<Vec<(String, i64, Timestamp)>>;

    /// Returns for each number that of an earlier process of the supplier that looks like it.
    fn similar_numbers(
        conn: &mut Conn,
        supplier_id: i64,
        numbers: &[ExternalAccountNumber],
    ) -> Result<Vec<Option<String>>>;

    /// Returns those refused creates of a supplier that have one of these numbers.
    fn refused_among(conn: &mut Conn, supplier_id: i64, numbers: &[String]) -> Result<Vec<refusals::Read>>;

    /// Removes those refused creates of a supplier, which the caller has locked. Returns how many.
    fn remove_refused(conn: &mut Conn, supplier_id: i64, numbers: &[&str]) -> Result<usize>;

    /// Writes steps and publishes their events. Returns for each whether its process was still at the version before it.
    fn steps(conn: &mut Conn, steps: Vec<Step<'_>>) -> Result<Vec<bool>>;

    /// Removes events of organisations up to those positions, or at least what can be removed at little cost.
    fn remove_events(conn: &mut Conn, expired: &[(i64, FeedPosition)]) -> Result<()>;

    /// Returns the suppliers that have a process due and may import more, at most `limit`. The first one is
    /// the one after the last served.
    fn open_suppliers(
        conn: &mut Conn,
        hints: &ClaimHints,
        at: DateTime<Utc>,
        limit: i64,
    ) -> Result<Vec<OpenSupplier>>;

    /// Returns all suppliers with their first pending process.
    fn first_pending(conn: &mut Conn, hints: &ClaimHints, at: DateTime<Utc>) -> Result<Vec<FirstPending>>;

    /// Returns when the next process is due of a supplier that may import more.
    fn next_due_at(conn: &mut Conn, hints: &ClaimHints, at: DateTime<Utc>) -> Result<Option<DateTime<Utc>>>;

    /// Returns the suppliers of which a lease ended before a time, with the end of the first one.
    fn expired_leases(
        conn: &mut Conn,
        hints: &ClaimHints,
        before: DateTime<Utc>,
    ) -> Result<Vec<OverdueSupplier>>;

    /// Returns for each meter point whether another account of the organisation has it. Identifiers are
    /// stored trimmed.
    fn meter_point_holders(
        conn: &mut Conn,
        questions: &[MeterPointQuestion<'_>],
    ) -> Result<Vec<Option<HeldMeterPoint>>>;

    /// Locks meter points against other transactions that lock them, whether an account has them or not.
    fn lock_meter_points(conn: &mut Conn, questions: &[MeterPointQuestion<'_>]) -> Result<()>;

    /// Waits for the transactions that have looked for open runs, and lets others wait from then on.
    fn lock_runs(conn: &mut Conn) -> Result<()>;

    /// Locks the list of suppliers, including those that do not exist yet. Claims are not blocked.
    fn lock_suppliers(conn: &mut Conn) -> Result<()>;

    /// Begins to fold changes of figures. Returns `None` if another transaction folds.
    fn begin_fold(conn: &mut Conn) -> Result<Option<Self::Fold>>;

    /// Folds the oldest changes of process figures. Returns how many.
    fn fold_processes(conn: &mut Conn, limit: u32) -> Result<usize>;

    /// Folds the oldest changes of causes. Returns how many.
    fn fold_causes(conn: &mut Conn, limit: u32) -> Result<usize>;

    /// Folds the oldest changes of activity. Returns how many.
    fn fold_activity(conn: &mut Conn, limit: u32) -> Result<usize>;

    /// Moves the lower bounds of changes forward. Call it only when no change is left to fold.
    fn end_fold(conn: &mut Conn, fold: Self::Fold) -> Result<()>;

    /// Returns true if there are partitions for at least as many further processes as one partition holds.
    fn has_partitions(conn: &mut Conn) -> Result<bool>;

    /// Adds the missing partitions.
    fn add_partitions(conn: &mut Conn) -> Result<()>;

    /// Removes payloads and histories of processes that were just marked as archived, unless
    /// [`remove_archived`](Self::remove_archived) does.
    fn archived(conn: &mut Conn, ids: &[i64]) -> Result<()>;

    /// Removes rows of archived processes from the key `from` on. Returns the key to go on with.
    fn remove_archived(conn: &mut Conn, from: i64) -> Result<Option<i64>>;

    /// Writes an instant in microseconds since 1970.
    fn write_instant(micros: i64, out: &mut Output<'_, '_, Db>) -> serialize::Result;

    /// Reads an instant in microseconds since 1970.
    fn read_instant(value: <Db as Backend>::RawValue<'_>) -> deserialize::Result<i64>;

    /// Writes a day.
    fn write_day(day: NaiveDate, out: &mut Output<'_, '_, Db>) -> serialize::Result;

    /// Reads a day.
    fn read_day(value: <Db as Backend>::RawValue<'_>) -> deserialize::Result<NaiveDate>;

    /// Returns the meaning of an error that has a message but no kind.
    fn meaning(message: &str) -> Meaning;
}
