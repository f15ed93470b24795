use super::{Endpoint, Kind};
use crate::call::{Answer, Call, found};
use crate::openapi::{self, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::http::Method;
use cutover_app::App;
use cutover_app::operator::Checks;
use cutover_core::trimmed;

/// `GET /v2/data-import/import-suppliers/<supplier>/readiness/`: the checks before a wave (contract D16).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    template: "/v2/data-import/import-suppliers/<supplier>/readiness/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "getSupplierReadiness",
        tag: openapi::PROGRESS,
        summary: "Returns if a supplier is ready for its next wave",
        notes: "While a check is `stop`, the operator cannot release the imports without a reason. With a key of the role \
                `supplier`, only the checks about the supplier's own data are shown. The cost does not depend on the \
                number of accounts.",
        answers: &[response(
            200,
            "The checks.",
            json_content(schema_of!(ReadinessShown), &[("usual", examples::readiness)]),
        )],
        refusals: refusals::of_path,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let code = call.parameter(0);
        let (checks, asker, name) = (Checks::of(&caller), caller.clone(), code.clone());
        let job = move |app: &App| Ok(app.as_caller(&asker).services_to_probe(trimmed(&name), checks)?);
        let wanted = call.run(job).await?;
        let services = call.service().app.probe_services_lately(&wanted).await;
        let job = move |app: &App| Ok(app.as_caller(&caller).readiness(trimmed(&code), &services, checks)?);
        let readiness = call.run_page(job).await?;
        found(Some(readiness.shown()))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{Reply, TestService};
    use actix_web::test::TestRequest;
    use cutover_app::port::ApiKeyRole;
    use serde_json::json;

    const PATH: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/readiness/";

    fn names(reply: &Reply) -> Vec<String> {
        let checks = reply.json()["checks"].as_array().unwrap().clone();
        checks.iter().map(|check| check["name"].as_str().unwrap().to_owned()).collect()
    }

    #[actix_web::test]
    async fn a_supplier_sees_the_checks_about_its_own_data() {
        let service = TestService::new();
        let own = service.get(PATH).await;
        assert_eq!(own.status, 200, "{}", own.text());
        insta::assert_json_snapshot!(own.json());
        let token = service.token_as("Acme", ApiKeyRole::Reader);
        let request = TestRequest::get().uri(PATH).insert_header(("authorization", format!("Token {token}")));
        let all = service.send(request).await;
        let only =
            ["vendors", "clock", "tls", "encryption", "database", "disk", "durability", "replica", "backup"];
        let shared: Vec<String> = names(&all).into_iter().filter(|name| !only.contains(&&**name)).collect();
        assert_eq!((names(&all).len() - only.len(), shared), (names(&own).len(), names(&own)));
    }

    /// Answers of services are asked for again after a few seconds.
    #[actix_web::test]
    async fn missing_documents_stop_a_supplier_that_verifies_them() {
        let service = TestService::new();
        service.verify_documents();
        assert_eq!(service.get(PATH).await.json()["ready"], true);
        service.documents.set_down(true);
        assert_eq!(service.get(PATH).await.json()["ready"], true);
        service.clock.advance(chrono::Duration::seconds(16));
        let reply = service.get(PATH).await.json();
        assert_eq!((&reply["ready"], &reply["checks"][0]["level"]), (&json!(false), &json!("stop")));
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
