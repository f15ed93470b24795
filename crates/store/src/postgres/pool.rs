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

/// How long a connection lives: behind a name there may be another server by then.
const LIFETIME: Duration = Duration::from_secs(30 * 60);
const IDLE: Duration = Duration::from_secs(5 * 60);
/// How long a connection is waited for that is only to tell whether the database answers.
const ANSWER: Duration = Duration::from_millis(200);

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

/// What a job that reads is given.
pub(super) type ReadJob<'j> = &'j mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>;

impl Pool {
    pub(super) fn new(target: Target, connections: u32, timeout: Duration, context: Arc<Context>) -> Self {
        let pool = r2d2::Pool::builder()
            .max_size(connections.max(1))
            // None is made ahead: a command may end meanwhile, and TLS cleans up below the thread that makes it.
            .min_idle(Some(0))
            .test_on_check_out(false)
            .idle_timeout(Some(IDLE))
            .max_lifetime(Some(LIFETIME))
            .connection_timeout(timeout)
            // Whoever wanted the connection is told; there is nobody else to tell.
            .error_handler(Box::new(NopErrorHandler))
            .build_unchecked(Manager(target.clone()));
        Self { pool, target, context }
    }

    /// How many connections are open, and how many of them lie ready.
    pub(super) fn state(&self) -> (u32, u32) {
        let state = self.pool.state();
        (state.connections, state.idle_connections)
    }

    /// How many connections there may be.
    pub(super) fn limit(&self) -> u32 {
        self.pool.max_size()
    }

    fn get(&self) -> Result<PooledConnection<Manager>, StoreError> {
        self.pool.get().map_err(|e| {
            let why = format!("no connection to the database is free: {e}");
            // Where all are lent out, the database was there; else a new one was not to be had.
            let are_lent = self.pool.state().connections >= self.pool.max_size();
            if are_lent { StoreError::Busy(why) } else { StoreError::Unavailable(why) }
        })
    }

    /// How long connections that turn out to be dead are given up for others: each may take a while.
    fn patience(&self) -> Duration {
        self.pool.connection_timeout() * 2
    }

    /// A connection in a transaction. One that died while it lay there is found out here, before anything
    /// was done on it, and the next is taken.
    fn begin(&self, mode: &str) -> Result<PooledConnection<Manager>, StoreError> {
        let begin = self.target.begin(mode);
        let (mut failed, begun) = (None, Instant::now());
        for _ in 0..=self.pool.max_size() {
            if failed.is_some() && begun.elapsed() >= self.patience() {
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

    /// Runs a job on one state of the database.
    pub(super) fn read(&self, job: ReadJob<'_>) -> Result<(), StoreError> {
        self.read_in("ISOLATION LEVEL REPEATABLE READ READ ONLY", job)
    }

    fn read_in(&self, mode: &str, job: ReadJob<'_>) -> Result<(), StoreError> {
        let mut pooled = self.begin(mode)?;
        // A job that panics leaves it in its transaction.
        pooled.is_usable = false;
        let mut tx = SqlTx::new(&mut pooled.conn, &self.context);
        let result = job(&mut tx);
        let is_whole = tx.into_broken().is_none_or(|error| !error.is_passing());
        pooled.is_usable = is_whole;
        if is_whole {
            // Whether that went well shows in the connection; what was read stands.
            let _ = pooled.execute("ROLLBACK");
        }
        result
    }

    /// Runs a job of which each statement is on its own. A proxy needs a transaction all the same.
    pub(super) fn glance(&self, job: ReadJob<'_>) -> Result<(), StoreError> {
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
            // One that died while it lay there fails at the first statement: the next one is taken.
            let is_dead_on_arrival = tx.is_untouched();
            pooled.is_usable = !tx.into_broken().is_some_and(|error| error.is_passing());
            if pooled.is_usable || !is_dead_on_arrival || begun.elapsed() >= self.patience() {
                break;
            }
        }
        result
    }

    /// Runs statements on a connection, each on its own.
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

    /// Runs statements that may be run again: on one connection after another while they turn out to be
    /// broken, and in a transaction where a proxy needs one.
    pub(super) fn run_again<T>(
        &self,
        statements: impl Fn(&mut Conn) -> crate::error::Result<T>,
    ) -> Result<T, StoreError> {
        let begun = Instant::now();
        // A statement that took its time was not lost with its connection.
        let patience = self.patience().min(self.target.statement_timeout);
        let mut result = Err(StoreError::Unavailable("every connection is broken".into()));
        for attempt in 0..=self.pool.max_size() {
            // Those that lay ready may all be broken; a new one that is has said it of the database.
            let is_new = !self.has_idle();
            result = if self.target.is_pooled {
                self.run_in_transaction(&statements)
            } else {
                self.run(&statements)
            };
            let is_last = begun.elapsed() >= patience || attempt > 0 && is_new;
            if is_last || !result.as_ref().is_err_and(StoreError::is_passing) {
                break;
            }
        }
        result
    }

    /// Whether a connection lies ready: perhaps a broken one.
    fn has_idle(&self) -> bool {
        self.pool.state().idle_connections > 0
    }

    /// Whether the database answers now.
    pub(super) fn answers(&self) -> bool {
        let pooled = self.pool.get_timeout(ANSWER);
        pooled.is_ok_and(|mut pooled| pooled.execute("SELECT 1").is_ok())
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
            // The database undoes it whatever it is told: a job that went on nevertheless is told so.
            (Ok(Verdict::Commit), Some(error)) => pooled.execute("ROLLBACK").and(Err(error)),
            (Ok(Verdict::Rollback), _) => {
                // If that fails, the connection ends, and the transaction with it.
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
    /// Runs a statement that begins or ends a transaction; the connection is usable if it succeeds.
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
