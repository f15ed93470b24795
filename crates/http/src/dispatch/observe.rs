use crate::metrics::Answered;
use crate::service::Service;
use actix_web::http::header::HeaderValue;
use actix_web::http::{Method, StatusCode};
use std::sync::Arc;
use std::time::Instant;

/// A request under way: counted, timed and logged once, also if the client disconnects.
pub(super) struct Observation {
    service: Arc<Service>,
    id: HeaderValue,
    route: &'static str,
    is_probe: bool,
    method: &'static str,
    started: Instant,
    ended: Option<(StatusCode, Option<i64>)>,
}

impl Observation {
    /// Begins with the head of a request; probes are logged at debug level only.
    pub(super) fn begin(
        service: Arc<Service>,
        id: HeaderValue,
        route: &'static str,
        is_probe: bool,
        method: &Method,
    ) -> Self {
        Self::of(service, id, route, is_probe, known(method))
    }

    /// Begins for what never became a request.
    pub(super) fn of_none(service: Arc<Service>, id: HeaderValue) -> Self {
        Self::of(service, id, "none", false, "OTHER")
    }

    fn of(
        service: Arc<Service>,
        id: HeaderValue,
        route: &'static str,
        is_probe: bool,
        method: &'static str,
    ) -> Self {
        service.metrics.begin();
        Self { service, id, route, is_probe, method, started: Instant::now(), ended: None }
    }

    /// Ends with the head of the response, and the organisation if it is known.
    pub(super) fn end(mut self, status: StatusCode, organisation: Option<i64>) {
        self.ended = Some((status, organisation));
    }

    fn log(&self, status: u16, organisation: Option<i64>) {
        let Self { route, method, .. } = self;
        let request_id = self.id.to_str().unwrap_or_default();
        let micros = self.started.elapsed().as_micros() as u64;
        if self.is_probe {
            tracing::debug!(target: "cutover::access", request_id, method, route, status, micros, "request");
        } else {
            tracing::info!(
                target: "cutover::access", request_id, method, route, status, micros, organisation, "request"
            );
        }
    }
}

impl Drop for Observation {
    fn drop(&mut self) {
        // Proxies log 499 for a client that left.
        let (status, organisation) = self.ended.map_or((499, None), |(status, org)| (status.as_u16(), org));
        let answered = Answered { route: self.route, method: self.method, status: class(status) };
        self.service.metrics.end(&answered, self.started.elapsed());
        self.log(status, organisation);
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
