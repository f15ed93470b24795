use super::{Endpoint, Kind};
use crate::answer::written_json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Operation, examples, json_content, own, refusals, response};
use crate::refusal::Refusal;
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_app::port::Access;

/// `GET /v2/data-import/imported-accounts/<supplier>/<number>/`: an imported account (contract D19).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/imported-accounts/<supplier>/<number>/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "getImportedAccount",
        tag: openapi::EVENTS,
        summary: "Returns an imported account",
        notes: "For keys of the role `reader`. Decimals are strings with the digits that were sent, and datetimes have the \
                offset of the supplier's zone.",
        answers: &[response(
            200,
            "The account, with what was added since its import.",
            json_content(own::imported_account, &[("usual", examples::imported_account)]),
        )],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller_for(Access::ReadAccounts).await?;
        let (supplier, number) = (call.parameter(0), call.parameter(1));
        let account =
            call.run_page(move |app| Ok(app.imported_account(&caller, &supplier, &number)?)).await?;
        Ok(written_json(&mut HttpResponse::Ok(), account.ok_or(Refusal::NotFound)?))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ELECTRICITY, Reply, TestService};
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;
    use cutover_app::port::ApiKeyRole;
    use serde_json::{Value, json};

    async fn read(service: &TestService, path: &str) -> Reply {
        let token = (AUTHORIZATION, format!("Token {}", service.token_as("Acme", ApiKeyRole::Reader)));
        let path = format!("/v2/data-import/imported-accounts/{path}");
        service.send(TestRequest::get().uri(&path).insert_header(token)).await
    }

    /// Members that were sent as null are left out.
    fn without_nulls(value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let kept = members.iter().filter(|(_, value)| !value.is_null());
                kept.map(|(name, value)| (name.clone(), without_nulls(value))).collect()
            }
            Value::Array(items) => items.iter().map(without_nulls).collect(),
            value => value.clone(),
        }
    }

    #[actix_web::test]
    async fn an_account_has_what_was_sent_and_what_was_added() {
        let service = TestService::with_accounts();
        let note = json!({"import_supplier": "ACME_ENERGY", "external_account_number": "ELEC-1001",
            "notes": [{"body": "Called.", "created_at": "2026-11-20T10:00:00+11:00"}]});
        let added = service.post("/v1/data-import/notes/create/", note.to_string()).await;
        assert_eq!(added.status, 201, "{}", added.text());
        let reply = read(&service, "ACME_ENERGY/ELEC-1001/").await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let (account, sent) = (reply.json(), serde_json::from_str::<Value>(ELECTRICITY).unwrap());
        assert!(account["service_account_number"].as_str().unwrap().starts_with("A-"));
        assert_eq!(account["customer_emails"], json!(false));
        for member in ["customers", "events"] {
            assert_eq!(account[member], without_nulls(&sent[member]), "{member}");
        }
        let notes = account["notes"].as_array().unwrap();
        assert_eq!(notes.last().unwrap()["body"], "Called.");
        assert_eq!(notes.last().unwrap()["created_at"], "2026-11-20T10:00:00+11:00");
    }

    #[actix_web::test]
    async fn accounts_that_are_not_imported_are_not_found() {
        let service = TestService::with_accounts();
        service.create("Acme", &ELECTRICITY.replace("ELEC-1001", "ELEC-2"));
        let mut answers = Vec::new();
        for path in
            ["ACME_ENERGY/NONE/", "ACME_ENERGY/ELEC-2/", "OTHER/ELEC-1001/", "NOBODY/ELEC-1001/", "%ff/1/"]
        {
            answers.push(read(&service, path).await.line());
        }
        answers.dedup();
        assert_eq!(answers, [r#"404 {"detail":"Not found.","code":"not_found"}"#]);
    }

    #[actix_web::test]
    async fn suppliers_may_not_read_accounts() {
        let service = TestService::with_accounts();
        let refused = service.get("/v2/data-import/imported-accounts/ACME_ENERGY/ELEC-1001/").await;
        assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("permission_denied")));
    }
}
