use super::connection::{Role, Target};
use super::dialect::Conn;
use super::queries::{SqlTx, store_error};
use crate::context::Context;
use crate::error::OpenError;
use crate::sealed::Sealer;
use cutover_app::port::{StoreError, Tx};
use diesel::connection::SimpleConnection;
use r2d2::{ManageConnection, NopErrorHandler, Pool, PooledConnection, State};
use std::sync::Arc;
use std::time::Duration;

/// The read-only connections.
#[derive(Clone)]
pub(super) struct Readers {
    pool: Pool<Manager>,
    context: Arc<Context>,
}

struct Manager(Target);

/// A connection outside of any transaction, unless something went wrong.
struct Reader {
    conn: Conn,
    is_usable: bool,
}

impl ManageConnection for Manager {
    type Connection = Reader;
    type Error = OpenError;

    fn connect(&self) -> Result<Reader, OpenError> {
        Ok(Reader { conn: self.0.connect(Role::Reader)?, is_usable: true })
    }

    fn is_valid(&self, _: &mut Reader) -> Result<(), OpenError> {
        Ok(())
    }

    fn has_broken(&self, reader: &mut Reader) -> bool {
        !reader.is_usable
    }
}

impl Readers {
    pub(super) fn new(target: Target, count: u32, timeout: Duration, context: Arc<Context>) -> Self {
        let pool = Pool::builder()
            .max_size(count.max(1))
            .min_idle(Some(0))
            .test_on_check_out(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .connection_timeout(timeout)
            // The caller gets the error; nothing else needs it.
            .error_handler(Box::new(NopErrorHandler))
            .build_unchecked(Manager(target));
        Self { pool, context }
    }

    /// Returns true if a reader is ready and another one is free or may be opened, for a caller at the same
    /// moment.
    pub(super) fn have_spare(&self) -> bool {
        let State { connections, idle_connections: ready, .. } = self.pool.state();
        let taken = connections - ready;
        ready > 0 && self.pool.max_size() - taken > 1
    }

    /// Runs a job on one snapshot of the database.
    pub(super) fn read(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.run(|conn| self.run_tx(conn, job))
    }

    /// Runs a job in which each statement sees its own snapshot.
    pub(super) fn read_without_snapshot(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.reader()?.keep(|conn| self.run_tx(conn, job))
    }

    /// Runs a job. Returns its result, and true if the connection is still usable.
    fn run_tx(
        &self,
        conn: &mut Conn,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> (Result<(), StoreError>, bool) {
        let mut tx = SqlTx::new(conn, &self.context);
        let result = job(&mut tx);
        (result, tx.into_broken().is_none())
    }

    /// Runs statements on one snapshot of the database.
    pub(super) fn ask<T>(
        &self,
        statements: impl FnOnce(&mut Conn, &Sealer) -> crate::error::Result<T>,
    ) -> Result<T, StoreError> {
        self.run(|conn| {
            let result = statements(conn, &self.context.sealer).map_err(store_error);
            let is_whole = !result.as_ref().is_err_and(StoreError::is_passing);
            (result, is_whole)
        })
    }

    fn run<T>(&self, job: impl FnOnce(&mut Conn) -> (Result<T, StoreError>, bool)) -> Result<T, StoreError> {
        self.reader()?.run(job)
    }

    fn reader(&self) -> Result<PooledConnection<Manager>, StoreError> {
        self.pool.get().map_err(|e| StoreError::Busy(format!("no reader is free: {e}")))
    }
}

impl Reader {
    /// Runs a job in a transaction. The job returns its result, and true if the connection is still usable.
    fn run<T>(
        &mut self,
        job: impl FnOnce(&mut Conn) -> (Result<T, StoreError>, bool),
    ) -> Result<T, StoreError> {
        self.keep(|conn| {
            if let Err(e) = conn.batch_execute("BEGIN DEFERRED") {
                return (Err(store_error(e)), false);
            }
            let (result, is_whole) = job(conn);
            (result, conn.batch_execute("ROLLBACK").is_ok() && is_whole)
        })
    }

    /// Runs a job and keeps the connection if the job returns that it is still usable.
    fn keep<T>(
        &mut self,
        job: impl FnOnce(&mut Conn) -> (Result<T, StoreError>, bool),
    ) -> Result<T, StoreError> {
        // If the job panics, the connection stays unusable and is dropped.
        self.is_usable = false;
        let (result, is_whole) = job(&mut self.conn);
        self.is_usable = is_whole;
        result
    }
}
