//! Databases of installations.

use super::Installation;
use cutover_testkit_postgres::{RUNNING_ROLE, Server, Template, TemplateCopy, TestDatabase, server};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::OnceLock;

/// Selects the database of the installations: `postgres`; a SQLite file if unset.
const TEST_ON: &str = "CUTOVER_TEST_ON";

/// Name of the file in a data folder.
const SQLITE_FILE: &str = "cutover.db";

/// Returns a migrated database on the server of this run, if the run is on PostgreSQL.
pub(super) fn of_run() -> Option<TemplateCopy> {
    server_of_run().map(on_server)
}

fn server_of_run() -> Option<&'static Server> {
    let on = std::env::var(TEST_ON).ok()?;
    assert_eq!(on, "postgres", "{TEST_ON}");
    Some(server().expect("there is a PostgreSQL to run the tests on"))
}

/// Returns a database with what [`Installation::add_supplier`] adds, and the supplier's key, if the run is on
/// PostgreSQL.
pub(super) fn of_run_with_supplier() -> Option<(TemplateCopy, String)> {
    static TEMPLATE: Template<String> = Template::new();
    Some(TEMPLATE.copy(server_of_run()?, |database| migrated(database).add_supplier()).unwrap())
}

/// Writes a SQLite database with what [`Installation::add_supplier`] adds into a data folder. Returns the
/// supplier's key.
pub(super) fn write_sqlite_with_supplier(folder: &Path) -> String {
    static TEMPLATE: OnceLock<(Vec<u8>, String)> = OnceLock::new();
    let (file, key) = TEMPLATE.get_or_init(|| {
        let installation = Installation::on_sqlite();
        let key = installation.add_supplier();
        (fs::read(installation.path().join(SQLITE_FILE)).unwrap(), key)
    });
    // With the permissions that the program gives it.
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(folder.join(SQLITE_FILE));
    created.unwrap().write_all(file).unwrap();
    key.clone()
}

/// Returns a migrated database on a server.
pub(super) fn on_server(server: &Server) -> TemplateCopy {
    static TEMPLATE: Template = Template::new();
    TEMPLATE.copy(server, |database| drop(migrated(database))).unwrap().0
}

/// Migrates a database; returns an installation on it that runs as another role.
fn migrated(database: &TestDatabase) -> Installation {
    Installation::with_database_url(database.url()).run_json(&["migrate", "--running-role", RUNNING_ROLE]);
    Installation::with_database_url(&database.running_url().unwrap())
}
