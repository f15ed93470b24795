use super::{OperatorError, Told};
use crate::App;
use crate::codec::unpack;
use crate::port::{
    AuditAction, Detail, ProcessToArchive, StoreError, Subject, Supplier, read, read_committed, write,
};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use cutover_core::Zone;
use cutover_process::{HistoryEntry, Process};
use std::io;

/// How many processes are looked at in one statement.
const LOOK: u32 = 5_000;
/// How many processes leave the database in one transaction.
const BATCH: usize = 100;

/// Which processes are archived: of those that have ended, by creation (contract D6, D11).
#[derive(Debug, Clone)]
pub struct ArchiveScope {
    /// Those that changed last before this day began, in UTC.
    pub before: NaiveDate,
    /// Those of this supplier only.
    pub supplier: Option<String>,
    /// At most so many.
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

/// A process with what leaves the database.
#[derive(Clone)]
pub struct ArchivedProcess {
    /// The process, which stays.
    pub process: Process,
    /// Of its payload.
    pub fingerprint: [u8; 32],
    /// Oldest first.
    pub history: Vec<HistoryEntry>,
    /// The JSON that was accepted, as it was sent.
    pub payload: Vec<u8>,
    /// Where times are shown.
    pub zone: Zone,
}

masked! { ArchivedProcess }

/// What keeps archived processes.
pub trait Archive {
    /// Writes a process behind the others. One may come twice, if what followed the first time failed.
    ///
    /// # Errors
    /// If it cannot be written.
    fn append(&mut self, process: &ArchivedProcess) -> io::Result<()>;

    /// Makes durable what was written: nothing leaves the database before this has returned.
    ///
    /// # Errors
    /// If it may not be durable.
    fn sync(&mut self) -> io::Result<()>;
}

/// What became of the processes of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Archived {
    /// They are in the archive only.
    pub archived: u64,
    /// They are in the database still: they changed meanwhile, or what is stored of them cannot be read.
    pub stayed: u64,
}

/// Why archiving stopped. What had been archived before is.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The archive cannot be written.
    #[error("the archive cannot be written: {0}")]
    Archive(#[from] io::Error),
    /// The command was refused, or the store failed.
    #[error(transparent)]
    Operator(#[from] OperatorError),
}

impl App {
    /// How many processes there are to be archived.
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

    /// Moves payload and history of processes to an archive, a batch at a time: only when a batch is durable
    /// there does it leave the database, but for processes that have changed since.
    ///
    /// # Errors
    /// [`ArchiveError`]; what was archived before is.
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

    /// Removes the payloads and histories of archived processes, including those that an interrupted run has
    /// left.
    fn remove_archived(&self) -> Result<(), OperatorError> {
        let mut next = Some(0);
        while let Some(from) = next {
            next = write(&*self.store, move |tx| tx.remove_archived(from))?;
        }
        Ok(())
    }

    /// Calls with the keys of what is to be archived, a batch at a time, until no more is wanted.
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
                    read_committed(&*self.store, |tx| tx.archivable(supplier.id, before, after, LOOK))
                        .map_err(OperatorError::from)?;
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
            None => Ok(self.suppliers()?),
        }
    }

    /// How many of these are archived now.
    fn archive_batch(
        &self,
        scope: &ArchiveScope,
        supplier: &Supplier,
        ids: &[i64],
        archive: &mut dyn Archive,
    ) -> Result<usize, ArchiveError> {
        let before = scope.instant();
        let kept =
            read(&*self.store, |tx| tx.processes_to_archive(ids, before)).map_err(OperatorError::from)?;
        let mut versions = Vec::with_capacity(kept.len());
        for process in kept.into_iter().filter_map(|kept| readable(kept, supplier.settings.time_zone)) {
            archive.append(&process)?;
            versions.push((process.process.id(), process.process.version()));
        }
        if versions.is_empty() {
            return Ok(0);
        }
        archive.sync()?;
        let subject = Subject::supplier(supplier);
        let archived = self.act(&self.operator, AuditAction::ProcessesArchived, move |tx, at| {
            let archived = tx.archive(&versions, at)?;
            let detail = Detail::default().count("processes", archived as u64);
            Ok::<_, StoreError>((archived, Told { subject, detail }))
        });
        Ok(archived.map_err(OperatorError::from)?)
    }
}

/// What is to be written of a process. One whose payload cannot be read stays where it is: it must not keep
/// the others.
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
