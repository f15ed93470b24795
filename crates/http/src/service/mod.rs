pub(crate) mod work;

use crate::answer_names::AnswerNames;
use crate::config::Config;
use crate::graphql::{Schema, schema};
use crate::limits::blocking::{BLOCKING, Blocking, PATIENCE, Slots};
use crate::limits::throttle::Throttle;
use crate::limits::weights::Weights;
use crate::metrics::Metrics;
use crate::openapi::Description;
use crate::request::body::{Allowance, Limits};
use crate::request::id::RequestIds;
use actix_server::GracefulShutdownSignal;
use cutover_app::App;
use cutover_app::webhook::WebhookMetrics;
use cutover_app::worker::WorkerMetrics;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;

/// Checks of long bodies at a time, for each event loop, in addition to the use cases: more than there are
/// cores would not be done sooner.
const CHECKS: usize = 2;
/// Accounts that wait to be stored at a time, which takes no thread. Those that wait together share a commit:
/// the more, the cheaper.
const STAGINGS: usize = 256;
/// Use cases that take long at a time, one for an organisation, so that nobody waits for all that another one has asked
/// for. Each reads and writes at the same time, with two connections.
const LONG_JOBS: usize = 2;
/// Probes at a time: they have slots of their own, to report the truth when all others are taken.
const PROBES: usize = 4;
/// The parts of a service.
pub struct Parts {
    /// The use cases.
    pub app: Arc<App>,
    /// The counters of the import workers of this process, for `/metrics`.
    pub workers: Arc<WorkerMetrics>,
    /// The counters of the dispatcher of webhooks of this process, for `/metrics`.
    pub webhooks: Arc<WebhookMetrics>,
}

/// The state that all requests share.
pub(crate) struct Service {
    pub(crate) app: Arc<App>,
    pub(crate) blocking: Arc<Blocking>,
    pub(crate) checks: Blocking,
    pub(crate) weights: Weights,
    pub(crate) probes: Blocking,
    pub(crate) lists: Arc<Allowance>,
    /// Slots for accounts that wait to be stored.
    pub(crate) stagings: Arc<Semaphore>,
    /// Slots for lines of bulk requests: part of those for accounts, never all.
    pub(crate) lines: Semaphore,
    /// Slots for lines that take a thread: part of those for use cases.
    pub(crate) line_slots: Slots,
    /// Slots for use cases that take long.
    pub(crate) long_jobs: Slots,
    /// Slots for pages of filtered lists.
    pub(crate) pages: Slots,
    pub(crate) body_limit: usize,
    pub(crate) document_limit: usize,
    pub(crate) bodies: Limits,
    pub(crate) throttle: Throttle,
    pub(crate) trusted_proxies: Vec<IpAddr>,
    pub(crate) answer_names: AnswerNames,
    /// True if clients connect with TLS.
    pub(crate) is_secure: bool,
    pub(crate) metrics: Metrics,
    pub(crate) schema: Schema,
    pub(crate) description: Description,
    pub(crate) request_ids: RequestIds,
    pub(crate) serve_api: bool,
    pub(crate) console: bool,
    pub(crate) has_admin: bool,
    is_shutting_down: AtomicBool,
    stop: OnceLock<GracefulShutdownSignal>,
}

/// The listener of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listener {
    /// The address for clients.
    Public,
    /// The address for operators.
    Admin,
}

impl Service {
    /// Creates a service of these parts.
    ///
    /// # Errors
    /// If no thread can be created.
    pub(crate) fn new(parts: Parts, config: &Config, description: Description) -> io::Result<Self> {
        let memory = config.memory;
        let allowance = Arc::new(Allowance::new(memory.bodies, "bodies in memory have reached their bound"));
        let connections = parts.app.connection_limit().map_or(BLOCKING, |limit| limit as usize);
        let of_each = BLOCKING.min(connections) / 2;
        let blocking = Arc::new(Blocking::new("use-cases", BLOCKING, of_each, PATIENCE)?);
        let checks = CHECKS * config.workers.max(2);
        Ok(Self {
            description,
            request_ids: RequestIds::new(parts.app.random_number()),
            schema: schema(parts.app.clone(), blocking.clone()),
            metrics: Metrics::new(
                parts.app.clone(),
                parts.workers,
                parts.webhooks,
                config.tls.as_ref().map(|tls| tls.expiry.clone()),
            )?,
            weights: Weights::new(memory, parts.app.limits()),
            app: parts.app,
            blocking,
            checks: Blocking::new("checks", checks, checks / 2, PATIENCE)?,
            probes: Blocking::new("probes", PROBES, PROBES, PATIENCE)?,
            lists: Arc::new(Allowance::new(memory.lists(), "too many lists are being streamed")),
            stagings: Arc::new(Semaphore::new(STAGINGS)),
            long_jobs: Slots::new(LONG_JOBS, 1),
            lines: Semaphore::new(STAGINGS / 2),
            // Part of an organisation's share is left to its other requests.
            line_slots: Slots::new(BLOCKING / 2, of_each - of_each / 4),
            // A page scans up to a thousand rows. The pages that one organisation reads at a time should
            // leave half of the processors to others.
            pages: Slots::new(BLOCKING, config.workers / 2),
            is_shutting_down: AtomicBool::new(false),
            stop: OnceLock::new(),
            body_limit: config.body_limit,
            document_limit: config.document_limit,
            bodies: Limits { time: config.body_timeout, allowance },
            throttle: Throttle::new(config.rate_limit),
            trusted_proxies: config.trusted_proxies.clone(),
            answer_names: AnswerNames::new(&config.answer_names),
            serve_api: config.serve_api,
            console: config.console,
            is_secure: config.tls.is_some(),
            has_admin: config.admin_listen.is_some(),
        })
    }

    /// Sets the signal that ends long responses when the server stops.
    pub(crate) fn set_stop_signal(&self, signal: GracefulShutdownSignal) {
        // It is set once, before the server runs.
        let _ = self.stop.set(signal);
    }

    /// Begins the shutdown: the server is no longer ready, and keeps no connection for a next request.
    pub(crate) fn begin_shutdown(&self) {
        self.is_shutting_down.store(true, Ordering::Relaxed);
    }

    /// Returns true once the shutdown has begun.
    pub(crate) fn is_shutting_down(&self) -> bool {
        self.is_shutting_down.load(Ordering::Relaxed)
    }

    /// Completes when the server is to stop.
    pub(crate) async fn stopping(&self) {
        match self.stop.get() {
            Some(signal) => signal.clone().notified().await,
            None => std::future::pending().await,
        }
    }
}
