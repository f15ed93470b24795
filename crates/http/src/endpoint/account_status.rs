use super::{Endpoint, Kind};
use crate::call::{Answer, Call, found};
use crate::openapi::{self, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::http::Method;

/// `GET /v2/data-import/accounts/<supplier>/<number>/`: the version 2 status (contract 2.2, 4.1).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/accounts/<supplier>/<number>/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "getAccountStatus",
        tag: openapi::ACCOUNTS,
        summary: "Returns the status of an account's import",
        answers: &[response(
            200,
            "The status.",
            json_content(
                schema_of!(ProcessStatus),
                &[("processed", examples::status), ("errored", examples::errored)],
            ),
        )],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (supplier, number) = (call.parameter(0), call.parameter(1));
        let status = call.run(move |app| Ok(app.account_status(&caller, &supplier, &number)?)).await?;
        found(status)
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, Reply, TestService};
    use actix_web::test::TestRequest;

    async fn status(service: &TestService, path: &str) -> Reply {
        let path = format!("/v2/data-import/accounts/{path}");
        service.send_as_acme(TestRequest::get().uri(&path)).await
    }

    async fn create(service: &TestService, number: &str) {
        let account = ACCOUNT.replace("UNME-4001", number);
        assert_eq!(service.post("/v2/data-import/accounts/", account).await.line(), "201 {}");
    }

    #[actix_web::test]
    async fn the_status_has_the_offset_of_the_supplier() {
        let service = TestService::new();
        create(&service, "UNME-4001").await;
        let pending = status(&service, "ACME_ENERGY/UNME-4001/").await;
        service.import_pending();
        let processed = status(&service, "ACME_ENERGY/UNME-4001").await;
        assert_eq!((pending.status, processed.status), (200, 200));
        insta::assert_json_snapshot!([pending.json(), processed.json()]);
    }

    #[actix_web::test]
    async fn numbers_are_decoded_once_and_trimmed() {
        let service = TestService::new();
        for number in ["A/1", "A%2F1", "A"] {
            create(&service, number).await;
        }
        for path in ["A%2F1", "A%252F1", "A%25%32F1", "%20A%20", "%41", "%09A"] {
            assert_eq!(status(&service, &format!("ACME_ENERGY/{path}/")).await.status, 200, "{path}");
        }
        for path in ["a", "A/1", "%ff", "%00", ""] {
            assert_eq!(status(&service, &format!("ACME_ENERGY/{path}/")).await.status, 404, "{path}");
        }
    }

    #[actix_web::test]
    async fn data_of_others_is_not_found() {
        let service = TestService::new();
        create(&service, "A").await;
        let mut answers = Vec::new();
        for path in ["ACME_ENERGY/B/", "OTHER/A/", "NOBODY/A/", "validate/A/", "bulk/A/", "%20/A/"] {
            answers.push(status(&service, path).await.line());
        }
        answers.dedup();
        insta::assert_snapshot!(answers.join("\n"));
    }
}
