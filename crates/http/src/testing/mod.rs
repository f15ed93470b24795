//! A service over a store in memory, and requests to it.

pub(crate) mod log;

use crate::answer_names::AnswerNames;
use crate::config::Config;
use crate::dispatch::route::described;
use crate::dispatch::serve;
use crate::openapi::Description;
use crate::service::{Listener, Parts, Service};
use actix_http::Request;
use actix_web::App as Site;
use actix_web::body::{BoxBody, to_bytes};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderName};
use actix_web::test::{self, TestRequest};
use actix_web::web::{self, Bytes};
use cutover_app::auth::{Caller, Credential};
use cutover_app::operator::SupplierChange;
use cutover_app::port::{ApiKeyRole, Store, StoreError};
use cutover_app::worker::{Worked, Worker};
use cutover_app::{App, Ports, Settings};
use cutover_testkit::memory::{Fault, MemoryStore};
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, FakeWebhooks, SeededRandom, create_account};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::sync::Arc;

/// A valid account of the supplier `ACME_ENERGY`.
pub(crate) const ACCOUNT: &str =
    include_str!("../../../../fixtures/accounts/valid/unmetered_electricity.json");

/// The account that the fixtures of additions refer to.
pub(crate) const ELECTRICITY: &str = include_str!("../../../../fixtures/accounts/valid/electricity.json");

/// A service with the organisation `Acme`, which owns the supplier `ACME_ENERGY`, and the organisation
/// `Other`, which owns `OTHER`.
pub(crate) struct TestService {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) app: Arc<App>,
    pub(crate) documents: Arc<FakeDocuments>,
    pub(crate) vendors: Arc<FakeVendors>,
    pub(crate) webhooks: Arc<FakeWebhooks>,
    /// The API key of Acme.
    pub(crate) key: String,
    token: String,
    pub(crate) inner: Arc<Service>,
}

/// A response.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
}

impl Reply {
    /// Returns a header as text; empty if it is absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// Returns the link to the next page of a list; `None` on the last page.
    ///
    /// # Panics
    /// If the header has another form.
    pub(crate) fn next(&self) -> Option<String> {
        let link = Some(self.header("link")).filter(|link| !link.is_empty())?;
        let path = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
        Some(path.unwrap().to_owned())
    }

    /// Returns the body as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }

    /// Returns the body as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.bytes).unwrap()
    }

    /// Returns the number of items of a list.
    pub(crate) fn count(&self) -> usize {
        self.json().as_array().unwrap().len()
    }

    /// Returns status and body in a line.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.status, self.text())
    }
}

impl TestService {
    pub(crate) fn new() -> Self {
        Self::with(Config { rate_limit: 0, ..Config::default() })
    }

    pub(crate) fn with(config: Config) -> Self {
        Self::over(config, |store| store)
    }

    /// Creates a service over a store that wraps the one in memory.
    pub(crate) fn over<S: Store + 'static>(
        config: Config,
        store_of: impl FnOnce(Arc<MemoryStore>) -> Arc<S>,
    ) -> Self {
        let (store, documents, vendors, webhooks) =
            <(Arc<MemoryStore>, Arc<FakeDocuments>, Arc<FakeVendors>, Arc<FakeWebhooks>)>::default();
        let clock = Arc::new(FakeClock::of_fixtures());
        let ports = Ports {
            store: store_of(store.clone()),
            clock: clock.clone(),
            random: Arc::new(SeededRandom::new(7)),
            documents: documents.clone(),
            vendors: vendors.clone(),
            webhooks: webhooks.clone(),
        };
        let app = Arc::new(App::new(ports, Settings::default()));
        for (organisation, supplier) in [("Acme", "ACME_ENERGY"), ("Other", "OTHER")] {
            app.add_organisation(organisation).unwrap();
            let zone = Some("Australia/Sydney".parse().unwrap());
            let change = SupplierChange { time_zone: zone, ..SupplierChange::default() };
            app.as_command().add_supplier(supplier, organisation, change).unwrap();
        }
        let key = app.as_command().issue_api_key("Acme", ApiKeyRole::Supplier).unwrap().key;
        let token = app.obtain_token(&Credential::ApiKey(key.clone())).unwrap().token;
        let parts = Parts { app: app.clone(), workers: Arc::default(), webhooks: Arc::default() };
        let inner = Arc::new(
            Service::new(parts, &config, Description::new(described, AnswerNames::new(&config.answer_names)))
                .unwrap(),
        );
        Self { store, clock, app, documents, vendors, webhooks, key, token, inner }
    }

    /// Returns an access token of Acme.
    pub(crate) fn token(&self) -> String {
        self.token.clone()
    }

    /// Returns an access token of an organisation.
    pub(crate) fn token_of(&self, organisation: &str) -> String {
        self.token_as(organisation, ApiKeyRole::Supplier)
    }

    /// Returns an access token of an organisation for a role.
    pub(crate) fn token_as(&self, organisation: &str, role: ApiKeyRole) -> String {
        let key = self.key_as(organisation, role);
        self.app.obtain_token(&Credential::ApiKey(key)).unwrap().token
    }

    /// Returns a new API key of an organisation for a role.
    pub(crate) fn key_as(&self, organisation: &str, role: ApiKeyRole) -> String {
        self.app.as_command().issue_api_key(organisation, role).unwrap().key
    }

    /// Creates an account as an organisation, without HTTP.
    pub(crate) fn create(&self, organisation: &str, account: &str) {
        self.create_as(&self.caller(organisation), account);
    }

    /// Returns a caller with a new key. Tests with many creates share one, as the store in memory copies all keys
    /// with each transaction.
    pub(crate) fn caller(&self, organisation: &str) -> Caller {
        self.app.authenticate(&self.token_of(organisation)).unwrap()
    }

    /// Creates an account as a caller, without HTTP.
    pub(crate) fn create_as(&self, caller: &Caller, account: &str) {
        create_account(&self.app, caller, None, account.as_bytes()).unwrap();
    }

    /// Imports everything that is pending.
    pub(crate) fn import_pending(&self) {
        let worker = Worker::new(self.app.clone(), "w1".into(), Arc::default(), Arc::default());
        while worker.run_once().unwrap() != Worked::Nothing {}
    }

    /// Returns a service with an imported account `ELEC-1001` of Acme, and another of Other.
    pub(crate) fn with_accounts() -> Self {
        let service = Self::new();
        service.create("Acme", ELECTRICITY);
        service.create("Other", &ELECTRICITY.replace("ACME_ENERGY", "OTHER"));
        service.import_pending();
        service
    }

    /// Changes the settings of `ACME_ENERGY`, as they are now.
    pub(crate) fn set_supplier(&self, change: SupplierChange) {
        let by = self.app.as_command();
        let revision = Some(by.show_supplier("ACME_ENERGY").unwrap().revision);
        by.set_supplier("ACME_ENERGY", SupplierChange { revision, ..change }).unwrap();
    }

    /// Requires documents to exist from now on.
    pub(crate) fn verify_documents(&self) {
        self.set_supplier(SupplierChange { verify_documents: Some(true), ..SupplierChange::default() });
    }

    /// Makes the store unavailable, or available again.
    pub(crate) fn set_store_down(&self, is_down: bool) {
        let fault = || Fault::Error(StoreError::Unavailable("on purpose".into()));
        self.store.set_fault(is_down.then(fault));
    }

    /// Sends a request.
    pub(crate) async fn send(&self, request: TestRequest) -> Reply {
        self.send_to(Listener::Public, request).await
    }

    /// Sends a request to one of the listeners.
    pub(crate) async fn send_to(&self, listener: Listener, request: TestRequest) -> Reply {
        let response = self.answer_at(listener, request).await;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = to_bytes(response.into_body()).await.unwrap();
        Reply { status, headers, bytes }
    }

    /// Sends a request and returns the response with its body unread.
    pub(crate) async fn answer(&self, request: TestRequest) -> ServiceResponse<BoxBody> {
        self.answer_at(Listener::Public, request).await
    }

    async fn answer_at(&self, listener: Listener, request: TestRequest) -> ServiceResponse<BoxBody> {
        self.answer_to(listener, request.to_request()).await
    }

    /// Answers a request whose body may be a stream.
    pub(crate) async fn answer_to(&self, listener: Listener, request: Request) -> ServiceResponse<BoxBody> {
        let service = self.inner.clone();
        let handler = move |http, payload| serve(service.clone(), listener, http, payload);
        let site = test::init_service(Site::new().default_service(web::to(handler))).await;
        test::call_service(&site, request).await
    }

    /// Sends a request with a token of Acme.
    pub(crate) async fn send_as_acme(&self, request: TestRequest) -> Reply {
        self.send(request.insert_header(self.authorization())).await
    }

    /// The header that says that Acme calls.
    pub(crate) fn authorization(&self) -> (HeaderName, String) {
        (AUTHORIZATION, format!("Token {}", self.token()))
    }

    /// Gets a path with a token of Acme.
    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send_as_acme(TestRequest::get().uri(path)).await
    }

    /// Gets a page of a list and all that follow, with a token of Acme.
    pub(crate) async fn pages(&self, path: &str) -> Vec<Reply> {
        let (mut pages, mut next) = (Vec::new(), Some(path.to_owned()));
        while let Some(path) = next {
            let page = self.get(&path).await;
            assert_eq!(page.status, 200, "{path}: {}", page.text());
            next = page.next();
            pages.push(page);
        }
        pages
    }

    /// Posts JSON to a path with a token of Acme.
    pub(crate) async fn post(&self, path: &str, body: impl Into<Bytes>) -> Reply {
        self.send_as_acme(TestRequest::post().uri(path).set_payload(body)).await
    }
}

/// Bytes packed with gzip.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
