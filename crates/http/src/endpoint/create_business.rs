use super::{Endpoint, Kind};
use crate::answer::json;
use crate::call::{Answer, Call};
use crate::openapi::{self, Body, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::HttpResponse;
use actix_web::http::Method;

/// `POST /v1/data-import/business/`: 201 with the business's number (contract 4.4, D9).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v1/data-import/business/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "createBusiness",
        tag: openapi::BUSINESSES,
        summary: "Creates a business with all its contracts",
        notes: "Must precede any account that refers to one of its contracts. The same business again \
                returns the same number.",
        body: Body::Request("business", &["business"]),
        answers: &[response(
            201,
            "The business is created.",
            json_content(schema_of!(BusinessCreated), &[("usual", examples::business)]),
        )],
        refusals: refusals::of_business,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        let caller = call.caller().await?;
        let body = call.body().await?;
        let created = call.run_with(body, move |app, body| Ok(app.create_business(&caller, body)?)).await?;
        Ok(json(&mut HttpResponse::Created(), &created))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::TestService;

    const PATH: &str = "/v1/data-import/business/";
    const COLD_STORAGE: &str = include_str!("../../../../fixtures/businesses/valid/cold_storage.json");
    const SAME_CONTRACT: &str =
        include_str!("../../../../fixtures/businesses/faulty/BUS-02-same-contract.json");

    #[actix_web::test]
    async fn the_same_business_has_the_same_number() {
        let service = TestService::new();
        let created = service.post(PATH, COLD_STORAGE).await.line();
        assert_eq!(created, r#"201 {"service_business_id":1,"external_business_identifier":"B-HALLORAN"}"#);
        assert_eq!(service.post(PATH.trim_end_matches('/'), COLD_STORAGE).await.line(), created);
    }

    #[actix_web::test]
    async fn each_refusal_has_its_body() {
        let service = TestService::new();
        service.post(PATH, COLD_STORAGE).await;
        let other_content = COLD_STORAGE.replace("5309", "5310");
        let same_contracts = COLD_STORAGE.replace("B-HALLORAN", "B-OTHER");
        let mut lines = Vec::new();
        for body in ["", SAME_CONTRACT, &other_content, &same_contracts] {
            lines.push(service.post(PATH, body.to_owned()).await.line());
        }
        service.set_store_down(true);
        lines.push(service.post(PATH, COLD_STORAGE).await.line());
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[actix_web::test]
    async fn another_organisations_supplier_is_unknown() {
        let service = TestService::new();
        let of = |supplier: &str| COLD_STORAGE.replace("ACME_ENERGY", supplier);
        let none = service.post(PATH, of("NOBODY")).await;
        assert_eq!(service.post(PATH, of("OTHER")).await.line(), none.line());
        assert_eq!(none.json()["errors"][0]["attr"], "import_supplier_code");
    }
}
