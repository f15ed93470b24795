//! The use cases on a database of the test's own, of either kind.

use crate::databases::{postgres_store, sqlite_store};
use chrono::{DateTime, Utc};
use cutover_app::auth::{Caller, Credential};
use cutover_app::operator::{ProcessReport, SupplierChange};
use cutover_app::port::{ApiKeyRole, Store};
use cutover_app::worker::{Worker, WorkerMetrics};
use cutover_app::{App, Ports, Settings};
use cutover_process::State;
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, FakeWebhooks, SeededRandom, create_account};
use cutover_testkit_postgres::TemplateCopy;
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use std::sync::Arc;
use tempfile::TempDir;

/// The use cases and a worker, with the organisation `Acme` and its supplier `ACME`. The order of the fields
/// is the order of their drops.
pub(super) struct TestEnvironment {
    pub(super) app: Arc<App>,
    pub(super) clock: Arc<FakeClock>,
    pub(super) worker: Worker,
    ports: Ports,
    caller: Caller,
    database: Database,
}

enum Database {
    Sqlite(TempDir),
    Postgres(TemplateCopy),
}

/// Runs a test on SQLite, and on PostgreSQL if there is a server.
pub(super) fn on_both(test: impl Fn(TestEnvironment)) {
    let (folder, store) = sqlite_store();
    test(TestEnvironment::new(Arc::new(store), Database::Sqlite(folder)));
    let Some((store, database)) = postgres_store() else { return };
    test(TestEnvironment::new(Arc::new(store), Database::Postgres(database)));
}

impl TestEnvironment {
    fn new(store: Arc<dyn Store>, database: Database) -> Self {
        let clock = Arc::new(FakeClock::of_fixtures());
        let ports = Ports {
            store,
            clock: clock.clone(),
            random: Arc::new(SeededRandom::new(1)),
            documents: Arc::<FakeDocuments>::default(),
            vendors: Arc::<FakeVendors>::default(),
            webhooks: Arc::<FakeWebhooks>::default(),
        };
        let app = Arc::new(App::new(ports.clone(), Settings::default()));
        app.add_organisation("Acme").unwrap();
        app.as_command().add_supplier("ACME", "Acme", SupplierChange::default()).unwrap();
        let key = app.as_command().issue_api_key("Acme", ApiKeyRole::Supplier).unwrap().key;
        let token = app.obtain_token(&Credential::ApiKey(key)).unwrap().token;
        let caller = app.authenticate(&token).unwrap();
        let metrics = Arc::<WorkerMetrics>::default();
        let worker = Worker::new(app.clone(), "w1".into(), metrics, Default::default());
        Self { app, clock, worker, ports, caller, database }
    }

    /// Returns the use cases of another node on the same database.
    pub(super) fn another_node(&self) -> App {
        App::new(self.ports.clone(), Settings::default())
    }

    pub(super) fn create(&self, number: &str) {
        let body = format!(
            r#"{{"import_supplier":"ACME","external_account_number":"{number}","unknown_occupier":true}}"#
        );
        let created = create_account(&self.app, &self.caller, None, body.as_bytes());
        created.unwrap();
    }

    pub(super) fn report(&self, number: &str) -> ProcessReport {
        self.app.as_command().show_process("ACME", number).unwrap()
    }

    pub(super) fn state(&self, number: &str) -> State {
        self.report(number).status.status
    }

    /// Runs the statements of the database without the use cases.
    pub(super) fn run(&self, sqlite: &str, postgres: &str) {
        match &self.database {
            Database::Sqlite(folder) => {
                let path = folder.path().join("cutover.db");
                let mut conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
                conn.batch_execute(&format!("PRAGMA busy_timeout = 5000; {sqlite}")).unwrap();
            }
            Database::Postgres(database) => drop(database.sql(postgres).unwrap()),
        }
    }

    /// Returns a time in SQL of the database.
    pub(super) fn time(&self, at: DateTime<Utc>) -> String {
        match &self.database {
            Database::Sqlite(_) => at.timestamp_micros().to_string(),
            Database::Postgres(_) => format!("'{}'::TIMESTAMPTZ", at.to_rfc3339()),
        }
    }

    /// Returns SQL of the database for numbers from 1 in the column `n` of `numbers`.
    pub(super) fn numbers(&self, count: usize) -> String {
        match &self.database {
            Database::Sqlite(_) => format!(
                "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})"
            ),
            Database::Postgres(_) => {
                format!("WITH numbers (n) AS (SELECT * FROM generate_series(1::BIGINT, {count}))")
            }
        }
    }
}
