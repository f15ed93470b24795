use crate::metrics::Answered;
use crate::request::client::Client;
use crate::service::Service;
use actix_web::http::header::HeaderValue;
use actix_web::http::{Method, StatusCode};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// A request under way: counted, timed and logged once, also if the client disconnects.
pub(super) struct Observation {
    service: Arc<Service>,
    id: HeaderValue,
    route: &'static str,
    is_probe: bool,
    method: &'static str,
    client: Rc<Client>,
    started: Instant,
    ended: Option<StatusCode>,
}

impl Observation {
    /// Begins with the head of a request; probes are logged at debug level only.
    pub(super) fn begin(
        service: Arc<Service>,
        id: HeaderValue,
        route: &'static str,
        is_probe: bool,
        method: &Method,
        client: Rc<Client>,
    ) -> Self {
        Self::of(service, id, route, is_probe, known(method), client)
    }

    /// Begins for what never became a request.
    pub(super) fn of_none(service: Arc<Service>, id: HeaderValue, client: Client) -> Self {
        Self::of(service, id, "none", false, "OTHER", Rc::new(client))
    }

    fn of(
        service: Arc<Service>,
        id: HeaderValue,
        route: &'static str,
        is_probe: bool,
        method: &'static str,
        client: Rc<Client>,
    ) -> Self {
        service.metrics.begin();
        Self { service, id, route, is_probe, method, client, started: Instant::now(), ended: None }
    }

    /// Ends with the head of the response.
    pub(super) fn end(mut self, status: StatusCode) {
        self.ended = Some(status);
    }

    fn log(&self, status: u16) {
        let Self { route, method, .. } = self;
        let Client { address: client, organisation, key } = &*self.client;
        let (organisation, key) = (organisation.get(), key.get().map(String::as_str));
        let request_id = self.id.to_str().unwrap_or_default();
        let micros = self.started.elapsed().as_micros() as u64;
        if self.is_probe {
            tracing::debug!(
                target: "cutover::access", request_id, %client, method, route, status, micros, "request"
            );
        } else {
            tracing::info!(
                target: "cutover::access",
                request_id, %client, method, route, status, micros, organisation, key, "request"
            );
        }
    }
}

impl Drop for Observation {
    fn drop(&mut self) {
        // Proxies log 499 for a client that left.
        let status = self.ended.map_or(499, |status| status.as_u16());
        let answered = Answered { route: self.route, method: self.method, status: class(status) };
        self.service.metrics.end(&answered, self.started.elapsed());
        self.log(status);
    }
}

/// Returns the label of a method: unknown ones share one.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::HEAD => "HEAD",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

fn class(status: u16) -> &'static str {
    match status {
        499 => "disconnected",
        200..=299 => "2xx",
        300..=399 => "3xx",
        400..=498 => "4xx",
        500.. => "5xx",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::request::body::SHORT;
    use crate::testing::{TestService, log};
    use actix_web::http::header::{AUTHORIZATION, ContentType};
    use actix_web::test::TestRequest;
    use futures_util::FutureExt;

    const STATUS: &str = "/v2/data-import/accounts/ACME_ENERGY/ELEC-1001/";

    /// Returns the lines of the access log from the client on, without the duration.
    fn accesses(lines: Vec<String>) -> Vec<String> {
        let lines = lines.iter().filter(|line| line.starts_with("cutover::access ")).map(|line| {
            let (_, line) = line.split_once("client=").unwrap();
            let (head, tail) = line.split_once(" micros=").unwrap();
            let (_, tail) = tail.split_once(' ').unwrap_or_default();
            format!("{head} {tail}").trim_end().to_owned()
        });
        lines.collect()
    }

    #[actix_web::test]
    async fn requests_are_logged_with_client_and_key() {
        let trusted_proxies = vec!["10.0.0.1".parse().unwrap()];
        let service = TestService::with(Config { trusted_proxies, ..Config::default() });
        let get = |peer: &str| {
            let request = TestRequest::get().uri(STATUS).peer_addr(peer.parse().unwrap());
            request.insert_header(("x-forwarded-for", "203.0.113.7"))
        };
        let as_acme = |peer: &str| get(peer).insert_header(service.authorization());
        log::keep();
        service.send(as_acme("10.0.0.1:9")).await;
        service.send(as_acme("10.0.0.2:9")).await;
        service.send(get("10.0.0.1:9")).await;
        let guess = format!("Token cut_live_00000000_{}", "0".repeat(52));
        service.send(get("10.0.0.1:9").insert_header((AUTHORIZATION, guess))).await;
        // The client leaves while its body waits to be decoded, which must not hide it.
        let all = service.inner.weights.take(usize::MAX).await;
        let validate = TestRequest::post().uri("/v2/data-import/accounts/validate/");
        let validate = validate.set_payload(" ".repeat(SHORT + 1));
        let validate = validate.insert_header(service.authorization()).insert_header(ContentType::json());
        assert!(service.send(validate).now_or_never().is_none());
        drop(all);
        let prefix = &service.key[..17];
        service.app.as_command().revoke_api_key(prefix).unwrap();
        service.clock.advance(chrono::Duration::seconds(5));
        service.send(as_acme("10.0.0.1:9")).await;
        let route = r#"method="GET" route="/v2/data-import/accounts/<supplier>/<number>/""#;
        let expected = [
            format!(r#"203.0.113.7 {route} status=404 organisation=1 key="{prefix}""#),
            format!(r#"10.0.0.2 {route} status=404 organisation=1 key="{prefix}""#),
            format!("203.0.113.7 {route} status=401"),
            format!("203.0.113.7 {route} status=401"),
            format!(
                r#"0.0.0.0 method="POST" route="/v2/data-import/accounts/validate/" status=499 organisation=1 key="{prefix}""#
            ),
            format!(r#"203.0.113.7 {route} status=401 key="{prefix}""#),
        ];
        assert_eq!(accesses(log::take()), expected);
    }
}
