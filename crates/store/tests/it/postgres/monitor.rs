//! Figures for monitoring, of the server and of all suppliers.

use super::environment::TestEnvironment;
use chrono::DateTime;
use cutover_app::port::{DatabaseFault, ServerFigures, Store, read_committed};
use cutover_process::State;
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit_machine::wait_until;
use cutover_testkit_postgres::{Cluster, ClusterOptions, Standby};
use std::time::{Duration, Instant};

fn figures(store: &PostgresStore) -> ServerFigures {
    store.server_figures().unwrap().unwrap()
}

/// Polls the figures until a condition holds.
#[track_caller]
fn until(store: &PostgresStore, holds: impl Fn(&ServerFigures) -> bool) {
    wait_until("the figures are as wanted", || holds(&figures(store)));
}

#[test]
fn the_age_of_an_open_snapshot_grows() {
    let Some(env) = TestEnvironment::new() else { return };
    let begun = Instant::now();
    let open = env.hold("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM processes");
    let first = figures(&env.store);
    assert!(first.sees_other_roles && first.standby_answers.is_none(), "{first:?}");
    until(&env.store, |figures| figures.oldest_snapshot > first.oldest_snapshot + Duration::from_millis(200));
    assert!(figures(&env.store).oldest_snapshot <= begun.elapsed() + Duration::from_secs(1));
    let held = begun.elapsed();
    drop(open);
    until(&env.store, |figures| figures.oldest_snapshot < held);
}

/// The server writes a file on the disk of the database, for which a role needs no right.
#[test]
fn whether_there_is_room_is_found_out_by_writing() {
    let Some(env) = TestEnvironment::new() else { return };
    assert_eq!(env.store.check_room(), Ok(()));
    let database = env.close();
    let written = "SELECT temp_bytes > 100000 FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(database.sql(written).unwrap(), "t");
}

/// The role has rights on its own tables only.
#[test]
fn a_role_that_sees_no_others_gets_figures_of_its_own_sessions() {
    let Some(cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    cluster.sql("postgres", "CREATE ROLE narrow LOGIN").unwrap();
    cluster.sql("postgres", "CREATE DATABASE narrow OWNER narrow").unwrap();
    let url = cluster.url("narrow");
    let separator = if url.contains('?') { '&' } else { '?' };
    let narrow = format!("{url}{separator}options=-c%20role%3Dnarrow");
    let options = PostgresOptions { migrates: true, ..PostgresOptions::new(narrow) };
    let store = PostgresStore::open(&options).unwrap();
    let figures = figures(&store);
    assert!(!figures.sees_other_roles, "{figures:?}");
    assert_eq!(figures.replication_lag, None);
    assert_eq!(read_committed(&store, |tx| tx.supplier_figures(DateTime::UNIX_EPOCH)), Ok(Vec::new()));
}

#[test]
fn a_standby_lags_and_disappears() {
    let Some(cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    let migrated = PostgresOptions { migrates: true, ..PostgresOptions::new(cluster.url("postgres")) };
    drop(PostgresStore::open(&migrated).unwrap());
    let mut standby = Standby::of(&cluster).unwrap();
    let replica_url = Some(standby.url("postgres"));
    let store = PostgresStore::open(&PostgresOptions { replica_url, ..migrated }).unwrap();
    standby.wait_until_caught_up().unwrap();
    until(&store, |figures| {
        figures.standby_answers == Some(true) && figures.replication_lag == Some(Duration::ZERO)
    });
    standby.pause_replay().unwrap();
    cluster.sql("postgres", "INSERT INTO organisations (name, created_at) VALUES ('Acme', now())").unwrap();
    until(&store, |figures| figures.replication_lag.is_some_and(|lag| lag > Duration::from_millis(200)));
    standby.resume_replay().unwrap();
    until(&store, |figures| figures.replication_lag == Some(Duration::ZERO));
    standby.stop_at_once().unwrap();
    until(&store, |figures| figures.standby_answers == Some(false));
}

#[test]
fn an_inspection_finds_what_speaks_against_imports() {
    let Some(fast) = TestEnvironment::new() else { return };
    let faults = |store: &PostgresStore| store.inspect().unwrap().faults;
    assert_eq!(faults(&fast.store), [DatabaseFault::LosesCommits("fsync")]);
    let Some(cluster) = Cluster::for_test(&ClusterOptions::default()) else { return };
    let options = || PostgresOptions { migrates: true, ..PostgresOptions::new(cluster.url("postgres")) };
    for (replica_url, found) in
        [(None, vec![]), (Some(cluster.url("postgres")), vec![DatabaseFault::NoStandby])]
    {
        let store = PostgresStore::open(&PostgresOptions { replica_url, ..options() }).unwrap();
        assert_eq!(faults(&store), found);
    }
    cluster.sql("postgres", "CREATE ROLE runner LOGIN").unwrap();
    PostgresStore::migrate(&options(), Some("runner")).unwrap();
    let url = format!("postgres://runner@{}/postgres", cluster.address());
    let store = PostgresStore::open(&PostgresOptions::new(url)).unwrap();
    assert_eq!(faults(&store), []);
    cluster.sql("postgres", "REVOKE INSERT ON manifests FROM runner").unwrap();
    let rights = vec!["INSERT on manifests".to_owned()];
    assert_eq!(faults(&store), [DatabaseFault::MissingRights { role: "runner".into(), rights }]);
}

/// Nobody folds the changes, so there may be any number.
#[test]
fn the_number_of_changes_read_is_limited() {
    let Some(env) = TestEnvironment::new() else { return };
    let changes = "INSERT INTO process_changes (supplier_id, state, error_code, change) \
                   SELECT 1, 'PENDING', '', 1 FROM generate_series(1, 50000)";
    env.database.sql(changes).unwrap();
    let figures = read_committed(&*env.store, |tx| tx.supplier_figures(env.store.now())).unwrap();
    assert_eq!(figures[0].states, [(State::Pending, 20_000)]);
    env.app.fold_figures().unwrap();
    let figures = read_committed(&*env.store, |tx| tx.supplier_figures(env.store.now())).unwrap();
    assert_eq!(figures[0].states, [(State::Pending, 50_000)]);
}
