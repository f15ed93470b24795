//! Databases with organisations, suppliers and keys; each run has a fresh one.

use crate::planner::NODES;
use crate::specs::{FOREIGN, SUPPLIERS, VERIFYING, code, zone};
use cutover_app::auth::{Caller, Credential};
use cutover_app::operator::SupplierChange;
use cutover_app::port::{ApiKeyRole, Store, VendorKind};
use cutover_app::{App, Ports, Settings};
use cutover_store::{Options, PostgresOptions, PostgresStore, SqliteStore};
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, FakeWebhooks, SeededRandom};
use cutover_testkit_machine::{STALLED, wait_until};
use cutover_testkit_postgres::{RUNNING_ROLE, TestDatabase, server};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Callers and key, equal in all databases of a template.
#[derive(Debug, Clone)]
pub(crate) struct Credentials {
    /// Callers of the organisation with two suppliers, and of the other.
    pub(crate) callers: [Caller; 2],
    /// An API key of the first organisation.
    pub(crate) key: String,
}

/// A database to copy.
pub(crate) enum Template {
    Sqlite { file: Vec<u8>, credentials: Credentials },
    Postgres { database: TestDatabase, credentials: Credentials },
}

/// Database of one run.
pub(crate) struct Database {
    /// One per node, and one that bypasses the nodes.
    stores: Vec<Arc<dyn Store>>,
    pub(crate) credentials: Credentials,
    /// Removed when dropped.
    location: Location,
}

enum Location {
    Folder { _folder: TempDir },
    Server { database: TestDatabase },
}

impl Template {
    /// A database file for one process.
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cutover.db");
        let credentials = populate(open_sqlite(&path));
        assert!(!path.with_extension("db-wal").exists(), "all is in the file");
        Self::Sqlite { file: std::fs::read(path).unwrap(), credentials }
    }

    /// A PostgreSQL database, with separate connections per node; `None` without a server.
    pub(crate) fn postgres() -> Option<Self> {
        let database = TestDatabase::create(server()?).unwrap();
        PostgresStore::migrate(&PostgresOptions::new(database.url()), Some(RUNNING_ROLE)).unwrap();
        let credentials = populate(open_postgres(&database));
        let gone = "SELECT count(*) = 0 FROM pg_stat_activity \
                    WHERE datname = current_database() AND application_name = 'cutover'";
        wait_for(&database, gone);
        Some(Self::Postgres { database, credentials })
    }

    /// Creates a copy.
    pub(crate) fn open(&self) -> Database {
        match self {
            Self::Sqlite { file, credentials } => {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("cutover.db");
                std::fs::write(&path, file).unwrap();
                let store = open_sqlite(&path);
                let stores = vec![store; NODES + 1];
                Database {
                    stores,
                    credentials: credentials.clone(),
                    location: Location::Folder { _folder: folder },
                }
            }
            Self::Postgres { database, credentials } => {
                let copy = TestDatabase::create_from_template(server().unwrap(), database.name()).unwrap();
                let stores = (0..=NODES).map(|_| open_postgres(&copy)).collect();
                Database {
                    stores,
                    credentials: credentials.clone(),
                    location: Location::Server { database: copy },
                }
            }
        }
    }
}

impl Database {
    /// Replaces the stores of the nodes.
    pub(crate) fn with_stores(mut self, change: impl Fn(Arc<dyn Store>) -> Arc<dyn Store>) -> Self {
        self.stores[..NODES].iter_mut().for_each(|store| *store = change(store.clone()));
        self
    }

    /// Changes the schema of a database on a server, to plant a bug.
    pub(crate) fn changed(self, sql: &str) -> Self {
        if let Location::Server { database } = &self.location {
            database.sql(sql).unwrap();
        }
        self
    }

    /// Waits until all transactions that have begun have ended, also those of other databases of the server. Until
    /// then the feed may lack events.
    pub(crate) fn settle(&self) {
        if let Location::Server { database } = &self.location {
            let id = database.sql("SELECT pg_current_xact_id()").unwrap();
            wait_for(database, &format!("SELECT pg_snapshot_xmin(pg_current_snapshot()) > '{}'", id.trim()));
        }
    }

    /// True if several processes use it concurrently.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.location, Location::Server { .. })
    }

    /// Terminates all connections to the server; clients notice at their next use.
    pub(crate) fn sever(&self) {
        if let Location::Server { database } = &self.location {
            let all = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
                       WHERE datname = current_database() AND pid <> pg_backend_pid()";
            database.sql(all).unwrap();
        }
    }

    /// The store of each node.
    pub(crate) fn stores(&self) -> Vec<Arc<dyn Store>> {
        self.stores[..NODES].to_vec()
    }

    /// The store that bypasses the nodes.
    pub(crate) fn truth(&self) -> Arc<dyn Store> {
        self.stores[NODES].clone()
    }
}

/// Waits until a condition in SQL holds.
fn wait_for(database: &TestDatabase, condition: &str) {
    wait_until(condition, || database.sql(condition).unwrap().trim() == "t");
}

fn open_sqlite(path: &Path) -> Arc<dyn Store> {
    // The two readers are opened by threads of the pool, and on a busy machine these may come late.
    let options = Options { readers: 2, pool_timeout: STALLED, ..Options::default() };
    Arc::new(SqliteStore::open(path, options).unwrap())
}

fn open_postgres(database: &TestDatabase) -> Arc<dyn Store> {
    // A wait for a lock that this same thread holds ends after 5 s.
    let options = PostgresOptions {
        connections: 3,
        statement_timeout: STALLED,
        pool_timeout: STALLED,
        ..PostgresOptions::new(database.running_url().unwrap())
    };
    Arc::new(PostgresStore::open(&options).unwrap())
}

/// Creates two organisations with suppliers and keys, and a vendor.
fn populate(store: Arc<dyn Store>) -> Credentials {
    let ports = Ports {
        store,
        clock: Arc::new(FakeClock::of_fixtures()),
        random: Arc::new(SeededRandom::new(1)),
        documents: Arc::<FakeDocuments>::default(),
        vendors: Arc::<FakeVendors>::default(),
        webhooks: Arc::<FakeWebhooks>::default(),
    };
    let app = App::new(ports, Settings::default());
    let (key, ours) = organisation(&app, "Acme");
    let (_, theirs) = organisation(&app, "Other");
    for supplier in 0..SUPPLIERS {
        let owner = if supplier == FOREIGN { "Other" } else { "Acme" };
        let change = SupplierChange {
            verify_documents: Some(supplier == VERIFYING),
            time_zone: Some(zone(supplier)),
            ..SupplierChange::default()
        };
        app.as_command().add_supplier(&code(supplier), owner, change).unwrap();
    }
    for owner in ["Acme", "Other"] {
        app.as_command().add_vendor(owner, "pay", VendorKind::Http, "https://pay.example", None).unwrap();
    }
    Credentials { callers: [ours, theirs], key }
}

fn organisation(app: &App, name: &str) -> (String, Caller) {
    app.add_organisation(name).unwrap();
    let key = app.as_command().issue_api_key(name, ApiKeyRole::Supplier).unwrap().key;
    let token = app.obtain_token(&Credential::ApiKey(key.clone())).unwrap().token;
    let caller = app.authenticate(&token).unwrap();
    (key, caller)
}
