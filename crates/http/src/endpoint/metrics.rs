use super::{Endpoint, Kind};
use crate::call::{Answer, Call};
use crate::openapi::{Access, Content, Operation, own, response};
use crate::refusal::Refusal;
use actix_web::HttpResponse;
use actix_web::http::Method;

/// The media type of OpenMetrics, which Prometheus requests.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// `GET /metrics`: requests by route, method and class of status, their durations and number under way, the
/// counters of the import workers, the circuit breaker of document storage, the connections to the database,
/// the program's version (contract D11), and the state of the whole installation.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/metrics",
    kind: Kind::Metrics,
    handler: handle,
    operation: Some(Operation {
        id: "getMetrics",
        summary: "Returns metrics",
        notes: "Served only on the address for operators, if there is one.",
        access: Access::All,
        answers: &[response(
            200,
            "The metrics.",
            Some(Content {
                media: "application/openmetrics-text",
                schema: own::metrics,
                examples: &[("usual", own::metrics_example)],
            }),
        )],
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let metrics = &call.service().metrics;
        metrics.monitor().refresh().await;
        let text = metrics.text();
        let text = text.map_err(|error| Refusal::Unexpected(error.to_string()))?;
        Ok(HttpResponse::Ok().content_type(OPEN_METRICS).body(text))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::TestService;
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;

    #[actix_web::test]
    async fn requests_are_counted_by_template() {
        let service = TestService::new();
        let token = (AUTHORIZATION, "Token forged");
        for path in ["/v2/data-import/accounts/ACME/SECRET-1/", "/v2/data-import/accounts/ACME/SECRET-2"] {
            service.send(TestRequest::get().uri(path).insert_header(token.clone())).await;
        }
        service.send(TestRequest::delete().uri("/nowhere/SECRET-3?key=SECRET-4")).await;
        let reply = service.send(TestRequest::get().uri("/metrics")).await;
        assert!(reply.header("content-type").starts_with("application/openmetrics-text"));
        for line in [
            r#"cutover_http_requests_total{route="/v2/data-import/accounts/<supplier>/<number>/",method="GET",status="4xx"} 2"#,
            r#"cutover_http_requests_total{route="none",method="DELETE",status="4xx"} 1"#,
            r#"cutover_http_request_duration_seconds_count{route="none"} 1"#,
            "cutover_http_requests_in_flight 1",
            "cutover_worker_accounts_processed_total 0",
            "cutover_documents_circuit_open 0",
            concat!(r#"cutover_build_info{version=""#, env!("CARGO_PKG_VERSION"), r#"",commit="unknown"} 1"#),
        ] {
            assert!(reply.text().lines().any(|l| l == line), "{line} is not in\n{}", reply.text());
        }
        #[cfg(target_os = "linux")]
        for name in ["cpu_seconds_total", "resident_memory_bytes", "open_fds", "max_fds", "threads"] {
            let metric = format!("process_{name} ");
            let value = reply.text().lines().find_map(|line| line.strip_prefix(&metric)?.parse::<f64>().ok());
            assert!(value.is_some_and(|value| value > 0.0), "{metric} is not in\n{}", reply.text());
        }
        assert!(!reply.text().contains("SECRET"));
    }
}
