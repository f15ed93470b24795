use super::migrations::migrations;
use super::{at_rest, external, holds, nodes, webhooks};
use crate::cli::doctor::finding::Finding;
use crate::open::{ExternalServices, OpenDatabase, Purpose, build_app, open_error};
use crate::settings::Settings;
use crate::system::SystemClock;
use chrono::TimeDelta;
use cutover_app::port::{Clock, StoreError};
use cutover_store::{
    Health, OLDEST_SERVER, PostgresOptions, PostgresStore, RoleHealth, ServerHealth, SessionHealth,
    StandbyHealth, shown,
};

/// Tolerated difference between the clocks.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::seconds(1);
/// Tolerated lag of a standby, in seconds.
const LAG_TOLERANCE: i64 = 60;

/// Checks a PostgreSQL database, and the vendors in it.
pub(super) fn all(settings: &Settings, options: &PostgresOptions) -> Vec<Finding> {
    let unreached = |error| {
        let fix = "check that it runs, that its URL is right, and that its pg_hba.conf admits this machine";
        Finding::fail("database", open_error(&settings.database, &error), fix)
    };
    let health = match PostgresStore::health(options, &|| SystemClock.now()) {
        Ok(health) => health,
        Err(error) => return vec![unreached(error)],
    };
    let mut findings = vec![database(options, &health.server)];
    findings.push(match PostgresStore::status(options) {
        Ok(status) => migrations(&status),
        Err(error) => unreached(error),
    });
    findings.extend(judge(options, &health));
    findings.extend(settings.encryption.sealer().err().map(|error| at_rest::unusable(&error)));
    if let Ok(database) = OpenDatabase::open(settings, Purpose::Command) {
        let app = build_app(&database, settings, ExternalServices::closed());
        findings.extend(app.try_to_write().err().map(|error| unwritten(&error)));
        findings.push(at_rest::at_rest(settings, &database));
        findings.push(nodes::nodes(settings, &database));
        findings.push(webhooks::webhooks(settings, &database));
        findings.push(holds::holds(settings, &database));
        findings.extend(external::vendors(settings, &database));
    }
    findings
}

fn database(options: &PostgresOptions, server: &ServerHealth) -> Finding {
    let detail = format!("{}: PostgreSQL {}", shown(&options.url), server.version);
    if server.version_number < OLDEST_SERVER {
        return Finding::fail(
            "database",
            detail,
            format!("upgrade it to {} or later", OLDEST_SERVER / 10_000),
        );
    }
    if server.is_read_only {
        let fix = "name the primary, and check that default_transaction_read_only is off";
        return Finding::fail("database", format!("{detail}: it is read-only"), fix);
    }
    Finding::ok("database", detail)
}

/// Names the fault of a server that did not take a write, in its own words.
fn unwritten(error: &StoreError) -> Finding {
    let fix = match error {
        StoreError::Unwritable(_) => "make room on the disk of the database server, or check it",
        StoreError::ReadOnly(_) => "name the primary, and check that default_transaction_read_only is off",
        _ => "check the database server",
    };
    Finding::fail("writes", error, fix)
}

fn judge(options: &PostgresOptions, health: &Health) -> Vec<Finding> {
    let Health { server, .. } = health;
    let mut findings =
        vec![encryption(server, health.is_verified), durability(server, health.session.as_ref())];
    findings.extend(health.role.as_ref().map(role));
    findings.push(sessions(options, health.session.as_ref()));
    findings.extend(health.session.as_ref().map(timeouts));
    findings.extend([connections(options, server), vacuum(server), clock(health.clock_difference)]);
    findings.extend(standby(server, health.session.as_ref(), health.standby.as_ref()));
    findings
}

fn encryption(server: &ServerHealth, is_verified: bool) -> Finding {
    let fix = "set sslmode=verify-full and sslrootcert=FILE in the URL";
    match &server.tls {
        _ if server.is_local => Finding::ok("encryption", "the server is on this machine"),
        None => Finding::warn("encryption", "the connection to the server is not encrypted", fix),
        Some(tls) if !is_verified => {
            Finding::warn("encryption", format!("{tls}, but the server's certificate is not checked"), fix)
        }
        Some(tls) => Finding::ok("encryption", format!("{tls}, the server's certificate is checked")),
    }
}

fn durability(server: &ServerHealth, session: Option<&SessionHealth>) -> Finding {
    let commit = session.map_or("on", |session| session.synchronous_commit.as_str());
    if !server.has_fsync {
        return Finding::fail("durability", "fsync is off: a crash may lose everything", "set it on");
    }
    if commit == "off" {
        let detail = "synchronous_commit is off: a crash loses accounts that were answered 201";
        return Finding::fail("durability", detail, "leave it out of the URL's options");
    }
    if !server.has_full_page_writes {
        let detail = "full_page_writes is off: a crash may leave pages half written";
        return Finding::warn("durability", detail, "set it on, unless the file system writes whole pages");
    }
    Finding::ok("durability", format!("commits are on disk: synchronous_commit is {commit}"))
}

/// Checks that the service can neither define tables nor change the audit trail.
fn role(role: &RoleHealth) -> Finding {
    let RoleHealth { name, missing, needless, .. } = role;
    let powers = match role {
        RoleHealth { is_superuser: true, .. } => "can act as a superuser",
        RoleHealth { is_owner: true, .. } => "can act as the owner of the tables",
        _ if !missing.is_empty() => {
            let fix = format!("run `cutover migrate --running-role {name}` as the owner of the tables");
            return Finding::fail("role", format!("{name} lacks rights: {}", missing.join(", ")), fix);
        }
        _ if !needless.is_empty() => {
            let fix = format!("run `cutover migrate --running-role {name}` as the owner of the tables");
            let detail = format!("{name} has rights that running does not need: {}", needless.join(", "));
            return Finding::warn("role", detail, fix);
        }
        _ => {
            let detail = format!("{name} owns no tables and can only add to the audit trail");
            return Finding::ok("role", detail);
        }
    };
    let detail = format!("{name} {powers}: it could drop tables and change the audit trail");
    Finding::warn("role", detail, "run as another role: `cutover migrate --help` says how")
}

/// Checks for unshared sessions, which notifications, the clock and migrations need.
fn sessions(options: &PostgresOptions, session: Option<&SessionHealth>) -> Finding {
    let name = if options.direct_url.is_some() { "database-direct-url" } else { "database-url" };
    match session {
        None => Finding::fail(
            "sessions",
            format!("{name} names a proxy that shares connections"),
            "name PostgreSQL itself in database-direct-url",
        ),
        Some(session) if !session.is_same_database => Finding::fail(
            "sessions",
            "database-url and database-direct-url lead to different databases",
            "name the same one in both",
        ),
        Some(session) if !session.is_notified => Finding::warn(
            "sessions",
            "no notification arrives, so that workers poll once a second",
            "check for a proxy, and name PostgreSQL itself in database-direct-url",
        ),
        Some(_) if options.direct_url.is_some() => {
            Finding::ok("sessions", "behind a proxy; notifications arrive directly")
        }
        Some(_) => Finding::ok("sessions", "notifications arrive"),
    }
}

fn timeouts(session: &SessionHealth) -> Finding {
    let SessionHealth { statement_timeout: statement, idle_timeout: idle, .. } = session;
    let detail = format!("{statement} for a statement, {idle} for an idle transaction");
    if statement == "0" || idle == "0" {
        let fix = "leave options out of the URL, or set statement_timeout and \
                    idle_in_transaction_session_timeout there";
        return Finding::warn("timeouts", format!("{detail}, where 0 means no limit"), fix);
    }
    Finding::ok("timeouts", detail)
}

fn connections(options: &PostgresOptions, server: &ServerHealth) -> Finding {
    let ServerHealth { max_connections, open_connections, .. } = server;
    let own = if options.direct_url.is_some() { 2 } else { i64::from(options.connections) + 2 };
    let detail =
        format!("a server process uses up to {own} of {max_connections}; {open_connections} are in use");
    if own > *max_connections {
        let fix = "raise max_connections of PostgreSQL, or lower database-connections";
        return Finding::warn("connections", detail, fix);
    }
    Finding::ok("connections", detail)
}

fn vacuum(server: &ServerHealth) -> Finding {
    if server.has_autovacuum {
        return Finding::ok("autovacuum", "it is on");
    }
    Finding::warn("autovacuum", "it is off: the queue grows slower with every account", "set it on")
}

fn clock(difference: TimeDelta) -> Finding {
    let apart = difference.abs();
    let seconds = format!("{}.{:03} s", apart.num_seconds(), apart.subsec_nanos() / 1_000_000);
    if apart > CLOCK_TOLERANCE {
        let way = if difference > TimeDelta::zero() { "behind" } else { "ahead of" };
        return Finding::warn(
            "clock",
            format!("this machine's is {seconds} {way} the database's, which is used"),
            "synchronise both: logs and certificates depend on this machine's",
        );
    }
    Finding::ok("clock", "this machine's and the database's agree")
}

/// Checks the standby that is read from, and whether commits wait for one.
fn standby(
    server: &ServerHealth,
    session: Option<&SessionHealth>,
    read_from: Option<&Result<StandbyHealth, String>>,
) -> Option<Finding> {
    // If it is off, the finding about durability says more.
    let waits = session.is_none_or(|session| session.synchronous_commit != "local");
    Some(match read_from {
        Some(Err(error)) => Finding::warn(
            "standby",
            error.split_whitespace().collect::<Vec<_>>().join(" "),
            "check that it runs; until then the primary answers in its place",
        ),
        Some(Ok(standby)) if !standby.is_in_recovery => Finding::fail(
            "standby",
            "database-replica-url does not name a standby",
            "name a standby of the database, or leave it out",
        ),
        Some(Ok(standby)) if !standby.has_caught_up && standby.age > LAG_TOLERANCE => Finding::warn(
            "standby",
            format!("it is {} s behind", standby.age),
            "check whether it is connected to the database, and what it waits for",
        ),
        None if !server.has_standbys => return None,
        _ if !server.has_synchronous_standbys || !waits => Finding::warn(
            "standby",
            "no standby is synchronous: a failover may lose the last accounts that were answered 201",
            "name the standbys in synchronous_standby_names, with synchronous_commit on; \
             after a failover suppliers run their uploads again",
        ),
        _ => Finding::ok("standby", "it follows the database, and commits wait for it"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::finding::Health as Result;

    fn healthy() -> Health {
        Health {
            server: ServerHealth {
                version: "16.4".into(),
                version_number: 160_004,
                is_read_only: false,
                tls: Some("TLSv1.3".into()),
                is_local: false,
                has_fsync: true,
                has_full_page_writes: true,
                has_autovacuum: true,
                max_connections: 97,
                open_connections: 5,
                has_standbys: true,
                has_synchronous_standbys: true,
            },
            is_verified: true,
            clock_difference: TimeDelta::milliseconds(-3),
            is_proxied: false,
            role: Some(RoleHealth {
                name: "cutover_run".into(),
                is_superuser: false,
                is_owner: false,
                missing: Vec::new(),
                needless: Vec::new(),
            }),
            session: Some(SessionHealth {
                synchronous_commit: "on".into(),
                statement_timeout: "15s".into(),
                idle_timeout: "30s".into(),
                is_same_database: true,
                is_notified: true,
            }),
            standby: Some(Ok(StandbyHealth { is_in_recovery: true, has_caught_up: false, age: 2 })),
        }
    }

    fn options() -> PostgresOptions {
        PostgresOptions::new("postgres://u:s3cret@db.example.com/cutover")
    }

    /// Returns the findings after a change to a healthy database.
    fn wrong(change: impl FnOnce(&mut Health)) -> String {
        let mut health = healthy();
        change(&mut health);
        let mut findings = vec![database(&options(), &health.server)];
        findings.extend(judge(&options(), &health));
        findings.retain(|finding| finding.result != Result::Ok);
        findings.iter().map(Finding::line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_healthy_database_has_no_findings() {
        assert_eq!(wrong(|_| {}), "");
    }

    #[test]
    fn every_fault_is_reported_with_its_fix() {
        let session = |change: fn(&mut SessionHealth)| {
            wrong(move |health| {
                change(health.session.as_mut().unwrap());
            })
        };
        let role = |change: fn(&mut RoleHealth)| {
            wrong(move |health| {
                change(health.role.as_mut().unwrap());
            })
        };
        let standby = |standby| wrong(move |health| health.standby = Some(standby));
        let found = [
            wrong(|health| health.server.version_number = 120_022),
            wrong(|health| health.server.is_read_only = true),
            wrong(|health| health.server.tls = None),
            wrong(|health| health.is_verified = false),
            wrong(|health| health.server.has_fsync = false),
            wrong(|health| health.server.has_full_page_writes = false),
            session(|session| session.synchronous_commit = "off".into()),
            role(|role| role.is_superuser = true),
            role(|role| role.is_owner = true),
            role(|role| {
                role.missing = vec!["INSERT on manifests".into(), "EXECUTE on add_partitions()".into()]
            }),
            role(|role| role.needless = vec!["DELETE on audit_trail".into()]),
            wrong(|health| health.session = None),
            session(|session| session.is_same_database = false),
            session(|session| session.is_notified = false),
            session(|session| session.statement_timeout = "0".into()),
            wrong(|health| health.server.max_connections = 16),
            wrong(|health| health.server.has_autovacuum = false),
            wrong(|health| health.clock_difference = TimeDelta::milliseconds(1_500)),
            wrong(|health| health.clock_difference = TimeDelta::milliseconds(-61_007)),
            standby(Err("connection to server failed:\n\tno route\n".into())),
            standby(Ok(StandbyHealth { is_in_recovery: false, has_caught_up: false, age: 0 })),
            standby(Ok(StandbyHealth { is_in_recovery: true, has_caught_up: false, age: 3_600 })),
            wrong(|health| health.server.has_synchronous_standbys = false),
        ];
        insta::assert_snapshot!(found.join("\n"));
    }

    /// Readiness refuses a release for exactly those faults of a server that fail here.
    #[test]
    fn whatever_fails_stops_a_release() {
        let lacking = || vec!["INSERT on manifests".to_owned()];
        let changes: [fn(&mut Health); 7] = [
            |health| health.server.version_number = 120_022,
            |health| health.server.is_read_only = true,
            |health| health.server.has_fsync = false,
            |health| health.session.as_mut().unwrap().synchronous_commit = "off".into(),
            |health| health.session = None,
            |health| health.session.as_mut().unwrap().is_same_database = false,
            |health| health.standby.as_mut().unwrap().as_mut().unwrap().is_in_recovery = false,
        ];
        let mut cases: Vec<Health> = changes
            .iter()
            .map(|change| {
                let mut health = healthy();
                change(&mut health);
                health
            })
            .collect();
        for (is_superuser, is_owner) in [(false, false), (true, false), (false, true)] {
            let role = RoleHealth { is_superuser, is_owner, missing: lacking(), ..healthy().role.unwrap() };
            cases.push(Health { role: Some(role), ..healthy() });
        }
        let warnings: [fn(&mut Health); 4] = [
            |health| health.server.has_full_page_writes = false,
            |health| health.server.tls = None,
            |health| health.standby = Some(Err("no route".into())),
            |health| health.role.as_mut().unwrap().needless = vec!["DELETE on audit_trail".into()],
        ];
        for change in warnings {
            let mut health = healthy();
            change(&mut health);
            cases.push(health);
        }
        for health in cases.into_iter().chain([healthy()]) {
            let mut findings = vec![database(&options(), &health.server)];
            findings.extend(judge(&options(), &health));
            let failed = findings.iter().filter(|finding| finding.result == Result::Fail).count();
            assert_eq!(health.faults().len(), failed, "{:?}", health.faults());
        }
    }

    #[test]
    fn a_server_that_takes_no_write_is_quoted() {
        let full = "could not extend file \"base/16384/2619\": No space left on device (SQLSTATE 53100)";
        let found = [
            unwritten(&StoreError::Unwritable(full.into())),
            unwritten(&StoreError::ReadOnly("cannot execute INSERT (SQLSTATE 25006)".into())),
            unwritten(&StoreError::Unavailable("no answer".into())),
        ];
        insta::assert_snapshot!(found.map(|finding| finding.line()).join("\n"));
    }

    #[test]
    fn the_lag_of_a_standby_counts_only_while_it_catches_up() {
        let idle = StandbyHealth { is_in_recovery: true, has_caught_up: true, age: 3_600 };
        assert_eq!(wrong(|health| health.standby = Some(Ok(idle))), "");
    }

    #[test]
    fn standbys_are_to_be_synchronous_also_if_none_is_read_from() {
        let standby = |change: fn(&mut Health)| {
            let mut health = healthy();
            health.standby = None;
            change(&mut health);
            super::standby(&health.server, health.session.as_ref(), None).map(|finding| finding.result)
        };
        assert_eq!(standby(|_| {}), Some(Result::Ok));
        assert_eq!(standby(|health| health.server.has_standbys = false), None);
        assert_eq!(standby(|health| health.server.has_synchronous_standbys = false), Some(Result::Warn));
        let local = |health: &mut Health| {
            health.session.iter_mut().for_each(|session| session.synchronous_commit = "local".into());
        };
        assert_eq!(standby(local), Some(Result::Warn));
    }
}
