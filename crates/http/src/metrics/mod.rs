pub(crate) mod monitor;
#[cfg(target_os = "linux")]
mod process;

use crate::metrics::monitor::Monitor;
use cutover_app::App;
use cutover_app::webhook::WebhookMetrics;
use cutover_app::worker::WorkerMetrics;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the duration histogram's buckets, in seconds.
const BUCKETS: [f64; 13] =
    [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// The commit that a release was built from.
const COMMIT: &str = match option_env!("BUILD_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

/// Labels of an answered request. The route is its template: a path would contain account numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct Answered {
    pub(crate) route: &'static str,
    pub(crate) method: &'static str,
    pub(crate) status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: &'static str,
}

/// The registry behind `/metrics` (contract D11).
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    durations: Family<Route, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
    documents_up: Gauge,
    monitor: Monitor,
}

impl Metrics {
    /// Registers the metrics of a server, of the workers in its process, of their database, and of the whole
    /// installation.
    ///
    /// # Errors
    /// If no thread can be created.
    pub(crate) fn new(
        app: Arc<App>,
        workers: Arc<WorkerMetrics>,
        webhooks: Arc<WebhookMetrics>,
        tls_expiry: Option<Arc<AtomicI64>>,
    ) -> io::Result<Self> {
        let metrics = Self {
            monitor: Monitor::new(app.clone())?,
            registry: Registry::default(),
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            in_flight: Gauge::default(),
            documents_up: Gauge::default(),
        };
        metrics.documents_up.set(1);
        Ok(metrics.register(app, workers, webhooks, tls_expiry))
    }

    fn register(
        mut self,
        app: Arc<App>,
        workers: Arc<WorkerMetrics>,
        webhooks: Arc<WebhookMetrics>,
        tls_expiry: Option<Arc<AtomicI64>>,
    ) -> Self {
        // These have the names that all programs use.
        #[cfg(target_os = "linux")]
        self.registry.register_collector(Box::new(process::ProcessMetrics));
        let registry = self.registry.sub_registry_with_prefix("cutover");
        registry.register(
            "http_requests",
            "Requests by route, method and class of status; disconnected: nobody waited for the answer",
            self.requests.clone(),
        );
        registry.register_with_unit(
            "http_request_duration",
            "From the head of a request to the head of its answer",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register("http_requests_in_flight", "Requests under way", self.in_flight.clone());
        registry.register(
            "documents_up",
            "0 if document storage did not answer when readiness was last asked for, else 1",
            self.documents_up.clone(),
        );
        let build = vec![("version", env!("CARGO_PKG_VERSION")), ("commit", COMMIT)];
        registry.register("build", "The program", Info::new(build));
        if let Some(expiry) = tls_expiry {
            registry.register_collector(Box::new(TlsCertificate(expiry)));
        }
        registry.register_collector(Box::new(Authentications(app.clone())));
        registry.register_collector(Box::new(Workers(workers)));
        registry.register_collector(Box::new(Webhooks(webhooks)));
        registry.register_collector(Box::new(Documents(app.clone())));
        registry.register_collector(Box::new(Connections(app)));
        registry.register_collector(self.monitor.collector());
        self
    }

    /// Returns the reader of the installation's figures.
    pub(crate) fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// Records if document storage answered.
    pub(crate) fn set_documents_up(&self, is_up: bool) {
        let was_up = self.documents_up.set(is_up.into()) == 1;
        match (was_up, is_up) {
            (true, false) => tracing::warn!("document storage does not answer"),
            (false, true) => tracing::info!("document storage answers again"),
            _ => {}
        }
    }

    /// Counts the beginning of a request.
    pub(crate) fn begin(&self) {
        self.in_flight.inc();
    }

    /// Counts the end of a request.
    pub(crate) fn end(&self, answered: &Answered, took: Duration) {
        self.in_flight.dec();
        self.requests.get_or_create(answered).inc();
        self.durations.get_or_create(&Route { route: answered.route }).observe(took.as_secs_f64());
    }

    /// Writes all metrics as OpenMetrics text.
    ///
    /// # Errors
    /// Never in practice: writing to memory does not fail.
    pub(crate) fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry).map(|()| text)
    }
}

/// Collects the counters of the workers.
#[derive(Debug)]
struct Workers(Arc<WorkerMetrics>);

impl Collector for Workers {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let Self(workers) = self;
        let mut show = |name, help, counter: &AtomicU64| {
            let counter = ConstCounter::new(counter.load(Ordering::Relaxed));
            counter.encode(encoder.encode_descriptor(name, help, None, MetricType::Counter)?)
        };
        show("worker_accounts_processed", "Accounts imported", &workers.processed)?;
        show("worker_processes_errored", "Processes that ended in an error", &workers.errored)?;
        show("worker_dry_runs_succeeded", "Dry runs that found no error", &workers.dry_runs)?;
        show("worker_attempts_deferred", "Attempts that will be made again", &workers.deferred)?;
        show("worker_attempts_stale", "Attempts whose claim had run out", &workers.stale)?;
        show("worker_claims_released", "Claims taken from lost workers", &workers.released)
    }
}

/// Collects the counters of the dispatcher of webhooks.
#[derive(Debug)]
struct Webhooks(Arc<WebhookMetrics>);

impl Collector for Webhooks {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let Self(webhooks) = self;
        let help = "Attempts of this process to deliver an event to a webhook, by how they ended";
        let mut family = encoder.encode_descriptor("webhook_attempts", help, None, MetricType::Counter)?;
        let ends =
            [("delivered", &webhooks.delivered), ("failed", &webhooks.failed), ("stale", &webhooks.stale)];
        for (outcome, counter) in ends {
            let counter = ConstCounter::new(counter.load(Ordering::Relaxed));
            counter.encode(family.encode_family(&[("outcome", outcome)])?)?;
        }
        Ok(())
    }
}

/// Collects the expiry of the TLS certificate in use. A process without TLS has none.
#[derive(Debug)]
struct TlsCertificate(Arc<AtomicI64>);

impl Collector for TlsCertificate {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let name = "tls_certificate_expiry_timestamp_seconds";
        let help = "When the first certificate of the chain that is presented to clients expires, since 1970";
        let gauge = ConstGauge::new(self.0.load(Ordering::Relaxed));
        gauge.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)
    }
}

/// Collects the attempts to authenticate.
struct Authentications(Arc<App>);

impl fmt::Debug for Authentications {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authentications")
    }
}

impl Collector for Authentications {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let help = "Attempts to authenticate, by what for and how they ended";
        let mut family = encoder.encode_descriptor("authentications", help, None, MetricType::Counter)?;
        for (kind, outcome, count) in self.0.attempts() {
            let labels = [("attempt", kind.as_str()), ("outcome", outcome.as_str())];
            ConstCounter::new(count).encode(family.encode_family(&labels)?)?;
        }
        Ok(())
    }
}

/// Collects the state of the document storage's circuit breaker.
struct Documents(Arc<App>);

impl fmt::Debug for Documents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Documents")
    }
}

impl Collector for Documents {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let (name, help) = ("documents_circuit_open", "1 while document storage is left alone, else 0");
        let gauge = ConstGauge::new(i64::from(self.0.documents().is_circuit_open()));
        gauge.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)
    }
}

/// Collects the connections to the database. An embedded one has none.
struct Connections(Arc<App>);

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connections")
    }
}

impl Collector for Connections {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let Some((open, idle)) = self.0.database_connections() else { return Ok(()) };
        let mut show = |name, help, count| {
            let gauge = ConstGauge::new(i64::from(count));
            gauge.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)
        };
        show("database_connections_open", "Connections to the database of this process's pool", open)?;
        show("database_connections_idle", "Those of them that lie ready", idle)
    }
}
