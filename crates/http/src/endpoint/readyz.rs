use crate::answer::json;
use crate::call::{Answer, Call};
use crate::refusal::Refusal;
use crate::service::Service;
use actix_web::HttpResponse;
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

/// A part that takes longer counts as down.
const DEADLINE: Duration = Duration::from_secs(3);

/// `GET /readyz`: whether the database and the document storage answer (decisions D11); 503 if one does not,
/// and which.
pub(crate) fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let service = call.service();
        let (database, documents) = futures_util::join!(database(service), documents(service));
        let word = |ready| if ready { "ok" } else { "down" };
        let parts = json!({"database": word(database), "documents": word(documents)});
        if database && documents {
            return Ok(json(&mut HttpResponse::Ok(), &json!({"status": "ok", "parts": parts})));
        }
        let refusal = Refusal::Unavailable(format!("not ready: {parts}"));
        let code = refusal.code();
        let body = json!({
            "status": "unavailable", "parts": parts, "code": code.as_str(), "detail": code.detail(),
        });
        Ok(refusal.respond_with(&body))
    })
}

async fn database(service: &Service) -> bool {
    let app = service.app.clone();
    let ready = service.probes.run(move || Ok(app.ready()?));
    matches!(timeout(DEADLINE, ready).await, Ok(Ok(())))
}

async fn documents(service: &Service) -> bool {
    matches!(timeout(DEADLINE, service.documents.ready()).await, Ok(Ok(())))
}
