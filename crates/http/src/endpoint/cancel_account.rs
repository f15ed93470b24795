use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Operation, empty_response, refusals};
use actix_web::HttpResponse;
use actix_web::http::Method;
use serde_json::json;

/// `POST /v2/data-import/accounts/<supplier>/<number>/cancel/`: cancels a pending import (contract D13).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v2/data-import/accounts/<supplier>/<number>/cancel/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "cancelAccount",
        tag: openapi::ACCOUNTS,
        summary: "Cancels an account that waits to be imported",
        notes: "The account can be sent again. Has no body; one that is sent is not read.",
        answers: &[empty_response(200, "The account is cancelled, by this request or an earlier one.")],
        refusals: refusals::of_cancel,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (supplier, number, id) = (call.parameter(0), call.parameter(1), call.request_id());
        call.run(move |app| Ok(app.cancel_account(&caller, &supplier, &number, id)?)).await?;
        Ok(json(&mut HttpResponse::Ok(), &json!({})))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, TestService};
    use cutover_app::port::ApiKeyRole;
    use cutover_process::Actor;

    const PATH: &str = "/v2/data-import/accounts/ACME_ENERGY/UNME-4001/cancel/";

    #[actix_web::test]
    async fn a_pending_account_is_cancelled_once() {
        let service = TestService::new();
        service.create("Acme", ACCOUNT);
        for _ in 0..2 {
            assert_eq!(service.post(PATH, "").await.line(), "200 {}");
        }
        let report = service.app.as_command().show_process("ACME_ENERGY", "UNME-4001").unwrap();
        let steps: Vec<_> = report.history.iter().map(|entry| entry.event.to_string()).collect();
        assert_eq!(steps, ["created", "cancelled"]);
        let actor = report.history[1].actor.known().unwrap();
        assert!(matches!(actor, Actor::Api { request_id: Some(_), .. }), "{actor}");
        service.import_pending();
        let status = service.get(PATH.trim_end_matches("cancel/")).await.json();
        assert_eq!(status["status"], "CANCELLED");
        // It can be sent again.
        assert_eq!(service.post("/v2/data-import/accounts/", ACCOUNT).await.line(), "201 {}");
    }

    #[actix_web::test]
    async fn other_accounts_are_refused() {
        let service = TestService::new();
        service.create("Acme", ACCOUNT);
        service.import_pending();
        let refused = service.post(PATH, "{}").await;
        insta::assert_snapshot!(refused.line());
        let mut answers = Vec::new();
        for path in ["ACME_ENERGY/NONE", "OTHER/UNME-4001", "NOBODY/UNME-4001", "%20/%20"] {
            answers.push(service.post(&format!("/v2/data-import/accounts/{path}/cancel/"), "").await.line());
        }
        answers.dedup();
        assert_eq!(answers, [r#"404 {"detail":"Not found.","code":"not_found"}"#]);
    }

    #[actix_web::test]
    async fn readers_may_not_cancel() {
        let service = TestService::new();
        service.create("Acme", ACCOUNT);
        let token = format!("Token {}", service.token_as("Acme", ApiKeyRole::Reader));
        let request = actix_web::test::TestRequest::post().uri(PATH);
        let refused = service.send(request.insert_header(("authorization", token))).await;
        assert_eq!((refused.status, &refused.json()["code"]), (403, &"permission_denied".into()));
    }
}
