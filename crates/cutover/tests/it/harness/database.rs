//! PostgreSQL databases of installations.

use super::Installation;
use cutover_testkit_postgres::{Server, Template, TemplateCopy, TestDatabase, server};

/// Selects the database of the installations: `postgres`; a SQLite file if unset.
const TEST_ON: &str = "CUTOVER_TEST_ON";

/// Returns a migrated database on the server of this run, if the run is on PostgreSQL.
pub(super) fn of_run() -> Option<TemplateCopy> {
    let on = std::env::var(TEST_ON).ok()?;
    assert_eq!(on, "postgres", "{TEST_ON}");
    Some(on_server(server().expect("there is a PostgreSQL to run the tests on")))
}

/// Returns a migrated database on a server.
pub(super) fn on_server(server: &Server) -> TemplateCopy {
    static TEMPLATE: Template = Template::new();
    let migrate = |database: &TestDatabase| {
        Installation::with_database_url(database.url()).run_json(&["migrate"]);
    };
    TEMPLATE.copy(server, migrate).unwrap()
}
