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
        notes: "The payment vendor is asked first. After a 400 do not send it again unchanged; after a 500 do.",
        body: Body::Request("payment-instruction", &["payment_instruction"]),
        answers: &[response(
            201,
            "It is stored.",
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
    use crate::testing::{ELECTRICITY, House};
    use cutover_app::port::InstructionDetails;

    const PATH: &str = "/v1/data-import/payment-instruction/create/";
    const CARD: &str = include_str!("../../../../fixtures/payment_instructions/valid/card.json");
    const MADE_UP: &str =
        include_str!("../../../../fixtures/payment_instructions/faulty/STR-05-invalid-choice.json");

    fn house() -> House {
        let house = House::with_accounts();
        add_vendors(&house);
        house
    }

    #[actix_web::test]
    async fn a_confirmed_instruction_is_stored_once() {
        let house = house();
        house.vendors.has("pm_1QELEC1001", "CARD", InstructionDetails::default());
        let stored = house.post(PATH, CARD).await;
        assert_eq!(house.post(PATH, CARD).await.line(), stored.line());
        assert_eq!(house.vendors.look_ups(), 1);
        insta::assert_snapshot!(stored.line());
    }

    #[actix_web::test]
    async fn each_answer_of_a_vendor_has_its_own() {
        let house = house();
        let mut lines = Vec::new();
        for answer in answers("DIRECT_DEBIT") {
            house.vendors.answer("pm_1QELEC1001", answer);
            lines.push(house.post(PATH, CARD).await.line());
        }
        insta::assert_snapshot!(lines.join("\n"));
        house.vendors.has("pm_1QELEC1001", "CARD", InstructionDetails::default());
        assert_eq!(house.post(PATH, CARD).await.status, 201);
    }

    #[actix_web::test]
    async fn each_refusal_has_its_body() {
        let house = House::new();
        house.create("Acme", ELECTRICITY);
        let mut lines = Vec::new();
        for body in ["{", MADE_UP, CARD] {
            lines.push(house.post(PATH, body).await.line());
        }
        add_vendors(&house);
        lines.push(house.post(PATH, CARD).await.line());
        house.import_pending();
        lines.push(house.post(PATH, CARD.replace("\"stripe\"", "\"bpay\"")).await.line());
        assert_eq!(house.vendors.look_ups(), 0);
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[actix_web::test]
    async fn what_is_down_is_an_error_to_be_sent_again() {
        let house = house();
        house.vendors.answer("pm_1QELEC1001", unavailable());
        let vendor = house.post(PATH, CARD).await;
        assert_eq!((vendor.status, vendor.header("retry-after")), (500, ""));
        assert_eq!(vendor.json()["code"], "payment_vendor_unavailable");
        house.set_store_down(true);
        let store = house.post(PATH, CARD).await;
        assert_eq!((store.status, store.header("retry-after")), (500, ""));
        assert_eq!(store.json()["code"], "error");
        house.set_store_down(false);
        house.vendors.has("pm_1QELEC1001", "CARD", InstructionDetails::default());
        assert_eq!(house.post(PATH, CARD).await.status, 201);
    }

    #[actix_web::test]
    async fn what_is_anothers_is_as_absent_as_what_is_not_there() {
        let house = house();
        let of = |supplier: &str| CARD.replace("ACME_ENERGY", supplier);
        let none = house.post(PATH, of("NOBODY")).await.line();
        assert!(none.starts_with("400 ") && none.contains("\"import_supplier_not_found\""), "{none}");
        assert_eq!(house.post(PATH, of("OTHER")).await.line(), none);
    }
}
