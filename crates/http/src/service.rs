use crate::answer::{Parting, pack};
use crate::blocking::{Blocking, Places};
use crate::body::{Allowance, Limits};
use crate::call::Call;
use crate::config::Config;
use crate::console;
use crate::endpoint::graphql::{Schema, schema};
use crate::metrics::Metrics;
use crate::observe::Observation;
use crate::pace::{Pace, UnderWay};
use crate::refusal::Refusal;
use crate::rejection::last_answer;
use crate::request_id::{RequestIds, X_REQUEST_ID};
use crate::route::{Found, Kind, find};
use crate::server::Parts;
use crate::throttle::Throttle;
use crate::weights::Weights;
use actix_server::GracefulShutdownSignal;
use actix_web::body::{BodySize, MessageBody};
use actix_web::http::header::HeaderValue;
use actix_web::http::{ConnectionType, StatusCode};
use actix_web::{HttpRequest, HttpResponse, web};
use cutover_app::App;
use futures_util::FutureExt;
use std::io;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
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
/// How long a request waits for its turn.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// Lists that are streamed at a time, half as many of one organisation; each has two pages in memory, a good MB together.
const LISTS: usize = 256;
/// Bodies that are decoded at a time have at most so many times the bytes of the largest: what they are decoded to takes up to
/// 50 times as much ([`cutover_model::MAX_EXPANSION`]).
const DECODED: usize = 2;
/// All bodies in memory together are at most so many of the largest, those of one organisation half as many.
const LARGEST_BODIES: usize = 32;

/// What all requests share.
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
    pub(crate) turns: Places,
    /// For pages of filtered lists.
    pub(crate) pages: Places,
    pub(crate) body_limit: usize,
    pub(crate) bodies: Limits,
    pub(crate) throttle: Throttle,
    pub(crate) trusted_proxies: Vec<IpAddr>,
    /// Whether clients connect with TLS.
    pub(crate) is_secure: bool,
    pub(crate) metrics: Metrics,
    pub(crate) schema: Schema,
    request_ids: RequestIds,
    serve_api: bool,
    console: bool,
    has_admin: bool,
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
    pub(crate) fn new(parts: Parts, config: &Config) -> io::Result<Self> {
        let bodies = config.body_limit.saturating_mul(LARGEST_BODIES);
        let allowance = Arc::new(Allowance::new(bodies, "bodies in memory have reached their bound"));
        let connections = parts.app.connection_limit().map_or(BLOCKING, |limit| limit as usize);
        let of_each = BLOCKING.min(connections) / 2;
        let blocking = Arc::new(Blocking::new("use-cases", BLOCKING, of_each, PATIENCE)?);
        let checks = CHECKS * config.workers.max(2);
        Ok(Self {
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
            turns: Places::new(BLOCKING / 2, of_each - of_each / 4),
            // A page scans up to a thousand rows. The pages that one organisation reads at a time should leave half of the
            // processors to others.
            pages: Places::new(BLOCKING, config.workers / 2),
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

    /// The answer to what is no request, whole, with the body and the id that every answer has; counted and logged.
    pub(crate) fn reject(self: &Arc<Self>, status: StatusCode) -> Vec<u8> {
        let refusal = Refusal::of_head(status);
        let id = self.request_ids.generate();
        let observation = Observation::of_none(self.clone(), id.clone());
        log_cause(&refusal, id.to_str().unwrap_or_default(), "none");
        let response = refusal.respond();
        observation.end(response.status(), None);
        last_answer(response, &id, self.app.now())
    }

    /// Whether a listener serves routes of a kind.
    fn serves(&self, listener: Listener, kind: Kind) -> bool {
        match (kind, listener) {
            (Kind::Api, Listener::Public) | (Kind::Description, _) => self.serve_api,
            (Kind::Api, Listener::Admin) => false,
            (Kind::Console, Listener::Public) => self.serve_api && self.console && !self.has_admin,
            (Kind::Console, Listener::Admin) => self.serve_api && self.console,
            (Kind::Health, _) | (Kind::Metrics, Listener::Admin) => true,
            (Kind::Metrics, Listener::Public) => !self.has_admin,
        }
    }
}

/// Answers a request: finds its endpoint, calls it, and sees to what every answer has.
pub(crate) async fn serve(
    service: Arc<Service>,
    listener: Listener,
    http: HttpRequest,
    payload: web::Payload,
) -> HttpResponse {
    let under_way = http.conn_data::<Rc<Pace>>().map(Pace::begin);
    let id = service.request_ids.of(http.headers());
    let Found { template, is_probe, endpoint } =
        find(http.uri().path(), http.method(), |kind| service.serves(listener, kind));
    let observation = Observation::begin(service.clone(), id.clone(), template, is_probe, http.method());
    let (answer, call) = match endpoint {
        Ok((handler, parameters)) => {
            let mut call = Call::new(service, listener, http, id.clone(), payload.into_inner(), parameters);
            // What it was called with is only dropped after a panic.
            let answer = AssertUnwindSafe(handler(&mut call)).catch_unwind().await;
            (answer.unwrap_or_else(|_| Err(Refusal::Unexpected("a handler panicked".into()))), call)
        }
        Err(refusal) => {
            let is_of_console = service.serves(listener, Kind::Console) && console::has(http.uri().path());
            let call = Call::new(service, listener, http, id.clone(), payload.into_inner(), Vec::new());
            (if is_of_console { Ok(console::not_served(&call, &refusal)) } else { Err(refusal) }, call)
        }
    };
    let response = answer.unwrap_or_else(|refusal| {
        log_cause(&refusal, id.to_str().unwrap_or_default(), template);
        refusal.respond()
    });
    observation.end(response.status(), call.organisation());
    let is_leaving = call.service().is_leaving();
    let mut response = finish(response, call, id, under_way);
    if is_leaving {
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    response
}

/// Logs why a request, or a line of one, failed that was not at fault.
pub(crate) fn log_cause(refusal: &Refusal, request_id: &str, route: &str) {
    match (refusal, refusal.cause()) {
        (Refusal::Unavailable(_) | Refusal::VendorUnavailable(_) | Refusal::KeyMissing(_), Some(cause)) => {
            tracing::warn!(request_id, route, cause, "a request could not be served now");
        }
        (_, Some(cause)) => tracing::error!(request_id, route, cause, "a request failed"),
        (_, None) => {}
    }
}

fn finish(response: HttpResponse, call: Call, id: HeaderValue, under_way: Option<UnderWay>) -> HttpResponse {
    let (http, unread) = call.into_parts();
    let mut response = pack(&http, response);
    response.headers_mut().insert(X_REQUEST_ID, id);
    if unread.is_none() && response.body().size() != BodySize::Stream {
        return response;
    }
    response.map_body(|_, body| Parting { body, _unread: unread, _under_way: under_way }.boxed())
}

#[cfg(test)]
mod tests {
    use super::Listener;
    use crate::config::Config;
    use crate::testing::{ACCOUNT, House};
    use actix_web::http::Method;
    use actix_web::http::header::{ACCEPT_ENCODING, ContentType};
    use actix_web::test::TestRequest;
    use flate2::read::GzDecoder;
    use std::io::Read;

    const VALIDATE: &str = "/v2/data-import/accounts/validate/";

    fn get(path: &str) -> TestRequest {
        TestRequest::get().uri(path)
    }

    #[actix_web::test]
    async fn every_answer_has_a_request_id() {
        let house = House::new();
        let own = ("x-request-id", "my-id.1");
        for (method, path) in [
            (Method::GET, "/nowhere"),
            (Method::PUT, VALIDATE),
            (Method::POST, VALIDATE),
            (Method::GET, "/healthz"),
            (Method::POST, "/v1/graphql/"),
        ] {
            let request = || TestRequest::default().method(method.clone()).uri(path);
            assert_eq!(house.send(request()).await.header("x-request-id").len(), 16, "{path}");
            assert_eq!(house.send(request().insert_header(own)).await.header("x-request-id"), "my-id.1");
        }
    }

    #[actix_web::test]
    async fn routes_are_refused_before_tokens() {
        let house = House::new();
        let unknown = house.send(TestRequest::get().uri("/v2/data-import/nothing/")).await;
        assert_eq!(unknown.line(), r#"404 {"detail":"Not found.","code":"not_found"}"#);
        let wrong = house.send(TestRequest::get().uri(VALIDATE)).await;
        assert_eq!((wrong.status, wrong.header("allow")), (405, "POST"));
        let with_token = house.send_as_acme(TestRequest::get().uri(VALIDATE)).await;
        assert_eq!(wrong.line(), with_token.line());
    }

    #[actix_web::test]
    async fn large_answers_are_packed_for_who_takes_it() {
        let house = House::new();
        let faulty = ACCOUNT.replace("\":", "_\":");
        let post = |accept: &str| {
            let accept = (ACCEPT_ENCODING, accept.to_owned());
            TestRequest::post().uri(VALIDATE).insert_header(accept).set_payload(faulty.clone())
        };
        let packed = house.send_as_acme(post("br, gzip;q=0.8")).await;
        assert_eq!((packed.status, packed.header("content-encoding")), (400, "gzip"));
        assert_eq!(packed.header("vary"), "Accept-Encoding");
        let mut unpacked = String::new();
        GzDecoder::new(&packed.bytes[..]).read_to_string(&mut unpacked).unwrap();
        for accept in ["", "br", "identity", "gzip;q=0", "identity, gzip;q=0.5"] {
            let plain = house.send_as_acme(post(accept)).await;
            assert_eq!(plain.header("content-encoding"), "", "{accept}");
            assert_eq!(plain.text(), unpacked);
        }
    }

    #[actix_web::test]
    async fn small_answers_are_not_packed() {
        let accept = (ACCEPT_ENCODING, "gzip");
        let request = TestRequest::post().uri(VALIDATE).insert_header(ContentType::json());
        let reply = House::new().send_as_acme(request.insert_header(accept).set_payload(ACCOUNT)).await;
        assert_eq!((reply.line().as_str(), reply.header("content-encoding")), ("200 {}", ""));
    }

    #[actix_web::test]
    async fn a_worker_serves_health_and_metrics_alone() {
        let house = House::with(Config { serve_api: false, ..Config::default() });
        for path in ["/healthz", "/metrics"] {
            assert_eq!(house.send_to(Listener::Admin, get(path)).await.status, 200, "{path}");
        }
        for path in ["/v1/graphql/", VALIDATE, "/openapi.json", "/docs/", "/console/sign-in/"] {
            assert_eq!(house.send_to(Listener::Admin, get(path)).await.status, 404, "{path}");
        }
    }

    /// What is for operators leaves the address that a proxy publishes, whatever the proxy lets through.
    #[actix_web::test]
    async fn an_admin_address_takes_the_console_with_it() {
        let admin_listen = Some(([127, 0, 0, 1], 0).into());
        let (apart, together) = (House::with(Config { admin_listen, ..Config::default() }), House::new());
        for (path, public, admin, alone) in [
            ("/console/sign-in/", 404, 200, 200),
            ("/metrics", 404, 200, 200),
            ("/openapi.json", 200, 200, 200),
            ("/docs/", 200, 200, 200),
            ("/healthz", 200, 200, 200),
            ("/v2/data-import/accounts/A/B/", 401, 404, 401),
        ] {
            assert_eq!(apart.send_to(Listener::Public, get(path)).await.status, public, "{path}");
            assert_eq!(apart.send_to(Listener::Admin, get(path)).await.status, admin, "{path}");
            assert_eq!(together.send(get(path)).await.status, alone, "{path}");
        }
    }
}
