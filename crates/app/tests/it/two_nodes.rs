use crate::env::ports;
use cutover_app::operator::SupplierChange;
use cutover_app::port::ApiKeyRole;
use cutover_app::{App, Settings};
use cutover_testkit::memory::MemoryStore;
use cutover_testkit::{FakeClock, SeededRandom};
use std::sync::Arc;

/// Two nodes on one store, with an API key.
pub(crate) struct Nodes {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) one: App,
    pub(crate) other: App,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) key: String,
    pub(crate) prefix: String,
}

impl Nodes {
    /// Creates the nodes and a key of this role.
    pub(crate) fn new(role: ApiKeyRole) -> Self {
        let (store, clock) = (Arc::<MemoryStore>::default(), Arc::new(FakeClock::of_fixtures()));
        let node = |seed| {
            let random = Arc::new(SeededRandom::new(seed));
            App::new(ports(store.clone(), clock.clone(), random), Settings::default())
        };
        let (one, other) = (node(1), node(2));
        one.add_organisation("Acme").unwrap();
        one.as_command().add_supplier("ACME", "Acme", SupplierChange::default()).unwrap();
        let issued = one.as_command().issue_api_key("Acme", role).unwrap();
        Self { store, one, other, clock, key: issued.key, prefix: issued.prefix }
    }
}
