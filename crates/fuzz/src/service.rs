//! The use cases over an in-memory store, for targets that need them.

use cutover_app::auth::{Caller, Credential};
use cutover_app::operator::SupplierChange;
use cutover_app::port::ApiKeyRole;
use cutover_app::{App, Ports, Settings};
use cutover_testkit::memory::MemoryStore;
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, FakeWebhooks, SeededRandom};
use std::sync::Arc;

/// A service with the organisation `Acme`, which owns the supplier `ACME_ENERGY`, and credentials for it.
pub(crate) struct TestService {
    pub(crate) app: Arc<App>,
    pub(crate) caller: Caller,
    pub(crate) api_key: String,
    pub(crate) access_token: String,
    pub(crate) refresh_token: String,
    pub(crate) operator_key: String,
    pub(crate) session_token: String,
}

impl TestService {
    /// A service whose keys and tokens depend on `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        let ports = Ports {
            store: Arc::new(MemoryStore::default()),
            clock: Arc::new(FakeClock::of_fixtures()),
            random: Arc::new(SeededRandom::new(seed)),
            documents: Arc::new(FakeDocuments::default()),
            vendors: Arc::new(FakeVendors::default()),
            webhooks: Arc::new(FakeWebhooks::default()),
        };
        let app = Arc::new(App::new(ports, Settings::default()));
        app.add_organisation("Acme").expect("a new store has no organisation");
        let time_zone = Some("Australia/Sydney".parse().expect("a zone"));
        let change = SupplierChange { time_zone, ..SupplierChange::default() };
        app.as_command().add_supplier("ACME_ENERGY", "Acme", change).expect("a new store has no supplier");
        let key = |role| app.as_command().issue_api_key("Acme", role).expect("the organisation is there").key;
        let (api_key, operator_key) = (key(ApiKeyRole::Supplier), key(ApiKeyRole::Operator));
        let tokens = app.obtain_token(&Credential::ApiKey(api_key.clone())).expect("the key is good");
        let session_token = app.sign_in(&operator_key).expect("the key is good");
        let caller = app.authenticate(&tokens.token).expect("the token is good");
        let (access_token, refresh_token) = (tokens.token, tokens.refresh_token);
        Self { app, caller, api_key, access_token, refresh_token, operator_key, session_token }
    }
}
