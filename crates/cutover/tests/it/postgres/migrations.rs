use crate::harness::{Installation, items, text};
use crate::payloads::small;
use cutover_testkit_postgres::{Cluster, ClusterOptions, TestDatabase, server};
use serde_json::Value;

const SERVE: [&str; 5] = ["serve", "--listen", "127.0.0.1:0", "--log-format", "json"];

/// An installation with an empty database; `None` without a server.
fn empty() -> Option<(TestDatabase, Installation)> {
    let database = TestDatabase::create(server()?).unwrap();
    let installation = Installation::with_database_url(database.url());
    Some((database, installation))
}

/// The states of all migrations.
fn states(installation: &Installation) -> Vec<String> {
    let status = installation.run_json(&["migrate", "--status"]);
    items(&status).iter().map(|migration| text(&migration["state"])).collect()
}

#[test]
fn pending_migrations_stop_everything_but_migrate() {
    let Some((database, installation)) = empty() else { return };
    let pending = states(&installation);
    assert!(pending.len() > 1 && pending.iter().all(|state| state == "pending"), "{pending:?}");
    for args in [&SERVE[..], &["organisation", "list"]] {
        let refused = installation.run_refused(args);
        let line = "the database lacks migrations: 0001, 0002";
        assert!(refused.contains(line), "{refused}");
        assert!(refused.ends_with(": run `cutover migrate`, or start with --migrate"), "{refused}");
    }
    assert!(installation.failed_checks().iter().any(|ailment| ailment.contains("cutover migrate")));
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(database.sql(tables).unwrap(), "0", "nothing was made meanwhile");
    let applied = installation.run_json(&["migrate"]);
    assert!(items(&applied).iter().all(|migration| migration["state"] == "just_applied"), "{applied}");
    assert_eq!(items(&applied).len(), pending.len());
    assert_eq!(installation.run_json(&["migrate"]).to_string(), "[]");
    assert!(states(&installation).iter().all(|state| state == "applied"));
    let key = installation.add_supplier();
    installation.serve().client(&key).import(&[small("M-1")]);
}

#[test]
fn a_missing_migration_is_named() {
    let Some(installation) = Installation::on_postgres() else { return };
    installation.sql("DELETE FROM __diesel_schema_migrations WHERE version = '0002'");
    let refused = installation.run_refused(&SERVE);
    assert!(refused.contains("the database lacks migrations: 0002: run `cutover migrate`"), "{refused}");
}

#[test]
fn migrations_of_a_newer_version_are_accepted() {
    let Some(installation) = Installation::on_postgres() else { return };
    installation.sql("INSERT INTO __diesel_schema_migrations (version) VALUES ('9999')");
    let key = installation.add_supplier();
    installation.serve().client(&key).import(&[small("M-1")]);
    assert_eq!(states(&installation).last().unwrap(), "of_a_newer_version");
}

/// The owner of the tables migrates, another role serves.
#[test]
fn serving_needs_no_right_on_definitions() {
    let Some(cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    cluster.sql("postgres", "CREATE ROLE cutover_run LOGIN").unwrap();
    let mut installation = Installation::with_database_url(&cluster.url("postgres"));
    installation.run_json(&["migrate"]);
    let role = |installation: &Installation| {
        let diagnosis = installation.run(&["doctor", "--json"]);
        let diagnosis: Value = serde_json::from_slice(&diagnosis.stdout).unwrap();
        let checks = items(&diagnosis["checks"]);
        let role = checks.iter().find(|check| check["check"] == "role").unwrap();
        format!("{}: {}", text(&role["result"]), text(&role["detail"]))
    };
    let powerful =
        "warn: cutover_test can act as a superuser: it could drop tables and change the audit trail";
    assert_eq!(role(&installation), powerful);
    installation.set_variable(
        "CUTOVER_DATABASE_URL",
        &format!("postgres://cutover_run@{}/postgres", cluster.address()),
    );
    let refused = installation.run_refused(&SERVE);
    assert!(
        refused.ends_with(": run `cutover migrate --running-role cutover_run` as the owner of the tables"),
        "{refused}"
    );
    installation.set_variable("CUTOVER_DATABASE_URL", &cluster.url("postgres"));
    installation.run_json(&["migrate", "--running-role", "cutover_run"]);
    let key = installation.add_supplier();
    installation.set_variable(
        "CUTOVER_DATABASE_URL",
        &format!("postgres://cutover_run@{}/postgres", cluster.address()),
    );
    assert_eq!(role(&installation), "ok: cutover_run owns no tables and can only add to the audit trail");
    installation.serve().client(&key).import(&[small("M-1")]);
    installation.run_json(&["account", "erase", "ACME", "M-1", "--yes", "--because", "asked for"]);
}

/// All are started with `--migrate`; one migrates, the others wait for it.
#[test]
fn concurrent_starts_apply_migrations_once() {
    let Some((database, installation)) = empty() else { return };
    let servers = std::thread::scope(|scope| {
        let start = || installation.serve_with(&["--migrate", "--role", "api"]);
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(start)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(servers.iter().all(|server| server.anonymous().get("/readyz").status == 200));
    let applied = database.sql("SELECT count(*) FROM __diesel_schema_migrations").unwrap();
    assert_eq!(applied.parse::<usize>().unwrap(), states(&installation).len());
}
