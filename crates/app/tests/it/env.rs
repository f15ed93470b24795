use cutover_app::auth::{Caller, Credential};
use cutover_app::operator::{OperatorError, ProcessReport, Release, Released, Services, SupplierChange};
use cutover_app::port::{ApiKeyRole, Hold, HoldCause, ImportedAccount, Store};
use cutover_app::worker::{Worker, WorkerMetrics};
use cutover_app::{App, Ports, Settings};
use cutover_core::Level;
use cutover_process::State;
use cutover_testkit::memory::MemoryStore;
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, FakeWebhooks, SeededRandom, create_account};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The use cases, with the organisation `Acme`, its supplier `ACME` and one worker.
pub(crate) struct TestEnv {
    pub(crate) app: Arc<App>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) documents: Arc<FakeDocuments>,
    pub(crate) vendors: Arc<FakeVendors>,
    pub(crate) caller: Caller,
    pub(crate) worker: Worker,
    pub(crate) metrics: Arc<WorkerMetrics>,
    /// Stops the workers.
    pub(crate) stop: Arc<AtomicBool>,
}

impl TestEnv {
    pub(crate) fn new() -> Self {
        Self::on(|ports| ports)
    }

    /// Creates an environment with changed ports.
    pub(crate) fn on(change: impl FnOnce(Ports) -> Ports) -> Self {
        Self::set(change, Settings::default())
    }

    /// Creates an environment with changed ports and settings.
    pub(crate) fn set(change: impl FnOnce(Ports) -> Ports, settings: Settings) -> Self {
        let (store, clock) = (Arc::<MemoryStore>::default(), Arc::new(FakeClock::of_fixtures()));
        let (documents, vendors) = (Arc::<FakeDocuments>::default(), Arc::<FakeVendors>::default());
        let random = Arc::new(SeededRandom::new(1));
        let ports = change(Ports {
            documents: documents.clone(),
            vendors: vendors.clone(),
            ..ports(store, clock.clone(), random)
        });
        let store = ports.store.clone();
        let app = Arc::new(App::new(ports, settings));
        app.add_organisation("Acme").unwrap();
        app.as_command().add_supplier("ACME", "Acme", SupplierChange::default()).unwrap();
        let key = app.as_command().issue_api_key("Acme", ApiKeyRole::Supplier).unwrap().key;
        let token = app.obtain_token(&Credential::ApiKey(key)).unwrap().token;
        let caller = app.authenticate(&token).unwrap();
        let (metrics, stop): (Arc<WorkerMetrics>, Arc<AtomicBool>) = Default::default();
        let worker = Worker::new(app.clone(), "w1".into(), metrics.clone(), stop.clone());
        Self { app, store, clock, documents, vendors, caller, worker, metrics, stop }
    }

    /// The use cases over an empty store.
    pub(crate) fn bare() -> App {
        let (store, clock) = (Arc::<MemoryStore>::default(), Arc::new(FakeClock::of_fixtures()));
        App::new(ports(store, clock, Arc::new(SeededRandom::new(1))), Settings::default())
    }

    /// Another worker of this process.
    pub(crate) fn another_worker(&self, name: &str) -> Worker {
        Worker::new(self.app.clone(), name.into(), self.metrics.clone(), self.stop.clone())
    }

    /// Creates the account `A-1` with these members.
    pub(crate) fn create(&self, members: &str) {
        self.create_as("A-1", members);
    }

    /// Creates an account with these members.
    pub(crate) fn create_as(&self, number: &str, members: &str) {
        self.send(&account_of(number, members));
    }

    /// Creates an account with these members and task parameters.
    pub(crate) fn create_with(&self, params: &str, number: &str, members: &str) {
        let account = account_of(number, members);
        self.send(&format!(r#"{{"task_params":{params},"payload":{account}}}"#));
    }

    /// Sends a faulty account, which is refused.
    pub(crate) fn refuse(&self, number: &str) {
        let faulty = account_of(number, r#""customers":[{"family_name":7}]"#);
        assert!(create_account(&self.app, &self.caller, None, faulty.as_bytes()).is_err());
    }

    fn send(&self, body: &str) {
        let created = create_account(&self.app, &self.caller, None, body.as_bytes());
        created.unwrap();
    }

    /// Changes the settings of the supplier, as they are now.
    pub(crate) fn set_supplier(&self, change: SupplierChange) {
        let by = self.app.as_command();
        let revision = Some(by.show_supplier("ACME").unwrap().revision);
        by.set_supplier("ACME", SupplierChange { revision, ..change }).unwrap();
    }

    /// Releases the imports of the supplier; without another time as they are held now.
    pub(crate) fn release(&self, release: Release) -> Result<Released, OperatorError> {
        let by = self.app.as_command();
        let now = Release::of(by.show_hold("ACME").unwrap().as_ref()).held_since;
        let held_since = release.held_since.or(now);
        by.release_supplier("ACME", &Release { held_since, ..release }, &Services::default())
    }

    /// Ends the hold that the supplier has placed itself, if it has.
    pub(crate) fn release_as_supplier(&self, because: Option<&str>) {
        let by = self.app.as_caller(&self.caller);
        let hold = by.show_hold("ACME").unwrap();
        let own = hold.iter().flat_map(Hold::reasons).find(|reason| reason.by == HoldCause::Supplier);
        by.release_as_supplier("ACME", own.map(|own| own.since), because.map(str::to_owned)).unwrap();
    }

    /// Accounts without customers fail from now on, or do not any more.
    pub(crate) fn fail(&self, is_failing: bool) {
        let rules = [("ACC-04".to_owned(), is_failing.then_some(Level::Error))].into();
        self.set_supplier(SupplierChange { rules, ..SupplierChange::default() });
    }

    /// Creates an environment with the imported account `A-1` with these members.
    pub(crate) fn with(members: &str) -> Self {
        let env = Self::new();
        env.create(members);
        env.worker.run_once().unwrap();
        env
    }

    /// Returns the imported account `A-1` with all additions.
    pub(crate) fn imported(&self) -> ImportedAccount {
        self.report().account.unwrap()
    }

    /// Returns the report on the account `A-1`.
    pub(crate) fn report(&self) -> ProcessReport {
        self.report_of("A-1")
    }

    /// Returns the report on an account.
    pub(crate) fn report_of(&self, number: &str) -> ProcessReport {
        self.app.as_command().show_process("ACME", number).unwrap()
    }

    /// Returns the state of an account.
    pub(crate) fn state_of(&self, number: &str) -> State {
        self.report_of(number).status.status
    }
}

/// Returns the payload of the account `A-1` with these members.
pub(crate) fn account(members: &str) -> String {
    account_of("A-1", members)
}

/// Returns the payload of an account with these members.
pub(crate) fn account_of(number: &str, members: &str) -> String {
    format!(r#"{{"import_supplier":"ACME","external_account_number":"{number}",{members}}}"#)
}

/// Returns the body of a request for the account `A-1` with this array.
pub(crate) fn request(member: &str, items: &[String]) -> String {
    account(&format!("\"{member}\":[{}]", items.join(",")))
}

/// Returns ports with fake external services.
pub(crate) fn ports(store: Arc<MemoryStore>, clock: Arc<FakeClock>, random: Arc<SeededRandom>) -> Ports {
    let (documents, vendors) = (Arc::<FakeDocuments>::default(), Arc::<FakeVendors>::default());
    Ports { store, clock, random, documents, vendors, webhooks: Arc::<FakeWebhooks>::default() }
}
