use super::instruction;
use super::{Endpoint, Kind};
use crate::call::{Answer, Call};
use crate::openapi::{self, Body, Operation, examples, json_content, refusals, response, schema_of};
use actix_web::http::Method;
use cutover_app::App;

/// `POST /v1/data-import/payment-instruction/create/`: 201 with the account's number (contract 4.2,
/// D8).
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    template: "/v1/data-import/payment-instruction/create/",
    kind: Kind::Api,
    handler: handle,
    operation: Some(Operation {
        id: "createPaymentInstruction",
        tag: openapi::AFTER,
        summary: "Stores a payment instruction of an imported account",
        notes: "The payment vendor confirms the instruction first. After a 400 do not send it again unchanged; after \
                a 500 do.",
        body: Body::Request("payment-instruction", &["payment_instruction"]),
        answers: &[response(
            201,
            "The instruction is stored.",
            json_content(schema_of!(PaymentInstructionStored), &[("usual", examples::instruction)]),
        )],
        refusals: refusals::of_instruction,
        ..Operation::BASE
    }),
};

fn handle(call: &mut Call) -> Answer<'_> {
    instruction::handle(call, App::begin_payment_instruction)
}

#[cfg(test)]
mod tests {
    use super::super::instruction::testing::{add_vendors, answers, unavailable};
    use crate::testing::{ELECTRICITY, TestService};
    use cutover_app::port::InstructionDetails;

    const PATH: &str = "/v1/data-import/payment-instruction/create/";
    const CARD: &str = include_str!("../../../../fixtures/payment_instructions/valid/card.json");
    const MADE_UP: &str =
        include_str!("../../../../fixtures/payment_instructions/faulty/STR-05-invalid-choice.json");

    fn service() -> TestService {
        let service = TestService::with_accounts();
        add_vendors(&service);
        service
    }

    #[actix_web::test]
    async fn a_confirmed_instruction_is_stored_once() {
        let service = service();
        service.vendors.has("pm_1QELEC1001", "CARD", InstructionDetails::default());
        let stored = service.post(PATH, CARD).await;
        assert_eq!(service.post(PATH, CARD).await.line(), stored.line());
        assert_eq!(service.vendors.look_ups(), 1);
        insta::assert_snapshot!(stored.line());
    }

    #[actix_web::test]
    async fn each_answer_of_a_vendor_has_its_own_response() {
        let service = service();
        let mut lines = Vec::new();
        for answer in answers("DIRECT_DEBIT") {
            service.vendors.answer("pm_1QELEC1001", answer);
            lines.push(service.post(PATH, CARD).await.line());
        }
        insta::assert_snapshot!(lines.join("\n"));
        service.vendors.has("pm_1QELEC1001", "CARD", InstructionDetails::default());
        assert_eq!(service.post(PATH, CARD).await.status, 201);
    }

    #[actix_web::test]
    async fn each_refusal_has_its_body() {
        let service = TestService::new();
        service.create("Acme", ELECTRICITY);
        let mut lines = Vec::new();
        for body in ["{", MADE_UP, CARD] {
            lines.push(service.post(PATH, body).await.line());
        }
        add_vendors(&service);
        lines.push(service.post(PATH, CARD).await.line());
        service.import_pending();
        lines.push(service.post(PATH, CARD.replace("\"stripe\"", "\"bpay\"")).await.line());
        assert_eq!(service.vendors.look_ups(), 0);
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[actix_web::test]
    async fn an_unavailable_part_is_a_500() {
        let service = service();
        service.vendors.answer("pm_1QELEC1001", unavailable());
        let vendor = service.post(PATH, CARD).await;
        assert_eq!((vendor.status, vendor.header("retry-after")), (500, ""));
        assert_eq!(vendor.json()["code"], "payment_vendor_unavailable");
        service.set_store_down(true);
        let store = service.post(PATH, CARD).await;
        assert_eq!((store.status, store.header("retry-after")), (500, ""));
        assert_eq!(store.json()["code"], "error");
        service.set_store_down(false);
        service.vendors.has("pm_1QELEC1001", "CARD", InstructionDetails::default());
        assert_eq!(service.post(PATH, CARD).await.status, 201);
    }

    #[actix_web::test]
    async fn data_of_others_is_not_found() {
        let service = service();
        let of = |supplier: &str| CARD.replace("ACME_ENERGY", supplier);
        let none = service.post(PATH, of("NOBODY")).await.line();
        assert!(none.starts_with("400 ") && none.contains("\"import_supplier_not_found\""), "{none}");
        assert_eq!(service.post(PATH, of("OTHER")).await.line().replace("OTHER", "NOBODY"), none);
    }
}
