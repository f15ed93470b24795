use crate::call::{Answer, Call};
use crate::refusal::Refusal;
use actix_web::HttpResponse;

/// OpenMetrics, which Prometheus reads by this name.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// `GET /metrics`: requests by route, method and class of status, their durations, those under way, what the
/// import workers have done, the program's version (decisions D11).
pub(crate) fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let text = call.service().metrics.text();
        let text = text.map_err(|error| Refusal::Unexpected(error.to_string()))?;
        Ok(HttpResponse::Ok().content_type(OPEN_METRICS).body(text))
    })
}
