use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{Access, Operation, Response, json_content, own, response};
use crate::refusal::Refusal;
use crate::service::Service;
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_model::Detail;
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

/// A database that takes longer counts as down.
const DEADLINE: Duration = Duration::from_secs(3);
/// A document storage that takes longer counts as down. Short, because load balancers do not wait long and the answer
/// does not depend on it.
const DOCUMENTS_DEADLINE: Duration = Duration::from_secs(1);

/// `GET /readyz`: the state of the database, the document storage (contract D11) and the encryption keys; 503
/// if the database is down, refuses writes or commits nothing, if tokens cannot be verified because a key is missing, or during
/// shutdown. Document storage is reported alone (decision 0057): all nodes share it, and most requests do not need it.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/readyz",
    kind: Kind::Health,
    handler: handle,
    operation: Some(Operation {
        id: "getReadiness",
        summary: "Returns the state of the database, the document storage and the encryption keys",
        notes: "503 if the database is down, `unwritable`: it refused a write within the last minute, since its disk is \
                full or fails or it is read-only, or `stalled`: it answers and has committed nothing for 20 s. 503 also \
                during start and shutdown, and if the encryption key for verifying tokens is missing: send requests to \
                another node. A document storage that is down, or any other missing encryption key, is reported \
                without a 503: only requests that need it fail.",
        access: Access::All,
        answers: &[
            response(
                200,
                "The service can be used.",
                json_content(own::ready, &[("usual", own::ready_example)]),
            ),
            Response {
                status: 503,
                means: "The service cannot be used.",
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
        service.metrics.set_documents_up(documents);
        let lacks_signing_key = matches!(database, Err(Refusal::KeyMissing(_)));
        let lacks_key = lacks_signing_key || !missing.is_empty();
        let refused_write = service.app.refused_write();
        let database = match database {
            Err(_) if !lacks_signing_key => "down",
            _ if refused_write.is_some() => "unwritable",
            _ if service.app.writes_stall() => "stalled",
            _ => "ok",
        };
        let parts = json!({
            "database": database,
            "documents": if documents { "ok" } else { "down" },
            "encryption_keys": if lacks_key { "missing" } else { "ok" },
        });
        let has_database = database == "ok";
        let is_shutting_down = service.is_shutting_down();
        if has_database && !lacks_signing_key && !is_shutting_down {
            return Ok(json(&mut HttpResponse::Ok(), &json!({"status": "ok", "parts": parts})));
        }
        if !is_shutting_down {
            let cause = refused_write.map(|error| error.to_string());
            tracing::warn!(database, cause, missing_encryption_keys = ?missing, "not ready");
        }
        let refusal = if database == "unwritable" && !is_shutting_down {
            Refusal::Unwritable("not ready".into())
        } else if lacks_signing_key && has_database && !is_shutting_down {
            Refusal::KeyMissing("not ready".into())
        } else {
            Refusal::Unavailable("not ready".into())
        };
        let Detail { detail, code } = refusal.detail();
        let detail = if is_shutting_down { "It is about to stop." } else { detail.as_str() };
        let body = json!({"status": "unavailable", "parts": parts, "code": code, "detail": detail});
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
    matches!(timeout(DOCUMENTS_DEADLINE, service.app.documents().ready()).await, Ok(Ok(())))
}

#[cfg(test)]
mod tests {
    use crate::testing::TestService;
    use actix_web::test::TestRequest;
    use chrono::Duration;
    use cutover_app::nodes::NodeDescription;
    use cutover_app::port::StoreError;
    use cutover_testkit::memory::Fault;

    #[actix_web::test]
    async fn readiness_reports_failed_parts_and_shutdown() {
        let service = TestService::new();
        let probe = || service.send(TestRequest::get().uri("/readyz"));
        let mut lines = vec![probe().await.line()];
        service.documents.set_down(true);
        lines.push(probe().await.line());
        let documents_up = async || service.send(TestRequest::get().uri("/metrics")).await.text().to_owned();
        assert!(documents_up().await.contains("cutover_documents_up 0\n"));
        service.documents.set_down(false);
        service.store.set_fault(Some(Fault::Error(StoreError::Unavailable("on purpose".into()))));
        let reply = probe().await;
        assert_eq!(reply.header("retry-after"), "2");
        lines.push(reply.line());
        service.store.set_fault(None);
        lines.push(probe().await.line());
        assert!(documents_up().await.contains("cutover_documents_up 1\n"));
        let (role, version) = ("all".to_owned(), "1.2.3".to_owned());
        let node = NodeDescription { role, version, encryption_keys: Vec::new() };
        let node = service.app.add_node(node).unwrap();
        service.clock.advance(Duration::seconds(20));
        let reply = probe().await;
        assert_eq!(reply.header("retry-after"), "2");
        lines.push(reply.line());
        service.app.renew_node(&node).unwrap();
        lines.push(probe().await.line());
        // The disk is full: everything can be read.
        let full = StoreError::Unwritable("database or disk is full".into());
        service.store.set_fault(Some(Fault::OfWrites(full)));
        service.app.renew_node(&node).unwrap_err();
        let reply = probe().await;
        assert_eq!((reply.status, reply.header("retry-after")), (503, "2"));
        lines.push(reply.line());
        service.store.set_fault(None);
        service.clock.advance(Duration::seconds(60));
        service.app.renew_node(&node).unwrap();
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
