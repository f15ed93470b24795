use super::causes::Cause;
use super::{ErasureMark, FairShares, SearchTerm, StoreError, StoredIssues};
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, ServiceAccountNumber, Word};
use cutover_model::{ContentHash, PathHashes, Totals};
use cutover_process::{Actor, HistoryEntry, NewProcess, Process, ProcessError, State};

/// The accepted payload of a process.
#[derive(Clone, PartialEq, Eq)]
pub struct Staged {
    /// The accepted bytes, compressed with zstd.
    pub payload: Vec<u8>,
    /// Hash of the compressed payload. Rows of earlier versions have a hash of its content instead.
    pub fingerprint: [u8; 32],
    /// The totals of the account, one account, by which [`sent`](super::Figures::sent) counts it.
    pub totals: Totals,
    /// The words by which the account is found, sorted, each once.
    pub terms: Vec<SearchTerm>,
}

masked! { Staged }

impl Default for Staged {
    /// No payload, of one account.
    fn default() -> Self {
        let totals = Totals { accounts: 1, ..Totals::default() };
        Self { payload: Vec::new(), fingerprint: [0; 32], totals, terms: Vec::new() }
    }
}

/// A process with other columns of its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredProcess {
    /// The process.
    pub process: Process,
    /// The store's key of its supplier.
    pub supplier_id: i64,
    /// Fingerprint of the staged payload.
    pub fingerprint: [u8; 32],
    /// The causes of its error, sorted.
    pub error_causes: Vec<Cause>,
}

/// A position in a supplier's lists: the creation time of the process, then its key.
pub type Position = (DateTime<Utc>, i64);

/// The lists of version 1 (contract 4.3, D7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountList {
    /// Processes with an account.
    Imported,
    /// Processes without an account, except cancelled ones.
    Pending,
    /// Both.
    All,
}

/// An item of a list of version 1 (contract 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedAccount<'a> {
    /// The account's number at its previous supplier.
    pub external_account_number: &'a str,
    /// The account's number here and the time of its import, if it was imported.
    pub account: Option<(&'a str, DateTime<Utc>)>,
}

/// A filter of processes, which have to match all given criteria.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessFilter<'a> {
    /// In this state. Processes in a state of a newer version match only filters without a state.
    pub state: Option<State>,
    /// Failed with a [cause](super::Cause::of_error) of this code, which may be of a newer version.
    pub error_code: Option<&'a str>,
    /// With a [warning](super::Cause::of_issues) of this code.
    pub warning_code: Option<&'a str>,
    /// Last step later than this.
    pub modified_after: Option<DateTime<Utc>>,
    /// Cancelled because its import was undone, or anything else.
    pub is_undone: Option<bool>,
}

impl ProcessFilter<'_> {
    /// Returns the filter for a state.
    pub fn of(state: State) -> Self {
        Self { state: Some(state), ..Self::default() }
    }

    /// Returns the state that everything has that matches, if the filter decides that.
    pub fn only_state(&self) -> Option<State> {
        self.state.or_else(|| (self.is_undone == Some(true)).then_some(State::Cancelled))
    }
}

/// A process in a list, with the key that the next page starts after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedProcess {
    /// The process.
    pub process: Process,
    /// Its position in the list.
    pub position: Position,
    /// The causes of its error, sorted.
    pub error_causes: Vec<Cause>,
}

/// Limits of a page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit {
    /// Maximum number of items in a page.
    pub items: u32,
    /// Maximum number of rows read for the page: rows may fail filters that no index covers.
    pub scanned: u32,
}

/// Maximum number of rows read per item, and the minimum of that limit for a page. The database reads a
/// thousand rows in a few milliseconds; a page of the largest size scans 40,000.
const SCANNED_PER_ITEM: u32 = 4;
const LEAST_SCANNED: u32 = 1_000;

impl PageLimit {
    /// Returns the limits of a page with at most this many items.
    pub fn of(items: u32) -> Self {
        Self { items, scanned: items.saturating_mul(SCANNED_PER_ITEM).max(LEAST_SCANNED) }
    }
}

/// A page of a supplier's processes. A page that is not the last may have fewer items than requested, even
/// none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessPage {
    /// The processes, by creation.
    pub processes: Vec<ListedProcess>,
    /// The position after which the next page begins; `None` if the list ends here.
    pub next: Option<Position>,
}

/// A step to be written.
#[derive(Debug, Clone, Copy)]
pub struct StepWrite<'a> {
    /// The process after the step.
    pub process: &'a Process,
    /// The entry of its history.
    pub entry: &'a HistoryEntry,
    /// The issues of the last check; `None` leaves the stored ones. A failed step counts by their errors, or
    /// by the code of its own error if there are none: see [`Cause::of_error`](super::Cause::of_error).
    pub issues: Option<&'a StoredIssues>,
    /// Hash and totals of the payload, if it was read for the step. The hash is stored.
    pub sent: Option<Sent<'a>>,
}

/// The parts of an accepted payload that runs and certificates keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sent<'a> {
    /// The hash of the account's content; `None` if it cannot be read.
    pub content: Option<ContentHash>,
    /// The totals that the account has when it is imported.
    pub totals: Totals,
    /// The hashes of its values by path, if they were computed because a run is open. Only runs keep them.
    pub paths: Option<&'a PathHashes>,
}

/// A process at the version that was written to the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchivedVersion {
    /// The store's key.
    pub id: i64,
    /// Its version.
    pub version: i64,
    /// The hash of the account's content, which is kept; `None` if it cannot be read.
    pub content: Option<ContentHash>,
}

impl ArchivedVersion {
    /// A process at its version.
    pub fn new(process: &Process, content: Option<ContentHash>) -> Self {
        Self { id: process.id(), version: process.version(), content }
    }
}

/// A new account to be staged, with its process, history, payload and issues.
#[derive(Debug)]
pub struct Creation {
    /// The store's key of the supplier.
    pub supplier_id: i64,
    /// The revision of the supplier for which the account was checked.
    pub supplier_revision: i64,
    /// The initial data of its process, which gets its key from the store.
    pub process: NewProcess,
    /// The sender.
    pub actor: Actor,
    /// Time of the request.
    pub at: DateTime<Utc>,
    /// Its payload.
    pub staged: Staged,
    /// The issues of the check.
    pub issues: StoredIssues,
    /// The (trimmed) identifier of the contract that the account names. It existed when the account was checked.
    pub contract: Option<String>,
    /// The mark that the account has if it was erased, and is refused for then (rule PST-17); `None` if no account of the
    /// supplier is refused for it.
    pub mark: Option<ErasureMark>,
}

impl Creation {
    /// Returns the process with this key and the first entry of its history.
    pub fn process(&self, id: i64) -> (Process, HistoryEntry) {
        Process::create(id, self.process.clone(), self.at, self.actor.clone())
    }
}

/// Result of staging a [`Creation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Staging {
    /// The account is stored durably.
    Staged,
    /// Nothing was stored: the supplier has changed since the account was checked, or is not Ongoing; or the contract
    /// that the account names is gone, or the account was erased. Another check tells which.
    SupplierChanged,
    /// Nothing was stored: the account has a process already.
    Exists,
}

/// A page of the processes of a supplier that can be archived.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Archivable {
    /// Their keys, in the order of creation.
    pub ids: Vec<i64>,
    /// The position of the last process examined; `None` if there was none.
    pub last: Option<Position>,
}

/// The key of a process, and its payload as in [`Staged::payload`] or the reason why it cannot be read.
pub type PayloadById = (i64, Result<Vec<u8>, StoreError>);

/// A process with the data that leaves the database when it is archived.
#[derive(Clone, PartialEq, Eq)]
pub struct ProcessToArchive {
    /// The process, which remains in the database.
    pub stored: StoredProcess,
    /// Its history, oldest first.
    pub history: Vec<HistoryEntry>,
    /// The accepted bytes, compressed with zstd.
    pub payload: Vec<u8>,
}

masked! { ProcessToArchive }

/// The last attempt of a process before the current one that had a result: it failed, or a rehearsal passed. Its
/// payload may be the current one.
#[derive(Clone, PartialEq, Eq)]
pub struct PreviousAttempt {
    /// Its number.
    pub attempt: u32,
    /// The state in which it ended.
    pub state: Word<State>,
    /// Time of its end.
    pub ended_at: DateTime<Utc>,
    /// The error that it ended with.
    pub error: Option<ProcessError>,
    /// The issues of its check.
    pub issues: StoredIssues,
    /// Its payload, as in [`Staged::payload`].
    pub payload: Vec<u8>,
}

masked! { PreviousAttempt }

/// Maximum number of windows, and of accounts in them, that [`Processes::waiting_windows`] reads.
pub const MAX_WINDOWS: usize = 20;
/// See [`MAX_WINDOWS`].
pub const MAX_WINDOWED_ACCOUNTS: u32 = 100_000;

/// Waiting accounts whose windows end at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingWindow {
    /// The start of the window of one of them.
    pub start: Option<DateTime<Utc>>,
    /// The end.
    pub end: DateTime<Utc>,
    /// Their number.
    pub accounts: u64,
}

/// The windows of the accounts of a supplier that wait.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaitingWindows {
    /// The windows in the order of their ends. If not all were read, the last one is the window that ends last.
    pub windows: Vec<WaitingWindow>,
    /// False if there are too many windows or accounts to read: the numbers are too small then.
    pub is_complete: bool,
}

/// Queries of import processes, their payloads, issues and history, and of the queue that workers claim from.
pub trait Processes {
    /// Returns the key for the next process to be inserted.
    fn next_process_id(&mut self) -> Result<i64, StoreError>;

    /// Returns the process of an account.
    fn process(
        &mut self,
        supplier_id: i64,
        number: &ExternalAccountNumber,
    ) -> Result<Option<StoredProcess>, StoreError>;

    /// Returns numbers, keys and creation times of those processes of a supplier that have one of these numbers, which
    /// are trimmed.
    fn processes_among(
        &mut self,
        supplier_id: i64,
        numbers: &[String],
    ) -> Result<Vec<(String, i64, DateTime<Utc>)>, StoreError>;

    /// Returns for each number the first one of the supplier's that looks like it (see [`folded`](cutover_core::folded)), of
    /// processes before its own that are not cancelled. Of many that look alike, only some are looked at.
    fn similar_numbers(
        &mut self,
        supplier_id: i64,
        numbers: &[ExternalAccountNumber],
    ) -> Result<Vec<Option<String>>, StoreError>;

    /// Returns processes of a supplier whose account number begins with a text, by number, at most `limit`.
    /// An index has this order, so other processes cost nothing.
    fn processes_like(
        &mut self,
        supplier_id: i64,
        prefix: &ExternalAccountNumber,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError>;

    /// Returns the processes with these keys, in the order of their keys.
    fn processes_by_id(&mut self, process_ids: &[i64]) -> Result<Vec<StoredProcess>, StoreError>;

    /// Returns the issues of processes, and true for those whose payload is archived, in any order.
    fn issues_of(&mut self, process_ids: &[i64]) -> Result<Vec<(i64, StoredIssues, bool)>, StoreError>;

    /// Locks a process until the transaction ends, also against steps of other transactions. Reads after it
    /// see the state that the next step starts from.
    fn lock_process(&mut self, supplier_id: i64, number: &ExternalAccountNumber) -> Result<(), StoreError>;

    /// Stores a new process with the first entry of its history, its payload and its issues, and publishes the
    /// event of its creation.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the account has a process already.
    fn insert_process(
        &mut self,
        supplier_id: i64,
        process: &Process,
        entry: &HistoryEntry,
        staged: &Staged,
        issues: &StoredIssues,
    ) -> Result<(), StoreError>;

    /// Writes steps of different processes: each process after its step, the entry of its history, and its
    /// new issues and the hash of its content if there are any; publishes their events. The result is false for a process that is not at
    /// [`Process::version_before`] any more, because somebody else took a step: nothing of it is written. A
    /// claim ends [`cutover_process::LEASE`] after its step.
    ///
    /// An undo publishes the number of the account, which its process does not have any more.
    ///
    /// A step that begins another attempt, by the supplier or the operator, keeps the one before it if that had a
    /// result ([`previous_attempt`](Self::previous_attempt)); an import removes it.
    fn step_processes(&mut self, steps: &[StepWrite<'_>]) -> Result<Vec<bool>, StoreError>;

    /// Writes one step without issues; returns true if it was written.
    fn step_process(&mut self, process: &Process, entry: &HistoryEntry) -> Result<bool, StoreError> {
        let written = self.step_processes(&[StepWrite { process, entry, issues: None, sent: None }])?;
        Ok(written == [true])
    }

    /// Replaces the staged payload, whether or not it was archived.
    fn restage(&mut self, process_id: i64, staged: &Staged) -> Result<(), StoreError>;

    /// Returns the staged payload of a process.
    fn staged(&mut self, process_id: i64) -> Result<Option<Staged>, StoreError>;

    /// Returns the staged payloads of processes in any order, without processes that have none. A payload
    /// that cannot be read is an error of its own and does not affect the others.
    fn payloads(&mut self, process_ids: &[i64]) -> Result<Vec<PayloadById>, StoreError>;

    /// Returns the issues of a process.
    fn issues(&mut self, process_id: i64) -> Result<StoredIssues, StoreError>;

    /// Returns the previous attempt of a process, until it is imported, archived or erased.
    fn previous_attempt(&mut self, process_id: i64) -> Result<Option<PreviousAttempt>, StoreError>;

    /// Returns the number of the [previous attempt](Self::previous_attempt), which is not read.
    fn previous_attempt_number(&mut self, process_id: i64) -> Result<Option<u32>, StoreError>;

    /// Replaces the issues of an imported account, which is locked, and counts its warnings. This is no step.
    fn set_issues(&mut self, process_id: i64, issues: &StoredIssues) -> Result<(), StoreError>;

    /// Returns the history of a process, oldest first.
    fn history(&mut self, process_id: i64) -> Result<Vec<HistoryEntry>, StoreError>;

    /// Returns the windows of pending processes of a supplier. Reads at most [`MAX_WINDOWED_ACCOUNTS`] entries of an
    /// index.
    fn waiting_windows(&mut self, supplier_id: i64) -> Result<WaitingWindows, StoreError>;

    /// Returns processes of a supplier by creation, after a position. The cost does not grow with the number
    /// of processes that do not match.
    fn list_processes(
        &mut self,
        supplier_id: i64,
        filter: ProcessFilter<'_>,
        after: Option<Position>,
        limit: PageLimit,
    ) -> Result<ProcessPage, StoreError>;

    /// Calls `each` with the items of a list by creation: after a position, created at `until` or before.
    /// Returns the position after which the next page begins; `None` if the list ends here. Items are
    /// streamed, so memory does not grow with the limit.
    fn each_account(
        &mut self,
        supplier_id: i64,
        list: AccountList,
        after: Option<Position>,
        until: DateTime<Utc>,
        limit: PageLimit,
        each: &mut dyn FnMut(ListedAccount<'_>),
    ) -> Result<Option<Position>, StoreError>;

    /// Examines the next `limit` processes of a supplier by creation, after a position, and returns those
    /// that have ended, last changed before the time, and are not archived. The cost is bounded whatever the
    /// number of other processes.
    fn archivable(
        &mut self,
        supplier_id: i64,
        before: DateTime<Utc>,
        after: Option<Position>,
        limit: u32,
    ) -> Result<Archivable, StoreError>;

    /// Returns those of these processes that are still [archivable](Self::archivable), with the data that
    /// leaves the database.
    fn processes_to_archive(
        &mut self,
        process_ids: &[i64],
        before: DateTime<Utc>,
    ) -> Result<Vec<ProcessToArchive>, StoreError>;

    /// Marks processes as archived and returns their number. A process that is at another version, or archived,
    /// stays as it is. The store may remove their payloads and histories
    /// at once or leave that to [`remove_archived`](Self::remove_archived).
    fn archive(&mut self, processes: &[ArchivedVersion], at: DateTime<Utc>) -> Result<usize, StoreError>;

    /// Removes the payloads and histories of archived processes, one range of keys a call. The first range
    /// begins at 0; the result is where the next one begins, `None` behind the last.
    fn remove_archived(&mut self, from: i64) -> Result<Option<i64>, StoreError>;

    /// Returns true if tables have partitions for the next millions of processes, or the store has no
    /// partitions.
    fn has_partitions(&mut self) -> Result<bool, StoreError>;

    /// Adds partitions for the next millions of processes.
    fn add_partitions(&mut self) -> Result<(), StoreError>;

    /// Returns the time at which a process was archived; `None` if it is not, or was staged again
    /// ([`restage`](Self::restage)).
    fn archived_at(&mut self, process_id: i64) -> Result<Option<DateTime<Utc>>, StoreError>;
}

/// Queries that find processes of any supplier, and of the queue that workers claim from.
pub trait AnyProcesses {
    /// Returns the process that imported the account with this number at this service.
    fn process_of_account(
        &mut self,
        number: &ServiceAccountNumber,
    ) -> Result<Option<StoredProcess>, StoreError>;

    /// Returns due processes of Ongoing suppliers that may import more, at most `limit`: one of each supplier in turn,
    /// divided by `shares`, and by due time within one. On a database of many nodes they are locked for this
    /// transaction, and locked ones are skipped. A process that was committed more than a second after it
    /// fell due may be found half a minute later.
    fn due_processes(
        &mut self,
        at: DateTime<Utc>,
        limit: u32,
        shares: &FairShares,
    ) -> Result<Vec<StoredProcess>, StoreError>;

    /// Returns the time at which the next pending process of an Ongoing supplier that may import more is due;
    /// `at` is now.
    fn next_due_at(&mut self, at: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Returns claimed processes whose lease ended before the time, at most `limit`.
    fn expired_leases(&mut self, before: DateTime<Utc>, limit: u32)
    -> Result<Vec<StoredProcess>, StoreError>;

    /// Like [`expired_leases`](Self::expired_leases), for processes that this transaction ends. On a database
    /// of many nodes they are locked for it, and locked ones are skipped.
    fn expired_leases_to_end(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        self.expired_leases(before, limit)
    }

    /// Returns pending processes of Ongoing suppliers whose window closed before the time, at most `limit`.
    fn missed_windows(&mut self, before: DateTime<Utc>, limit: u32)
    -> Result<Vec<StoredProcess>, StoreError>;

    /// Like [`missed_windows`](Self::missed_windows), for processes that this transaction ends, locked like
    /// [expired leases](Self::expired_leases_to_end).
    fn missed_windows_to_end(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        self.missed_windows(before, limit)
    }
}
