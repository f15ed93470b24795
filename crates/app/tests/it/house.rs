use cutover_app::auth::{Caller, Credential};
use cutover_app::operator::{ProcessReport, SupplierChange};
use cutover_app::port::{ApiKeyRole, ImportedAccount};
use cutover_app::worker::Worker;
use cutover_app::{App, Ports, Settings, Step};
use cutover_testkit::memory::MemoryStore;
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, SeededRandom};
use std::sync::Arc;

/// The use cases, with the organisation `Acme`, its supplier `ACME` and one worker.
pub(crate) struct House {
    pub(crate) app: Arc<App>,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) documents: Arc<FakeDocuments>,
    pub(crate) vendors: Arc<FakeVendors>,
    pub(crate) caller: Caller,
    pub(crate) worker: Worker,
}

impl House {
    pub(crate) fn new() -> Self {
        let (store, clock) = (Arc::<MemoryStore>::default(), Arc::new(FakeClock::of_fixtures()));
        let (documents, vendors) = (Arc::<FakeDocuments>::default(), Arc::<FakeVendors>::default());
        let random = Arc::new(SeededRandom::new(1));
        let ports = Ports {
            documents: documents.clone(),
            vendors: vendors.clone(),
            ..ports(store, clock.clone(), random)
        };
        let app = Arc::new(App::new(ports, Settings::default()));
        app.add_organisation("Acme").unwrap();
        app.add_supplier("ACME", "Acme", SupplierChange::default()).unwrap();
        let key = app.issue_api_key("Acme", ApiKeyRole::Supplier).unwrap().key;
        let token = app.obtain_token(&Credential::ApiKey(key)).unwrap().token;
        let caller = app.authenticate(&token).unwrap();
        let worker = Worker::new(app.clone(), "w1".into(), Arc::default(), Arc::default());
        Self { app, clock, documents, vendors, caller, worker }
    }

    /// Creates the account `A-1` of these members.
    pub(crate) fn create(&self, members: &str) {
        let created = self.app.create_account(&self.caller, None, account(members).as_bytes(), None);
        assert_eq!(created.unwrap(), Step::Done(()));
    }

    /// A house with the imported account `A-1` of these members.
    pub(crate) fn with(members: &str) -> Self {
        let house = Self::new();
        house.create(members);
        house.worker.turn().unwrap();
        house
    }

    /// What is imported of the account `A-1`, with what was added since.
    pub(crate) fn imported(&self) -> ImportedAccount {
        self.report().account.unwrap()
    }

    /// All that is known of the account `A-1`.
    pub(crate) fn report(&self) -> ProcessReport {
        self.app.show_process("ACME", "A-1").unwrap()
    }
}

/// The account `A-1` of these members.
pub(crate) fn account(members: &str) -> String {
    format!(r#"{{"import_supplier":"ACME","external_account_number":"A-1",{members}}}"#)
}

/// A request for the account `A-1` with this array.
pub(crate) fn request(member: &str, items: &[String]) -> String {
    account(&format!("\"{member}\":[{}]", items.join(",")))
}

/// The ports, with nothing outside.
pub(crate) fn ports(store: Arc<MemoryStore>, clock: Arc<FakeClock>, random: Arc<SeededRandom>) -> Ports {
    let (documents, vendors) = (Arc::<FakeDocuments>::default(), Arc::<FakeVendors>::default());
    Ports { store, clock, random, documents, vendors }
}
