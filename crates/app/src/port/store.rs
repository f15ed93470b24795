use super::{
    Accounts, AnyAudit, AnyFigures, AnyGates, AnyJobs, AnyProcesses, AnyRuns, AnySuppliers, AnyVendors,
    AnyWebhooks, Audit, Businesses, Certificates, Creation, Erasure, Feed, Figures, Gates,
    HistoricalStatements, Identity, Instructions, Jobs, Ledgers, Nodes, Notes, Processes, Refusals, Runs,
    Search, Staging, StoreError, Suppliers, Timeline, Traces, Undo, Vendors, Webhooks,
};
use cutover_core::SupplierStatus;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Figures of the database server, for monitoring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ServerFigures {
    /// The age of the oldest snapshot: of the transaction, prepared transaction, standby or replication slot
    /// that has kept dead rows from being removed for the longest. Zero if there is none.
    pub oldest_snapshot: Duration,
    /// True if the role of this process may see the sessions of other roles. Without that right, the other
    /// figures lack them.
    pub sees_other_roles: bool,
    /// Lag of the slowest standby; `None` if no standby is visible.
    pub replication_lag: Option<Duration>,
    /// True if commits wait for a standby.
    pub has_synchronous_standbys: bool,
    /// True if the standby that this process reads from answers; `None` without one.
    pub standby_answers: Option<bool>,
    /// True if the last segment of the log was archived, false if that failed; `None` if the server archives none.
    pub archives_log: Option<bool>,
    /// Bytes of the write-ahead log that are retained for the slowest replication slot.
    pub retained_log: u64,
}

/// A fault of the database, or of this process's connection to it, that stops the release of a wave (contract D16).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseFault {
    /// Its file is damaged: what was found first.
    Damaged(String),
    /// The version of its server, which is older than any supported one.
    Outdated(String),
    /// Its server takes no writes.
    ReadOnly,
    /// A setting of its server that is off, so that a crash may lose what was accepted.
    LosesCommits(&'static str),
    /// Rights that the role of this process lacks.
    MissingRights {
        /// The role.
        role: String,
        /// The rights, such as `SELECT on manifests`.
        rights: Vec<String>,
    },
    /// A proxy shares sessions that must not be shared.
    SharedSessions,
    /// Its address and its direct address lead to different databases.
    TwoDatabases,
    /// The server that is read from as a standby is none.
    NoStandby,
}

/// The result of an inspection of the database.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inspection {
    /// The faults that were found.
    pub faults: Vec<DatabaseFault>,
    /// The size of its file in bytes, if that is too large to be read whole.
    pub unread: Option<u64>,
}

/// The encryption of values in the database, from a sample of large tables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Encryption {
    /// True if this process has a key to encrypt with.
    pub is_configured: bool,
    /// True if there are values that are not encrypted.
    pub has_open_values: bool,
    /// The names of keys that values need and this process has.
    pub used: Vec<String>,
    /// The names of keys that values need and this process lacks, or has wrongly.
    pub missing: Vec<String>,
    /// True if there are values that a newer version has encrypted in a way that this one cannot read.
    pub has_unknown_values: bool,
}

/// Decision of a job about its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Commit the writes.
    Commit,
    /// Roll the writes back.
    Rollback,
}

/// A job of a use case in a write transaction. It runs once, possibly with other jobs in one commit.
pub type WriteJob = Box<dyn FnOnce(&mut dyn Tx) -> Verdict + Send>;

/// Callback with the result of staging. It is called once, on any thread, and must not block.
pub type StagingDone = Box<dyn FnOnce(Result<Staging, StoreError>) + Send>;

/// Declares a trait that every type has which has these.
macro_rules! combined {
    ($(#[$doc:meta])* $name:ident: $($part:ident)+) => {
        $(#[$doc])*
        pub trait $name: $($part +)+ {}

        impl<T> $name for T where T: $($part +)+ {}
    };
}

combined! {
    /// The part of a transaction that finds rows by the key of an organisation, of a supplier or of what belongs to one. Such
    /// a key is found first, within the [scope](crate::operator::Scope) of an operator, and belongs to the same
    /// organisation forever.
    Rows:
    Suppliers Processes Refusals Runs Search Accounts Notes Ledgers HistoricalStatements Instructions Businesses Certificates
    Vendors Figures Feed Gates Audit Erasure Nodes Jobs Undo Webhooks Timeline
}

combined! {
    /// A transaction with the queries of every aggregate. Reading jobs must only read.
    Tx:
    Rows Identity AnySuppliers AnyProcesses AnyRuns AnyGates AnyJobs AnyWebhooks AnyVendors AnyAudit AnyFigures
}

/// The database. Its methods block, so the HTTP server calls use cases off its event loop.
pub trait Store: Send + Sync {
    /// Runs a job on one snapshot. Its writes are discarded.
    ///
    /// # Errors
    /// [`StoreError`] of the transaction or of the job.
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError>;

    /// Runs a job that only reads and needs no common snapshot: each statement sees what was committed before
    /// it. On a database server this saves the round trips around a transaction.
    ///
    /// # Errors
    /// [`StoreError`] if the database could not be asked, or of the job.
    fn read_committed(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.read(job)
    }

    /// Like [`read_committed`](Self::read_committed), but on a standby if there is one, whose state may be a
    /// little stale.
    ///
    /// # Errors
    /// [`StoreError`] if the database could not be asked, or of the job.
    fn read_stale(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.read_committed(job)
    }

    /// Returns true if there is a standby: rows that it lacks have to be looked up on the primary.
    fn has_standby(&self) -> bool {
        false
    }

    /// Runs a job in a transaction and commits it durably, unless the job returns [`Verdict::Rollback`]. Each
    /// statement sees what was committed before it: a job that decides on rows and then changes them locks
    /// them first, or writes under a condition that fails if they have changed.
    ///
    /// # Errors
    /// [`StoreError`] if the transaction could not be begun or committed. Nothing is written then, unless the
    /// connection broke during the commit: the caller has to read to find out.
    fn write(&self, job: WriteJob) -> Result<(), StoreError>;

    /// Stores a new account durably, unless the account exists or its supplier has changed, and calls `done`
    /// with the result. Concurrent calls may share a statement and a commit, but not a failure. Notifies the
    /// workers of other processes.
    ///
    /// A store with a writer thread only queues the account and returns at once, so this can be called on a
    /// thread that must not block.
    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        let (job, staging) = staging_job(creation);
        done(self.write(job).and_then(|()| staging()));
        self.notify_workers();
    }

    /// Notifies the workers of other processes on the same database that there may be work. Neither waits nor
    /// fails: workers poll as well.
    fn notify_workers(&self) {}

    /// Calls `call` on a thread of the store whenever another process notifies of work.
    fn on_work(&self, call: Box<dyn Fn() + Send + Sync>) {
        drop(call);
    }

    /// Returns the interval at which an idle worker polls for work of other processes.
    fn poll(&self) -> Duration {
        Duration::from_secs(1)
    }

    /// Checks that the database answers.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if it does not.
    fn ping(&self) -> Result<(), StoreError>;

    /// Checks that the disk of the database takes more data, beyond the space that its files have already. A small write
    /// alone does not show it: it may use such space.
    ///
    /// # Errors
    /// [`StoreError::Unwritable`] if it does not; another [`StoreError`] if that could not be found out.
    fn check_room(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Overwrites removed rows as far as this store can, and returns the remaining traces.
    ///
    /// # Errors
    /// [`StoreError`] if the database did not answer.
    fn scrub(&self) -> Result<Traces, StoreError> {
        Ok(Traces::None)
    }

    /// Returns the numbers of open and of idle connections of this process to the database server; `None` for
    /// an embedded database.
    fn connections(&self) -> Option<(u32, u32)> {
        None
    }

    /// Returns figures of the database server, for monitoring; `None` for an embedded database.
    ///
    /// # Errors
    /// [`StoreError`] if the server did not answer.
    fn server_figures(&self) -> Result<Option<ServerFigures>, StoreError> {
        Ok(None)
    }

    /// Looks for faults of the database and of this process's connection to it. It takes up to a few seconds, and may open
    /// connections of its own.
    ///
    /// # Errors
    /// [`StoreError`] if the database did not answer.
    fn inspect(&self) -> Result<Inspection, StoreError> {
        Ok(Inspection::default())
    }

    /// Returns how values are encrypted. Reads a bounded number of rows.
    ///
    /// # Errors
    /// [`StoreError`] if the database did not answer.
    fn encryption(&self) -> Result<Encryption, StoreError> {
        let missing = self.missing_keys();
        Ok(Encryption { is_configured: true, missing, ..Encryption::default() })
    }

    /// Returns the bytes that are free for the database to grow; `None` if this program cannot know, as for a server.
    ///
    /// # Errors
    /// [`StoreError`] if the file system did not answer.
    fn free_space(&self) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }

    /// Returns the names of encryption keys that this process lacks and has needed to read values within the
    /// last minute.
    fn missing_keys(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the maximum number of connections that jobs share: further jobs wait for a free one. `None`
    /// for an embedded database.
    fn connection_limit(&self) -> Option<u32> {
        None
    }

    /// Returns true if a small read takes microseconds now and does not wait, as in an embedded database:
    /// moving it to another thread would cost more.
    fn reads_at_once(&self) -> bool {
        false
    }
}

/// Returns a job that stages an account, and a function that returns its result after the commit.
fn staging_job(creation: Arc<Creation>) -> (WriteJob, impl FnOnce() -> Result<Staging, StoreError> + Send) {
    let (staging, staged) = mpsc::sync_channel(1);
    let job = Box::new(move |tx: &mut dyn Tx| {
        let result = stage_in(tx, &creation, &mut LastSupplier::default());
        let verdict = if matches!(result, Ok(Staging::Staged)) { Verdict::Commit } else { Verdict::Rollback };
        // The receiver is gone if the transaction failed.
        let _ = staging.send(result);
        verdict
    });
    (job, move || staged.try_recv().unwrap_or_else(|_| Err(StoreError::Failed("the job was not run".into()))))
}

/// The last supplier that a transaction read, so that consecutive accounts of one supplier read it once.
#[derive(Debug, Default)]
pub struct LastSupplier(Option<(i64, Option<SupplierState>)>);

/// The state of a supplier that staging depends on.
#[derive(Debug, Clone, Copy)]
struct SupplierState {
    organisation_id: i64,
    revision: i64,
    is_ongoing: bool,
}

impl LastSupplier {
    /// Returns the state of a supplier, and reads it if it is not the last one.
    fn get(&mut self, tx: &mut dyn Tx, supplier_id: i64) -> Result<Option<SupplierState>, StoreError> {
        match self.0 {
            Some((id, state)) if id == supplier_id => Ok(state),
            _ => {
                let state = tx.supplier_by_id(supplier_id)?.map(|supplier| SupplierState {
                    organisation_id: supplier.organisation_id,
                    revision: supplier.revision,
                    is_ongoing: supplier.settings.status == SupplierStatus::Ongoing,
                });
                self.0 = Some((supplier_id, state));
                Ok(state)
            }
        }
    }
}

/// Stores a new account in a transaction, unless the account exists or its supplier has changed. `last`
/// belongs to the same transaction, which has written nothing but accounts since.
///
/// # Errors
/// [`StoreError`] of the transaction, which may contain a part of the account.
pub fn stage_in(
    tx: &mut dyn Tx,
    creation: &Creation,
    last: &mut LastSupplier,
) -> Result<Staging, StoreError> {
    let supplier = last.get(tx, creation.supplier_id)?;
    let current = supplier.filter(|s| s.is_ongoing && s.revision == creation.supplier_revision);
    let Some(SupplierState { organisation_id, .. }) = current else { return Ok(Staging::SupplierChanged) };
    let contract = creation.contract.as_deref();
    if let Some(contract) = contract
        && !tx.lock_contract(organisation_id, contract)?
    {
        return Ok(Staging::SupplierChanged);
    }
    if tx.process(creation.supplier_id, &creation.process.external_account_number)?.is_some() {
        return Ok(Staging::Exists);
    }
    // After the process: if an erasure has removed that by now, its mark is there.
    if is_erased(tx, creation)? {
        return Ok(Staging::SupplierChanged);
    }
    let (process, entry) = creation.process(tx.next_process_id()?);
    tx.insert_process(creation.supplier_id, &process, &entry, &creation.staged, &creation.issues)?;
    if let Some(contract) = contract {
        tx.set_contract_of(process.id(), Some((organisation_id, contract)))?;
    }
    Ok(Staging::Staged)
}

/// Returns true if the account of a create was erased, and is refused for that.
pub(crate) fn is_erased(tx: &mut dyn Tx, creation: &Creation) -> Result<bool, StoreError> {
    match creation.mark {
        Some(mark) => Ok(!tx.erasure_marks_among(creation.supplier_id, &[mark])?.is_empty()),
        None => Ok(false),
    }
}

/// Runs a job with a reading method of the store, and returns the result of the job.
fn result_of<T>(
    run: impl FnOnce(&mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError>,
    mut job: impl FnMut(&mut dyn Tx) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut result = None;
    run(&mut |tx| {
        result = Some(job(tx)?);
        Ok(())
    })?;
    result.ok_or_else(|| StoreError::Failed("the job was not run".into()))
}

/// Runs a job on one snapshot and returns its result: see [`Store::read`].
///
/// # Errors
/// [`StoreError`] of the transaction or of the job.
pub fn read<T>(
    store: &dyn Store,
    job: impl FnMut(&mut dyn Tx) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    result_of(|job| store.read(job), job)
}

/// Runs a job without a common snapshot and returns its result: see [`Store::read_committed`].
///
/// # Errors
/// [`StoreError`] of the store or of the job.
pub fn read_committed<T>(
    store: &dyn Store,
    job: impl FnMut(&mut dyn Tx) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    result_of(|job| store.read_committed(job), job)
}

/// Looks something up with [`Store::read_stale`]. If a standby does not find it, looks it up on the primary,
/// because the standby may not have it yet.
///
/// # Errors
/// [`StoreError`] of the store or of the job.
pub fn find_stale<T>(
    store: &dyn Store,
    mut job: impl FnMut(&mut dyn Tx) -> Result<Option<T>, StoreError>,
) -> Result<Option<T>, StoreError> {
    match result_of(|job| store.read_stale(job), &mut job)? {
        None if store.has_standby() => read_committed(store, job),
        found => Ok(found),
    }
}

/// Stores a new account and waits for the result: see [`Store::stage`].
///
/// # Errors
/// [`StoreError`] as of [`Store::write`].
pub fn stage(store: &dyn Store, creation: Arc<Creation>) -> Result<Staging, StoreError> {
    let (done, staged) = mpsc::sync_channel(1);
    store.stage(creation, Box::new(move |staging| drop(done.send(staging))));
    staged.recv().unwrap_or_else(|_| Err(StoreError::Failed("the store dropped the account".into())))
}

/// Runs a job in a write transaction: commits if it returns `Ok`, rolls back otherwise.
///
/// # Errors
/// The error of the job; [`StoreError`] if the transaction could not be begun or committed.
pub fn write<T, E>(
    store: &dyn Store,
    job: impl FnOnce(&mut dyn Tx) -> Result<T, E> + Send + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (sender, receiver) = mpsc::sync_channel(1);
    let committed = store.write(Box::new(move |tx| {
        let result = job(tx);
        let verdict = if result.is_ok() { Verdict::Commit } else { Verdict::Rollback };
        // The receiver outlives the job, so sending cannot fail.
        let _ = sender.send(result);
        verdict
    }));
    combined(receiver.try_recv().ok(), committed)
}

/// Maximum number of runs of a job that conflicts with other writers.
const RUNS: usize = 5;

/// An error that can be a conflict of two writers.
pub trait MayConflict {
    /// Returns true if it is a conflict.
    fn is_conflict(&self) -> bool;
}

impl MayConflict for StoreError {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }
}

/// Like [`write()`], but runs the job again if it conflicts with another writer.
///
/// # Errors
/// The error of the job; [`StoreError::Unavailable`] if it conflicted each time.
pub fn write_with_retry<T, E>(
    store: &dyn Store,
    job: impl Fn(&mut dyn Tx) -> Result<T, E> + Send + Sync + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + MayConflict + Send + 'static,
{
    let job = Arc::new(job);
    for _ in 0..RUNS {
        let job = job.clone();
        match write(store, move |tx| job(tx)) {
            Err(error) if error.is_conflict() => {}
            done => return done,
        }
    }
    Err(StoreError::Unavailable("the write conflicted with other writers each time".into()).into())
}

/// Combines the results of a job and of its commit. A failed commit overrides the job's result, which may
/// depend on another job of the same commit.
fn combined<T, E: From<StoreError>>(
    result: Option<Result<T, E>>,
    committed: Result<(), StoreError>,
) -> Result<T, E> {
    committed?;
    result.unwrap_or_else(|| Err(StoreError::Failed("the job was not run".into()).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_commit_overrides_the_result_of_the_job() {
        let lost = || Err(StoreError::Unavailable("lost".into()));
        let refused = || Err::<u8, _>(StoreError::Conflict("refused".into()));
        assert_eq!(combined(Some(Ok::<_, StoreError>(1)), Ok(())), Ok(1));
        assert_eq!(combined(Some(refused()), Ok(())), refused());
        assert_eq!(combined(Some(Ok::<u8, _>(1)), lost()), Err(StoreError::Unavailable("lost".into())));
        assert_eq!(combined(Some(refused()), lost()), Err(StoreError::Unavailable("lost".into())));
        assert!(matches!(combined::<u8, StoreError>(None, Ok(())), Err(StoreError::Failed(_))));
    }
}
