//! The use cases on a database of the test's own.

use crate::databases::{migrated, options};
use cutover_app::auth::{Caller, Credential};
use cutover_app::operator::SupplierChange;
use cutover_app::port::ApiKeyRole;
use cutover_app::{App, Ports, Settings};
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, FakeWebhooks, SeededRandom, create_account};
use cutover_testkit_machine::{wait_for, wait_until};
use cutover_testkit_postgres::{Session, TemplateCopy};
use std::sync::Arc;

/// The use cases, with the organisation `Acme` and its supplier `ACME`. The order of the fields is the order
/// of their drops.
pub(super) struct TestEnvironment {
    pub(super) app: Arc<App>,
    pub(super) store: Arc<PostgresStore>,
    pub(super) clock: Arc<FakeClock>,
    pub(super) key: String,
    pub(super) caller: Caller,
    pub(super) database: TemplateCopy,
}

impl TestEnvironment {
    /// Returns `None` if there is no server.
    pub(super) fn new() -> Option<Self> {
        Self::with(|options| options)
    }

    /// Changes settings of the database.
    pub(super) fn with(change: impl FnOnce(PostgresOptions) -> PostgresOptions) -> Option<Self> {
        let database = migrated()?;
        let store = Arc::new(PostgresStore::open(&change(options(&database))).unwrap());
        let clock = Arc::new(FakeClock::of_fixtures());
        let ports = Ports {
            store: store.clone(),
            clock: clock.clone(),
            random: Arc::new(SeededRandom::new(1)),
            documents: Arc::<FakeDocuments>::default(),
            vendors: Arc::<FakeVendors>::default(),
            webhooks: Arc::<FakeWebhooks>::default(),
        };
        let app = Arc::new(App::new(ports, Settings::default()));
        app.add_organisation("Acme").unwrap();
        app.as_command().add_supplier("ACME", "Acme", SupplierChange::default()).unwrap();
        let key = app.as_command().issue_api_key("Acme", ApiKeyRole::Supplier).unwrap().key;
        let token = app.obtain_token(&Credential::ApiKey(key.clone())).unwrap().token;
        let caller = app.authenticate(&token).unwrap();
        Some(Self { app, store, clock, key, caller, database })
    }

    /// Creates an account of the supplier `ACME`.
    pub(super) fn create(&self, number: &str) {
        let body = format!(
            r#"{{"import_supplier":"ACME","external_account_number":"{number}","unknown_occupier":true}}"#
        );
        let created = create_account(&self.app, &self.caller, None, body.as_bytes());
        created.unwrap();
    }

    /// Returns a transaction that holds the locks of a statement until it is dropped.
    pub(super) fn hold(&self, lock: &str) -> Session {
        let mut session = Session::open(self.database.url()).unwrap();
        session.run(&format!("BEGIN; {lock}")).unwrap();
        session
    }

    /// Returns the database once its connections have ended and reported their statistics. Drop other stores
    /// before.
    pub(super) fn close(self) -> TemplateCopy {
        let Self { app, store, database, .. } = self;
        drop((app, store));
        until_gone(&database);
        database
    }

    /// Waits until `count` transactions wait for locks of others.
    pub(super) fn until_waiting(&self, count: usize) {
        let waits = "SELECT count(*) FROM pg_stat_activity \
                     WHERE datname = current_database() AND wait_event_type = 'Lock'";
        wait_for("transactions wait", || {
            let waiting: usize = self.database.sql(waits).unwrap().trim().parse().unwrap();
            if waiting == count { Ok(()) } else { Err(waiting) }
        });
    }
}

/// Waits until the connections of dropped stores have ended and reported their statistics.
pub(super) fn until_gone(database: &TemplateCopy) {
    let gone = "SELECT count(*) = 0 FROM pg_stat_activity \
                WHERE datname = current_database() AND application_name = 'cutover'";
    wait_until("the connections have ended", || database.sql(gone).unwrap() == "t");
}
