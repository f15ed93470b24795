//! The account numbers of a manifest, and the accounts that are missing or too many (contract D17).

use super::{Endpoint, Kind, pages};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{
    self, Body, Operation, Response, array_of, examples, json_content, refusals, response, schema_of,
};
use crate::refusal::Refusal;
use crate::request::path::encode as encode_path;
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_app::account::NumberDifference;
use cutover_core::ExternalAccountNumber;
use cutover_model::ManifestAccount;
use cutover_model::describe::{Json, Schemas};

/// The largest body in bytes: 10,000 numbers of 128 characters of four bytes each.
const MAX_BODY: usize = 8 << 20;

/// `PUT /v2/data-import/import-suppliers/<supplier>/manifest/numbers/`: declares account numbers, a part at a time.
pub(crate) const PUT: Endpoint = Endpoint {
    method: Method::PUT,
    template: "/v2/data-import/import-suppliers/<supplier>/manifest/numbers/",
    kind: Kind::Api,
    handler: put,
    operation: Some(Operation {
        id: "declareAccountNumbers",
        tag: openapi::PROGRESS,
        summary: "Declares the account numbers of a manifest",
        notes: "A list is sent in parts of at most 10,000 account numbers, in their order; part 1 begins a new one. With the last part it \
                replaces the list before. A manifest that is declared later has no list until one is sent. A part that is sent \
                again is taken once.",
        body: Body::Request("manifest-numbers", &["manifest_numbers"]),
        answers: &[response(
            200,
            "The part is stored.",
            json_content(schema_of!(ManifestNumbersShown), &[("usual", examples::manifest_numbers)]),
        )],
        refusals: refusals::of_numbers,
        ..Operation::BASE
    }),
};

/// `GET /v2/data-import/import-suppliers/<supplier>/manifest/missing/`: accounts that are declared and were not sent.
pub(crate) const MISSING: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/import-suppliers/<supplier>/manifest/missing/",
    kind: Kind::Api,
    handler: missing,
    operation: Some(Operation {
        id: "listMissingAccounts",
        tag: openapi::PROGRESS,
        summary: "Lists accounts that are declared and were not sent",
        notes: "Returns pages, by number. Accounts that were only rehearsed, cancelled or refused are missing too.",
        query: pages::PARAMETERS,
        answers: &[Response {
            status: 200,
            means: "The accounts. A page may have fewer, even none, before the last one.",
            headers: &["Link"],
            content: json_content(all, &[("usual", examples::manifest_accounts)]),
        }],
        refusals: refusals::of_number_list,
        ..Operation::BASE
    }),
};

/// `GET /v2/data-import/import-suppliers/<supplier>/manifest/unexpected/`: accounts that were sent and are not declared.
pub(crate) const UNEXPECTED: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/import-suppliers/<supplier>/manifest/unexpected/",
    kind: Kind::Api,
    handler: unexpected,
    operation: Some(Operation {
        id: "listUnexpectedAccounts",
        tag: openapi::PROGRESS,
        summary: "Lists accounts that were sent and are not declared",
        notes: "Returns pages, by number.",
        query: pages::PARAMETERS,
        answers: &[Response {
            status: 200,
            means: "The accounts. A page may have fewer, even none, before the last one.",
            headers: &["Link"],
            content: json_content(all, &[("usual", examples::manifest_accounts)]),
        }],
        refusals: refusals::of_number_list,
        ..Operation::BASE
    }),
};

fn all(schemas: &mut Schemas) -> Json {
    array_of(schemas, &ManifestAccount::SPEC)
}

fn put(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let supplier = call.parameter(0);
        let body = call.small_body(MAX_BODY).await?;
        let stored =
            call.run_with(body, move |app, body| Ok(app.declare_numbers(&caller, &supplier, body)?)).await?;
        Ok(json(&mut HttpResponse::Ok(), &stored))
    })
}

fn missing(call: &mut Call) -> Answer<'_> {
    Box::pin(list(call, NumberDifference::Missing))
}

fn unexpected(call: &mut Call) -> Answer<'_> {
    Box::pin(list(call, NumberDifference::Unexpected))
}

async fn list(call: &mut Call, difference: NumberDifference) -> Result<HttpResponse, Refusal> {
    let caller = call.caller().await?;
    let supplier = call.parameter(0);
    let (after, size) = pages::read(call.query(), number)?;
    let after = after.unwrap_or_default();
    let read =
        call.run_page(move |app| Ok(app.number_differences(&caller, &supplier, difference, &after, size)?));
    let page = read.await?;
    let mut response = HttpResponse::Ok();
    if let Some(next) = page.next {
        response.insert_header(pages::next(&encode_path(call.path()), size, next));
    }
    let shown = |external_account_number| ManifestAccount { external_account_number };
    Ok(json(&mut response, &page.numbers.into_iter().map(shown).collect::<Vec<_>>()))
}

fn number(key: Vec<u8>) -> Option<String> {
    let number = String::from_utf8(key).ok()?;
    number.parse::<ExternalAccountNumber>().ok().map(|_| number)
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, ELECTRICITY, Reply, TestService};
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;
    use cutover_app::port::ApiKeyRole;
    use serde_json::{Value, json};

    const MANIFEST: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/manifest/";

    async fn put(service: &TestService, path: &str, body: &Value) -> Reply {
        service.send_as_acme(TestRequest::put().uri(path).set_payload(body.to_string())).await
    }

    async fn declare(service: &TestService) {
        let figures =
            json!({"accounts": 2, "ledger_balance": "0", "readings": 0, "transactions": 0, "documents": 0});
        assert_eq!(put(service, MANIFEST, &figures).await.status, 200);
    }

    fn part(part: u32, is_last: bool, numbers: &[&str]) -> Value {
        json!({"part": part, "is_last": is_last, "account_numbers": numbers})
    }

    async fn numbers(service: &TestService, part: &Value) -> Reply {
        put(service, &format!("{MANIFEST}numbers/"), part).await
    }

    async fn listed(service: &TestService, which: &str) -> Vec<String> {
        let pages = service.pages(&format!("{MANIFEST}{which}/?page_size=1")).await;
        let pages: Vec<Value> = pages.iter().map(Reply::json).collect();
        let items = pages.iter().flat_map(|page| page.as_array().unwrap());
        items.map(|item| item["external_account_number"].as_str().unwrap().to_owned()).collect()
    }

    #[actix_web::test]
    async fn what_is_missing_and_what_is_too_many_is_named() {
        let service = TestService::new();
        assert_eq!(numbers(&service, &part(1, true, &["A"])).await.json()["code"], "manifest_not_declared");
        declare(&service).await;
        let none = service.get(&format!("{MANIFEST}missing/")).await;
        assert_eq!((none.status, &none.json()["code"]), (404, &json!("manifest_not_declared")));
        service.create("Acme", ELECTRICITY);
        service.import_pending();
        service.create("Acme", ACCOUNT);
        let first = numbers(&service, &part(1, false, &["M-1", "ELEC-1001"])).await.json();
        assert_eq!(first, json!({"account_numbers": 2, "is_complete": false}));
        assert_eq!(service.get(&format!("{MANIFEST}missing/")).await.status, 404);
        let last = part(2, true, &["M-2", "M-3"]);
        for _ in 0..2 {
            let stored = numbers(&service, &last).await.json();
            assert_eq!(stored, json!({"account_numbers": 4, "is_complete": true}));
        }
        assert_eq!(listed(&service, "missing").await, ["M-1", "M-2", "M-3"]);
        assert_eq!(listed(&service, "unexpected").await, ["UNME-4001"]);
        // A cancelled account was not sent.
        service.app.as_command().cancel_process("ACME_ENERGY", "UNME-4001").unwrap();
        assert_eq!(listed(&service, "unexpected").await, [""; 0]);
        numbers(&service, &part(1, true, &["UNME-4001"])).await;
        assert_eq!(listed(&service, "missing").await, ["UNME-4001"]);
        assert_eq!(listed(&service, "unexpected").await, ["ELEC-1001"]);
        // A manifest that is declared anew has no list.
        declare(&service).await;
        assert_eq!(service.get(&format!("{MANIFEST}missing/")).await.status, 404);
    }

    #[actix_web::test]
    async fn faulty_parts_change_nothing() {
        let service = TestService::new();
        declare(&service).await;
        for body in [
            json!({}),
            part(2, true, &["A"]),
            part(0, true, &["A"]),
            part(1, true, &["\u{0}"]),
            part(1, true, &["  "]),
        ] {
            assert_eq!(numbers(&service, &body).await.status, 400, "{body}");
        }
        assert_eq!(service.get(&format!("{MANIFEST}missing/")).await.status, 404);
    }

    #[actix_web::test]
    async fn numbers_of_others_are_not_there_and_readers_only_read() {
        let service = TestService::new();
        declare(&service).await;
        numbers(&service, &part(1, true, &["A"])).await;
        for supplier in ["OTHER", "NOBODY"] {
            let manifest = MANIFEST.replace("ACME_ENERGY", supplier);
            for which in ["missing", "unexpected"] {
                assert_eq!(service.get(&format!("{manifest}{which}/")).await.json()["code"], "not_found");
            }
            let declared = put(&service, &format!("{manifest}numbers/"), &part(1, true, &["A"])).await;
            assert_eq!(declared.json()["code"], "not_found");
        }
        let token = (AUTHORIZATION, format!("Token {}", service.token_as("Acme", ApiKeyRole::Reader)));
        let read = TestRequest::get().uri(&format!("{MANIFEST}missing/")).insert_header(token.clone());
        assert_eq!(service.send(read).await.status, 200);
        let write =
            TestRequest::put().uri(&format!("{MANIFEST}numbers/")).insert_header(token).set_payload("{}");
        assert_eq!(service.send(write).await.status, 403);
    }
}
