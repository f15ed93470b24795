use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Operation, empty_response, refusals};
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_app::port::Access;
use serde_json::json;

/// `POST /v2/data-import/imported-accounts/<supplier>/<number>/billed/`: notes that an account is billed (contract D18).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v2/data-import/imported-accounts/<supplier>/<number>/billed/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "reportBilled",
        tag: openapi::EVENTS,
        summary: "Reports that an imported account is billed",
        notes: "For keys of the role `reader`. From then on the import of the account cannot be undone. Has no body; one that \
                is sent is not read.",
        answers: &[empty_response(200, "It is noted, by this request or an earlier one.")],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller_for(Access::Report).await?;
        let (supplier, number) = (call.parameter(0), call.parameter(1));
        call.run(move |app| Ok(app.report_billed(&caller, &supplier, &number)?)).await?;
        Ok(json(&mut HttpResponse::Ok(), &json!({})))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, Reply, TestService};
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;
    use cutover_app::port::{ApiKeyRole, FeedFilter, PageLimit, read};

    const PATH: &str = "/v2/data-import/imported-accounts/ACME_ENERGY/ELEC-1001/billed/";

    async fn report(service: &TestService, path: &str) -> Reply {
        let token = (AUTHORIZATION, format!("Token {}", service.token_as("Acme", ApiKeyRole::Reader)));
        service.send(TestRequest::post().uri(path).insert_header(token)).await
    }

    #[actix_web::test]
    async fn an_account_is_billed_once() {
        let service = TestService::with_accounts();
        for _ in 0..2 {
            assert_eq!(report(&service, PATH).await.line(), "200 {}");
        }
        let report = service.app.as_command().show_process("ACME_ENERGY", "ELEC-1001").unwrap();
        assert!(report.billed_at.is_some());
        let page = read(&*service.store, |tx| {
            let organisation = tx.organisation("Acme")?.unwrap().id;
            tx.feed_page(organisation, &FeedFilter::default(), None, PageLimit::of(100))
        });
        let events = page.unwrap().unwrap().events;
        let billed: Vec<_> =
            events.iter().filter(|event| event.event_type.as_str() == "account.billed").collect();
        let number = report.status.service_identifier.map(|number| number.to_string());
        assert_eq!(
            billed.iter().map(|event| event.service_account_number.clone()).collect::<Vec<_>>(),
            [number]
        );
    }

    #[actix_web::test]
    async fn other_accounts_are_not_found() {
        let service = TestService::with_accounts();
        service.create("Acme", ACCOUNT);
        let mut answers = Vec::new();
        for path in
            ["ACME_ENERGY/NONE", "ACME_ENERGY/UNME-4001", "OTHER/ELEC-1001", "NOBODY/ELEC-1001", "%20/%20"]
        {
            let path = format!("/v2/data-import/imported-accounts/{path}/billed/");
            answers.push(report(&service, &path).await.line());
        }
        answers.dedup();
        assert_eq!(answers, [r#"404 {"detail":"Not found.","code":"not_found"}"#]);
    }

    #[actix_web::test]
    async fn suppliers_may_not_report() {
        let service = TestService::with_accounts();
        let refused = service.post(PATH, "").await;
        assert_eq!((refused.status, &refused.json()["code"]), (403, &"permission_denied".into()));
    }
}
