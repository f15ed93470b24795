use super::*;
use crate::config::{Config, Tls};
use crate::service::Listener;
use crate::testing::{ELECTRICITY, TestService};
use actix_web::test::TestRequest;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{Store, StoreError, Tx, WriteJob};
use cutover_core::SupplierStatus;
use cutover_testkit::memory::{Fault, MemoryStore};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicI64, AtomicUsize};
use std::sync::mpsc::{Receiver, channel};

/// A store with all the figures of a database server. Counts its reads, and can block.
struct Server {
    store: Arc<MemoryStore>,
    asked: AtomicUsize,
    hold: Mutex<Option<Receiver<()>>>,
}

impl Store for Server {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.asked.fetch_add(1, SeqCst);
        if let Some(hold) = self.hold.lock().unwrap().take() {
            // It also ends when the test does.
            let _ = hold.recv();
        }
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.store.write(job)
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }

    fn connections(&self) -> Option<(u32, u32)> {
        Some((5, 3))
    }

    fn server_figures(&self) -> Result<Option<ServerFigures>, StoreError> {
        Ok(Some(ServerFigures {
            oldest_snapshot: Duration::from_millis(1_500),
            sees_other_roles: true,
            replication_lag: Some(Duration::from_secs(7)),
            standby_answers: Some(true),
            retained_log: 4_096,
            archives_log: None,
            has_synchronous_standbys: false,
        }))
    }
}

/// TLS whose certificate expires at this time.
fn tls(expiry: i64) -> Tls {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = config.with_cert_resolver(Arc::new(rustls::server::ResolvesServerCertUsingSni::new()));
    Tls { config, expiry: Arc::new(AtomicI64::new(expiry)) }
}

/// Returns a service over such a store.
fn on_server() -> (TestService, Arc<Server>) {
    let mut server = None;
    let config = Config { rate_limit: 0, tls: Some(tls(1_800_000_000)), ..Config::default() };
    let service = TestService::over(config, |store| {
        server.insert(Arc::new(Server { store, asked: AtomicUsize::new(0), hold: Mutex::default() })).clone()
    });
    (service, server.unwrap())
}

async fn metrics(service: &TestService) -> String {
    let reply = service.send(TestRequest::get().uri("/metrics")).await;
    assert_eq!(reply.status, 200);
    reply.text().to_owned()
}

/// Makes the figures old enough to be read again.
fn age(service: &TestService) {
    locked(&service.inner.metrics.monitor().last).at = None;
}

fn has(metrics: &str, line: &str) {
    assert!(metrics.lines().any(|l| l == line), "{line} is not in\n{metrics}");
}

#[actix_web::test]
async fn processes_are_counted_by_supplier() {
    let service = TestService::with_accounts();
    service.create("Acme", &ELECTRICITY.replace("ELEC-1001", "ELEC-2"));
    service.create("Other", &ELECTRICITY.replace("ACME_ENERGY", "OTHER").replace("ELEC-1001", "ELEC-3"));
    let paused = SupplierChange { status: Some(SupplierStatus::Paused), ..SupplierChange::default() };
    service.app.as_command().set_supplier("OTHER", paused).unwrap();
    service.clock.advance(chrono::Duration::seconds(90));
    let told = metrics(&service).await;
    for line in [
        r#"cutover_processes_pending{supplier="ACME_ENERGY"} 1"#,
        r#"cutover_processes_pending{supplier="OTHER"} 1"#,
        r#"cutover_processes_oldest_due_seconds{supplier="ACME_ENERGY"} 90.0"#,
        r#"cutover_processes_oldest_due_seconds{supplier="OTHER"} 0.0"#,
        "cutover_processes_running 0",
        r#"cutover_processes_ended{outcome="processed"} 2"#,
        r#"cutover_processes_ended{outcome="errored"} 0"#,
        "cutover_database_up 1",
        "cutover_payment_vendors_left_alone 0",
    ] {
        has(&told, line);
    }
    assert!(!told.contains("cutover_database_oldest_snapshot_seconds"), "there is no server");
}

#[actix_web::test]
async fn frequent_scrapes_read_the_database_once() {
    let (service, server) = on_server();
    let before = server.asked.load(SeqCst);
    for _ in 0..10 {
        has(&metrics(&service).await, "cutover_database_up 1");
    }
    assert_eq!(server.asked.load(SeqCst), before + 1);
    age(&service);
    metrics(&service).await;
    assert_eq!(server.asked.load(SeqCst), before + 2);
}

#[actix_web::test]
async fn an_unreachable_database_removes_only_its_own_figures() {
    let (service, _) = on_server();
    has(&metrics(&service).await, "cutover_database_oldest_snapshot_seconds 1.5");
    service.set_store_down(true);
    age(&service);
    let told = metrics(&service).await;
    has(&told, "cutover_database_up 0");
    has(&told, "cutover_worker_accounts_processed_total 0");
    assert!(!told.contains("cutover_processes_") && !told.contains("cutover_database_oldest"), "{told}");
    service.set_store_down(false);
    age(&service);
    has(&metrics(&service).await, "cutover_database_up 1");
}

#[actix_web::test]
async fn a_refused_write_is_shown_for_a_minute() {
    let (service, _) = on_server();
    has(&metrics(&service).await, "cutover_database_writable 1");
    let full = StoreError::Unwritable("database or disk is full".into());
    service.store.set_fault(Some(Fault::OfWrites(full)));
    assert_eq!(service.post("/v2/data-import/accounts/", ELECTRICITY).await.status, 503);
    let told = metrics(&service).await;
    has(&told, "cutover_database_up 1");
    has(&told, "cutover_database_writable 0");
    service.store.set_fault(None);
    service.clock.advance(chrono::Duration::seconds(59));
    has(&metrics(&service).await, "cutover_database_writable 0");
    service.clock.advance(chrono::Duration::seconds(1));
    has(&metrics(&service).await, "cutover_database_writable 1");
}

/// A silent database is waited for by one scrape, with a time limit.
#[actix_web::test]
async fn a_silent_database_delays_one_scrape_only() {
    let (service, server) = on_server();
    let (_silent, hold) = channel();
    *server.hold.lock().unwrap() = Some(hold);
    let before = server.asked.load(SeqCst);
    has(&metrics(&service).await, "cutover_database_up 0");
    let begun = Instant::now();
    for _ in 0..10 {
        has(&metrics(&service).await, "cutover_database_up 0");
    }
    assert!(begun.elapsed() < PATIENCE * 10, "each waited: {:?}", begun.elapsed());
    assert_eq!(server.asked.load(SeqCst), before + 1);
}

/// Every metric with its type and labels, as `/metrics` prints it. The alert rules and the dashboard in
/// `deploy/` and the operators' manual are compared with this list.
#[actix_web::test]
async fn every_metric_with_its_labels() {
    let (service, _) = on_server();
    service.get("/v2/data-import/accounts/ACME_ENERGY/A-1/").await;
    let told = metrics(&service).await;
    let mut families = BTreeMap::<&str, String>::new();
    let mut family = "";
    for line in told.lines() {
        if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' ')) {
            family = name;
            families.insert(name, kind.to_owned());
        } else if !line.starts_with('#') {
            let (series, _) = line.rsplit_once(' ').unwrap();
            let (name, labels) = series.split_once('{').unwrap_or((series, ""));
            let labels = labels.trim_end_matches('}').split("\",").filter_map(|pair| pair.split('=').next());
            let labels: Vec<&str> = labels.filter(|label| !label.is_empty()).collect();
            let told = families.get_mut(family).unwrap();
            let sample = format!(" {name}({})", labels.join(","));
            if !told.contains(&sample) {
                told.push_str(&sample);
            }
        }
    }
    let lines: Vec<String> = families.iter().map(|(name, told)| format!("{name} {told}")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[actix_web::test]
async fn the_expiry_of_the_certificate_in_use_is_shown() {
    let tls = tls(1_800_000_000);
    let expiry = tls.expiry.clone();
    let service = TestService::with(Config { tls: Some(tls), ..Config::default() });
    has(&metrics(&service).await, "cutover_tls_certificate_expiry_timestamp_seconds 1800000000");
    expiry.store(1_900_000_000, SeqCst);
    has(&metrics(&service).await, "cutover_tls_certificate_expiry_timestamp_seconds 1900000000");
    let plain = TestService::with(Config::default());
    assert!(!metrics(&plain).await.contains("cutover_tls"), "there is no certificate");
}

/// A worker, which has no other address, serves them as well.
#[actix_web::test]
async fn a_worker_serves_metrics() {
    let service = TestService::with(Config { serve_api: false, ..Config::default() });
    let reply = service.send_to(Listener::Admin, TestRequest::get().uri("/metrics")).await;
    has(reply.text(), "cutover_processes_running 0");
}
