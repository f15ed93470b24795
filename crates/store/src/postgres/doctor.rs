//! What `cutover doctor` asks of a database (contract D11).

use super::clock::Clock;
use super::connection::Target;
use super::dialect::{Conn, Db};
use super::queries::statement::Bind;
use super::queries::store_error;
use super::store::PostgresOptions;
use super::url::Url;
use crate::error::{OpenError, Result};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer, Nullable, Text};

/// How a PostgreSQL database is, as far as this program depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// What the server says of itself.
    pub server: ServerHealth,
    /// Whether the URL has the server's certificate checked.
    pub is_verified: bool,
    /// The database's clock less this machine's.
    pub clock_difference: TimeDelta,
    /// Whether connections that are to be one's own are shared: two came out at one process of the server.
    pub is_proxied: bool,
    /// What holds for a connection; `None` if [`is_proxied`](Self::is_proxied).
    pub session: Option<SessionHealth>,
    /// How the standby is, if there is to be one; or why it cannot be asked.
    pub standby: Option<Result<StandbyHealth, String>>,
}

/// What a server says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct ServerHealth {
    /// Its version in its own words.
    pub version: String,
    /// The same as a number: 160004 is 16.4.
    pub version_number: i64,
    /// Whether it takes no writes: it is a standby, or set so.
    pub is_read_only: bool,
    /// The version of TLS of the connection; `None` without TLS.
    pub tls: Option<String>,
    /// Whether the connection comes from the server's own machine.
    pub is_local: bool,
    /// Its setting: what is committed reaches the disk.
    pub has_fsync: bool,
    /// Its setting: a page that was half written when the machine went down is made whole.
    pub has_full_page_writes: bool,
    /// Its setting: rows that nobody sees any more are cleared away.
    pub has_autovacuum: bool,
    /// How many connections all its clients may open together.
    pub places: i64,
    /// How many are open.
    pub taken: i64,
}

/// What holds for a connection. Times are in the database's words; `0` is no bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionHealth {
    /// What a commit waits for.
    pub synchronous_commit: String,
    /// How long a statement may take.
    pub statement_timeout: String,
    /// How long a transaction may lie idle.
    pub idle_timeout: String,
    /// Whether the URL and the direct one lead to the same database.
    pub is_same_database: bool,
    /// Whether notifications arrive.
    pub is_notified: bool,
}

/// How a standby is.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct StandbyHealth {
    /// Whether it follows another server.
    pub is_in_recovery: bool,
    /// Whether it has what the primary had a moment ago.
    pub has_caught_up: bool,
    /// The age of the latest transaction that it has, in seconds.
    pub age: i64,
}

statement! {
    OwnProcess {} -> Integer = "SELECT pg_backend_pid()"
}

statement! {
    Server {} -> (Text, BigInt, Bool, Nullable<Text>, Bool, Bool, Bool, Bool, BigInt, BigInt)
        = "SELECT current_setting('server_version'), current_setting('server_version_num')::bigint, \
            current_setting('transaction_read_only') = 'on', \
            (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl), \
            coalesce(inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1', true), \
            current_setting('fsync') = 'on', current_setting('full_page_writes') = 'on', \
            current_setting('autovacuum') = 'on', current_setting('max_connections')::bigint \
            - current_setting('superuser_reserved_connections')::bigint \
            - coalesce(current_setting('reserved_connections', true)::bigint, 0), \
            (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')"
}

statement! {
    /// Which server and which of its databases a connection leads to.
    Whereabouts {} -> Text = "SELECT pg_postmaster_start_time()::text || ' ' || current_database()"
}

statement! {
    /// How far the primary has come.
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

/// Looks at a database. `now` is this machine's clock.
pub(super) fn look(options: &PostgresOptions, now: &dyn Fn() -> DateTime<Utc>) -> Result<Health, OpenError> {
    let url = options.direct_url.as_ref().unwrap_or(&options.url);
    // A proxy does not disturb these: whether there is one is to be found out.
    let (own, other) = (options.target(url, true), &mut options.target(url, true).connect()?);
    let conn = &mut own.connect()?;
    let process = |conn: &mut Conn| Ok(OwnProcess {}.get_result::<i32>(conn)?);
    let is_proxied = ask(&own, conn, process)? == ask(&own, other, process)?;
    let (server, place, written) = ask(&own, conn, |conn| {
        let written: Option<String> = Written {}.get_result(conn)?;
        Ok((Server {}.get_result(conn)?, Whereabouts {}.get_result::<String>(conn)?, written))
    })?;
    let clock = ask(&own, conn, Clock::start)?;
    Ok(Health {
        server,
        is_verified: Url::parse(url)?.get("sslmode").is_some_and(|mode| mode.starts_with("verify-")),
        clock_difference: clock.now() - now(),
        is_proxied,
        session: if is_proxied { None } else { Some(session(options, &place)?) },
        standby: options.replica_url.as_ref().map(|url| {
            let target = options.target(url, false);
            standby(&target, written).map_err(|error| error.to_string())
        }),
    })
}

/// Asks something in one transaction, which a proxy leaves on one connection.
fn ask<T>(
    target: &Target,
    conn: &mut Conn,
    questions: impl FnOnce(&mut Conn) -> Result<T>,
) -> Result<T, OpenError> {
    let run = || {
        conn.batch_execute(&target.begin(""))?;
        let answers = questions(conn)?;
        conn.batch_execute("ROLLBACK")?;
        Ok(answers)
    };
    run().map_err(|error| OpenError::Connect(store_error(error).to_string()))
}

fn session(options: &PostgresOptions, place: &str) -> Result<SessionHealth, OpenError> {
    let target = options.target(&options.url, options.direct_url.is_some());
    let (settings, own_place) = ask(&target, &mut target.connect()?, |conn| {
        Ok((
            Session {}.get_result::<(String, String, String)>(conn)?,
            Whereabouts {}.get_result::<String>(conn)?,
        ))
    })?;
    let (synchronous_commit, statement_timeout, idle_timeout) = settings;
    Ok(SessionHealth {
        synchronous_commit,
        statement_timeout,
        idle_timeout,
        is_same_database: own_place == place,
        is_notified: is_notified(&mut options.direct().connect()?).unwrap_or_default(),
    })
}

/// How often it is looked whether a notification has arrived: it comes with an answer.
const LOOKS: usize = 10;

fn is_notified(conn: &mut Conn) -> Result<bool> {
    conn.batch_execute("LISTEN cutover_doctor; NOTIFY cutover_doctor")?;
    for _ in 0..LOOKS {
        conn.batch_execute("SELECT 1")?;
        if conn.notifications_iter().next().transpose()?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn standby(target: &Target, written: Option<String>) -> Result<StandbyHealth, OpenError> {
    ask(target, &mut target.connect()?, |conn| Ok(Standby { written }.get_result(conn)?))
}
