use super::{Endpoint, Kind};
use crate::call::{Answer, Call, found};
use crate::openapi::{self, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::http::Method;

/// `GET /v2/data-import/accounts/<supplier>/<number>/issues/`: why an account failed and what it was warned of
/// (contract D13).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/accounts/<supplier>/<number>/issues/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "getAccountIssues",
        tag: openapi::ACCOUNTS,
        summary: "Returns the errors and warnings of an account",
        notes: "A failure that is about no part of the payload, such as a missed window, has no errors here: the \
                status says what happened.",
        answers: &[response(
            200,
            "The issues.",
            json_content(schema_of!(AccountIssues), &[("failed", examples::issues)]),
        )],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (supplier, number) = (call.parameter(0), call.parameter(1));
        let issues = call.run(move |app| Ok(app.account_issues(&caller, &supplier, &number)?)).await?;
        found(issues)
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, TestService};
    use cutover_app::operator::SupplierChange;
    use cutover_core::Level;
    use serde_json::{Value, json};

    const PATH: &str = "/v2/data-import/accounts/ACME_ENERGY/UNME-4001/issues/";

    async fn issues(service: &TestService) -> Value {
        let reply = service.get(PATH).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }

    /// An account without customers; the rule ACC-04 warns of that, or refuses it.
    fn create(service: &TestService) {
        let mut account: Value = serde_json::from_str(ACCOUNT).unwrap();
        account["customers"] = json!([]);
        service.create("Acme", &account.to_string());
    }

    fn require_customers(service: &TestService, level: Option<Level>) {
        let rules = [("ACC-04".to_owned(), level)].into();
        service.set_supplier(SupplierChange { rules, ..SupplierChange::default() });
    }

    #[actix_web::test]
    async fn errors_are_those_of_the_last_attempt() {
        let service = TestService::new();
        create(&service);
        let pending = issues(&service).await;
        require_customers(&service, Some(Level::Error));
        service.import_pending();
        let failed = issues(&service).await;
        insta::assert_json_snapshot!([pending, failed]);
        service.app.as_command().retry_process("ACME_ENERGY", "UNME-4001").unwrap();
        assert_eq!(issues(&service).await["errors"], json!([]));
        require_customers(&service, None);
        service.import_pending();
        let imported = issues(&service).await;
        assert_eq!((&imported["attempt"], &imported["errors"]), (&json!(2), &json!([])));
    }

    #[actix_web::test]
    async fn warnings_of_later_requests_are_kept_once() {
        let service = TestService::new();
        create(&service);
        service.import_pending();
        let before = issues(&service).await["warnings"].as_array().unwrap().len();
        let note = json!({ "body": "Call back.", "created_at": "2026-11-01T00:00:00Z" });
        let request = json!({
            "import_supplier": "ACME_ENERGY",
            "external_account_number": "UNME-4001",
            "notes": [note, note],
        });
        for _ in 0..2 {
            let reply = service.post("/v1/data-import/notes/create/", request.to_string()).await;
            assert_eq!(reply.status, 201, "{}", reply.text());
        }
        let found = issues(&service).await["warnings"].clone();
        let added = &found.as_array().unwrap()[before..];
        let expected = json!([{
            "attr": "notes.1",
            "code": "duplicate_note",
            "rule": "NOT-04",
            "detail": "The same note is given earlier; this one will not be created. Send the note once.",
            "source": "notes",
        }]);
        assert_eq!(json!(added), expected);
    }

    #[actix_web::test]
    async fn data_of_others_is_not_found() {
        let service = TestService::new();
        create(&service);
        let mut answers = Vec::new();
        for path in ["ACME_ENERGY/B/", "OTHER/UNME-4001/", "NOBODY/UNME-4001/", "validate/A/", "%20/A/"] {
            answers.push(service.get(&format!("/v2/data-import/accounts/{path}issues/")).await.line());
        }
        answers.dedup();
        insta::assert_snapshot!(answers.join("\n"));
    }
}
