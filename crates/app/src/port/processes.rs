use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, ServiceAccountNumber};
use cutover_process::{Actor, HistoryEntry, NewProcess, Process, State};

/// The payload of a process as it was accepted.
#[derive(Clone, PartialEq, Eq)]
pub struct Staged {
    /// The accepted bytes, compressed with zstd.
    pub payload: Vec<u8>,
    /// Equal only for the same payload. Rows may have one of another kind, which earlier programs made of the
    /// content.
    pub fingerprint: [u8; 32],
}

masked! { Staged }

/// A finding about a payload, as it is kept with its process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredIssue {
    /// The path.
    pub attr: String,
    /// The code; text, for a code may be of a newer or older program.
    pub code: String,
    /// Text for people.
    pub detail: String,
}

/// What is kept of the findings of the last check of a payload.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredIssues {
    /// Errors: why an import was rejected.
    pub errors: Vec<StoredIssue>,
    /// Warnings: they never refuse a payload.
    pub warnings: Vec<StoredIssue>,
}

/// A process with what the store keeps beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredProcess {
    /// The process.
    pub process: Process,
    /// The store's key of its supplier.
    pub supplier_id: i64,
    /// Of the staged payload.
    pub fingerprint: [u8; 32],
}

/// A place in the order of a supplier's lists: when the process was created, then its key.
pub type Position = (DateTime<Utc>, i64);

/// Which processes a list of version 1 holds (contract 4.3, D7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountList {
    /// Those with an account.
    Imported,
    /// Those without an account, but for cancelled ones.
    Pending,
    /// Both.
    All,
}

/// An item of a list of version 1 (contract 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedAccount<'a> {
    /// The account's number at its previous supplier.
    pub external_account_number: &'a str,
    /// The account's number here and when it was imported, if it was.
    pub account: Option<(&'a str, DateTime<Utc>)>,
}

/// Which processes of a supplier a list is of: those that match all that is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessFilter<'a> {
    /// That are stored with this state: those of a newer version's are in lists of all states alone.
    pub state: Option<State>,
    /// That ended with this error, which may be a newer version's.
    pub error_code: Option<&'a str>,
    /// That took their last step later than this.
    pub modified_after: Option<DateTime<Utc>>,
}

impl ProcessFilter<'_> {
    /// Those of a state.
    pub fn of(state: State) -> Self {
        Self { state: Some(state), ..Self::default() }
    }
}

/// A process in a list, with the key that the next page starts after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedProcess {
    /// The process.
    pub process: Process,
    /// Where it stands in the order: its creation, then its key.
    pub position: Position,
}

/// How much of a list is read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit {
    /// Items of a page at most.
    pub items: u32,
    /// Rows that may be read for them: some match no filter, and no index knows which.
    pub scanned: u32,
}

/// So many rows are read for an item at most, and for a page at least so many. A thousand rows are a few
/// milliseconds of the database; a page of the largest size passes over 40,000.
const SCANNED_PER_ITEM: u32 = 4;
const LEAST_SCANNED: u32 = 1_000;

impl PageLimit {
    /// A page of at most so many items.
    pub fn of(items: u32) -> Self {
        Self { items, scanned: items.saturating_mul(SCANNED_PER_ITEM).max(LEAST_SCANNED) }
    }
}

/// A page of a supplier's processes. It may have fewer items than were asked for, even none, and not be the
/// last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessPage {
    /// The processes, by creation.
    pub processes: Vec<ListedProcess>,
    /// The position up to which this page read, which the next one follows; `None`: the list ends here.
    pub next: Option<Position>,
}

/// A step to be written.
#[derive(Debug, Clone, Copy)]
pub struct StepWrite<'a> {
    /// The process after the step.
    pub process: &'a Process,
    /// The entry of its history.
    pub entry: &'a HistoryEntry,
    /// What the last check found; `None` leaves what was found before.
    pub issues: Option<&'a StoredIssues>,
}

/// A new account to be staged: all that its row, its history and its payload are made of.
#[derive(Debug)]
pub struct Creation {
    /// The store's key of the supplier.
    pub supplier_id: i64,
    /// The supplier's as it was when the account was checked.
    pub supplier_revision: i64,
    /// What its process begins with, once it has a key.
    pub process: NewProcess,
    /// Who sent it.
    pub actor: Actor,
    /// When.
    pub at: DateTime<Utc>,
    /// Its payload.
    pub staged: Staged,
    /// What the check found.
    pub issues: StoredIssues,
}

impl Creation {
    /// The process under a key, with the first entry of its history.
    pub fn process(&self, id: i64) -> (Process, HistoryEntry) {
        Process::create(id, self.process.clone(), self.at, self.actor.clone())
    }
}

/// What became of a [`Creation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Staging {
    /// It is stored, durably.
    Staged,
    /// The supplier is another than the account was checked for: changed since, or not Ongoing. Nothing was
    /// stored.
    SupplierChanged,
    /// The account has a process already; nothing was stored.
    Exists,
}

/// What a look at the processes of a supplier found to be archived.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Archivable {
    /// Their keys, by creation.
    pub ids: Vec<i64>,
    /// Where the last one stands that was looked at; `None`: there was none.
    pub last: Option<Position>,
}

/// The key of a process, and its payload as [`Staged::payload`]; or why that cannot be read.
pub type PayloadById = (i64, Result<Vec<u8>, StoreError>);

/// A process with all that leaves the database when it is archived.
#[derive(Clone, PartialEq, Eq)]
pub struct ProcessToArchive {
    /// The process, which stays.
    pub stored: StoredProcess,
    /// Its history, oldest first.
    pub history: Vec<HistoryEntry>,
    /// The accepted bytes, compressed with zstd.
    pub payload: Vec<u8>,
}

masked! { ProcessToArchive }

/// Import processes, their payloads, issues, history, and the queue that workers claim from.
pub trait Processes {
    /// The key of the next process to be inserted.
    fn next_process_id(&mut self) -> Result<i64, StoreError>;

    /// The process of an account.
    fn process(
        &mut self,
        supplier_id: i64,
        number: &ExternalAccountNumber,
    ) -> Result<Option<StoredProcess>, StoreError>;

    /// Processes of a supplier whose account's number begins with a text, by number, at most `limit`. An
    /// index has them in this order: those that begin otherwise cost nothing.
    fn processes_like(
        &mut self,
        supplier_id: i64,
        prefix: &ExternalAccountNumber,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError>;

    /// The process that imported the account of a number at this service.
    fn process_of_account(
        &mut self,
        number: &ServiceAccountNumber,
    ) -> Result<Option<StoredProcess>, StoreError>;

    /// Holds other transactions that do the same, or write a step of the process, off until this one ends:
    /// what is then read of it is what a step is taken from.
    fn lock_process(&mut self, supplier_id: i64, number: &ExternalAccountNumber) -> Result<(), StoreError>;

    /// Stores a new process with the first entry of its history, its payload and its issues.
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

    /// Writes steps of different processes: each process after its step, the entry of its history, and
    /// its issues if they are new. One that is not at [`Process::version_before`] any more gets false:
    /// somebody else took a step, and nothing of it is written. A claim ends [`cutover_process::LEASE`]
    /// after the step that made it.
    fn step_processes(&mut self, steps: &[StepWrite<'_>]) -> Result<Vec<bool>, StoreError>;

    /// Writes one step that leaves the issues as they are; whether it was written.
    fn step_process(&mut self, process: &Process, entry: &HistoryEntry) -> Result<bool, StoreError> {
        let written = self.step_processes(&[StepWrite { process, entry, issues: None }])?;
        Ok(written == [true])
    }

    /// Replaces the staged payload, whether or not it was archived.
    fn restage(&mut self, process_id: i64, staged: &Staged) -> Result<(), StoreError>;

    /// The staged payload of a process.
    fn staged(&mut self, process_id: i64) -> Result<Option<Staged>, StoreError>;

    /// The staged payloads of processes, in any order, each with the key of its process; of one that has
    /// none, nothing. One that cannot be read is an error of its own: it must not keep the others.
    fn payloads(&mut self, process_ids: &[i64]) -> Result<Vec<PayloadById>, StoreError>;

    /// The issues of a process.
    fn issues(&mut self, process_id: i64) -> Result<StoredIssues, StoreError>;

    /// The history of a process, oldest first.
    fn history(&mut self, process_id: i64) -> Result<Vec<HistoryEntry>, StoreError>;

    /// Pending processes that are due, of Ongoing suppliers that may import more, at most `limit`: in turn
    /// between suppliers, those due first within one. On a database of many nodes they are locked for this
    /// transaction, and locked ones are passed over. One that was committed more than a second after it fell
    /// due may be found half a minute later.
    fn due_processes(&mut self, at: DateTime<Utc>, limit: u32) -> Result<Vec<StoredProcess>, StoreError>;

    /// When the next pending process falls due of an Ongoing supplier that may import more, if any waits;
    /// asked at `at`.
    fn next_due_at(&mut self, at: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Claimed processes whose lease ended before the time, at most `limit`.
    fn expired_leases(&mut self, before: DateTime<Utc>, limit: u32)
    -> Result<Vec<StoredProcess>, StoreError>;

    /// [`expired_leases`](Self::expired_leases) that are to be ended in this transaction. On a database of
    /// many nodes they are locked for it, and locked ones are passed over.
    fn expired_leases_to_end(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        self.expired_leases(before, limit)
    }

    /// Pending processes of Ongoing suppliers whose window closed before the time, at most `limit`.
    fn missed_windows(&mut self, before: DateTime<Utc>, limit: u32)
    -> Result<Vec<StoredProcess>, StoreError>;

    /// [`missed_windows`](Self::missed_windows) that are to be ended in this transaction, locked like
    /// [expired leases](Self::expired_leases_to_end).
    fn missed_windows_to_end(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        self.missed_windows(before, limit)
    }

    /// Processes of a supplier by creation, after a position. What is read does not grow with the number of
    /// processes that do not match.
    fn list_processes(
        &mut self,
        supplier_id: i64,
        filter: ProcessFilter<'_>,
        after: Option<Position>,
        limit: PageLimit,
    ) -> Result<ProcessPage, StoreError>;

    /// Calls with each item of a list by creation: after a position, created at `until` or before. Returns
    /// the position that the next page follows; `None`: the list ends here. Items are read as they are handed
    /// out: memory does not grow with the limit.
    fn each_account(
        &mut self,
        supplier_id: i64,
        list: AccountList,
        after: Option<Position>,
        until: DateTime<Utc>,
        limit: PageLimit,
        each: &mut dyn FnMut(ListedAccount<'_>),
    ) -> Result<Option<Position>, StoreError>;

    /// Looks at the next `limit` processes of a supplier by creation, after a position: those that have
    /// ended, changed last before the time, and are not archived. However many there are that are not among
    /// them, it is done soon.
    fn archivable(
        &mut self,
        supplier_id: i64,
        before: DateTime<Utc>,
        after: Option<Position>,
        limit: u32,
    ) -> Result<Archivable, StoreError>;

    /// Those of these processes that are [archivable](Self::archivable) still, with what leaves the database.
    fn processes_to_archive(
        &mut self,
        process_ids: &[i64],
        before: DateTime<Utc>,
    ) -> Result<Vec<ProcessToArchive>, StoreError>;

    /// Marks processes as archived, each by its key and its version, and returns their number. A process that
    /// is at another version, or archived, stays as it is. The store may remove their payloads and histories
    /// at once or leave that to [`remove_archived`](Self::remove_archived).
    fn archive(&mut self, versions: &[(i64, i64)], at: DateTime<Utc>) -> Result<usize, StoreError>;

    /// Removes the payloads and histories of archived processes, one range of keys a call. The first range
    /// begins at 0; the result is where the next one begins, `None` behind the last.
    fn remove_archived(&mut self, from: i64) -> Result<Option<i64>, StoreError>;

    /// Tells if tables have partitions for the next millions of processes. True on stores without partitions.
    fn has_partitions(&mut self) -> Result<bool, StoreError>;

    /// Adds partitions for the next millions of processes.
    fn add_partitions(&mut self) -> Result<(), StoreError>;

    /// When a process was archived, if it is; [`restage`](Self::restage) ends that.
    fn archived_at(&mut self, process_id: i64) -> Result<Option<DateTime<Utc>>, StoreError>;
}
