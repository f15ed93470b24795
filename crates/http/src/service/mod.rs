pub(crate) mod work;

use crate::config::Config;
use crate::graphql::{Schema, schema};
use crate::limits::blocking::{Blocking, PATIENCE, Slots};
use crate::limits::throttle::Throttle;
use crate::limits::weights::Weights;
use crate::metrics::Metrics;
use crate::openapi::Description;
use crate::request::body::{Allowance, Limits};
use crate::request::id::RequestIds;
use actix_server::GracefulShutdownSignal;
use cutover_app::App;
use cutover_app::worker::WorkerMetrics;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;

/// Use cases at a time that take a thread: some wait for a commit, so there are many. One organisation has half of them, and
/// no more than half of what there are connections to a database for: one that waits there for a lock keeps its own.
const BLOCKING: usize = 64;
/// Beside them, checks of bodies that are not short, for each event loop: more at a time than there are cores are not done
/// sooner.
const CHECKS: usize = 2;
/// Accounts at a time that wait to be stored, which takes no thread. Those that wait together go in one commit: the more,
/// the less one costs.
const STAGINGS: usize = 256;
/// Probes at a time: they have places of their own, to tell the truth when the others are all taken.
const PROBES: usize = 4;
/// Lists that are streamed at a time, half as many of one organisation; each has two pages in memory, a good MB together.
const LISTS: usize = 256;
/// Bodies that are decoded at a time have at most so many times the bytes of the largest: what they are decoded to takes up to
/// 50 times as much ([`cutover_model::MAX_EXPANSION`]).
const DECODED: usize = 2;
/// All bodies in memory together are at most so many of the largest, those of one organisation half as many.
const LARGEST_BODIES: usize = 32;

/// The parts that a service is made of.
pub struct Parts {
    /// The use cases.
    pub app: Arc<App>,
    /// The counters of the import workers of this process, for `/metrics`.
    pub workers: Arc<WorkerMetrics>,
}

/// The state that all requests share.
pub(crate) struct Service {
    pub(crate) app: Arc<App>,
    pub(crate) blocking: Arc<Blocking>,
    pub(crate) checks: Blocking,
    pub(crate) weights: Weights,
    pub(crate) probes: Blocking,
    pub(crate) lists: Arc<Allowance>,
    /// For accounts that wait to be stored.
    pub(crate) stagings: Arc<Semaphore>,
    /// For lines of requests that have many: they take some of the places for accounts, never all.
    pub(crate) lines: Semaphore,
    /// For lines that take a thread: likewise of the places for use cases.
    pub(crate) line_slots: Slots,
    /// For pages of filtered lists.
    pub(crate) pages: Slots,
    pub(crate) body_limit: usize,
    pub(crate) bodies: Limits,
    pub(crate) throttle: Throttle,
    pub(crate) trusted_proxies: Vec<IpAddr>,
    /// Whether clients connect with TLS.
    pub(crate) is_secure: bool,
    pub(crate) metrics: Metrics,
    pub(crate) schema: Schema,
    pub(crate) description: Description,
    pub(crate) request_ids: RequestIds,
    pub(crate) serve_api: bool,
    pub(crate) console: bool,
    pub(crate) has_admin: bool,
    is_leaving: AtomicBool,
    stop: OnceLock<GracefulShutdownSignal>,
}

/// Where a request came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listener {
    /// Where clients connect.
    Public,
    /// Where operators look.
    Admin,
}

impl Service {
    /// A service of these parts.
    ///
    /// # Errors
    /// If the system has no threads left for it.
    pub(crate) fn new(parts: Parts, config: &Config, description: Description) -> io::Result<Self> {
        let bodies = config.body_limit.saturating_mul(LARGEST_BODIES);
        let allowance = Arc::new(Allowance::new(bodies, "bodies in memory have reached their bound"));
        let connections = parts.app.connection_limit().map_or(BLOCKING, |limit| limit as usize);
        let of_each = BLOCKING.min(connections) / 2;
        let blocking = Arc::new(Blocking::new("use-cases", BLOCKING, of_each, PATIENCE)?);
        let checks = CHECKS * config.workers.max(2);
        Ok(Self {
            description,
            request_ids: RequestIds::new(parts.app.random_number()),
            schema: schema(parts.app.clone(), blocking.clone()),
            metrics: Metrics::new(parts.app.clone(), parts.workers)?,
            app: parts.app,
            blocking,
            checks: Blocking::new("checks", checks, checks / 2, PATIENCE)?,
            weights: Weights::new(DECODED.saturating_mul(config.body_limit)),
            probes: Blocking::new("probes", PROBES, PROBES, PATIENCE)?,
            lists: Arc::new(Allowance::new(LISTS, "too many lists are being streamed")),
            stagings: Arc::new(Semaphore::new(STAGINGS)),
            lines: Semaphore::new(STAGINGS / 2),
            // Some of an organisation's share are left to its other requests.
            line_slots: Slots::new(BLOCKING / 2, of_each - of_each / 4),
            // A page scans up to a thousand rows. The pages that one organisation reads at a time should leave half of the
            // processors to others.
            pages: Slots::new(BLOCKING, config.workers / 2),
            is_leaving: AtomicBool::new(false),
            stop: OnceLock::new(),
            body_limit: config.body_limit,
            bodies: Limits { time: config.body_timeout, allowance },
            throttle: Throttle::new(config.rate_limit),
            trusted_proxies: config.trusted_proxies.clone(),
            serve_api: config.serve_api,
            console: config.console,
            is_secure: config.tls.is_some(),
            has_admin: config.admin_listen.is_some(),
        })
    }

    /// Has what lasts long hear that the server stops.
    pub(crate) fn stops_with(&self, signal: GracefulShutdownSignal) {
        // It is set once, before the server runs.
        let _ = self.stop.set(signal);
    }

    /// Has it say that it is about to stop: it is not ready any more, and keeps no connection for a next request.
    pub(crate) fn leave(&self) {
        self.is_leaving.store(true, Ordering::Relaxed);
    }

    /// Whether it is about to stop.
    pub(crate) fn is_leaving(&self) -> bool {
        self.is_leaving.load(Ordering::Relaxed)
    }

    /// Comes to its end when the server is to stop.
    pub(crate) async fn stopping(&self) {
        match self.stop.get() {
            Some(signal) => signal.clone().notified().await,
            None => std::future::pending().await,
        }
    }
}
