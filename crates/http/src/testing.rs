//! A service over a store in memory, and requests to it.

use crate::config::Config;
use crate::server::Parts;
use crate::service::{Listener, Service, serve};
use actix_web::App as Site;
use actix_web::body::to_bytes;
use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use actix_web::test::{self, TestRequest};
use actix_web::web::{self, Bytes};
use cutover_app::operator::SupplierChange;
use cutover_app::port::{Answer, ApiKeyRole, Documents, DocumentsUnavailable};
use cutover_app::{App, Settings, auth::Credential};
use cutover_testkit::memory::MemoryStore;
use cutover_testkit::{FakeClock, SeededRandom};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An account without faults, of the supplier `ACME_ENERGY`.
pub(crate) const ACCOUNT: &str = include_str!("../../../fixtures/accounts/valid/unmetered_electricity.json");

/// A service with the organisation `Acme`, which owns the supplier `ACME_ENERGY`, and the organisation
/// `Other`, which owns `OTHER`.
pub(crate) struct House {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) app: Arc<App>,
    pub(crate) documents: Arc<FakeDocuments>,
    /// The API key of Acme.
    pub(crate) key: String,
    service: Arc<Service>,
}

/// Documents that answer or do not.
#[derive(Default)]
pub(crate) struct FakeDocuments {
    pub(crate) are_down: AtomicBool,
}

impl Documents for FakeDocuments {
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>> {
        let are_down = self.are_down.load(Ordering::Relaxed);
        let answer = if are_down { Err(DocumentsUnavailable("on purpose".into())) } else { Ok(()) };
        Box::pin(std::future::ready(answer))
    }
}

/// An answer.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
}

impl Reply {
    /// A header as text; empty if it is absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// The body as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.bytes).unwrap()
    }

    /// Status and body in a line.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.status, self.text())
    }
}

impl House {
    pub(crate) fn new() -> Self {
        Self::with(Config { rate_limit: 0, ..Config::default() })
    }

    pub(crate) fn with(config: Config) -> Self {
        let store = Arc::<MemoryStore>::default();
        let clock = Arc::new(FakeClock::of_fixtures());
        let random = Arc::new(SeededRandom::new(7));
        let app = Arc::new(App::new(store.clone(), clock, random, Settings::default()));
        for (organisation, supplier) in [("Acme", "ACME_ENERGY"), ("Other", "OTHER")] {
            app.add_organisation(organisation).unwrap();
            let zone = Some("Australia/Sydney".parse().unwrap());
            let change = SupplierChange { time_zone: zone, ..SupplierChange::default() };
            app.add_supplier(supplier, organisation, change).unwrap();
        }
        let key = app.issue_api_key("Acme", ApiKeyRole::Supplier).unwrap().key;
        let documents = Arc::<FakeDocuments>::default();
        let service = Arc::new(Service::new(
            Parts { app: app.clone(), documents: documents.clone(), workers: Arc::default() },
            &config,
        ));
        Self { store, app, documents, key, service }
    }

    /// An access token of Acme.
    pub(crate) fn token(&self) -> String {
        self.app.obtain_token(&Credential::ApiKey(self.key.clone())).unwrap().token
    }

    /// Sends a request.
    pub(crate) async fn send(&self, request: TestRequest) -> Reply {
        let service = self.service.clone();
        let handler = move |http, payload| serve(service.clone(), Listener::Public, http, payload);
        let site = test::init_service(Site::new().default_service(web::to(handler))).await;
        let response = test::call_service(&site, request.to_request()).await;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = to_bytes(response.into_body()).await.unwrap();
        Reply { status, headers, bytes }
    }

    /// Sends a request with a token of Acme.
    pub(crate) async fn send_as_acme(&self, request: TestRequest) -> Reply {
        self.send(request.insert_header((AUTHORIZATION, format!("Token {}", self.token())))).await
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
