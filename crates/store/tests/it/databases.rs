//! PostgreSQL databases of the tests.

use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit_machine::STALLED;
use cutover_testkit_postgres::{Template, TemplateCopy, TestDatabase, server};

/// Returns a database with the service's tables, all empty; `None` if there is no server.
pub(crate) fn migrated() -> Option<TemplateCopy> {
    static TEMPLATE: Template = Template::new();
    let migrate = |database: &TestDatabase| drop(open(database));
    Some(TEMPLATE.copy(server()?, migrate).unwrap().0)
}

/// Returns an empty store and its database; `None` if there is no server.
pub(crate) fn postgres_store() -> Option<(PostgresStore, TemplateCopy)> {
    let database = migrated()?;
    Some((open(&database), database))
}

/// Returns the settings of tests that have none of their own.
pub(crate) fn options(database: &TestDatabase) -> PostgresOptions {
    PostgresOptions {
        migrates: true,
        // On a busy machine, twice as many threads as connections may wait for longer than the default.
        pool_timeout: STALLED,
        statement_timeout: STALLED,
        ..PostgresOptions::new(database.url())
    }
}

fn open(database: &TestDatabase) -> PostgresStore {
    PostgresStore::open(&options(database)).unwrap()
}
