use super::clock::Clock;
use super::dialect::{Conn, Db};
use super::doctor::{self, Health};
use super::listener::Listener;
use super::monitor::Monitor;
use super::options::PostgresOptions;
use super::pool::{Pool, ReadJob};
use super::queries::{at_rest, store_error};
use super::stager::Stager;
use super::{migrations, partitions, rights};
use crate::context::Context;
use crate::error::OpenError;
use crate::migrations::{MigrationState, MigrationStatus};
use crate::sealed::{ResealError, Resealed, Sealer, Seals, encryption_of};
use chrono::{DateTime, Utc};
use cutover_app::port::{
    Creation, Encryption, Inspection, ServerFigures, StagingDone, Store, StoreError, Traces, Tx, WriteJob,
};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time for which a standby that failed is not used.
const STANDBY_REST: Duration = Duration::from_secs(5);
/// Maximum wait for a free connection to the standby. It is short because the primary can answer as well.
const STANDBY_TIMEOUT: Duration = Duration::from_millis(500);
/// Polling interval of a worker that is notified of work, and of one that is not.
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
    options: PostgresOptions,
}

struct Standby {
    pool: Pool,
    failed: Mutex<Option<Instant>>,
}

statement! {
    Encoding {} -> Text = "SELECT current_setting('server_encoding')"
}

/// Checks the encoding of the database: payloads contain any Unicode text.
fn check_encoding(conn: &mut Conn) -> Result<(), OpenError> {
    let encoding: String = Encoding {}.get_result(conn).map_err(|e| unreadable(e.into()))?;
    if encoding == "UTF8" { Ok(()) } else { Err(OpenError::Encoding(encoding)) }
}

fn unreadable(error: crate::error::Error) -> OpenError {
    let error = store_error(error);
    let is_passing = error.is_passing();
    let cause = error.to_string();
    if is_passing { OpenError::Unavailable(cause) } else { OpenError::Connect(cause) }
}

impl PostgresStore {
    /// Opens the database.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be reached, is not encoded in UTF-8, or lacks migrations that the options
    /// do not apply, or if its role lacks rights.
    pub fn open(options: &PostgresOptions) -> Result<Self, OpenError> {
        let mut conn = options.direct().connect()?;
        check_encoding(&mut conn)?;
        // Without any rights the migrations could not be read.
        let (role, missing) = rights::missing(&mut conn).map_err(|error| unreadable(error.into()))?;
        if !missing.is_empty() {
            return Err(OpenError::Rights { role, rights: missing.join(", ") });
        }
        let migrations = if options.migrates {
            migrations::apply(&mut conn, None)?
        } else {
            migrations::status(&mut conn)?
        };
        let pending: Vec<&str> = migrations
            .iter()
            .filter(|migration| migration.state == MigrationState::Pending)
            .map(|migration| migration.version.as_str())
            .collect();
        if !pending.is_empty() {
            return Err(OpenError::Pending(pending.join(", ")));
        }
        Self::with_connection(options, conn, migrations)
    }

    /// Applies pending migrations and returns the states of all, oldest first. If a role is named, it gets the rights
    /// that running needs and no others.
    ///
    /// # Errors
    /// [`OpenError`] if the database cannot be reached, is not encoded in UTF-8, or refuses.
    pub fn migrate(
        options: &PostgresOptions,
        running_role: Option<&str>,
    ) -> Result<Vec<MigrationStatus>, OpenError> {
        let mut conn = options.direct().connect()?;
        check_encoding(&mut conn)?;
        migrations::apply(&mut conn, running_role)
    }

    /// Returns the states of the migrations, oldest first, without applying any.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be reached.
    pub fn status(options: &PostgresOptions) -> Result<Vec<MigrationStatus>, OpenError> {
        migrations::status(&mut options.direct().connect()?)
    }

    /// Returns the state of the database. `now` is this machine's clock. Migrations are not checked.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be reached.
    pub fn health(options: &PostgresOptions, now: &dyn Fn() -> DateTime<Utc>) -> Result<Health, OpenError> {
        doctor::health(options, now)
    }

    fn with_connection(
        options: &PostgresOptions,
        mut conn: Conn,
        migrations: Vec<MigrationStatus>,
    ) -> Result<Self, OpenError> {
        partitions::continue_feed(&mut conn).map_err(unreadable)?;
        let clock = Arc::new(Clock::start(&mut conn).map_err(unreadable)?);
        let listener = options
            .listens
            .then(|| Listener::start(options.direct(), clock.clone()))
            .transpose()?
            .map(Arc::new);
        let context = Arc::new(Context::from(options.sealer.clone()));
        let pool = |url: &str, is_pooled, connections, timeout| {
            Pool::new(options.target(url, is_pooled), connections, timeout, context.clone())
        };
        let standby = options.replica_url.as_ref().map(|url| Standby {
            pool: pool(url, false, options.connections, STANDBY_TIMEOUT.min(options.pool_timeout)),
            failed: Mutex::default(),
        });
        let notifier = listener.clone();
        let notify = move |pool: &Pool| notify_of_work(notifier.as_deref(), pool);
        // Its connection is opened for the first account. Reads cannot take it, and no proxy shares it: its statement
        // takes longer to plan than to run for one account.
        let direct = options.direct_url.as_ref().unwrap_or(&options.url);
        let direct = pool(direct, false, 1, options.pool_timeout);
        let stager = Stager::start(direct, options.sealer.clone(), notify)?;
        let is_pooled = options.direct_url.is_some();
        let primary = pool(&options.url, is_pooled, options.connections, options.pool_timeout);
        let sealer = options.sealer.clone();
        let monitor = Monitor::default();
        let options = options.clone();
        Ok(Self { primary, standby, stager, clock, listener, migrations, sealer, monitor, options })
    }

    /// Returns the names of the encryption keys that open values. The first one seals.
    pub fn encryption_keys(&self) -> Vec<String> {
        self.sealer.keys().map(|keys| keys.opening().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// Returns the migrations of the database, oldest first. All migrations of this program are applied.
    pub fn migrations(&self) -> &[MigrationStatus] {
        &self.migrations
    }

    /// Counts how the values to be sealed are stored. Reads a sample of large tables.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be read.
    pub fn seals(&self) -> Result<Vec<Seals>, StoreError> {
        self.primary.run_idempotent(|conn| at_rest::seals(conn, &self.sealer))
    }

    /// Seals values that are unsealed or sealed with a key other than the first, in batches, while others use
    /// the database. Calls `progress` after each batch.
    ///
    /// # Errors
    /// [`ResealError`] if it failed. The batches before it stay sealed.
    pub fn reseal(
        options: &PostgresOptions,
        progress: &mut dyn FnMut(&Resealed),
    ) -> Result<Vec<Resealed>, ResealError> {
        let target = options.direct();
        let mut conn = target.connect()?;
        let begin = target.begin("");
        let begin = |conn: &mut Conn| conn.batch_execute(&begin);
        let resealed = at_rest::reseal(&mut conn, &options.sealer, &begin, progress);
        Ok(resealed.map_err(store_error)?)
    }

    /// Returns the time by the database's clock, to a few milliseconds.
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
    /// Runs a job on the standby. Returns `None` if the primary has to run it.
    fn read(&self, job: ReadJob<'_>) -> Option<Result<(), StoreError>> {
        let failed = |at| *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = at;
        let last = *self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|at| at.elapsed() < STANDBY_REST) {
            return None;
        }
        match self.pool.read_without_snapshot(job) {
            Ok(()) => Some(Ok(())),
            Err(error) => {
                tracing::warn!(%error, "the standby did not answer; reading from the primary");
                failed(Some(Instant::now()));
                None
            }
        }
    }
}

/// Notifies other processes of work, with the connection that listens or with another one.
fn notify_of_work(listener: Option<&Listener>, pool: &Pool) {
    match listener {
        Some(listener) => listener.notify_of_work(),
        // If this fails, they find the work when they poll.
        None => drop(pool.run(|conn| Ok(conn.batch_execute("NOTIFY cutover_work")?))),
    }
}

impl Store for PostgresStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.primary.read(job)
    }

    fn read_committed(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.primary.read_without_snapshot(job)
    }

    fn read_stale(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let result = self.standby.as_ref().and_then(|standby| standby.read(job));
        result.unwrap_or_else(|| self.primary.read_without_snapshot(job))
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

    fn notify_workers(&self) {
        notify_of_work(self.listener.as_deref(), &self.primary);
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

    fn check_room(&self) -> Result<(), StoreError> {
        self.primary.check_room()
    }

    /// Does nothing: only the owner of the tables may vacuum them. The server does so in time.
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

    /// Finds what `cutover doctor` calls a failure.
    fn inspect(&self) -> Result<Inspection, StoreError> {
        let health = Self::health(&self.options, &|| self.clock.now());
        let health = health.map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(Inspection { faults: health.faults(), unread: None })
    }

    fn encryption(&self) -> Result<Encryption, StoreError> {
        Ok(encryption_of(&self.seals()?, self.sealer.keys().is_some()))
    }

    fn missing_keys(&self) -> Vec<String> {
        self.sealer.missing()
    }

    fn connection_limit(&self) -> Option<u32> {
        Some(self.primary.limit())
    }

    fn ping(&self) -> Result<(), StoreError> {
        let ping = &mut |tx: &mut dyn Tx| tx.api_key(0).map(|_| ());
        self.primary.read_without_snapshot(ping).map_err(|e| StoreError::Unavailable(e.to_string()))
    }
}
