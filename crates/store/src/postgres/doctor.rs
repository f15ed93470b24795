//! Queries of `cutover doctor` (contract D11).

use super::clock::Clock;
use super::connection::{Target, parse};
use super::dialect::{Conn, Db};
use super::options::PostgresOptions;
use super::queries::statement::Bind;
use super::queries::store_error;
use super::rights::{self, RoleHealth};
use crate::error::{OpenError, Result};
use chrono::{DateTime, TimeDelta, Utc};
use cutover_app::port::DatabaseFault;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer, Nullable, Text};

/// State of a PostgreSQL database, as far as this program depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The server's version and settings.
    pub server: ServerHealth,
    /// True if the URL requires a check of the server's certificate.
    pub is_verified: bool,
    /// The database's clock less this machine's.
    pub clock_difference: TimeDelta,
    /// True if a proxy shares connections that must not be shared: two of them led to the same server
    /// process.
    pub is_proxied: bool,
    /// Settings of a connection; `None` if [`is_proxied`](Self::is_proxied).
    pub session: Option<SessionHealth>,
    /// The role of the connection; `None` if there are no tables yet.
    pub role: Option<RoleHealth>,
    /// State of the standby, if one is configured, or the reason why it does not answer.
    pub standby: Option<Result<StandbyHealth, String>>,
}

/// The oldest version that is supported, as in [`ServerHealth::version_number`].
pub const OLDEST_SERVER: i64 = 130_000;

impl Health {
    /// Returns what speaks against imports, which readiness stops for.
    pub fn faults(&self) -> Vec<DatabaseFault> {
        let Self { server, session, role, standby, .. } = self;
        let off = session.as_ref().is_some_and(|session| session.synchronous_commit == "off");
        let is_other = session.as_ref().is_some_and(|session| !session.is_same_database);
        let lacking = role.as_ref().filter(|role| !role.is_superuser && !role.is_owner);
        let rights = lacking.filter(|role| !role.missing.is_empty()).map(|role| {
            DatabaseFault::MissingRights { role: role.name.clone(), rights: role.missing.clone() }
        });
        let is_standby = |standby: &Result<StandbyHealth, String>| {
            standby.as_ref().map_or(true, |standby| standby.is_in_recovery)
        };
        let outdated = server.version_number < OLDEST_SERVER;
        [
            outdated.then(|| DatabaseFault::Outdated(server.version.clone())),
            server.is_read_only.then_some(DatabaseFault::ReadOnly),
            (!server.has_fsync).then_some(DatabaseFault::LosesCommits("fsync")),
            off.then_some(DatabaseFault::LosesCommits("synchronous_commit")),
            rights,
            session.is_none().then_some(DatabaseFault::SharedSessions),
            is_other.then_some(DatabaseFault::TwoDatabases),
            standby.as_ref().is_some_and(|it| !is_standby(it)).then_some(DatabaseFault::NoStandby),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Version and settings of a server.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct ServerHealth {
    /// Its version as a text.
    pub version: String,
    /// The same as a number: 160004 is 16.4.
    pub version_number: i64,
    /// True if it refuses writes, as a standby or by a setting.
    pub is_read_only: bool,
    /// The version of TLS of the connection; `None` without TLS.
    pub tls: Option<String>,
    /// True if the connection comes from the server's own machine.
    pub is_local: bool,
    /// Its setting `fsync`: commits reach the disk.
    pub has_fsync: bool,
    /// Its setting `full_page_writes`: pages that a crash left half-written are repaired.
    pub has_full_page_writes: bool,
    /// Its setting `autovacuum`: dead rows are removed.
    pub has_autovacuum: bool,
    /// Maximum number of connections of all its clients together.
    pub max_connections: i64,
    /// Number of open connections.
    pub open_connections: i64,
    /// True if standbys are connected to it.
    pub has_standbys: bool,
    /// Its setting `synchronous_standby_names` names standbys, which commits wait for.
    pub has_synchronous_standbys: bool,
}

/// Settings of a connection. Times are in the database's notation; `0` means no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionHealth {
    /// The setting `synchronous_commit`.
    pub synchronous_commit: String,
    /// Maximum duration of a statement.
    pub statement_timeout: String,
    /// Maximum time for which a transaction may be idle.
    pub idle_timeout: String,
    /// True if the URL and the direct URL lead to the same database.
    pub is_same_database: bool,
    /// True if notifications arrive.
    pub is_notified: bool,
}

/// State of a standby.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct StandbyHealth {
    /// True if it follows another server.
    pub is_in_recovery: bool,
    /// True if it has all that the primary had a moment ago.
    pub has_caught_up: bool,
    /// Age of its latest transaction in seconds.
    pub age: i64,
}

statement! {
    OwnProcess {} -> Integer = "SELECT pg_backend_pid()"
}

statement! {
    Server {} -> (Text, BigInt, Bool, Nullable<Text>, Bool, Bool, Bool, Bool, BigInt, BigInt, Bool, Bool)
        = "SELECT current_setting('server_version'), current_setting('server_version_num')::bigint, \
            current_setting('transaction_read_only') = 'on', \
            (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl), \
            coalesce(inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1', true), \
            current_setting('fsync') = 'on', current_setting('full_page_writes') = 'on', \
            current_setting('autovacuum') = 'on', current_setting('max_connections')::bigint \
            - current_setting('superuser_reserved_connections')::bigint \
            - coalesce(current_setting('reserved_connections', true)::bigint, 0), \
            (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), \
            EXISTS (SELECT FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'), \
            current_setting('synchronous_standby_names') <> ''"
}

statement! {
    /// The server and the database of a connection.
    DatabaseIdentity {} -> Text = "SELECT pg_postmaster_start_time()::text || ' ' || current_database()"
}

statement! {
    /// The position of the primary in the write-ahead log.
    Written {} -> Nullable<Text>
        = "SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_flush_lsn()::text END"
}

statement! {
    Session {} -> (Text, Text, Text)
        = "SELECT current_setting('synchronous_commit'), current_setting('statement_timeout'), \
            current_setting('idle_in_transaction_session_timeout')"
}

statement! {
    Standby { written: Option<String> } -> (Bool, Bool, BigInt)
        = "SELECT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn() >= " written "::pg_lsn, false), \
            coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::bigint"
}

/// Returns the state of a database. `now` is this machine's clock.
pub(super) fn health(
    options: &PostgresOptions,
    now: &dyn Fn() -> DateTime<Utc>,
) -> Result<Health, OpenError> {
    let url = options.direct_url.as_ref().unwrap_or(&options.url);
    // Connections as behind a proxy, because it is not known yet if there is one.
    let (own, other) = (options.target(url, true), &mut options.target(url, true).connect()?);
    let conn = &mut own.connect()?;
    let server_process = |conn: &mut Conn| Ok(OwnProcess {}.get_result::<i32>(conn)?);
    let is_proxied = ask(&own, conn, server_process)? == ask(&own, other, server_process)?;
    let (server, identity, written) = ask(&own, conn, |conn| {
        let written: Option<String> = Written {}.get_result(conn)?;
        Ok((Server {}.get_result(conn)?, DatabaseIdentity {}.get_result::<String>(conn)?, written))
    })?;
    let clock = ask(&own, conn, Clock::start)?;
    Ok(Health {
        server,
        is_verified: parse(url)?.is_verified(),
        clock_difference: clock.now() - now(),
        is_proxied,
        role: ask(&own, conn, |conn| Ok(rights::health(conn)?))?,
        session: if is_proxied { None } else { Some(session(options, &identity)?) },
        standby: options.replica_url.as_ref().map(|url| {
            let target = options.target(url, false);
            standby(&target, written).map_err(|error| error.to_string())
        }),
    })
}

/// Runs queries in one transaction, for which a proxy keeps one connection.
fn ask<T>(
    target: &Target,
    conn: &mut Conn,
    questions: impl FnOnce(&mut Conn) -> Result<T>,
) -> Result<T, OpenError> {
    let run = || -> Result<T> {
        conn.batch_execute(&target.begin(""))?;
        let answers = questions(conn)?;
        conn.batch_execute("ROLLBACK")?;
        Ok(answers)
    };
    run().map_err(|error| OpenError::Connect(store_error(error).to_string()))
}

fn session(options: &PostgresOptions, identity: &str) -> Result<SessionHealth, OpenError> {
    let target = options.target(&options.url, options.direct_url.is_some());
    let (settings, own_identity) = ask(&target, &mut target.connect()?, |conn| {
        Ok((
            Session {}.get_result::<(String, String, String)>(conn)?,
            DatabaseIdentity {}.get_result::<String>(conn)?,
        ))
    })?;
    let (synchronous_commit, statement_timeout, idle_timeout) = settings;
    Ok(SessionHealth {
        synchronous_commit,
        statement_timeout,
        idle_timeout,
        is_same_database: own_identity == identity,
        is_notified: is_notified(&mut options.direct().connect()?).unwrap_or_default(),
    })
}

/// Number of queries until a notification must have arrived with a response.
const QUERIES: usize = 10;

fn is_notified(conn: &mut Conn) -> Result<bool> {
    conn.batch_execute("LISTEN cutover_doctor; NOTIFY cutover_doctor")?;
    for _ in 0..QUERIES {
        conn.batch_execute("SELECT 1")?;
        if !conn.notifiers()?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn standby(target: &Target, written: Option<String>) -> Result<StandbyHealth, OpenError> {
    ask(target, &mut target.connect()?, |conn| Ok(Standby { written }.get_result(conn)?))
}
