//! Databases with organisations, suppliers and keys, a fresh one for each run.

use crate::planner::NODES;
use crate::specs::{FOREIGN, SUPPLIERS, VERIFYING, code, zone};
use cutover_app::auth::{Caller, Credential};
use cutover_app::operator::SupplierChange;
use cutover_app::port::{ApiKeyRole, Store, VendorKind};
use cutover_app::{App, Ports, Settings};
use cutover_store::{Options, PostgresOptions, PostgresStore, SqliteStore};
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, SeededRandom};
use cutover_testkit_postgres::{TestDatabase, server};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a statement or a connection may take on a busy machine. Locks are waited for no longer than 5 s.
const PATIENCE: Duration = Duration::from_secs(30);

/// Who calls, in every database that was made of one template.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    /// Of the organisation with two suppliers, and of the other.
    pub(crate) callers: [Caller; 2],
    /// An API key of the first.
    pub(crate) key: String,
}

/// What databases are copies of.
pub(crate) enum Template {
    Sqlite { file: Vec<u8>, known: Known },
    Postgres { database: TestDatabase, known: Known },
}

/// A database of a run's own.
pub(crate) struct Database {
    /// One a node, and one past all nodes.
    stores: Vec<Arc<dyn Store>>,
    pub(crate) known: Known,
    /// Goes when nobody uses it any more.
    place: Place,
}

enum Place {
    Folder { _folder: TempDir },
    Server { database: TestDatabase },
}

impl Template {
    /// A file, used by one process.
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cutover.db");
        let known = settle(open_sqlite(&path));
        assert!(!path.with_extension("db-wal").exists(), "all is in the file");
        Self::Sqlite { file: std::fs::read(path).unwrap(), known }
    }

    /// A database that every node has connections of its own to; `None` where there is no server.
    pub(crate) fn postgres() -> Option<Self> {
        let database = TestDatabase::create(server()?).unwrap();
        let known = settle(open_postgres(&database));
        let gone = "SELECT count(*) = 0 FROM pg_stat_activity \
                    WHERE datname = current_database() AND application_name = 'cutover'";
        let begun = Instant::now();
        while database.sql(gone).unwrap().trim() != "t" {
            assert!(begun.elapsed() < Duration::from_secs(10), "connections stay");
            thread::park_timeout(Duration::from_millis(10));
        }
        Some(Self::Postgres { database, known })
    }

    /// A copy.
    pub(crate) fn open(&self) -> Database {
        match self {
            Self::Sqlite { file, known } => {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("cutover.db");
                std::fs::write(&path, file).unwrap();
                let store = open_sqlite(&path);
                let stores = vec![store; NODES + 1];
                Database { stores, known: known.clone(), place: Place::Folder { _folder: folder } }
            }
            Self::Postgres { database, known } => {
                let copy = TestDatabase::create_from_template(server().unwrap(), database.name()).unwrap();
                let stores = (0..=NODES).map(|_| open_postgres(&copy)).collect();
                Database { stores, known: known.clone(), place: Place::Server { database: copy } }
            }
        }
    }
}

impl Database {
    /// With other stores for the nodes.
    pub(crate) fn with_stores(mut self, change: impl Fn(Arc<dyn Store>) -> Arc<dyn Store>) -> Self {
        self.stores[..NODES].iter_mut().for_each(|store| *store = change(store.clone()));
        self
    }

    /// Whether many processes use it at the same time.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.place, Place::Server { .. })
    }

    /// Breaks every connection to a server: those who need one next find it out by themselves.
    pub(crate) fn sever(&self) {
        if let Place::Server { database } = &self.place {
            let all = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
                       WHERE datname = current_database() AND pid <> pg_backend_pid()";
            database.sql(all).unwrap();
        }
    }

    /// The store of each node.
    pub(crate) fn stores(&self) -> Vec<Arc<dyn Store>> {
        self.stores[..NODES].to_vec()
    }

    /// The store past all nodes.
    pub(crate) fn truth(&self) -> Arc<dyn Store> {
        self.stores[NODES].clone()
    }
}

fn open_sqlite(path: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(path, Options { readers: 2, ..Options::default() }).unwrap())
}

fn open_postgres(database: &TestDatabase) -> Arc<dyn Store> {
    // Whoever waits for a lock that this very thread holds waits in vain.
    let options = PostgresOptions {
        migrates: true,
        connections: 3,
        statement_timeout: PATIENCE,
        pool_timeout: PATIENCE,
        ..PostgresOptions::new(database.url())
    };
    Arc::new(PostgresStore::open(&options).unwrap())
}

/// Two organisations with their suppliers and keys, and a vendor.
fn settle(store: Arc<dyn Store>) -> Known {
    let ports = Ports {
        store,
        clock: Arc::new(FakeClock::of_fixtures()),
        random: Arc::new(SeededRandom::new(1)),
        documents: Arc::<FakeDocuments>::default(),
        vendors: Arc::<FakeVendors>::default(),
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
        app.add_supplier(&code(supplier), owner, change).unwrap();
    }
    app.add_vendor("pay", VendorKind::Http, "https://pay.example", None).unwrap();
    Known { callers: [ours, theirs], key }
}

fn organisation(app: &App, name: &str) -> (String, Caller) {
    app.add_organisation(name).unwrap();
    let key = app.issue_api_key(name, ApiKeyRole::Supplier).unwrap().key;
    let token = app.obtain_token(&Credential::ApiKey(key.clone())).unwrap().token;
    let caller = app.authenticate(&token).unwrap();
    (key, caller)
}
