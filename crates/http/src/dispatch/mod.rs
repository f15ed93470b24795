//! Requests find their endpoint here, and responses get the headers that every response has.

mod held_body;
mod observe;
pub(crate) mod route;

use crate::answer::pack;
use crate::call::Call;
use crate::connection::pace::{Pace, UnderWay};
use crate::connection::rejection::last_answer;
use crate::console;
use crate::endpoint::Kind;
use crate::refusal::{Refusal, log_cause};
use crate::request::client::Client;
use crate::request::id::X_REQUEST_ID;
use crate::service::{Listener, Service};
use actix_web::body::{BodySize, MessageBody};
use actix_web::http::header::HeaderValue;
use actix_web::http::{ConnectionType, StatusCode};
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::FutureExt;
use held_body::HeldBody;
use observe::Observation;
use route::{Match, find};
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;

/// Answers a request: finds its endpoint, calls it, and adds the common headers.
pub(crate) async fn serve(
    service: Arc<Service>,
    listener: Listener,
    http: HttpRequest,
    payload: web::Payload,
) -> HttpResponse {
    let under_way = http.conn_data::<Rc<Pace>>().map(Pace::begin);
    let id = service.request_ids.of(http.headers());
    let Match { template, is_probe, endpoint } =
        find(http.uri().path(), http.method(), |kind| serves(&service, listener, kind));
    let client = Rc::new(Client::of(&http, &service.trusted_proxies));
    let observation =
        Observation::begin(service.clone(), id.clone(), template, is_probe, http.method(), client.clone());
    let is_of_api = matches!(&endpoint, Ok((endpoint, _)) if endpoint.kind == Kind::Api);
    let (answer, call) = match endpoint {
        Ok((endpoint, parameters)) => {
            let mut call = Call::new(service, listener, http, id.clone(), payload.into_inner(), client);
            call.set_parameters(parameters, endpoint.query());
            // After a panic the call is only dropped.
            let answer = AssertUnwindSafe((endpoint.handler)(&mut call)).catch_unwind().await;
            (answer.unwrap_or_else(|_| Err(Refusal::Unexpected("a handler panicked".into()))), call)
        }
        Err(refusal) => {
            let is_of_console = serves(&service, listener, Kind::Console) && console::has(http.uri().path());
            let call = Call::new(service, listener, http, id.clone(), payload.into_inner(), client);
            (if is_of_console { Ok(console::not_served(&call, &refusal)) } else { Err(refusal) }, call)
        }
    };
    let mut response = answer.unwrap_or_else(|refusal| {
        log_cause(&refusal, id.to_str().unwrap_or_default(), template);
        refusal.respond()
    });
    observation.end(response.status());
    if is_of_api {
        response = call.service().answer_names.add(response);
    }
    let is_shutting_down = call.service().is_shutting_down();
    let mut response = finish(response, call, id, under_way);
    if is_shutting_down {
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    response
}

/// Returns the whole response to what is not a valid request, with a body and an id; counts and logs it.
pub(crate) fn reject(service: &Arc<Service>, peer: Option<SocketAddr>, status: StatusCode) -> Vec<u8> {
    let refusal = Refusal::of_head(status);
    let id = service.request_ids.generate();
    let observation = Observation::of_none(service.clone(), id.clone(), Client::at(peer));
    log_cause(&refusal, id.to_str().unwrap_or_default(), "none");
    let response = refusal.respond();
    observation.end(response.status());
    last_answer(response, &id, service.app.now())
}

/// Returns true if a listener serves endpoints of a kind.
fn serves(service: &Service, listener: Listener, kind: Kind) -> bool {
    match (kind, listener) {
        (Kind::Api, Listener::Public) | (Kind::Description, _) => service.serve_api,
        (Kind::Api, Listener::Admin) => false,
        (Kind::Console, Listener::Public) => service.serve_api && service.console && !service.has_admin,
        (Kind::Console, Listener::Admin) => service.serve_api && service.console,
        (Kind::Health, _) | (Kind::Metrics, Listener::Admin) => true,
        (Kind::Metrics, Listener::Public) => !service.has_admin,
    }
}

fn finish(response: HttpResponse, call: Call, id: HeaderValue, under_way: Option<UnderWay>) -> HttpResponse {
    let (http, unread) = call.into_parts();
    let mut response = pack(&http, response);
    response.headers_mut().insert(X_REQUEST_ID, id);
    if unread.is_none() && response.body().size() != BodySize::Stream {
        return response;
    }
    response.map_body(|_, body| HeldBody { body, _unread: unread, _under_way: under_way }.boxed())
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::service::Listener;
    use crate::testing::{ACCOUNT, TestService};
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
        let service = TestService::new();
        let own = ("x-request-id", "my-id.1");
        for (method, path) in [
            (Method::GET, "/nowhere"),
            (Method::PUT, VALIDATE),
            (Method::POST, VALIDATE),
            (Method::GET, "/healthz"),
            (Method::POST, "/v1/graphql/"),
        ] {
            let request = || TestRequest::default().method(method.clone()).uri(path);
            assert_eq!(service.send(request()).await.header("x-request-id").len(), 16, "{path}");
            assert_eq!(service.send(request().insert_header(own)).await.header("x-request-id"), "my-id.1");
        }
    }

    #[actix_web::test]
    async fn routes_are_refused_before_tokens() {
        let service = TestService::new();
        let unknown = service.send(TestRequest::get().uri("/v2/data-import/nothing/")).await;
        assert_eq!(unknown.line(), r#"404 {"detail":"Not found.","code":"not_found"}"#);
        let wrong = service.send(TestRequest::get().uri(VALIDATE)).await;
        assert_eq!((wrong.status, wrong.header("allow")), (405, "POST"));
        let with_token = service.send_as_acme(TestRequest::get().uri(VALIDATE)).await;
        assert_eq!(wrong.line(), with_token.line());
    }

    /// The token comes first, the body last, and nothing is done (contract D13).
    #[actix_web::test]
    async fn unexpected_parameters_are_refused() {
        let service = TestService::new();
        let create = "/v2/data-import/accounts/?validate_only=true&b%0A&validate_only";
        let post = |body: &str| TestRequest::post().uri(create).set_payload(body.to_owned());
        assert_eq!(service.send(post(ACCOUNT)).await.status, 401);
        let refused = service.send_as_acme(post("{")).await;
        insta::assert_snapshot!(refused.line());
        assert_eq!(service.send_as_acme(post(ACCOUNT)).await.line(), refused.line());
        let account = service.get("/v2/data-import/accounts/ACME_ENERGY/ELEC-1001/").await;
        assert_eq!(account.status, 404, "nothing was created");
        let list = "/v1/data-import/all-account-import-processes/ACME_ENERGY/";
        for (query, code) in
            [("page=2", "unknown_parameter"), ("page_size=1&page_size=1", "invalid"), ("", "")]
        {
            let listed = service.get(&format!("{list}?{query}")).await;
            assert_eq!(listed.json()["errors"][0]["code"].as_str().unwrap_or_default(), code, "{query}");
        }
    }

    #[actix_web::test]
    async fn large_responses_are_compressed_if_accepted() {
        let service = TestService::new();
        let faulty = ACCOUNT.replace("\":", "_\":");
        let post = |accept: &str| {
            let accept = (ACCEPT_ENCODING, accept.to_owned());
            TestRequest::post().uri(VALIDATE).insert_header(accept).set_payload(faulty.clone())
        };
        let packed = service.send_as_acme(post("br, gzip;q=0.8")).await;
        assert_eq!((packed.status, packed.header("content-encoding")), (400, "gzip"));
        assert_eq!(packed.header("vary"), "Accept-Encoding");
        let mut unpacked = String::new();
        GzDecoder::new(&packed.bytes[..]).read_to_string(&mut unpacked).unwrap();
        for accept in ["", "br", "identity", "gzip;q=0", "identity, gzip;q=0.5"] {
            let plain = service.send_as_acme(post(accept)).await;
            assert_eq!(plain.header("content-encoding"), "", "{accept}");
            assert_eq!(plain.text(), unpacked);
        }
    }

    #[actix_web::test]
    async fn small_responses_are_not_compressed() {
        let accept = (ACCEPT_ENCODING, "gzip");
        let request = TestRequest::post().uri(VALIDATE).insert_header(ContentType::json());
        let reply = TestService::new().send_as_acme(request.insert_header(accept).set_payload(ACCOUNT)).await;
        assert_eq!((reply.line().as_str(), reply.header("content-encoding")), ("200 {}", ""));
    }

    #[actix_web::test]
    async fn a_worker_serves_health_and_metrics_alone() {
        let service = TestService::with(Config { serve_api: false, ..Config::default() });
        for path in ["/healthz", "/metrics"] {
            assert_eq!(service.send_to(Listener::Admin, get(path)).await.status, 200, "{path}");
        }
        for path in ["/v1/graphql/", VALIDATE, "/openapi.json", "/docs/", "/console/sign-in/"] {
            assert_eq!(service.send_to(Listener::Admin, get(path)).await.status, 404, "{path}");
        }
    }

    /// With an admin address, operators' pages are not on the public one, whatever a proxy lets through.
    #[actix_web::test]
    async fn the_console_moves_to_the_admin_address() {
        let admin_listen = Some(([127, 0, 0, 1], 0).into());
        let (apart, together) =
            (TestService::with(Config { admin_listen, ..Config::default() }), TestService::new());
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
