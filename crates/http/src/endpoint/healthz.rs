use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{Access, Operation, json_content, own, response};
use actix_web::HttpResponse;
use actix_web::http::Method;
use serde_json::json;

/// `GET /healthz`: the process is up (contract D11). Does not use the database.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/healthz",
    kind: Kind::Health,
    handler: handle,
    operation: Some(Operation {
        id: "getHealth",
        summary: "Returns 200 while the process is up",
        access: Access::All,
        answers: &[response(
            200,
            "The process is up.",
            json_content(own::health, &[("usual", own::health_example)]),
        )],
        ..Operation::BASE
    }),
};

fn handle(_: &mut Call) -> Answer<'_> {
    Box::pin(async { Ok(json(&mut HttpResponse::Ok(), &json!({"status": "ok"}))) })
}

#[cfg(test)]
mod tests {
    use crate::testing::TestService;
    use actix_web::test::TestRequest;
    use cutover_testkit::memory::Fault;

    #[actix_web::test]
    async fn liveness_ignores_the_store() {
        let service = TestService::new();
        service.store.set_fault(Some(Fault::Panic));
        let reply = service.send(TestRequest::get().uri("/healthz")).await;
        assert_eq!(reply.line(), r#"200 {"status":"ok"}"#);
    }
}
