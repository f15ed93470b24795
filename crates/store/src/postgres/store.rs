use super::clock::Clock;
use super::connection::Target;
use super::dialect::{Conn, Db};
use super::doctor::{self, Health};
use super::listener::Listener;
use super::migrations;
use super::monitor::Monitor;
use super::pool::{Pool, ReadJob};
use super::queries::{at_rest, store_error};
use super::stager::Stager;
use super::url::shown;
use crate::context::Context;
use crate::error::OpenError;
use crate::migrations::{MigrationState, MigrationStatus};
use crate::sealed::{ResealError, Resealed, Sealer, Seals};
use chrono::{DateTime, Utc};
use cutover_app::port::{Creation, ServerFigures, StagingDone, Store, StoreError, Traces, Tx, WriteJob};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How a PostgreSQL database is used.
#[derive(Clone)]
pub struct PostgresOptions {
    /// Where it is: a URL of libpq, with its parameters (`sslmode`, `sslrootcert` and so on).
    pub url: String,
    /// Where it is without the proxy, if `url` is one that hands each transaction to another connection.
    pub direct_url: Option<String>,
    /// A read-only standby for what may be a little behind.
    pub replica_url: Option<String>,
    /// How many connections jobs have at most, and as many to the standby. New accounts have one more to themselves.
    pub connections: u32,
    /// How long a free connection is waited for.
    pub pool_timeout: Duration,
    /// How long a statement may take.
    pub statement_timeout: Duration,
    /// Whether this process waits for work or makes some for as long as it lives: then it keeps a connection
    /// more, to listen.
    pub listens: bool,
    /// Whether pending migrations are applied; else a database that lacks some is not opened.
    pub migrates: bool,
    /// What is sealed at rest is sealed and opened by it.
    pub sealer: Sealer,
}

impl PostgresOptions {
    /// The usual ones.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            direct_url: None,
            replica_url: None,
            connections: 16,
            pool_timeout: Duration::from_secs(2),
            statement_timeout: Duration::from_secs(15),
            listens: false,
            migrates: false,
            sealer: Sealer::default(),
        }
    }

    pub(super) fn target(&self, url: &str, is_pooled: bool) -> Target {
        Target { url: url.to_owned(), statement_timeout: self.statement_timeout, is_pooled }
    }

    /// For what needs a connection of its own.
    pub(super) fn direct(&self) -> Target {
        self.target(self.direct_url.as_ref().unwrap_or(&self.url), false)
    }
}

impl std::fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresOptions").field("url", &shown(&self.url)).finish_non_exhaustive()
    }
}

/// How long a standby that failed is left alone.
const STANDBY_REST: Duration = Duration::from_secs(5);
/// How long a free connection to the standby is waited for: the primary answers as well.
const STANDBY_PATIENCE: Duration = Duration::from_millis(500);
/// How long a worker may wait that is told of work, and one that is not.
const POLLS: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(1));

/// The store in a PostgreSQL database, which any number of processes use at the same time.
pub struct PostgresStore {
    primary: Pool,
    standby: Option<Standby>,
    stager: Stager,
    clock: Arc<Clock>,
    listener: Option<Arc<Listener>>,
    migrations: Vec<MigrationStatus>,
    sealer: Sealer,
    monitor: Monitor,
}

struct Standby {
    pool: Pool,
    failed: Mutex<Option<Instant>>,
}

statement! {
    Encoding {} -> Text = "SELECT current_setting('server_encoding')"
}

/// Payloads hold any text: it has to be one that the database holds as it is.
fn has_encoding(conn: &mut Conn) -> Result<(), OpenError> {
    let encoding: String = Encoding {}.get_result(conn).map_err(|e| unread(e.into()))?;
    if encoding == "UTF8" { Ok(()) } else { Err(OpenError::Encoding(encoding)) }
}

fn unread(error: crate::error::Error) -> OpenError {
    OpenError::Connect(store_error(error).to_string())
}

impl PostgresStore {
    /// Opens the database.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be reached, is not encoded in UTF-8, or lacks migrations that are not to be
    /// applied now.
    pub fn open(options: &PostgresOptions) -> Result<Self, OpenError> {
        let mut conn = options.direct().connect()?;
        has_encoding(&mut conn)?;
        let migrations =
            if options.migrates { migrations::apply(&mut conn)? } else { migrations::status(&mut conn)? };
        let pending: Vec<&str> = migrations
            .iter()
            .filter(|migration| migration.state == MigrationState::Pending)
            .map(|migration| migration.version.as_str())
            .collect();
        if !pending.is_empty() {
            return Err(OpenError::Pending(pending.join(", ")));
        }
        Self::over(options, conn, migrations)
    }

    /// The migrations of the database, oldest first; none is applied.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be reached.
    pub fn status(options: &PostgresOptions) -> Result<Vec<MigrationStatus>, OpenError> {
        migrations::status(&mut options.direct().connect()?)
    }

    /// How the database is, by the clock of this machine; migrations are not looked at.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be reached.
    pub fn health(options: &PostgresOptions, now: &dyn Fn() -> DateTime<Utc>) -> Result<Health, OpenError> {
        doctor::look(options, now)
    }

    fn over(
        options: &PostgresOptions,
        mut conn: Conn,
        migrations: Vec<MigrationStatus>,
    ) -> Result<Self, OpenError> {
        let clock = Arc::new(Clock::start(&mut conn).map_err(unread)?);
        let listener = options
            .listens
            .then(|| Listener::start(options.direct(), clock.clone()))
            .transpose()?
            .map(Arc::new);
        let context = Arc::new(Context::from(options.sealer.clone()));
        let pool = |url: &str, is_pooled, connections, patience| {
            Pool::new(options.target(url, is_pooled), connections, patience, context.clone())
        };
        let standby = options.replica_url.as_ref().map(|url| Standby {
            pool: pool(url, false, options.connections, STANDBY_PATIENCE.min(options.pool_timeout)),
            failed: Mutex::default(),
        });
        let primary =
            |connections| pool(&options.url, options.direct_url.is_some(), connections, options.pool_timeout);
        let told = listener.clone();
        let tell = move |pool: &Pool| tell_of_work(told.as_deref(), pool);
        // Opened when the first account comes. Reads, however many and slow, do not take it.
        let stager = Stager::start(primary(1), options.sealer.clone(), tell)?;
        let primary = primary(options.connections);
        let sealer = options.sealer.clone();
        let monitor = Monitor::default();
        Ok(Self { primary, standby, stager, clock, listener, migrations, sealer, monitor })
    }

    /// The names of the encryption keys that values are opened with. The first one seals.
    pub fn encryption_keys(&self) -> Vec<String> {
        self.sealer.keys().map(|keys| keys.opening().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// The migrations of the database, oldest first: all that this program has are applied.
    pub fn migrations(&self) -> &[MigrationStatus] {
        &self.migrations
    }

    /// How what is to be sealed at rest lies in the database; of large tables a sample is looked at.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be asked.
    pub fn seals(&self) -> Result<Vec<Seals>, StoreError> {
        self.primary.run_again(|conn| at_rest::seals(conn, &self.sealer))
    }

    /// Seals what lies open, and what is sealed with another key than the first, a batch at a time, beside whoever
    /// uses the database. `told` hears how far it is.
    ///
    /// # Errors
    /// [`ResealError`] if it could not go on. What was sealed before is.
    pub fn reseal(
        options: &PostgresOptions,
        told: &mut dyn FnMut(&Resealed),
    ) -> Result<Vec<Resealed>, ResealError> {
        let target = options.direct();
        let mut conn = target.connect()?;
        let resealed = at_rest::reseal(&mut conn, &options.sealer, &target.begin(""), told);
        Ok(resealed.map_err(store_error)?)
    }

    /// The time by the database's clock, to some milliseconds.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").field("migrations", &self.migrations).finish_non_exhaustive()
    }
}

impl Standby {
    /// What the standby says; `None` if it is to be asked of the primary.
    fn glance(&self, job: ReadJob<'_>) -> Option<Result<(), StoreError>> {
        let failed = |at| *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = at;
        let last = *self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|at| at.elapsed() < STANDBY_REST) {
            return None;
        }
        match self.pool.glance(job) {
            Ok(()) => Some(Ok(())),
            Err(error) => {
                tracing::warn!(%error, "the standby did not answer; the primary is asked");
                failed(Some(Instant::now()));
                None
            }
        }
    }
}

/// Whoever listens elsewhere is told, by the connection that listens or by another.
fn tell_of_work(listener: Option<&Listener>, pool: &Pool) {
    match listener {
        Some(listener) => listener.tell_of_work(),
        // They look by themselves if it fails.
        None => drop(pool.run(|conn| Ok(conn.batch_execute("NOTIFY cutover_work")?))),
    }
}

impl Store for PostgresStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.primary.read(job)
    }

    fn glance(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.primary.glance(job)
    }

    fn glance_behind(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let behind = self.standby.as_ref().and_then(|standby| standby.glance(job));
        behind.unwrap_or_else(|| self.primary.glance(job))
    }

    fn has_standby(&self) -> bool {
        self.standby.is_some()
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.primary.write(job)
    }

    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        self.stager.stage(creation, done);
    }

    fn tell_of_work(&self) {
        tell_of_work(self.listener.as_deref(), &self.primary);
    }

    fn on_work(&self, call: Box<dyn Fn() + Send + Sync>) {
        if let Some(listener) = &self.listener {
            listener.on_work(call);
        }
    }

    fn poll(&self) -> Duration {
        let is_listening = self.listener.as_ref().is_some_and(|listener| listener.is_listening());
        if is_listening { POLLS.0 } else { POLLS.1 }
    }

    /// Only who owns the tables may vacuum them, and not in a transaction; the server does so by and by.
    fn scrub(&self) -> Result<Traces, StoreError> {
        Ok(Traces::UntilVacuum)
    }

    fn connections(&self) -> Option<(u32, u32)> {
        Some(self.primary.state())
    }

    fn server_figures(&self) -> Result<Option<ServerFigures>, StoreError> {
        let standby = self.standby.as_ref().map(|standby| &standby.pool);
        self.monitor.figures(&self.primary, standby).map(Some)
    }

    fn missing_keys(&self) -> Vec<String> {
        self.sealer.missing()
    }

    fn connection_limit(&self) -> Option<u32> {
        Some(self.primary.limit())
    }

    fn ping(&self) -> Result<(), StoreError> {
        let ping = &mut |tx: &mut dyn Tx| tx.api_key(0).map(|_| ());
        self.primary.glance(ping).map_err(|e| StoreError::Unavailable(e.to_string()))
    }
}
