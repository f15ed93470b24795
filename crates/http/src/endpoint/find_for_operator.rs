use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Access, Body, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::HttpResponse;
use actix_web::http::Method;

/// The largest body in bytes.
const MAX_BODY: usize = 4 << 10;

/// `POST /v2/operator/account-search/`: finds accounts by what people know of them (contract D12, decision 0068).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v2/operator/account-search/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "searchAccounts",
        tag: openapi::OPERATORS,
        summary: "Finds accounts by what people know of them",
        notes: "Searches imported, waiting, failed and refused accounts of the organisation, as the console does. The cost does not \
                depend on the number of accounts. Each search is in the audit trail, without its text.",
        access: Access::OperatorKey,
        body: Body::Request("account-search", &["account_search"]),
        answers: &[response(
            200,
            "The accounts; none if nothing was found.",
            json_content(schema_of!(AccountsFoundShown), &[("usual", examples::accounts_found)]),
        )],
        refusals: refusals::of_account_search,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.operator().await?;
        let body = call.small_body(MAX_BODY).await?;
        let found = call.run_with(body, move |app, body| Ok(app.find_for_operator(&caller, body)?)).await?;
        Ok(json(&mut HttpResponse::Ok(), &found))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, Reply, TestService};
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;
    use cutover_app::operator::AuditScope;
    use cutover_app::port::{ApiKeyRole, AuditAction};
    use serde_json::{Value, json};

    const PATH: &str = "/v2/operator/account-search/";

    async fn search_with(service: &TestService, credentials: &str, body: Value) -> Reply {
        let request = TestRequest::post().uri(PATH).insert_header((AUTHORIZATION, credentials));
        service.send(request.set_payload(body.to_string())).await
    }

    async fn search(service: &TestService, body: Value) -> Reply {
        let key = service.key_as("Acme", ApiKeyRole::Operator);
        search_with(service, &format!("Token {key}"), body).await
    }

    fn numbers(reply: &Reply) -> Vec<String> {
        assert_eq!(reply.status, 200, "{}", reply.text());
        let accounts = reply.json()["accounts"].as_array().unwrap().clone();
        let number = |account: &Value| account["external_account_number"].as_str().unwrap().to_owned();
        accounts.iter().map(number).collect()
    }

    #[actix_web::test]
    async fn an_operator_finds_accounts_of_its_organisation_by_name() {
        let service = TestService::with_accounts();
        let mut faulty: Value = serde_json::from_str(ACCOUNT).unwrap();
        faulty["external_account_number"] = "OKAFOR-2".into();
        faulty["unknown"] = 1.into();
        let refused = service.post("/v2/data-import/accounts/", faulty.to_string()).await;
        assert_eq!(refused.status, 400, "{}", refused.text());
        insta::assert_json_snapshot!(search(&service, json!({"text": "okafor"})).await.json());
        let everywhere = numbers(&search(&service, json!({"text": "ELEC-1001"})).await);
        assert_eq!(everywhere, ["ELEC-1001"], "Other has one as well");
        let here = json!({"text": "ELEC-1001", "supplier": " ACME_ENERGY "});
        assert_eq!(numbers(&search(&service, here).await), ["ELEC-1001"]);
        assert_eq!(numbers(&search(&service, json!({"text": "nobody", "supplier": null})).await), [""; 0]);
        let [missing, foreign] =
            ["NOBODY", "OTHER"].map(|code| json!({"text": "ELEC-1001", "supplier": code}));
        let (missing, foreign) = (search(&service, missing).await, search(&service, foreign).await);
        assert_eq!((missing.line(), missing.status), (foreign.line(), 404));
        let scope =
            AuditScope { action: Some(AuditAction::AccountsSearched), limit: 10, ..AuditScope::default() };
        let trail = service.app.as_command().audit(&scope).unwrap();
        assert!(trail.len() == 4 && trail.iter().all(|record| record.by.starts_with("key:")), "{trail:?}");
        assert!(!format!("{trail:?}").to_lowercase().contains("okafor"));
    }

    #[actix_web::test]
    async fn only_keys_of_operators_search() {
        let service = TestService::new();
        let body = || json!({"text": "okafor"});
        let supplier = service.token();
        let reader = service.key_as("Acme", ApiKeyRole::Reader);
        for (credentials, expected) in [
            (format!("Token {supplier}"), "403 permission_denied"),
            (format!("Bearer {reader}"), "403 permission_denied"),
            (format!("Token {}", service.key_as("Acme", ApiKeyRole::Display)), "403 permission_denied"),
            (format!("Token cut_live_00000000_{}", "0".repeat(52)), "401 authentication_failed"),
            ("Token x".into(), "401 authentication_failed"),
            (format!("Bearer {}", service.key_as("Acme", ApiKeyRole::Operator)), "200"),
        ] {
            let reply = search_with(&service, &credentials, body()).await;
            let code = reply.json()["code"].as_str().map(|code| format!(" {code}")).unwrap_or_default();
            assert_eq!(format!("{}{code}", reply.status), expected, "{credentials}");
        }
        let none = service.send(TestRequest::post().uri(PATH).set_payload(body().to_string())).await;
        assert_eq!((none.status, &none.json()["code"]), (401, &json!("not_authenticated")));
        // A key is no token.
        let operator = service.key_as("Acme", ApiKeyRole::Operator);
        let import = TestRequest::get().uri("/v2/data-import/import-suppliers/ACME_ENERGY/");
        let import = import.insert_header((AUTHORIZATION, format!("Token {operator}")));
        assert_eq!(service.send(import).await.status, 401);
    }

    #[actix_web::test]
    async fn faulty_searches_are_refused() {
        let service = TestService::new();
        for (body, code, attr) in [
            (json!({}), "required", "text"),
            (json!({"text": " "}), "blank", "text"),
            (json!({"text": 7}), "invalid", "text"),
            (json!({"text": "x".repeat(129)}), "max_length", "text"),
            (json!({"text": "x", "limit": 7}), "unknown_field", "limit"),
            (json!([]), "invalid", "non_field_errors"),
        ] {
            let refused = search(&service, body.clone()).await;
            assert_eq!(refused.status, 400, "{body}: {}", refused.text());
            let error = &refused.json()["errors"][0];
            assert_eq!((&error["code"], &error["attr"]), (&json!(code), &json!(attr)), "{body}");
        }
        let key = service.key_as("Acme", ApiKeyRole::Operator);
        let request = TestRequest::post().uri(PATH).insert_header((AUTHORIZATION, format!("Token {key}")));
        let refused = service.send(request.set_payload("{")).await;
        assert_eq!((refused.status, &refused.json()["code"]), (400, &json!("parse_error")));
    }

    #[actix_web::test]
    async fn guesses_are_limited() {
        let service = TestService::with_accounts();
        let guess = format!("Token cut_live_00000000_{}", "0".repeat(52));
        let mut last = 401;
        for _ in 0..=100 {
            last = search_with(&service, &guess, json!({"text": "x"})).await.status;
        }
        assert_eq!(last, 429);
    }
}
