//! The manifest of a supplier: what it declares that its files come to (contract D17).

use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Body, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::HttpResponse;
use actix_web::http::Method;

const PATH: &str = "/v2/data-import/import-suppliers/<supplier>/manifest/";
/// The largest body in bytes.
const MAX_BODY: usize = 64 << 10;

/// `GET /v2/data-import/import-suppliers/<supplier>/manifest/`: the manifest (contract D17).
pub(crate) const GET: Endpoint = Endpoint {
    method: Method::GET,
    template: PATH,
    kind: Kind::Api,
    handler: get,
    operation: Some(Operation {
        id: "getManifest",
        tag: openapi::PROGRESS,
        summary: "Returns the manifest of a supplier",
        notes: "What was declared last. Progress compares it with what was sent and imported.",
        answers: &[response(
            200,
            "The manifest.",
            json_content(schema_of!(ManifestDeclared), &[("usual", examples::manifest)]),
        )],
        refusals: refusals::of_manifest,
        ..Operation::BASE
    }),
};

/// `PUT /v2/data-import/import-suppliers/<supplier>/manifest/`: declares a manifest (contract D17).
pub(crate) const PUT: Endpoint = Endpoint {
    method: Method::PUT,
    template: PATH,
    kind: Kind::Api,
    handler: put,
    operation: Some(Operation {
        id: "declareManifest",
        tag: openapi::PROGRESS,
        summary: "Declares what the files of a supplier come to",
        notes: "Replaces what was declared before. `cutover-client manifest` computes it from the files.",
        body: Body::Request("manifest", &["manifest"]),
        answers: &[response(
            200,
            "The manifest is declared.",
            json_content(schema_of!(ManifestDeclared), &[("usual", examples::manifest)]),
        )],
        refusals: refusals::of_declaration,
        ..Operation::BASE
    }),
};

fn get(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let supplier = call.parameter(0);
        let manifest = call.run(move |app| Ok(app.manifest(&caller, &supplier)?)).await?;
        Ok(json(&mut HttpResponse::Ok(), &manifest))
    })
}

fn put(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let supplier = call.parameter(0);
        let body = call.small_body(MAX_BODY).await?;
        let declared =
            call.run_with(body, move |app, body| Ok(app.declare_manifest(&caller, &supplier, body)?)).await?;
        Ok(json(&mut HttpResponse::Ok(), &declared))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ACCOUNT, ELECTRICITY, Reply, TestService};
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;
    use cutover_app::operator::SupplierChange;
    use cutover_app::port::ApiKeyRole;
    use serde_json::{Value, json};

    const PATH: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/manifest/";
    const PROGRESS: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/progress/";
    const MANIFEST: &str = include_str!("../../../../fixtures/manifests/valid/one_night.json");

    async fn put(service: &TestService, path: &str, body: impl Into<String>) -> Reply {
        service.send_as_acme(TestRequest::put().uri(path).set_payload(body.into())).await
    }

    #[actix_web::test]
    async fn a_manifest_is_declared_and_replaced() {
        let service = TestService::new();
        let none = service.get(PATH).await;
        assert_eq!(
            none.line(),
            r#"404 {"detail":"No manifest has been declared.","code":"manifest_not_declared"}"#
        );
        let first = put(&service, PATH, MANIFEST).await;
        assert_eq!(first.status, 200, "{}", first.text());
        insta::assert_json_snapshot!(first.json());
        assert_eq!(service.get(PATH).await.json(), first.json());
        let other =
            r#"{"accounts": 1, "ledger_balance": 0.10, "readings": 0, "transactions": 2, "documents": 3}"#;
        let second = put(&service, PATH, other).await.json();
        assert_eq!((&second["accounts"], &second["ledger_balance"]), (&1.into(), &"0.10".into()));
        assert_eq!(service.get(PATH).await.json(), second);
    }

    /// Every fault at once.
    #[actix_web::test]
    async fn a_faulty_manifest_changes_nothing() {
        let service = TestService::new();
        let declared = put(&service, PATH, MANIFEST).await.json();
        let bodies = [
            json!({}).to_string(),
            json!({"accounts": -1, "ledger_balance": "1.00000000001", "readings": "x", "transactions": 1.5,
                "documents": null, "acounts": 7})
            .to_string(),
            "[]".to_owned(),
            "{".to_owned(),
        ];
        let mut lines = Vec::new();
        for body in bodies {
            lines.push(put(&service, PATH, body).await.line());
        }
        insta::assert_snapshot!(lines.join("\n"));
        assert_eq!(service.get(PATH).await.json(), declared);
    }

    #[actix_web::test]
    async fn progress_compares_what_was_declared_sent_and_imported() {
        let service = TestService::new();
        let progress = async || -> Value { service.get(PROGRESS).await.json()["manifest"].clone() };
        assert_eq!(progress().await, Value::Null);
        service.create("Acme", ELECTRICITY);
        service.import_pending();
        service.create("Acme", ACCOUNT);
        assert_eq!(progress().await, Value::Null);
        let sent =
            json!({"accounts": 2, "ledger_balance": "0", "readings": 0, "transactions": 0, "documents": 0});
        put(&service, PATH, sent.to_string()).await;
        insta::assert_json_snapshot!(progress().await);
        let totals = service.get(PROGRESS).await.json()["totals"].clone();
        assert_eq!(progress().await["imported"], totals);
        // What was sent is declared, so nothing differs; then a cancelled account is missing.
        let sent = progress().await["sent"].clone();
        put(&service, PATH, sent.to_string()).await;
        let difference = progress().await["difference"].clone();
        fn is_zero(value: &Value) -> bool {
            let is_object_of_zeros = |members: &serde_json::Map<String, Value>| members.values().all(is_zero);
            *value == 0 || *value == "0.00" || value.as_object().is_some_and(is_object_of_zeros)
        }
        assert!(is_zero(&difference), "{difference}");
        service.app.as_command().cancel_process("ACME_ENERGY", "UNME-4001").unwrap();
        assert_eq!(progress().await["difference"]["accounts"], -1);
    }

    /// Tables that are not declared are shown and not compared.
    #[actix_web::test]
    async fn the_rows_of_declared_tables_are_compared() {
        let service = TestService::new();
        service.create("Acme", ACCOUNT);
        service.import_pending();
        let mut manifest =
            json!({"accounts": 1, "ledger_balance": "0", "readings": 0, "transactions": 0, "documents": 0});
        let progress = async || -> Value { service.get(PROGRESS).await.json()["manifest"].clone() };
        put(&service, PATH, manifest.to_string()).await;
        let undeclared = progress().await;
        assert_eq!(undeclared["declared"]["counts"], Value::Null);
        assert_eq!(undeclared["difference"]["counts"], Value::Null);
        assert_eq!(undeclared["sent"]["counts"]["accounts"], 1);
        manifest["counts"] = json!({"accounts": 1, "notes": 0, "events": 3});
        assert_eq!(put(&service, PATH, manifest.to_string()).await.json()["counts"], manifest["counts"]);
        let compared = progress().await;
        assert_eq!(compared["declared"]["counts"], manifest["counts"]);
        let difference = json!({"accounts": 0, "notes": 0, "events": -3});
        assert_eq!(
            (&compared["difference"]["counts"], &compared["imported_difference"]["counts"]),
            (&difference, &difference)
        );
        assert_eq!(
            (&compared["sent"]["counts"]["events"], &compared["imported"]["counts"]["notes"]),
            (&json!(0), &json!(0))
        );
    }

    #[actix_web::test]
    async fn faulty_numbers_of_rows_are_named_with_their_tables() {
        let service = TestService::new();
        let undocumented_members = "warning".parse().ok();
        let change = SupplierChange { undocumented_members, ..SupplierChange::default() };
        service.app.as_command().set_supplier("ACME_ENERGY", change).unwrap();
        let mut manifest: Value = serde_json::from_str(MANIFEST).unwrap();
        manifest["counts"] =
            json!({"customers": -1, "notes": "1.5", "meters": 1_000_000_000_001_u64, "custmers": 1});
        let refused = put(&service, PATH, manifest.to_string()).await;
        let named = |error: &Value| {
            format!("{} {}", error["attr"].as_str().unwrap(), error["code"].as_str().unwrap())
        };
        let named: Vec<String> = refused.json()["errors"].as_array().unwrap().iter().map(named).collect();
        assert_eq!(
            (refused.status, named),
            (
                400,
                [
                    "counts.custmers unknown_field",
                    "counts.customers min_value",
                    "counts.meters max_value",
                    "counts.notes invalid"
                ]
                .map(str::to_owned)
                .to_vec()
            )
        );
        assert_eq!(service.get(PATH).await.status, 404);
    }

    #[actix_web::test]
    async fn suppliers_of_others_are_not_found_and_readers_only_read() {
        let service = TestService::new();
        let mut answers = Vec::new();
        for supplier in ["OTHER", "NOBODY", "%20", "%ff"] {
            let path = PATH.replace("ACME_ENERGY", supplier);
            answers.push(service.get(&path).await.line());
            answers.push(put(&service, &path, MANIFEST).await.line());
            answers.push(put(&service, &path, "{}").await.line());
        }
        answers.dedup();
        assert_eq!(answers, [r#"404 {"detail":"Not found.","code":"not_found"}"#]);
        put(&service, PATH, MANIFEST).await;
        let token = (AUTHORIZATION, format!("Token {}", service.token_as("Acme", ApiKeyRole::Reader)));
        let read = TestRequest::get().uri(PATH).insert_header(token.clone());
        assert_eq!(service.send(read).await.status, 200);
        let write = TestRequest::put().uri(PATH).insert_header(token).set_payload(MANIFEST);
        assert_eq!(service.send(write).await.status, 403);
    }
}
