//! PostgreSQL databases of installations.

use super::Installation;
use cutover_testkit_postgres::{Server, TestDatabase, server};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Selects the database of the installations: `postgres`; a SQLite file if unset.
const TEST_ON: &str = "CUTOVER_TEST_ON";

/// A migrated database of one installation.
pub(crate) struct Migrated {
    pub(crate) database: TestDatabase,
    // Kept for further copies while one copy is used.
    _template: Arc<TestDatabase>,
}

impl Migrated {
    /// A database on the server of this run, if the run is on PostgreSQL.
    pub(super) fn of_run() -> Option<Self> {
        let on = std::env::var(TEST_ON).ok()?;
        assert_eq!(on, "postgres", "{TEST_ON}");
        Some(Self::on(server().expect("there is a PostgreSQL to run the tests on")))
    }

    pub(super) fn on(server: &Server) -> Self {
        let template = template(server);
        let database = TestDatabase::create_from_template(server, template.name()).unwrap();
        Self { database, _template: template }
    }
}

/// The template of the databases. It is dropped with the last copy.
fn template(server: &Server) -> Arc<TestDatabase> {
    static TEMPLATE: Mutex<Weak<TestDatabase>> = Mutex::new(Weak::new());
    let mut kept = TEMPLATE.lock().unwrap_or_else(PoisonError::into_inner);
    kept.upgrade().unwrap_or_else(|| {
        let template = Arc::new(TestDatabase::create(server).unwrap());
        Installation::with_database_url(template.url()).run_json(&["migrate"]);
        *kept = Arc::downgrade(&template);
        template
    })
}
