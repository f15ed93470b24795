use cutover_app::auth::{Caller, Credential};
use cutover_app::operator::{ProcessReport, SupplierChange};
use cutover_app::port::ApiKeyRole;
use cutover_app::worker::Worker;
use cutover_app::{App, Settings};
use cutover_testkit::memory::MemoryStore;
use cutover_testkit::{FakeClock, SeededRandom};
use std::sync::Arc;

/// The use cases, with the organisation `Acme`, its supplier `ACME` and one worker.
pub(crate) struct House {
    pub(crate) app: Arc<App>,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) caller: Caller,
    pub(crate) worker: Worker,
}

impl House {
    pub(crate) fn new() -> Self {
        let (store, clock) = (Arc::<MemoryStore>::default(), Arc::new(FakeClock::of_fixtures()));
        let random = Arc::new(SeededRandom::new(1));
        let app = Arc::new(App::new(store, clock.clone(), random, Settings::default()));
        app.add_organisation("Acme").unwrap();
        app.add_supplier("ACME", "Acme", SupplierChange::default()).unwrap();
        let key = app.issue_api_key("Acme", ApiKeyRole::Supplier).unwrap().key;
        let token = app.obtain_token(&Credential::ApiKey(key)).unwrap().token;
        let caller = app.authenticate(&token).unwrap();
        let worker = Worker::new(app.clone(), "w1".into(), Arc::default(), Arc::default());
        Self { app, clock, caller, worker }
    }

    /// Creates the account `A-1` of these members.
    pub(crate) fn create(&self, members: &str) {
        self.app.create_account(&self.caller, None, account(members).as_bytes()).unwrap();
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
