use super::{
    Accounts, Businesses, HistoricalStatements, Identity, Instructions, Ledgers, Notes, Processes, Suppliers,
    Vendors,
};
use std::sync::{Arc, mpsc};

/// Why the store did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It cannot be reached, is busy, or full: a passing fault, to be tried again.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// A row that no program of ours can have written.
    #[error("the database holds corrupt data: {0}")]
    Corrupt(String),
    /// Two writers met, or a unique value is taken. To be decided anew.
    #[error("the database refused the write: {0}")]
    Conflict(String),
    /// A statement failed for a reason that trying again does not mend.
    #[error("the database failed: {0}")]
    Failed(String),
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
{
}

/// The database. Blocking: the edge calls use cases off its event loop.
pub trait Store: Send + Sync {
    /// Runs a job on one consistent state; what it writes is not kept.
    ///
    /// # Errors
    /// [`StoreError`] if no transaction could be had, or of the job.
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError>;

    /// Runs a job in a transaction and commits it durably, unless the job says otherwise.
    ///
    /// # Errors
    /// [`StoreError`] if the transaction could not be had or committed: nothing is kept then.
    fn write(&self, job: WriteJob) -> Result<(), StoreError>;

    /// Whether the database answers.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if it does not.
    fn ping(&self) -> Result<(), StoreError>;

    /// Whether a small read now takes microseconds and waits for nobody, as one of an embedded database may:
    /// then going to another thread for it costs more than the read.
    fn reads_at_once(&self) -> bool {
        false
    }
}

/// Reads something from the store.
///
/// # Errors
/// [`StoreError`] of the transaction or of the job.
pub fn read<T>(
    store: &dyn Store,
    mut job: impl FnMut(&mut dyn Tx) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut result = None;
    store.read(&mut |tx| {
        result = Some(job(tx)?);
        Ok(())
    })?;
    result.ok_or_else(|| StoreError::Failed("the job was not run".into()))
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
pub fn write_anew<T, E>(
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
