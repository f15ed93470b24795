use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{Access, Operation, Response, json_content, own, response};
use crate::refusal::Refusal;
use crate::service::Service;
use actix_web::HttpResponse;
use actix_web::http::Method;
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

/// A part that takes longer counts as down.
const DEADLINE: Duration = Duration::from_secs(3);

/// `GET /readyz`: the state of the database, the document storage (contract D11) and the encryption keys; 503
/// if a part is down, if tokens cannot be verified because a key is missing, or during shutdown.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/readyz",
    kind: Kind::Health,
    handler: handle,
    operation: Some(Operation {
        id: "getReadiness",
        summary: "Returns the state of the database, the document storage and the encryption keys",
        notes: "503 also during shutdown, and if the encryption key for verifying tokens is missing: send requests to \
                another node. Any other missing encryption key is reported without a 503.",
        access: Access::All,
        answers: &[
            response(200, "Both answer.", json_content(own::ready, &[("usual", own::ready_example)])),
            Response {
                status: 503,
                means: "A part is down.",
                headers: &["Retry-After"],
                content: json_content(own::ready, &[("usual", own::unready_example)]),
            },
        ],
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let service = call.service();
        let (database, documents) = futures_util::join!(database(service), documents(service));
        let missing = service.app.missing_encryption_keys();
        let lacks_signing_key = matches!(database, Err(Refusal::KeyMissing(_)));
        let database = lacks_signing_key || database.is_ok();
        let lacks_key = lacks_signing_key || !missing.is_empty();
        let word = |ready| if ready { "ok" } else { "down" };
        let parts = json!({
            "database": word(database),
            "documents": word(documents),
            "encryption_keys": if lacks_key { "missing" } else { "ok" },
        });
        let is_shutting_down = service.is_shutting_down();
        if database && documents && !lacks_signing_key && !is_shutting_down {
            return Ok(json(&mut HttpResponse::Ok(), &json!({"status": "ok", "parts": parts})));
        }
        if !is_shutting_down {
            tracing::warn!(database, documents, missing_encryption_keys = ?missing, "not ready");
        }
        let refusal = if lacks_signing_key && database && documents && !is_shutting_down {
            Refusal::KeyMissing("not ready".into())
        } else {
            Refusal::Unavailable("not ready".into())
        };
        let code = refusal.code();
        let detail = if is_shutting_down { "It is about to stop." } else { code.detail() };
        let body = json!({"status": "unavailable", "parts": parts, "code": code.as_str(), "detail": detail});
        Ok(refusal.respond_with(&body))
    })
}

async fn database(service: &Service) -> Result<(), Refusal> {
    let app = service.app.clone();
    let ready = service.probes.run(None, move || Ok(app.ready()?));
    let late = |_| Refusal::Unavailable("the database did not answer in time".into());
    timeout(DEADLINE, ready).await.map_err(late)?
}

async fn documents(service: &Service) -> bool {
    matches!(timeout(DEADLINE, service.app.documents().ready()).await, Ok(Ok(())))
}

#[cfg(test)]
mod tests {
    use crate::testing::TestService;
    use actix_web::test::TestRequest;
    use cutover_app::port::StoreError;
    use cutover_testkit::memory::Fault;

    #[actix_web::test]
    async fn readiness_reports_failed_parts_and_shutdown() {
        let service = TestService::new();
        let probe = || service.send(TestRequest::get().uri("/readyz"));
        let mut lines = vec![probe().await.line()];
        service.documents.set_down(true);
        lines.push(probe().await.line());
        service.documents.set_down(false);
        service.store.set_fault(Some(Fault::Error(StoreError::Unavailable("on purpose".into()))));
        let reply = probe().await;
        assert_eq!(reply.header("retry-after"), "2");
        lines.push(reply.line());
        service.store.set_fault(None);
        lines.push(probe().await.line());
        // The key that a signing key is sealed with.
        service.store.set_fault(Some(Fault::Error(StoreError::KeyMissing("new".into()))));
        let reply = probe().await;
        assert_eq!((reply.status, reply.header("retry-after")), (503, "2"));
        lines.push(reply.line());
        service.store.set_fault(None);
        // A key that an import lacked: requests are served all the same.
        service.store.set_missing_keys(&["new"]);
        lines.push(probe().await.line());
        service.store.set_missing_keys(&[]);
        service.inner.begin_shutdown();
        lines.push(probe().await.line());
        insta::assert_snapshot!(lines.join("\n"));
    }
}
