use super::{Audited, Operations, OperatorError};
use crate::codec::unpack;
use crate::port::{ArchivedVersion, AuditAction, Detail, ProcessToArchive, Subject, Supplier};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use cutover_core::Zone;
use cutover_model::certificate::account_content;
use cutover_process::{HistoryEntry, Process};
use std::io;

/// Maximum number of processes examined per statement.
const LOOK: u32 = 5_000;
/// Maximum number of processes that leave the database per transaction.
const BATCH: usize = 100;

/// The scope of an archive run: ended processes, in the order of creation (contract D6, D11).
#[derive(Debug, Clone)]
pub struct ArchiveScope {
    /// Processes that last changed before this day, in UTC.
    pub before: NaiveDate,
    /// Processes of this supplier only.
    pub supplier: Option<String>,
    /// Maximum number of processes.
    pub limit: Option<u64>,
}

impl ArchiveScope {
    fn instant(&self) -> DateTime<Utc> {
        self.before.and_time(NaiveTime::MIN).and_utc()
    }

    fn limit(&self) -> u64 {
        self.limit.unwrap_or(u64::MAX)
    }
}

/// A process with the data that leaves the database.
#[derive(Clone)]
pub struct ArchivedProcess {
    /// The process, which remains in the database.
    pub process: Process,
    /// The fingerprint of its payload.
    pub fingerprint: [u8; 32],
    /// Its history, oldest first.
    pub history: Vec<HistoryEntry>,
    /// The accepted JSON, as it was sent.
    pub payload: Vec<u8>,
    /// The zone of the datetimes shown.
    pub zone: Zone,
}

masked! { ArchivedProcess }

/// The destination of archived processes.
pub trait Archive {
    /// Appends a process. A process may be appended twice if a later step failed.
    ///
    /// # Errors
    /// If it cannot be written.
    fn append(&mut self, process: &ArchivedProcess) -> io::Result<()>;

    /// Makes appended processes durable. Nothing leaves the database before this has returned.
    ///
    /// # Errors
    /// If it may not be durable.
    fn sync(&mut self) -> io::Result<()>;
}

/// Result of an archive run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Archived {
    /// Number of processes whose payload and history are in the archive only.
    pub archived: u64,
    /// Number of processes that remain unarchived: they changed concurrently, or their rows cannot be read.
    pub stayed: u64,
}

/// Reason why archiving stopped. Processes that were archived before remain so.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The archive cannot be written.
    #[error("the archive cannot be written: {0}")]
    Archive(#[from] io::Error),
    /// The command was refused, or the store failed.
    #[error(transparent)]
    Operator(#[from] OperatorError),
}

impl Operations<'_> {
    /// Counts the processes that can be archived.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn count_archivable(&self, scope: &ArchiveScope) -> Result<u64, OperatorError> {
        let (mut found, limit) = (0, scope.limit());
        self.each_batch(scope, |_, ids| {
            found += ids.len() as u64;
            Ok::<_, OperatorError>(found < limit)
        })?;
        Ok(found.min(limit))
    }

    /// Moves payload and history of processes to an archive, in batches. A batch leaves the database once it
    /// is durable in the archive, except for processes that have changed since.
    ///
    /// # Errors
    /// [`ArchiveError`]; processes that were archived before remain so.
    pub fn archive_processes(
        &self,
        scope: &ArchiveScope,
        archive: &mut dyn Archive,
    ) -> Result<Archived, ArchiveError> {
        let (mut done, limit) = (Archived::default(), scope.limit());
        self.each_batch(scope, |supplier, ids| {
            let left = usize::try_from(limit - done.archived).unwrap_or(usize::MAX);
            let ids = &ids[..ids.len().min(left)];
            let archived = self.archive_batch(scope, supplier, ids, archive)?;
            done.archived += archived as u64;
            done.stayed += (ids.len() - archived) as u64;
            Ok::<_, ArchiveError>(done.archived < limit)
        })?;
        self.remove_archived()?;
        Ok(done)
    }

    /// Removes the payloads and histories of archived processes, including those left by an interrupted run.
    fn remove_archived(&self) -> Result<(), OperatorError> {
        let mut next = Some(0);
        while let Some(from) = next {
            next = self.write(move |tx| Ok(tx.remove_archived(from)?))?;
        }
        Ok(())
    }

    /// Calls `batch` with the keys of processes to archive until it returns false.
    fn each_batch<E: From<OperatorError>>(
        &self,
        scope: &ArchiveScope,
        mut batch: impl FnMut(&Supplier, &[i64]) -> Result<bool, E>,
    ) -> Result<(), E> {
        let before = scope.instant();
        for supplier in self.suppliers_of(scope)? {
            let mut after = None;
            loop {
                let found =
                    self.read_committed(|tx| Ok(tx.archivable(supplier.id, before, after, LOOK)?))?;
                for ids in found.ids.chunks(BATCH) {
                    if !batch(&supplier, ids)? {
                        return Ok(());
                    }
                }
                if found.last.is_none() {
                    break;
                }
                after = found.last;
            }
        }
        Ok(())
    }

    fn suppliers_of(&self, scope: &ArchiveScope) -> Result<Vec<Supplier>, OperatorError> {
        match &scope.supplier {
            Some(code) => Ok(vec![self.show_supplier(code)?]),
            None => self.suppliers(),
        }
    }

    /// Archives a batch and returns the number of archived processes.
    fn archive_batch(
        &self,
        scope: &ArchiveScope,
        supplier: &Supplier,
        ids: &[i64],
        archive: &mut dyn Archive,
    ) -> Result<usize, ArchiveError> {
        let before = scope.instant();
        let kept = self.read(|tx| {
            let ids = tx.still_of(supplier, ids)?;
            Ok(tx.processes_to_archive(&ids, before)?)
        })?;
        let mut versions = Vec::with_capacity(kept.len());
        for process in kept.into_iter().filter_map(|kept| readable(kept, supplier.settings.time_zone)) {
            archive.append(&process)?;
            versions.push(ArchivedVersion::new(&process.process, account_content(&process.payload).ok()));
        }
        if versions.is_empty() {
            return Ok(0);
        }
        archive.sync()?;
        let (supplier, subject) = (supplier.clone(), Subject::supplier(supplier));
        let archived = self.act(AuditAction::ProcessesArchived, move |tx, clock| {
            let ids: Vec<i64> = versions.iter().map(|version| version.id).collect();
            let own = tx.still_of(&supplier, &ids)?;
            versions.retain(|version| own.contains(&version.id));
            let archived = tx.archive(&versions, clock.now())?;
            let detail = Detail::default().count("processes", archived as u64);
            Ok((archived, Audited { subject, detail }))
        });
        Ok(archived?)
    }
}

/// Decompresses the payload of a process. Returns `None` if that fails: the process remains in the database,
/// and the others are archived.
fn readable(kept: ProcessToArchive, zone: Zone) -> Option<ArchivedProcess> {
    let ProcessToArchive { stored, history, payload } = kept;
    match unpack(&payload) {
        Ok(payload) => Some(ArchivedProcess {
            process: stored.process,
            fingerprint: stored.fingerprint,
            history,
            payload,
            zone,
        }),
        Err(error) => {
            tracing::error!(process = stored.process.id(), %error, "a process is not archived");
            None
        }
    }
}
