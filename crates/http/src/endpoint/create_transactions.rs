use super::{Endpoint, Kind};
use crate::answer::written_json;
use crate::call::{Answer, Call};
use crate::openapi::{
    self, Body, Operation, Parameter, array_of, boolean_schema, examples, json_content, refusals, response,
};
use crate::request::query::{Query, boolean};
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_app::additions::AddTransactions;
use cutover_model::describe::{Json, Schemas};
use cutover_model::service::transaction_results;

/// `POST /v1/data-import/transactions/create/`: 201 with the result of each transaction (contract 4.2, D8).
/// Faulty parameters are listed among the faults of the body (contract D4).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v1/data-import/transactions/create/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "createTransactions",
        tag: openapi::AFTER,
        summary: "Adds transactions to an imported account",
        notes: "Adds all of them or none, and updates the balance of the account's first ledger.",
        query: &[
            Parameter {
                name: "check_previously_added",
                doc: "If true, a transaction that the account already has is skipped. `true` or `false` in any \
                      case, `1` or `0`.",
                schema: || boolean_schema(true),
            },
            Parameter {
                name: "force_add_to_current_statement",
                doc: "If true, a transaction outside the open statement period is moved into it; if false, it is an \
                      error. `true` or `false` in any case, `1` or `0`.",
                schema: || boolean_schema(true),
            },
        ],
        body: Body::Request("transactions", &["transactions"]),
        answers: &[response(
            201,
            "The result of each transaction, in order.",
            json_content(transactions, &[("usual", examples::transactions)]),
        )],
        refusals: refusals::of_transactions,
        ..Operation::BASE
    }),
};

fn transactions(schemas: &mut Schemas) -> Json {
    let results = array_of(schemas, &cutover_model::TransactionResult::SPEC);
    Json::object()
        .with("type", "object")
        .with("properties", Json::object().with("results", results))
        .with("required", Json::list(["results"]))
}

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let body = call.body().await?;
        let query = options(call.query());
        let add = call.run_with(body, move |app, body| {
            Ok(transaction_results(&app.add_transactions(&caller, body, query)?))
        });
        Ok(written_json(&mut HttpResponse::Created(), add.await?))
    })
}

/// Parses the query, or returns the names of its faulty parameters.
fn options(query: &str) -> Result<AddTransactions, Vec<&'static str>> {
    let (mut query, mut options) = (Query::new(query), AddTransactions::default());
    if let Some(check) = query.read("check_previously_added", boolean) {
        options.check_previously_added = check;
    }
    if let Some(force) = query.read("force_add_to_current_statement", boolean) {
        options.force_add_to_current_statement = force;
    }
    let faulty = query.into_faulty();
    if faulty.is_empty() { Ok(options) } else { Err(faulty) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ELECTRICITY, TestService};

    const PATH: &str = "/v1/data-import/transactions/create/";
    const REFUND: &str = include_str!("../../../../fixtures/transactions/valid/refund.json");
    const NO_DATE: &str = include_str!("../../../../fixtures/transactions/faulty/STR-01-required.json");

    #[actix_web::test]
    async fn transactions_are_added_once() {
        let service = TestService::with_accounts();
        let mut lines = Vec::new();
        for _ in 0..2 {
            lines.push(service.post(PATH, REFUND).await.line());
        }
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[actix_web::test]
    async fn the_query_is_obeyed() {
        let service = TestService::with_accounts();
        service.post(PATH, REFUND).await;
        let again = service.post(&format!("{PATH}?check_previously_added=FALSE"), REFUND).await;
        assert_eq!(again.json()["results"][0]["status"], "TRANSACTION_ADDED_TO_ACCOUNT");
        let old = REFUND.replace("2026-11-18", "2020-01-01").replace("CH-11", "CH-12");
        let kept_out = service.post(&format!("{PATH}?force_add_to_current_statement=0"), old.clone()).await;
        let moved = service.post(PATH, old).await;
        assert_eq!(moved.json()["results"][0]["status"], "TRANSACTION_ADDED_TO_ACCOUNT");
        assert_ne!(moved.json()["results"][0]["transaction_data"]["transaction_date"], "2020-01-01");
        insta::assert_snapshot!(kept_out.line());
    }

    #[test]
    fn options_default_to_true() {
        fn read(query: &str) -> Result<(bool, bool), Vec<&'static str>> {
            let read = options(query)?;
            Ok((read.check_previously_added, read.force_add_to_current_statement))
        }
        for (query, expected) in [
            ("", (true, true)),
            ("check_previously_added=false", (false, true)),
            ("force_add_to_current_statement=False&other=?", (true, false)),
            ("check_previously_added=0&force_add_to_current_statement=0", (false, false)),
            ("check_previously_added=TRUE&force_add_to_current_statement=1", (true, true)),
        ] {
            assert_eq!(read(query).unwrap(), expected, "{query}");
        }
        let check = "check_previously_added";
        for value in ["=", "", "=yes", "=2", "=%ff", "=true%20", "=true&check_previously_added=true"] {
            assert_eq!(read(&format!("{check}{value}")).unwrap_err(), [check], "{value}");
        }
    }

    #[actix_web::test]
    async fn each_refusal_has_its_body() {
        let service = TestService::new();
        let mut lines = vec![service.post(PATH, REFUND).await.line()];
        service.create("Acme", ELECTRICITY);
        let wrapper = REFUND.replace("\"transactions\"", "\"transaction\"");
        for body in [REFUND, "{\"transactions\":", NO_DATE, &wrapper] {
            lines.push(service.post(PATH, body.to_owned()).await.line());
        }
        service.import_pending();
        service.post(PATH, REFUND).await;
        lines.push(service.post(PATH, REFUND.replace("8.8", "8.9")).await.line());
        service.set_store_down(true);
        lines.push(service.post(PATH, REFUND).await.line());
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[actix_web::test]
    async fn a_faulty_query_is_reported_with_the_faults_of_the_body() {
        let service = TestService::with_accounts();
        let path = format!("{PATH}?check_previously_added=maybe&force_add_to_current_statement=");
        let mut lines = Vec::new();
        for body in ["{", REFUND, NO_DATE] {
            lines.push(service.post(&path, body).await.line());
        }
        insta::assert_snapshot!(lines.join("\n"));
        assert!(service.post(PATH, REFUND).await.text().contains("TRANSACTION_ADDED_TO_ACCOUNT"));
    }

    #[actix_web::test]
    async fn data_of_others_is_not_found() {
        let service = TestService::with_accounts();
        let of = |supplier: &str| REFUND.replace("ACME_ENERGY", supplier);
        let none = service.post(PATH, of("NOBODY")).await.line();
        assert!(none.starts_with("404 "), "{none}");
        assert_eq!(service.post(PATH, of("OTHER")).await.line(), none);
    }
}
