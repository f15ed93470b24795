use super::{Endpoint, Kind};
use crate::answer::written_json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Body, Operation, examples, json_content, refusals, response};
use crate::service::work::Work;
use actix_web::HttpResponse;
use actix_web::http::Method;
use cutover_model::describe::{Json, Schemas};

/// `POST /v1/data-import/historical-statements/create/`: 201 with the request as validated (contract 4.2,
/// D8).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v1/data-import/historical-statements/create/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "createHistoricalStatements",
        tag: openapi::AFTER,
        summary: "Adds earlier statements to an imported account",
        notes: "Adds all of them or none. A statement that the account already has with equal content \
                is not added again.",
        body: Body::Request("historical-statements", &["statements"]),
        answers: &[response(
            201,
            "The request as validated, without absent members.",
            json_content(statements, &[("usual", examples::statements)]),
        )],
        refusals: refusals::of_statements,
        ..Operation::BASE
    }),
};

fn statements(schemas: &mut Schemas) -> Json {
    schemas.object(&cutover_model::HistoricalStatementsRequest::SPEC)
}

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let body = call.body().await?;
        let add = call.run_with_documents(body, Work::Writes, move |app, body, found| {
            Ok(app.add_historical_statements(&caller, body, found)?)
        });
        Ok(written_json(&mut HttpResponse::Created(), add.await?))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ELECTRICITY, TestService};
    use cutover_app::port::DocumentState;

    const PATH: &str = "/v1/data-import/historical-statements/create/";
    const YEAR: &str = include_str!("../../../../fixtures/statements/valid/year.json");
    const NULL: &str = include_str!("../../../../fixtures/statements/faulty/STR-02-null.json");

    #[actix_web::test]
    async fn the_request_comes_back_as_validated() {
        let service = TestService::with_accounts();
        let added = service.post(PATH, YEAR).await;
        assert_eq!(added.header("content-type"), "application/json");
        assert_eq!(service.post(PATH, YEAR).await.line(), added.line());
        insta::assert_snapshot!(added.line());
    }

    #[actix_web::test]
    async fn each_refusal_has_its_body() {
        let service = TestService::new();
        let mut lines = vec![service.post(PATH, YEAR).await.line()];
        service.create("Acme", ELECTRICITY);
        for body in [YEAR, "[", NULL] {
            lines.push(service.post(PATH, body).await.line());
        }
        service.import_pending();
        service.post(PATH, YEAR).await;
        lines.push(service.post(PATH, YEAR.replace("0004411", "0004412")).await.line());
        service.set_store_down(true);
        lines.push(service.post(PATH, YEAR).await.line());
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[actix_web::test]
    async fn data_of_others_is_not_found() {
        let service = TestService::with_accounts();
        let of = |supplier: &str| YEAR.replace("ACME_ENERGY", supplier);
        let none = service.post(PATH, of("NOBODY")).await.line();
        assert!(none.starts_with("404 "), "{none}");
        assert_eq!(service.post(PATH, of("OTHER")).await.line(), none);
    }

    #[actix_web::test]
    async fn verified_statements_are_pdfs() {
        let service = TestService::with_accounts();
        service.verify_documents();
        service.documents.set("/ACME_ENERGY", "statements/ELEC-1001/2025-Q4.pdf", DocumentState::Present);
        let refused = service.post(PATH, YEAR).await.line();
        for quarter in ["2025-Q4", "2026-Q1"] {
            let path = format!("statements/ELEC-1001/{quarter}.pdf");
            service.documents.set("/ACME_ENERGY", &path, DocumentState::Pdf);
        }
        assert_eq!(service.post(PATH, YEAR).await.status, 201);
        service.documents.set_down(true);
        assert_eq!(service.post(PATH, YEAR).await.json()["code"], "service_unavailable");
        insta::assert_snapshot!(refused);
    }
}
