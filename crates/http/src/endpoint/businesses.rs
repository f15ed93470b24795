//! Businesses that were created: one, all, and replacements (contract D13).

use super::{Endpoint, Kind, pages};
use crate::answer::{json, written_json};
use crate::call::{Answer, Call};
use crate::openapi::{
    self, Body, Operation, Response, examples, json_content, own, refusals, response, schema_of,
};
use crate::refusal::Refusal;
use actix_web::HttpResponse;
use actix_web::http::Method;

const ALL: &str = "/v2/data-import/businesses/";
const ONE: &str = "/v2/data-import/businesses/<business>/";

/// `GET /v2/data-import/businesses/<business>/`: a business (contract D13).
pub(crate) const GET: Endpoint = Endpoint {
    method: Method::GET,
    template: ONE,
    kind: Kind::Api,
    handler: get,
    operation: Some(Operation {
        id: "getBusiness",
        tag: openapi::BUSINESSES,
        summary: "Returns a business with its contracts",
        notes: "As it was last sent, with its number here. Lists that were left out are empty.",
        answers: &[response(
            200,
            "The business.",
            json_content(own::stored_business, &[("usual", examples::stored_business)]),
        )],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

/// `GET /v2/data-import/businesses/`: all businesses, in pages (contract D13).
pub(crate) const LIST: Endpoint = Endpoint {
    method: Method::GET,
    template: ALL,
    kind: Kind::Api,
    handler: list,
    operation: Some(Operation {
        id: "listBusinesses",
        tag: openapi::BUSINESSES,
        summary: "Returns the businesses of the organisation, in pages",
        notes: "In the order of their numbers. A page ends early if its businesses are large: continue until a \
                response has no `Link`.",
        query: pages::PARAMETERS,
        answers: &[Response {
            status: 200,
            means: "The businesses; an empty array if there are none.",
            headers: &["Link"],
            content: json_content(own::stored_businesses, &[("usual", examples::stored_businesses)]),
        }],
        refusals: refusals::of_businesses,
        ..Operation::BASE
    }),
};

/// `PUT /v2/data-import/businesses/<business>/`: replaces a business (contract D13).
pub(crate) const PUT: Endpoint = Endpoint {
    method: Method::PUT,
    template: ONE,
    kind: Kind::Api,
    handler: put,
    operation: Some(Operation {
        id: "replaceBusiness",
        tag: openapi::BUSINESSES,
        summary: "Replaces a business with its contracts",
        notes: "Takes the body of a create. Contracts that the body lacks are removed, unless an account that is \
                imported or waits refers to one. The number stays.",
        body: Body::Request("business", &["business"]),
        answers: &[response(
            200,
            "The business is as sent.",
            json_content(schema_of!(BusinessCreated), &[("usual", examples::business)]),
        )],
        refusals: refusals::of_replacement,
        ..Operation::BASE
    }),
};

fn get(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let identifier = call.parameter(0);
        let found = call.run_page(move |app| Ok(app.business(&caller, &identifier)?)).await?;
        Ok(written_json(&mut HttpResponse::Ok(), found.ok_or(Refusal::NotFound)?))
    })
}

fn list(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let (after, size) = pages::read(call.query(), |key| Some(i64::from_be_bytes(key.try_into().ok()?)))?;
        let after = after.unwrap_or(0);
        let (items, next) = call.run_page(move |app| Ok(app.businesses(&caller, after, size)?)).await?;
        let mut response = HttpResponse::Ok();
        if let Some(next) = next {
            response.insert_header(pages::next(ALL, size, next.to_be_bytes()));
        }
        Ok(written_json(&mut response, items))
    })
}

fn put(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let identifier = call.parameter(0);
        let body = call.body().await?;
        let replaced = call
            .run_with(body, move |app, body| Ok(app.replace_business(&caller, &identifier, body)?))
            .await?;
        Ok(json(&mut HttpResponse::Ok(), &replaced))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, Reply, TestService};
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;
    use serde_json::{Value, json};

    const COLD_STORAGE: &str = include_str!("../../../../fixtures/businesses/valid/cold_storage.json");
    const ALL: &str = "/v2/data-import/businesses/";

    async fn put(service: &TestService, identifier: &str, body: &Value) -> Reply {
        let request = TestRequest::put().uri(&format!("{ALL}{identifier}/"));
        service.send_as_acme(request.set_payload(body.to_string())).await
    }

    fn business(identifier: &str, contracts: &[&str]) -> Value {
        let contract = |identifier: &&str| {
            json!({"identifier": identifier, "valid_from_date": "2026-01-01", "signed_at_date": "2025-12-01",
                "versions": []})
        };
        let contracts: Vec<Value> = contracts.iter().map(contract).collect();
        json!({"import_supplier_code": "ACME_ENERGY", "external_business_identifier": identifier,
            "business": {"company_name": "Zoë", "business_contracts": contracts}})
    }

    async fn create(service: &TestService, body: &Value) {
        let created = service.post("/v1/data-import/business/", body.to_string()).await;
        assert_eq!(created.status, 201, "{}", created.text());
    }

    fn account(number: &str, contract: &str) -> String {
        let mut account: Value = serde_json::from_str(ACCOUNT).unwrap();
        account["external_account_number"] = number.into();
        account["business"] = json!({"business_contract_identifier": contract});
        account.to_string()
    }

    #[actix_web::test]
    async fn a_business_is_returned_as_sent() {
        let service = TestService::new();
        let sent: Value = serde_json::from_str(COLD_STORAGE).unwrap();
        create(&service, &sent).await;
        let reply = service.get(&format!("{ALL}B-HALLORAN")).await;
        let mut expected = sent.clone();
        expected["service_business_id"] = 1.into();
        // A list that was left out.
        expected["business"]["business_contracts"][1]["versions"] = json!([]);
        assert_eq!((reply.status, reply.json()), (200, expected.clone()));
        assert_eq!(service.get(ALL).await.json(), json!([expected]));
        // Others have none, and their first one has the number 1 as well.
        let other = (AUTHORIZATION, format!("Token {}", service.token_of("Other")));
        let at = |path: String| TestRequest::get().uri(&path).insert_header(other.clone());
        assert_eq!(service.send(at(format!("{ALL}B-HALLORAN/"))).await.status, 404);
        assert_eq!(service.send(at(ALL.to_owned())).await.line(), "200 []");
        for path in ["NONE", "%20", "%ff"] {
            assert_eq!(service.get(&format!("{ALL}{path}/")).await.status, 404, "{path}");
        }
    }

    #[actix_web::test]
    async fn pages_lead_to_the_next() {
        let service = TestService::new();
        for n in 0..5 {
            create(&service, &business(&format!("B-{n}"), &[])).await;
        }
        let pages = service.pages(&format!("{ALL}?page_size=2")).await;
        assert_eq!(pages.iter().map(Reply::count).collect::<Vec<_>>(), [2, 2, 1]);
        let refused = service.get(&format!("{ALL}?cursor=x&page_size=0")).await;
        let attrs = refused.json()["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| e["attr"].clone())
            .collect::<Vec<_>>();
        assert_eq!((refused.status, attrs), (400, vec!["cursor".into(), "page_size".into()]));
    }

    #[actix_web::test]
    async fn a_business_is_replaced() {
        let service = TestService::new();
        create(&service, &business("B-1", &["C-1", "C-2"])).await;
        create(&service, &business("B-2", &["C-9"])).await;
        let mut changed = business("B-1", &["C-3", "C-2"]);
        changed["business"]["company_name"] = "Other".into();
        for _ in 0..2 {
            let reply = put(&service, "B-1", &changed).await;
            assert_eq!(reply.line(), r#"200 {"service_business_id":1,"external_business_identifier":"B-1"}"#);
        }
        let kept = service.get(&format!("{ALL}B-1/")).await.json();
        assert_eq!(kept["business"]["company_name"], "Other");
        let contracts = kept["business"]["business_contracts"].as_array().unwrap();
        let names: Vec<_> = contracts.iter().map(|contract| contract["identifier"].clone()).collect();
        assert_eq!(names, ["C-3", "C-2"]);
        let events = service.get("/v2/data-import/events/?type=business.changed").await.json();
        assert_eq!(events.as_array().unwrap().len(), 1, "{events}");
        assert_eq!(
            events[0]["data"],
            json!({"external_business_identifier": "B-1", "service_business_id": 1})
        );
        // The contract is another's; the path names none; the body names another.
        let mut lines = vec![put(&service, "B-1", &business("B-1", &["C-9"])).await.line()];
        lines.push(put(&service, "B-7", &business("B-7", &[])).await.line());
        lines.push(put(&service, "B-7", &json!({})).await.line());
        lines.push(put(&service, "B-1", &business("B-2", &[])).await.line());
        insta::assert_snapshot!(lines.join("\n"));
    }

    /// Given accounts that wait, are imported, or ended without an account.
    #[actix_web::test]
    async fn contracts_in_use_stay() {
        let service = TestService::new();
        create(&service, &business("B-1", &["C-1", "C-2", "C-3"])).await;
        service.create("Acme", &account("A-1", "C-1"));
        service.import_pending();
        service.create("Acme", &account("A-2", " C-2 "));
        service.create("Acme", &account("A-3", "C-3"));
        service.app.as_command().cancel_process("ACME_ENERGY", "A-3").unwrap();
        for kept in [&["C-2", "C-3"][..], &["C-1", "C-3"], &[], &["c-1", "C-2"]] {
            let refused = put(&service, "B-1", &business("B-1", kept)).await;
            let item = &refused.json()["errors"][0];
            assert_eq!(refused.status, 400, "{kept:?}");
            assert_eq!(
                (&item["code"], &item["attr"]),
                (&json!("contract_in_use"), &json!("business.business_contracts"))
            );
        }
        let kept = service.get(&format!("{ALL}B-1/")).await.json();
        assert_eq!(kept["business"]["business_contracts"].as_array().unwrap().len(), 3);
        assert_eq!(put(&service, "B-1", &business("B-1", &["C-2", "C-1"])).await.status, 200);
        // The cancelled account can no longer be sent, as it is.
        let again = service.post("/v2/data-import/accounts/", account("A-3", "C-3")).await;
        assert_eq!(again.status, 400);
        // Nor does a replaced payload hold its former contract.
        let moved = service.post("/v2/data-import/accounts/", account("A-2", "C-1")).await;
        assert_eq!(moved.line(), "201 {}");
        assert_eq!(put(&service, "B-1", &business("B-1", &["C-1"])).await.status, 200);
    }
}
