//! Behaviour behind a proxy that shares connections by transaction.

use super::environment::TestEnvironment;
use chrono::{DateTime, Utc};
use cutover_app::port::{StoreError, write};
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit_postgres::{PgBouncer, server};
use std::time::Duration;

/// A statement that waits for a lock ends at the lock timeout, long before the statement timeout, and the
/// next one runs.
#[test]
fn the_wait_for_a_lock_is_shorter_than_the_statement_timeout() {
    let Some(env) = TestEnvironment::new() else { return };
    let direct = env.database.url();
    let Some(pooler) = PgBouncer::start(server().unwrap().url()).unwrap() else { return };
    let options = PostgresOptions {
        direct_url: Some(direct.to_owned()),
        statement_timeout: Duration::from_secs(60),
        ..PostgresOptions::new(pooler.url_through(direct).unwrap())
    };
    let store = PostgresStore::open(&options).unwrap();
    let add = || write(&store, |tx| tx.add_organisation("Other", DateTime::<Utc>::UNIX_EPOCH));
    let held = env.hold("LOCK TABLE organisations IN ACCESS EXCLUSIVE MODE");
    let waited = add();
    assert!(matches!(&waited, Err(StoreError::Busy(text)) if text.contains("lock timeout")), "{waited:?}");
    drop(held);
    assert_eq!(add().unwrap().unwrap().name, "Other");
}

/// The proxy would leave a COMMIT as the last statement of a connection.
#[test]
fn new_accounts_are_stored_without_the_proxy() {
    // Dropped after the proxy, whose connections would keep its database.
    let env;
    let pooler = server().and_then(|server| PgBouncer::start(server.url()).unwrap());
    let Some(pooler) = pooler else { return };
    let behind_the_proxy = |options: PostgresOptions| {
        // It refuses the parameter that names the role.
        let (url, _) = options.url.split_once('?').unwrap();
        PostgresOptions {
            url: pooler.url_through(url).unwrap(),
            direct_url: Some(options.url.clone()),
            listens: true,
            ..options
        }
    };
    env = TestEnvironment::with(behind_the_proxy);
    let Some(env) = &env else { return };
    env.create("A-1");
    let lasting = "SELECT count(*) FROM pg_stat_activity \
        WHERE datname = current_database() AND query LIKE 'WITH sent AS%'";
    assert_eq!(env.database.sql(lasting).unwrap(), "1");
}
