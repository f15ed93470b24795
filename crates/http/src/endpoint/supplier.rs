use super::{Endpoint, Kind};
use crate::call::{Answer, Call, found};
use crate::openapi::{self, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::http::Method;

/// `GET /v2/data-import/import-suppliers/<supplier>/`: the settings of a supplier (contract D13).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/import-suppliers/<supplier>/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "getSupplier",
        tag: openapi::PROGRESS,
        summary: "Returns the settings of a supplier",
        notes: "With them a client can check accounts as the service will.",
        answers: &[response(
            200,
            "The settings.",
            json_content(schema_of!(SupplierShown), &[("usual", examples::supplier)]),
        )],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let supplier = call.parameter(0);
        let settings = call.run(move |app| Ok(app.supplier_settings(&caller, &supplier)?)).await?;
        found(settings)
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::TestService;
    use cutover_app::operator::SupplierChange;
    use cutover_core::{Level, SupplierStatus};

    const PATH: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/";

    #[actix_web::test]
    async fn settings_are_shown_as_they_are_now() {
        let service = TestService::new();
        service.set_supplier(SupplierChange {
            status: Some(SupplierStatus::Paused),
            max_concurrent_imports: Some(Some(4)),
            rules: [("PIN-01".to_owned(), Some(Level::Off))].into(),
            ..SupplierChange::default()
        });
        let reply = service.get(PATH).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        insta::assert_json_snapshot!(reply.json());
    }

    #[actix_web::test]
    async fn suppliers_of_others_are_not_found() {
        let service = TestService::new();
        let mut answers = Vec::new();
        for supplier in ["OTHER", "NOBODY", "%20", "%ff"] {
            answers.push(service.get(&PATH.replace("ACME_ENERGY", supplier)).await.line());
        }
        answers.dedup();
        assert_eq!(answers, [r#"404 {"detail":"Not found.","code":"not_found"}"#]);
    }
}
