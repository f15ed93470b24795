use super::account_lists::cursor;
use super::{Endpoint, Kind, pages};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Operation, Response, array_of, examples, json_content, refusals};
use crate::refusal::Refusal;
use crate::request::path::encode;
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_model::AccountTotals;
use cutover_model::describe::{Json, Schemas};

/// `GET /v2/data-import/import-suppliers/<supplier>/account-totals/`: the totals of each imported account, in pages
/// (contract D13).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/import-suppliers/<supplier>/account-totals/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "listAccountTotals",
        tag: openapi::PROGRESS,
        summary: "Lists the totals of each imported account",
        notes: "Returns pages, in import order. If the totals of the progress differ from what was sent, this tells by \
                which accounts. Each account is read for it: ask for it after the migration, not again and again.",
        query: pages::PARAMETERS,
        answers: &[Response {
            status: 200,
            means: "The totals of the accounts; an empty array if there are none.",
            headers: &["Link"],
            content: json_content(all, &[("usual", examples::account_totals)]),
        }],
        refusals: refusals::of_list,
        ..Operation::BASE
    }),
};

fn all(schemas: &mut Schemas) -> Json {
    array_of(schemas, &AccountTotals::SPEC)
}

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let supplier = call.parameter(0);
        let (after, size) = pages::read(call.query(), |key| cursor::of_bytes(&key))?;
        let found =
            call.run_page(move |app| Ok(app.account_totals(&caller, &supplier, after, size)?)).await?;
        let (totals, next) = found.ok_or(Refusal::NotFound)?;
        let mut response = HttpResponse::Ok();
        if let Some(next) = next {
            response.insert_header(pages::next(&encode(call.path()), size, cursor::bytes(next)));
        }
        Ok(json(&mut response, &totals))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ELECTRICITY, Reply, TestService};
    use serde_json::Value;

    const TOTALS: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/account-totals/";

    fn import(service: &TestService, number: &str) {
        let mut account: Value = serde_json::from_str(ELECTRICITY).unwrap();
        account["external_account_number"] = number.into();
        account["supply_addresses"] = serde_json::json!([]);
        service.create("Acme", &account.to_string());
        service.import_pending();
    }

    #[actix_web::test]
    async fn pages_follow_the_imports() {
        let service = TestService::new();
        assert_eq!(service.get(TOTALS).await.line(), "200 []");
        for n in 1..=3 {
            import(&service, &format!("A-{n}"));
        }
        let pages = service.pages(&format!("{TOTALS}?page_size=2")).await;
        assert_eq!(pages.iter().map(Reply::count).collect::<Vec<_>>(), [2, 1]);
        insta::assert_json_snapshot!(pages.iter().map(Reply::json).collect::<Vec<_>>());
    }

    /// A transaction that is added later changes the balance.
    #[actix_web::test]
    async fn additions_count() {
        let service = TestService::new();
        import(&service, "A-1");
        let totals = service.get(TOTALS).await.json();
        let added = serde_json::json!({
            "import_supplier": "ACME_ENERGY", "external_account_number": "A-1",
            "transactions": [{"transaction_id": "X-1", "transaction_date": "2026-10-01", "amount": "5.25",
                "type": "CREDIT", "reason": "GENERAL_CREDIT"}],
        });
        let answer = service.post("/v1/data-import/transactions/create/", added.to_string()).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        let after = service.get(TOTALS).await.json();
        assert_eq!(after[0]["transactions"], totals[0]["transactions"].as_u64().unwrap() + 1);
        assert_ne!(after[0]["ledger_balance"], totals[0]["ledger_balance"]);
    }

    #[actix_web::test]
    async fn data_of_others_is_not_found() {
        let service = TestService::with_accounts();
        for supplier in ["OTHER", "NOBODY", "%20"] {
            let reply = service.get(&TOTALS.replace("ACME_ENERGY", supplier)).await;
            assert_eq!(reply.line(), r#"404 {"detail":"Not found.","code":"not_found"}"#, "{supplier}");
        }
        let refused = service.get(&format!("{TOTALS}?cursor=x")).await;
        assert_eq!(refused.status, 400, "{}", refused.text());
    }
}
