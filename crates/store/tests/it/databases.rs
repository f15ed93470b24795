//! PostgreSQL databases of the tests.

use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit_postgres::{Template, TemplateCopy, TestDatabase, server};

/// Returns a database with the service's tables, all empty; `None` if there is no server.
pub(crate) fn migrated() -> Option<TemplateCopy> {
    static TEMPLATE: Template = Template::new();
    let migrate = |database: &TestDatabase| drop(open(database));
    Some(TEMPLATE.copy(server()?, migrate).unwrap())
}

/// Returns an empty store and its database; `None` if there is no server.
pub(crate) fn postgres_store() -> Option<(PostgresStore, TemplateCopy)> {
    let database = migrated()?;
    Some((open(&database), database))
}

fn open(database: &TestDatabase) -> PostgresStore {
    let options = PostgresOptions { migrates: true, ..PostgresOptions::new(database.url()) };
    PostgresStore::open(&options).unwrap()
}
