//! Databases of PostgreSQL for houses.

use super::Installation;
use cutover_testkit_postgres::{Server, TestDatabase, server};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Says what houses have their data in: `postgres`; without it each has a SQLite file.
const TEST_ON: &str = "CUTOVER_TEST_ON";

/// A database with all migrations, of a house's own.
pub(crate) struct Migrated {
    pub(crate) database: TestDatabase,
    // As long as one copy of it is used, more are likely to be made.
    _template: Arc<TestDatabase>,
}

impl Migrated {
    /// One on the server of this run, if that is what the run is about.
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

/// The database of which the others are copies. It is dropped with the last of them.
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
