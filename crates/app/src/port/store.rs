use super::{
    Accounts, Audit, Businesses, Creation, Erasure, Figures, HistoricalStatements, Identity, Instructions,
    Ledgers, Nodes, Notes, Processes, Staging, Suppliers, Traces, Vendors,
};
use cutover_core::SupplierStatus;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Why the store did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It cannot be reached, or is full: a passing fault, to be tried again.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// It answers, but a statement took too long, or a lock or a connection was not to be had in time: a
    /// passing fault too. A part of the work may pass where the whole did not.
    #[error("the database is busy: {0}")]
    Busy(String),
    /// A row that no program of ours can have written.
    #[error("the database holds corrupt data: {0}")]
    Corrupt(String),
    /// A value is sealed with an encryption key that this process does not have: a fault of the process, not
    /// of the value. Another one may have it.
    #[error("the database holds what is sealed with the encryption key {0}, which is not here")]
    KeyMissing(String),
    /// Two writers met, or a unique value is taken. To be decided anew.
    #[error("the database refused the write: {0}")]
    Conflict(String),
    /// A statement failed for a reason that trying again does not mend.
    #[error("the database failed: {0}")]
    Failed(String),
}

/// What a database server says of itself, for monitoring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ServerFigures {
    /// The age of the oldest snapshot: of the transaction, prepared transaction, standby or replication slot
    /// that has kept dead rows from being removed for the longest. Zero if there is none.
    pub oldest_snapshot: Duration,
    /// Whether the role of this process may see the sessions of other roles: without that right, theirs are
    /// missing from the other figures.
    pub sees_other_roles: bool,
    /// How far the standby that is furthest behind is; `None` if none can be seen.
    pub replication_lag: Option<Duration>,
    /// Whether the standby that this process reads from answers; `None` without one.
    pub standby_answers: Option<bool>,
    /// How much of the write-ahead log, in bytes, is kept for the replication slot that is furthest behind.
    pub retained_log: u64,
}

impl StoreError {
    /// Whether the same may succeed later, without anything being decided anew.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Busy(_))
    }
}

/// What becomes of the transaction after its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Keep what was written.
    Commit,
    /// Undo what was written.
    Rollback,
}

/// What a use case does in a write transaction. It is run once, perhaps with others in one commit.
pub type WriteJob = Box<dyn FnOnce(&mut dyn Tx) -> Verdict + Send>;

/// Who hears what became of a new account; called once, on whichever thread knows it, and must not block.
pub type StagingDone = Box<dyn FnOnce(Result<Staging, StoreError>) + Send>;

/// A transaction: every query of every aggregate. Reading jobs get one as well and only read.
pub trait Tx:
    Identity
    + Suppliers
    + Processes
    + Accounts
    + Notes
    + Ledgers
    + HistoricalStatements
    + Instructions
    + Businesses
    + Vendors
    + Figures
    + Audit
    + Erasure
    + Nodes
{
}

impl<T> Tx for T where
    T: Identity
        + Suppliers
        + Processes
        + Accounts
        + Notes
        + Ledgers
        + HistoricalStatements
        + Instructions
        + Businesses
        + Vendors
        + Figures
        + Audit
        + Erasure
        + Nodes
{
}

/// The database. Blocking: the edge calls use cases off its event loop.
pub trait Store: Send + Sync {
    /// Runs a job on one consistent state; what it writes is not kept.
    ///
    /// # Errors
    /// [`StoreError`] if no transaction could be had, or of the job.
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError>;

    /// Runs a job that only reads, and whose statements need not agree on one state: of a database at the
    /// other end of a wire, each costs one round trip, without those around a transaction.
    ///
    /// # Errors
    /// [`StoreError`] if the database could not be asked, or of the job.
    fn read_committed(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.read(job)
    }

    /// Like [`read_committed`](Self::read_committed), of a state that may be a little behind where there is a
    /// standby to ask.
    ///
    /// # Errors
    /// [`StoreError`] if the database could not be asked, or of the job.
    fn read_stale(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.read_committed(job)
    }

    /// Whether there is a standby, so that what was not found there has to be asked for again.
    fn has_standby(&self) -> bool {
        false
    }

    /// Runs a job in a transaction and commits it durably, unless the job says otherwise. Each statement
    /// sees what was committed before it began: a job that decides on rows it is about to change locks
    /// them first, or writes under a guard that fails if they have changed.
    ///
    /// # Errors
    /// [`StoreError`] if the transaction could not be had or committed: nothing is kept then, unless the
    /// connection broke during the commit; then that has to be found out by reading.
    fn write(&self, job: WriteJob) -> Result<(), StoreError>;

    /// Stores a new account durably, unless there is one or its supplier is another by now; `done` hears it.
    /// Those that wait at the same time may share a statement and a commit; none shares another's fate. The
    /// workers of other processes are told of what is stored.
    ///
    /// A store that has a thread to write only hands the account over and comes back at once, so that this
    /// may be called where nothing must block.
    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        let (job, staging) = staging_job(creation);
        done(self.write(job).and_then(|()| staging()));
        self.notify_workers();
    }

    /// Tells the workers of other processes on the same database that there may be work. Neither waits nor
    /// fails: they look by themselves now and then.
    fn notify_workers(&self) {}

    /// Calls `call`, on a thread of the store, whenever another process told of work.
    fn on_work(&self, call: Box<dyn Fn() + Send + Sync>) {
        drop(call);
    }

    /// How long a worker without work may wait before it looks again: others may have made some.
    fn poll(&self) -> Duration {
        Duration::from_secs(1)
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if it does not.
    fn ping(&self) -> Result<(), StoreError>;

    /// Overwrites what was removed, as far as this store can; what is left of it.
    ///
    /// # Errors
    /// [`StoreError`] if the database could not be asked.
    fn scrub(&self) -> Result<Traces, StoreError> {
        Ok(Traces::None)
    }

    /// How many connections to a server this process has open, and how many of them lie ready; `None` where
    /// there is no server.
    fn connections(&self) -> Option<(u32, u32)> {
        None
    }

    /// What the database server says of itself, for monitoring; `None` where there is no server.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be asked.
    fn server_figures(&self) -> Result<Option<ServerFigures>, StoreError> {
        Ok(None)
    }

    /// The names of encryption keys that values were sealed with which this process had to read within the
    /// last minute and could not, for it lacks them.
    fn missing_keys(&self) -> Vec<String> {
        Vec::new()
    }

    /// How many connections to a server jobs have at most: one that comes when all are taken waits as long as
    /// theirs take. `None` where there is no server.
    fn connection_limit(&self) -> Option<u32> {
        None
    }

    /// Whether a small read now takes microseconds and waits for nobody, as one of an embedded database may:
    /// then going to another thread for it costs more than the read.
    fn reads_at_once(&self) -> bool {
        false
    }
}

/// A new account as a job of a transaction, and what tells the outcome once that was committed.
fn staging_job(creation: Arc<Creation>) -> (WriteJob, impl FnOnce() -> Result<Staging, StoreError> + Send) {
    let (staging, staged) = mpsc::sync_channel(1);
    let job = Box::new(move |tx: &mut dyn Tx| {
        let result = stage_in(tx, &creation, &mut LastSupplier::default());
        let verdict = if matches!(result, Ok(Staging::Staged)) { Verdict::Commit } else { Verdict::Rollback };
        // Nobody asks where the transaction was lost.
        let _ = staging.send(result);
        verdict
    });
    (job, move || staged.try_recv().unwrap_or_else(|_| Err(StoreError::Failed("the job was not run".into()))))
}

/// A supplier as a transaction saw it: accounts that are stored one after another ask for it once.
#[derive(Debug, Default)]
pub struct LastSupplier(Option<(i64, Option<Standing>)>);

/// What an account that is stored needs to know of its supplier.
#[derive(Debug, Clone, Copy)]
struct Standing {
    revision: i64,
    is_ongoing: bool,
}

impl LastSupplier {
    /// Asked for if it is not the last that was seen.
    fn standing(&mut self, tx: &mut dyn Tx, supplier_id: i64) -> Result<Option<Standing>, StoreError> {
        match self.0 {
            Some((seen, standing)) if seen == supplier_id => Ok(standing),
            _ => {
                let standing = tx.supplier_by_id(supplier_id)?.map(|supplier| Standing {
                    revision: supplier.revision,
                    is_ongoing: supplier.settings.status == SupplierStatus::Ongoing,
                });
                self.0 = Some((supplier_id, standing));
                Ok(standing)
            }
        }
    }
}

/// Stores a new account in a transaction, unless there is one or its supplier is another by now. `seen` is of
/// the same transaction, in which nothing but accounts was written since.
///
/// # Errors
/// [`StoreError`] of the transaction: part of the account may be written in it.
pub fn stage_in(
    tx: &mut dyn Tx,
    creation: &Creation,
    seen: &mut LastSupplier,
) -> Result<Staging, StoreError> {
    let standing = seen.standing(tx, creation.supplier_id)?;
    if !standing.is_some_and(|s| s.is_ongoing && s.revision == creation.supplier_revision) {
        return Ok(Staging::SupplierChanged);
    }
    if tx.process(creation.supplier_id, &creation.process.external_account_number)?.is_some() {
        return Ok(Staging::Exists);
    }
    let (process, entry) = creation.process(tx.next_process_id()?);
    tx.insert_process(creation.supplier_id, &process, &entry, &creation.staged, &creation.issues)?;
    Ok(Staging::Staged)
}

/// What a job of a reading method of the store found.
fn found<T>(
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

/// Reads something from the store.
///
/// # Errors
/// [`StoreError`] of the transaction or of the job.
pub fn read<T>(
    store: &dyn Store,
    job: impl FnMut(&mut dyn Tx) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    found(|job| store.read(job), job)
}

/// Reads something that needs no one state: see [`Store::read_committed`].
///
/// # Errors
/// [`StoreError`] of the store or of the job.
pub fn read_committed<T>(
    store: &dyn Store,
    job: impl FnMut(&mut dyn Tx) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    found(|job| store.read_committed(job), job)
}

/// Looks for something, first where it may be a little behind: see [`Store::read_stale`]. A standby may
/// not have yet what it does not find.
///
/// # Errors
/// [`StoreError`] of the store or of the job.
pub fn find_stale<T>(
    store: &dyn Store,
    mut job: impl FnMut(&mut dyn Tx) -> Result<Option<T>, StoreError>,
) -> Result<Option<T>, StoreError> {
    match found(|job| store.read_stale(job), &mut job)? {
        None if store.has_standby() => read_committed(store, job),
        found => Ok(found),
    }
}

/// Stores a new account and waits for it: see [`Store::stage`].
///
/// # Errors
/// [`StoreError`] as of [`Store::write`].
pub fn stage(store: &dyn Store, creation: Arc<Creation>) -> Result<Staging, StoreError> {
    let (done, staged) = mpsc::sync_channel(1);
    store.stage(creation, Box::new(move |staging| drop(done.send(staging))));
    staged.recv().unwrap_or_else(|_| Err(StoreError::Failed("the account was left unstored".into())))
}

/// Writes to the store: commits what the job wrote if it ends well, undoes it if not.
///
/// # Errors
/// The job's own error; [`StoreError`] if the transaction could not be had or was lost.
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
    settled(receiver.try_recv().ok(), committed)
}

/// How often a write is decided anew because another writer came between.
const DECISIONS: usize = 5;

/// An error that may say no more than that two writers met.
pub trait MayConflict {
    /// Whether it says so.
    fn is_conflict(&self) -> bool;
}

impl MayConflict for StoreError {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }
}

/// Writes like [`write()`]; where two writers met, the job is run again on what the other left.
///
/// # Errors
/// The job's own error; [`StoreError::Unavailable`] if other writers came between again and again.
pub fn write_with_retry<T, E>(
    store: &dyn Store,
    job: impl Fn(&mut dyn Tx) -> Result<T, E> + Send + Sync + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + MayConflict + Send + 'static,
{
    let job = Arc::new(job);
    for _ in 0..DECISIONS {
        let job = job.clone();
        match write(store, move |tx| job(tx)) {
            Err(error) if error.is_conflict() => {}
            done => return done,
        }
    }
    Err(StoreError::Unavailable("other writers came between again and again".into()).into())
}

/// What a write came to. If the commit was lost, so is what the job found: it may have refused because of
/// what another job of the same commit wrote.
fn settled<T, E: From<StoreError>>(
    found: Option<Result<T, E>>,
    committed: Result<(), StoreError>,
) -> Result<T, E> {
    committed?;
    found.unwrap_or_else(|| Err(StoreError::Failed("the job was not run".into()).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_job_found_counts_only_if_the_commit_was_not_lost() {
        let lost = || Err(StoreError::Unavailable("lost".into()));
        let refused = || Err::<u8, _>(StoreError::Conflict("refused".into()));
        assert_eq!(settled(Some(Ok::<_, StoreError>(1)), Ok(())), Ok(1));
        assert_eq!(settled(Some(refused()), Ok(())), refused());
        assert_eq!(settled(Some(Ok::<u8, _>(1)), lost()), Err(StoreError::Unavailable("lost".into())));
        assert_eq!(settled(Some(refused()), lost()), Err(StoreError::Unavailable("lost".into())));
        assert!(matches!(settled::<u8, StoreError>(None, Ok(())), Err(StoreError::Failed(_))));
    }
}
