use super::connection::Target;
use super::dialect::Conn;
use super::queries::{SqlTx, store_error};
use crate::context::Context;
use crate::error::OpenError;
use cutover_app::port::{StoreError, Tx, Verdict, WriteJob};
use diesel::connection::SimpleConnection;
use r2d2::{ManageConnection, NopErrorHandler, PooledConnection};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Lifetime of a connection: afterwards its host name may lead to another server.
const LIFETIME: Duration = Duration::from_secs(30 * 60);
const IDLE: Duration = Duration::from_secs(5 * 60);
/// Maximum wait for a connection that only checks if the database answers.
const PING: Duration = Duration::from_millis(200);

/// Writes some hundred kilobytes to a temporary file of the server, on the disk of the database: a result that does not fit
/// into so little memory. It needs no right and leaves nothing behind. A row could be stored where another was removed,
/// even on a full disk.
const ROOM: &str = "SET LOCAL work_mem = '64kB'; SET LOCAL temp_tablespaces = ''; \
    SELECT count(*) FROM generate_series(1, 20000)";

/// Connections to one server.
#[derive(Clone)]
pub(super) struct Pool {
    pool: r2d2::Pool<Manager>,
    target: Target,
    context: Arc<Context>,
}

struct Manager(Target);

/// A connection outside of any transaction, unless something went wrong.
struct Pooled {
    conn: Conn,
    is_usable: bool,
}

impl ManageConnection for Manager {
    type Connection = Pooled;
    type Error = OpenError;

    fn connect(&self) -> Result<Pooled, OpenError> {
        Ok(Pooled { conn: self.0.connect()?, is_usable: true })
    }

    fn is_valid(&self, _: &mut Pooled) -> Result<(), OpenError> {
        Ok(())
    }

    fn has_broken(&self, pooled: &mut Pooled) -> bool {
        !pooled.is_usable
    }
}

/// A job that reads.
pub(super) type ReadJob<'j> = &'j mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>;

impl Pool {
    pub(super) fn new(target: Target, connections: u32, timeout: Duration, context: Arc<Context>) -> Self {
        let pool = r2d2::Pool::builder()
            .max_size(connections.max(1))
            // No connection is opened in advance: if the process ends meanwhile, TLS cleans up while a thread
            // uses it.
            .min_idle(Some(0))
            .test_on_check_out(false)
            .idle_timeout(Some(IDLE))
            .max_lifetime(Some(LIFETIME))
            .connection_timeout(timeout)
            // The caller gets the error; nothing else needs it.
            .error_handler(Box::new(NopErrorHandler))
            .build_unchecked(Manager(target.clone()));
        Self { pool, target, context }
    }

    /// Returns the number of open connections and of those that are idle.
    pub(super) fn state(&self) -> (u32, u32) {
        let state = self.pool.state();
        (state.connections, state.idle_connections)
    }

    /// Returns the maximum number of connections.
    pub(super) fn limit(&self) -> u32 {
        self.pool.max_size()
    }

    fn get(&self) -> Result<PooledConnection<Manager>, StoreError> {
        let mut pooled = self.pool.get().map_err(|e| {
            let why = format!("no connection to the database is free: {e}");
            // If all are in use, the database answered before; otherwise a new one could not be opened.
            let are_in_use = self.pool.state().connections >= self.pool.max_size();
            if are_in_use { StoreError::Busy(why) } else { StoreError::Unavailable(why) }
        })?;
        // The last user may have allowed more.
        pooled.set_answer_timeout(self.target.answer_timeout())?;
        Ok(pooled)
    }

    /// Time for which dead connections are replaced by others; each may take a while to fail.
    fn retry_time(&self) -> Duration {
        self.pool.connection_timeout() * 2
    }

    /// Returns a connection in a transaction. A connection that died while idle is found here, before
    /// anything was done on it, and replaced.
    fn begin(&self, mode: &str) -> Result<PooledConnection<Manager>, StoreError> {
        let begin = self.target.begin(mode);
        let (mut failed, begun) = (None, Instant::now());
        for _ in 0..=self.pool.max_size() {
            if failed.is_some() && begun.elapsed() >= self.retry_time() {
                break;
            }
            let mut pooled = self.get()?;
            match pooled.execute(&begin) {
                Ok(()) => return Ok(pooled),
                Err(error) if error.is_passing() => failed = Some(error),
                Err(error) => return Err(error),
            }
        }
        Err(failed.unwrap_or_else(|| StoreError::Unavailable("every connection is broken".into())))
    }

    /// Runs a job on one snapshot of the database.
    pub(super) fn read(&self, job: ReadJob<'_>) -> Result<(), StoreError> {
        self.read_in("ISOLATION LEVEL REPEATABLE READ READ ONLY", job)
    }

    fn read_in(&self, mode: &str, job: ReadJob<'_>) -> Result<(), StoreError> {
        let mut pooled = self.begin(mode)?;
        // A job that panics leaves the connection in its transaction.
        pooled.is_usable = false;
        let mut tx = SqlTx::new(&mut pooled.conn, &self.context);
        let result = job(&mut tx);
        let is_whole = tx.into_broken().is_none_or(|error| !error.is_passing());
        pooled.is_usable = is_whole;
        if is_whole {
            // A failure makes the connection unusable; the result is valid anyway.
            let _ = pooled.execute("ROLLBACK");
        }
        result
    }

    /// Runs a job without a transaction around its statements, unless a proxy needs one.
    pub(super) fn read_without_snapshot(&self, job: ReadJob<'_>) -> Result<(), StoreError> {
        if self.target.is_pooled {
            return self.read_in("ISOLATION LEVEL READ COMMITTED READ ONLY", job);
        }
        let begun = Instant::now();
        let mut result = Err(StoreError::Unavailable("every connection is broken".into()));
        for _ in 0..=self.pool.max_size() {
            let mut pooled = self.get()?;
            pooled.is_usable = false;
            let mut tx = SqlTx::new(&mut pooled.conn, &self.context);
            result = job(&mut tx);
            // A connection that died while idle fails at the first statement and is replaced.
            let is_dead_on_arrival = tx.is_untouched();
            pooled.is_usable = !tx.into_broken().is_some_and(|error| error.is_passing());
            if pooled.is_usable || !is_dead_on_arrival || begun.elapsed() >= self.retry_time() {
                break;
            }
        }
        result
    }

    /// Runs statements on a connection, without a transaction.
    pub(super) fn run<T>(
        &self,
        statements: impl Fn(&mut Conn) -> crate::error::Result<T>,
    ) -> Result<T, StoreError> {
        let mut pooled = self.get()?;
        pooled.is_usable = false;
        let result = statements(&mut pooled.conn).map_err(store_error);
        pooled.is_usable = !result.as_ref().is_err_and(StoreError::is_passing);
        result
    }

    /// Runs idempotent statements: on another connection if one is broken, and in a transaction if a proxy
    /// needs one.
    pub(super) fn run_idempotent<T>(
        &self,
        statements: impl Fn(&mut Conn) -> crate::error::Result<T>,
    ) -> Result<T, StoreError> {
        let begun = Instant::now();
        // A statement that took longer was not lost with its connection.
        let retry_time = self.retry_time().min(self.target.statement_timeout);
        let mut result = Err(StoreError::Unavailable("every connection is broken".into()));
        for attempt in 0..=self.pool.max_size() {
            // Idle connections may all be broken. If a new one is, the database is.
            let is_new = !self.has_idle();
            result = if self.target.is_pooled {
                self.run_in_transaction(&statements)
            } else {
                self.run(&statements)
            };
            let is_last = begun.elapsed() >= retry_time || attempt > 0 && is_new;
            if is_last || !result.as_ref().is_err_and(StoreError::is_passing) {
                break;
            }
        }
        result
    }

    /// Returns true if there is an idle connection, possibly a broken one.
    fn has_idle(&self) -> bool {
        self.pool.state().idle_connections > 0
    }

    /// Returns true if the database answers now.
    pub(super) fn answers(&self) -> bool {
        let pooled = self.pool.get_timeout(PING);
        pooled.is_ok_and(|mut pooled| {
            pooled.set_answer_timeout(PING).and_then(|()| pooled.execute("SELECT 1")).is_ok()
        })
    }

    /// Checks that the disk of the database takes more data: see [`ROOM`].
    pub(super) fn check_room(&self) -> Result<(), StoreError> {
        self.run_in_transaction(|conn| Ok(conn.batch_execute(ROOM)?))
    }

    fn run_in_transaction<T>(
        &self,
        statements: impl Fn(&mut Conn) -> crate::error::Result<T>,
    ) -> Result<T, StoreError> {
        let mut pooled = self.begin("ISOLATION LEVEL READ COMMITTED")?;
        pooled.is_usable = false;
        let result = statements(&mut pooled.conn).map_err(store_error);
        pooled.execute(if result.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        result
    }

    /// Runs a job in a transaction.
    pub(super) fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        let mut pooled = self.begin("ISOLATION LEVEL READ COMMITTED")?;
        let mut tx = SqlTx::new(&mut pooled.conn, &self.context);
        let verdict = catch_unwind(AssertUnwindSafe(|| job(&mut tx)));
        let broken = tx.into_broken();
        match (verdict, broken) {
            (Ok(Verdict::Commit), None) => pooled.execute("COMMIT"),
            // The database rolls it back in any case: a job that ignored the failure gets it here.
            (Ok(Verdict::Commit), Some(error)) => pooled.execute("ROLLBACK").and(Err(error)),
            // The job has the error, but whoever watches the store has to see it too.
            (Ok(Verdict::Rollback), Some(error)) if error.refuses_writes() => {
                let _ = pooled.execute("ROLLBACK");
                Err(error)
            }
            (Ok(Verdict::Rollback), _) => {
                // If this fails, the connection is closed, which ends the transaction.
                let _ = pooled.execute("ROLLBACK");
                Ok(())
            }
            (Err(_), _) => {
                let _ = pooled.execute("ROLLBACK");
                Err(StoreError::Failed("a job panicked".into()))
            }
        }
    }
}

impl Pooled {
    /// Sets the time without an answer after which the connection counts as lost.
    fn set_answer_timeout(&mut self, timeout: Duration) -> Result<(), StoreError> {
        let set = self.conn.set_answer_timeout(Some(timeout));
        set.map_err(|error| store_error(crate::error::Error::from(error)))
    }

    /// Runs a statement that begins or ends a transaction. The connection stays usable if it succeeds.
    fn execute(&mut self, sql: &str) -> Result<(), StoreError> {
        self.is_usable = false;
        let result = self.conn.batch_execute(sql);
        result.map_err(|error| match store_error(error) {
            StoreError::Failed(text) | StoreError::Conflict(text) => StoreError::Unavailable(text),
            other => other,
        })?;
        self.is_usable = true;
        Ok(())
    }
}
