use crate::answer::{Parting, pack};
use crate::blocking::Blocking;
use crate::body::{Allowance, Limits};
use crate::call::Call;
use crate::config::Config;
use crate::endpoint::graphql::{Schema, schema};
use crate::metrics::Metrics;
use crate::observe::Observation;
use crate::refusal::Refusal;
use crate::request_id::{RequestIds, X_REQUEST_ID};
use crate::route::{Found, Kind, find};
use crate::server::Parts;
use crate::throttle::Throttle;
use actix_web::body::MessageBody;
use actix_web::http::header::HeaderValue;
use actix_web::{HttpRequest, HttpResponse, web};
use cutover_app::App;
use cutover_app::port::Documents;
use futures_util::FutureExt;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// Use cases at a time: creates wait for the commit that they share, so there are many.
pub(crate) const BLOCKING: usize = 64;
/// Probes at a time: they have places of their own, to tell the truth when the others are all taken.
pub(crate) const PROBES: usize = 4;
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(2);
/// All bodies in memory together are at most so many of the largest.
const LARGEST_BODIES: usize = 32;

/// What all requests share.
pub(crate) struct Service {
    pub(crate) app: Arc<App>,
    pub(crate) documents: Arc<dyn Documents>,
    pub(crate) blocking: Arc<Blocking>,
    pub(crate) probes: Blocking,
    pub(crate) body_limit: usize,
    pub(crate) bodies: Limits,
    pub(crate) throttle: Throttle,
    pub(crate) trusted_proxies: Vec<IpAddr>,
    pub(crate) metrics: Metrics,
    pub(crate) schema: Schema,
    request_ids: RequestIds,
    serve_api: bool,
    admin: Option<SocketAddr>,
}

impl Service {
    /// A service of these parts; `admin` is the address where metrics are, if they have one of their own.
    pub(crate) fn new(parts: Parts, config: &Config, admin: Option<SocketAddr>) -> Self {
        let allowance = Arc::new(Allowance::new(config.body_limit.saturating_mul(LARGEST_BODIES)));
        let blocking = Arc::new(Blocking::new(BLOCKING, PATIENCE));
        Self {
            request_ids: RequestIds::new(parts.app.random_number()),
            schema: schema(parts.app.clone(), blocking.clone()),
            app: parts.app,
            documents: parts.documents,
            blocking,
            probes: Blocking::new(PROBES, PATIENCE),
            body_limit: config.body_limit,
            bodies: Limits { time: config.body_timeout, allowance },
            throttle: Throttle::new(config.rate_limit),
            trusted_proxies: config.trusted_proxies.clone(),
            metrics: Metrics::new(parts.workers),
            serve_api: config.serve_api,
            admin,
        }
    }

    /// Whether routes of a kind are served where the request came in.
    fn serves(&self, request: &HttpRequest, kind: Kind) -> bool {
        let on_admin = self.admin == Some(request.app_config().local_addr());
        match kind {
            Kind::Api => self.serve_api && !on_admin,
            Kind::Health => true,
            Kind::Metrics => on_admin || self.admin.is_none(),
        }
    }
}

/// Answers a request: finds its endpoint, calls it, and sees to what every answer has.
pub(crate) async fn serve(service: Arc<Service>, http: HttpRequest, payload: web::Payload) -> HttpResponse {
    let id = service.request_ids.of(http.headers());
    let Found { template, is_probe, endpoint } =
        find(http.uri().path(), http.method(), |kind| service.serves(&http, kind));
    let observation = Observation::begin(service.clone(), id.clone(), template, is_probe, http.method());
    let (answer, call) = match endpoint {
        Ok((handler, parameters)) => {
            let mut call = Call::new(service, http, payload.into_inner(), parameters);
            // What it was called with is only dropped after a panic.
            let answer = AssertUnwindSafe(handler(&mut call)).catch_unwind().await;
            (answer.unwrap_or_else(|_| Err(Refusal::Unexpected("a handler panicked".into()))), call)
        }
        Err(refusal) => (Err(refusal), Call::new(service, http, payload.into_inner(), Vec::new())),
    };
    let response = answer.unwrap_or_else(|refusal| {
        log_cause(&refusal, &id, template);
        refusal.respond()
    });
    observation.end(response.status(), call.organisation());
    finish(response, call, id)
}

fn log_cause(refusal: &Refusal, id: &HeaderValue, route: &str) {
    let request_id = id.to_str().unwrap_or_default();
    match (refusal, refusal.cause()) {
        (Refusal::Unavailable(_), Some(cause)) => {
            tracing::warn!(request_id, route, cause, "a request could not be served now");
        }
        (_, Some(cause)) => tracing::error!(request_id, route, cause, "a request failed"),
        (_, None) => {}
    }
}

fn finish(response: HttpResponse, call: Call, id: HeaderValue) -> HttpResponse {
    let (http, unread) = call.into_parts();
    let mut response = pack(&http, response);
    response.headers_mut().insert(X_REQUEST_ID, id);
    match unread {
        Some(unread) => response.map_body(|_, body| Parting { body, _unread: unread }.boxed()),
        None => response,
    }
}
