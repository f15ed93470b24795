use super::{Endpoint, Kind};
use crate::call::{Answer, Call, found};
use crate::openapi::{self, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::http::Method;
use cutover_app::account::shown_progress;

/// `GET /v2/data-import/import-suppliers/<supplier>/progress/`: the progress of a supplier's migration
/// (contract D12).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/import-suppliers/<supplier>/progress/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "getProgress",
        tag: openapi::PROGRESS,
        summary: "Returns the progress of a supplier's migration",
        notes: "All figures are of the same moment. The cost does not depend on the number of accounts.",
        answers: &[response(
            200,
            "The figures.",
            json_content(schema_of!(SupplierProgress), &[("usual", examples::progress)]),
        )],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let supplier = call.parameter(0);
        let progress = call.run(move |app| Ok(app.progress(&caller, &supplier)?)).await?;
        found(progress.as_ref().map(shown_progress))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ELECTRICITY, Reply, TestService};
    use chrono::{Duration, Timelike};
    use cutover_app::operator::SupplierChange;
    use cutover_app::port::Clock;
    use cutover_core::{Level, SupplierStatus};

    const PATH: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/progress/";

    fn create(service: &TestService, number: &str) {
        let mut account: serde_json::Value = serde_json::from_str(ELECTRICITY).unwrap();
        account["external_account_number"] = number.into();
        account["customers"] = serde_json::json!([]);
        account["supply_addresses"] = serde_json::json!([]);
        service.create("Acme", &account.to_string());
    }

    /// Of 7 accounts two are imported and three fail within half a minute; then one is cancelled, and one is
    /// pending.
    fn service() -> TestService {
        let service = TestService::new();
        let require = |level| {
            let rules = [("ACC-04".to_owned(), level)].into();
            service.set_supplier(SupplierChange { rules, ..SupplierChange::default() });
        };
        for n in 0..5 {
            create(&service, &format!("A-{n}"));
            require((n > 1).then_some(Level::Error));
            service.import_pending();
            require(None);
        }
        create(&service, "A-5");
        create(&service, "A-6");
        service.app.as_command().cancel_process("ACME_ENERGY", "A-5").unwrap();
        let seconds = i64::from(service.clock.now().second());
        service.clock.advance(Duration::seconds(90 - seconds));
        service
    }

    async fn progress(service: &TestService) -> Reply {
        let reply = service.get(PATH).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply
    }

    #[actix_web::test]
    async fn figures_of_a_migration() {
        insta::assert_json_snapshot!(progress(&service()).await.json());
    }

    /// Ten warnings are listed, the others counted.
    #[actix_web::test]
    async fn what_is_not_listed_is_counted() {
        let service = TestService::new();
        let account = serde_json::json!({
            "import_supplier": "ACME_ENERGY",
            "external_account_number": "A-1",
            "date_of_sale": "2999-01-01",
            "last_billed_to_date": "2999-01-01",
            "customers": [{"mobile": "0298765432", "landline": "0412345678", "email": "test@acme.com.au", "date_of_birth": "1850-01-01"}],
            "notes": [{"body": "a"}, {"body": "a"}, {"body": "b", "unpin_at": "2020-01-01T00:00:00Z"}],
            "billing_postcode": "ABC",
            "unknown_occupier": false,
            "events": [{"event_type": "x", "category": "communications", "subcategory": "y", "description": "z",
                "occurred_at": "2999-01-01T00:00:00Z"}],
        });
        service.create("Acme", &account.to_string());
        service.import_pending();
        let progress = progress(&service).await.json();
        let listed = progress["top_warnings"].as_array().unwrap();
        let others = progress["other_warnings"]["kinds"].as_u64().unwrap();
        assert!(listed.len() == 10 && others > 0, "{progress}");
        assert_eq!(progress["other_warnings"]["count"], others, "one account");
        let all = service.get("/v2/data-import/accounts/ACME_ENERGY/A-1/issues/").await.json();
        assert_eq!(all["warnings"].as_array().unwrap().len() as u64, 10 + others, "{all}");
        assert_eq!(progress["other_errors"], serde_json::json!({"kinds": 0, "count": 0}));
    }

    #[actix_web::test]
    async fn an_end_is_estimated_only_while_accounts_are_imported() {
        let service = service();
        let end = |reply: Reply| reply.json()["estimated_finish_at"].clone();
        assert!(end(progress(&service).await).is_string());
        let set = |status| {
            service.set_supplier(SupplierChange { status: Some(status), ..SupplierChange::default() });
        };
        set(SupplierStatus::Paused);
        assert!(end(progress(&service).await).is_null());
        set(SupplierStatus::Ongoing);
        service.clock.advance(Duration::minutes(5));
        let idle = progress(&service).await.json();
        assert_eq!((&idle["rate_per_minute"], &idle["estimated_finish_at"]), (&"0.0".into(), &().into()));
        service.import_pending();
        let done = progress(&service).await.json();
        assert_ne!(done["rate_per_minute"], "0.0");
        assert!(done["estimated_finish_at"].is_null(), "nothing waits: {done}");
    }

    #[actix_web::test]
    async fn data_of_others_is_not_found() {
        let service = TestService::new();
        let mut answers = Vec::new();
        for supplier in ["OTHER", "NOBODY", "validate", "%20", "%ff"] {
            answers.push(service.get(&PATH.replace("ACME_ENERGY", supplier)).await.line());
        }
        answers.dedup();
        insta::assert_snapshot!(answers.join("\n"));
        insta::assert_json_snapshot!(progress(&service).await.json());
    }
}
