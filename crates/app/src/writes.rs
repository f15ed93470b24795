//! Whether the database stores what it is given (decision 0057).

use crate::port::{
    Clock, Creation, Encryption, Inspection, ServerFigures, StagingDone, Store, StoreError, Traces, Tx,
    WriteJob,
};
use chrono::{DateTime, Duration, Utc};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Time for which a refused write counts: on a nearly full disk small writes succeed between large ones that fail.
const REMEMBERED: Duration = Duration::minutes(1);

/// Remembers the last write that the database refused, because its disk is full or fails, or because it only reads.
pub(crate) struct Writes {
    clock: Arc<dyn Clock>,
    refused: Mutex<Option<(DateTime<Utc>, StoreError)>>,
}

impl Writes {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, refused: Mutex::default() }
    }

    fn last(&self) -> MutexGuard<'_, Option<(DateTime<Utc>, StoreError)>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the result of a write.
    fn note<T>(&self, result: &Result<T, StoreError>) {
        if let Err(error) = result
            && error.refuses_writes()
        {
            *self.last() = Some((self.clock.now(), error.clone()));
        }
    }

    /// Notes that a row was written. The database is not read-only then; its disk may still be full for larger rows.
    pub(crate) fn stored(&self) {
        let mut last = self.last();
        if matches!(*last, Some((_, StoreError::ReadOnly(_)))) {
            *last = None;
        }
    }

    /// Returns why the last write was refused, if that was within the last minute.
    pub(crate) fn refused(&self) -> Option<StoreError> {
        let is_recent = |(at, _): &&(DateTime<Utc>, StoreError)| self.clock.now() - *at < REMEMBERED;
        self.last().as_ref().filter(is_recent).map(|(_, error)| error.clone())
    }
}

/// A store whose writes are noted.
pub(crate) struct NotedStore {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) writes: Arc<Writes>,
}

impl NotedStore {
    fn noted<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        self.writes.note(&result);
        result
    }
}

/// Every method calls the one of the store, also those that a store need not have.
impl Store for NotedStore {
    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.noted(self.store.write(job))
    }

    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        let writes = self.writes.clone();
        let noted = move |staging| {
            writes.note(&staging);
            done(staging);
        };
        self.store.stage(creation, Box::new(noted));
    }

    fn check_room(&self) -> Result<(), StoreError> {
        self.noted(self.store.check_room())
    }

    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn read_committed(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.store.read_committed(job)
    }

    fn read_stale(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.store.read_stale(job)
    }

    fn has_standby(&self) -> bool {
        self.store.has_standby()
    }

    fn notify_workers(&self) {
        self.store.notify_workers();
    }

    fn on_work(&self, call: Box<dyn Fn() + Send + Sync>) {
        self.store.on_work(call);
    }

    fn poll(&self) -> std::time::Duration {
        self.store.poll()
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }

    fn scrub(&self) -> Result<Traces, StoreError> {
        self.store.scrub()
    }

    fn connections(&self) -> Option<(u32, u32)> {
        self.store.connections()
    }

    fn server_figures(&self) -> Result<Option<ServerFigures>, StoreError> {
        self.store.server_figures()
    }

    fn inspect(&self) -> Result<Inspection, StoreError> {
        self.store.inspect()
    }

    fn encryption(&self) -> Result<Encryption, StoreError> {
        self.store.encryption()
    }

    fn free_space(&self) -> Result<Option<u64>, StoreError> {
        self.store.free_space()
    }

    fn missing_keys(&self) -> Vec<String> {
        self.store.missing_keys()
    }

    fn connection_limit(&self) -> Option<u32> {
        self.store.connection_limit()
    }

    fn reads_at_once(&self) -> bool {
        self.store.reads_at_once()
    }
}
