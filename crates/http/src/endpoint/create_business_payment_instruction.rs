use super::instruction;
use super::{Endpoint, Kind};
use crate::call::{Answer, Call};
use crate::openapi::{self, Body, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::http::Method;
use cutover_app::App;

/// `POST /v1/data-import/business-payment-instruction/create/`: 201 with the business's identifier
/// (contract 4.4, D9).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v1/data-import/business-payment-instruction/create/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "createBusinessPaymentInstruction",
        tag: openapi::BUSINESSES,
        summary: "Stores a payment instruction of a business",
        notes: "The payment vendor confirms the instruction first. After a 400 do not send it again unchanged; after \
                a 500 do.",
        body: Body::Request("business-payment-instruction", &["business_payment_instruction"]),
        answers: &[response(
            201,
            "The instruction is stored.",
            json_content(
                schema_of!(BusinessPaymentInstructionStored),
                &[("usual", examples::business_instruction)],
            ),
        )],
        refusals: refusals::of_instruction,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    instruction::handle(call, App::begin_business_payment_instruction)
}

#[cfg(test)]
mod tests {
    use super::super::instruction::testing::{add_vendors, answers};
    use crate::testing::{ELECTRICITY, TestService};
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;
    use cutover_app::port::InstructionDetails;

    const PATH: &str = "/v1/data-import/business-payment-instruction/create/";
    const BUSINESS: &str = include_str!("../../../../fixtures/businesses/valid/without_contracts.json");
    const SAME_ACCOUNT: &str =
        include_str!("../../../../fixtures/business_payment_instructions/faulty/PIN-08-same-account.json");
    const REQUEST: &str = r#"{"import_supplier_code": "ACME_ENERGY", "external_business_identifier": "B-CHURCH",
        "vendor": "gocardless", "reference": "MD-1", "type": "DIRECT_DEBIT",
        "accounts": [{"external_account_number": "ELEC-1001"}]}"#;

    /// Returns a service with a business and an account, and another organisation with others.
    async fn service() -> TestService {
        let service = TestService::with_accounts();
        add_vendors(&service);
        service.create("Other", &ELECTRICITY.replace("ACME_ENERGY", "OTHER").replace("ELEC-1001", "THEIRS"));
        service.import_pending();
        assert_eq!(service.post("/v1/data-import/business/", BUSINESS).await.status, 201);
        service
    }

    fn confirm(service: &TestService) {
        service.vendors.has("MD-1", "DIRECT_DEBIT", InstructionDetails::default());
    }

    #[actix_web::test]
    async fn a_confirmed_instruction_is_stored_once() {
        let service = service().await;
        confirm(&service);
        let stored = service.post(PATH, REQUEST).await.line();
        assert_eq!(stored, r#"201 {"reference":"MD-1","external_business_identifier":"B-CHURCH"}"#);
        assert_eq!(service.post(PATH, REQUEST).await.line(), stored);
        assert_eq!(service.vendors.look_ups(), 1);
    }

    #[actix_web::test]
    async fn each_answer_of_a_vendor_has_its_own_response() {
        let service = service().await;
        let mut lines = Vec::new();
        for answer in answers("CARD") {
            service.vendors.answer("MD-1", answer);
            lines.push(service.post(PATH, REQUEST).await.line());
        }
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[actix_web::test]
    async fn each_refusal_has_its_body() {
        let service = service().await;
        let mut lines = Vec::new();
        let unknown_vendor = REQUEST.replace("gocardless", "bpay");
        for body in ["{", SAME_ACCOUNT, &unknown_vendor] {
            lines.push(service.post(PATH, body.to_owned()).await.line());
        }
        service.set_store_down(true);
        lines.push(service.post(PATH, REQUEST).await.line());
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[actix_web::test]
    async fn data_of_others_is_not_found() {
        let service = service().await;
        confirm(&service);
        let mut lines = Vec::new();
        let business = BUSINESS.replace("ACME_ENERGY", "OTHER").replace("B-CHURCH", "B-THEIRS");
        let other = (AUTHORIZATION, format!("Token {}", service.token_of("Other")));
        let theirs = TestRequest::post().uri("/v1/data-import/business/").insert_header(other);
        assert_eq!(service.send(theirs.set_payload(business)).await.status, 201);
        for (what, anothers, none) in [
            ("ACME_ENERGY", "OTHER", "NOBODY"),
            ("B-CHURCH", "B-THEIRS", "B-NOBODY"),
            ("ELEC-1001", "THEIRS", "NOBODY"),
        ] {
            let absent = service.post(PATH, REQUEST.replace(what, none)).await.line();
            let theirs = service.post(PATH, REQUEST.replace(what, anothers)).await.line();
            assert_eq!(theirs.replace(anothers, none), absent);
            lines.push(absent);
        }
        insta::assert_snapshot!(lines.join("\n"));
    }
}
