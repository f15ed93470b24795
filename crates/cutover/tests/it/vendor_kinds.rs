//! Stripe and GoCardless, with answers in the shapes of their public APIs.

use crate::harness::{
    Action, Answer, Client, INSTRUCTION, Installation, ReceivedRequest, Vendor, instruction,
};
use crate::payloads::small;
use serde_json::{Value, json};

/// A PaymentMethod in the shape of Stripe's API.
fn payment_method(id: &str, details: (&str, Value)) -> Value {
    let mut method = json!({
        "id": id, "object": "payment_method", "allow_redisplay": "unspecified", "created": 1_780_000_000,
        "billing_details": {"address": {"city": null, "country": "AU", "line1": null, "line2": null,
            "postal_code": "3056", "state": null}, "email": "mara@bluegum.test", "name": "Mara Okafor", "phone": null},
        "customer": "cus_9s6XKzkNRiz8i3", "livemode": false, "metadata": {}, "type": details.0,
    });
    method[details.0] = details.1;
    method
}

fn stripe(asked: &ReceivedRequest) -> Action {
    let id = asked.path.rsplit('/').next().unwrap();
    match id {
        "pm_card" => Action::Json(
            200,
            payment_method(
                id,
                (
                    "card",
                    json!({
                        "brand": "visa", "checks": {"address_line1_check": null, "cvc_check": "pass"}, "country": "AU",
                        "display_brand": "visa", "exp_month": 8, "exp_year": 2031, "fingerprint": "Xt5EWLLDS7FJjR1c",
                        "funding": "credit", "generated_from": null, "last4": "4242", "networks": {"available": ["visa"],
                        "preferred": null}, "three_d_secure_usage": {"supported": true}, "wallet": null,
                    }),
                ),
            ),
        ),
        "pm_odd" => Action::Json(
            200,
            payment_method(
                id,
                (
                    "card",
                    json!({
                        "brand": "unionpay", "exp_month": 8, "exp_year": 2031, "funding": "unknown", "last4": "0005",
                    }),
                ),
            ),
        ),
        "pm_debit" => Action::Json(
            200,
            payment_method(
                id,
                (
                    "au_becs_debit",
                    json!({
                        "bsb_number": "000000", "fingerprint": "cQ4oNHEKhQK0Nl6i", "last4": "3456",
                    }),
                ),
            ),
        ),
        "pm_link" => Action::Json(200, payment_method(id, ("link", json!({"email": "mara@bluegum.test"})))),
        _ => Action::Json(
            404,
            json!({"error": {"code": "resource_missing", "param": "payment_method",
            "message": "No such PaymentMethod", "type": "invalid_request_error"}}),
        ),
    }
}

/// A mandate in the shape of GoCardless's API.
fn mandate(id: &str, status: &str) -> Value {
    json!({"mandates": {
        "id": id, "created_at": "2026-01-01T12:00:00.000Z", "reference": "REF-123", "status": status,
        "scheme": "becs", "next_possible_charge_date": "2026-11-30", "metadata": {}, "verified_at": null,
        "payments_require_approval": false, "links": {"customer_bank_account": "BA123", "creditor": "CR123",
        "customer": "CU123", "new_mandate": null},
    }})
}

fn gocardless(asked: &ReceivedRequest) -> Action {
    let id = asked.path.rsplit('/').next().unwrap();
    match id {
        "BA123" => Action::Json(
            200,
            json!({"customer_bank_accounts": {
                "id": "BA123", "created_at": "2026-01-01T12:00:00.000Z", "account_number_ending": "11",
                "account_holder_name": "MARA OKAFOR", "bank_name": "COMMONWEALTH BANK", "currency": "AUD",
                "country_code": "AU", "enabled": true, "metadata": {}, "account_type": null,
                "links": {"customer": "CU123"},
            }}),
        ),
        "MD_ACTIVE" => Action::Json(200, mandate(id, "active")),
        "MD_SUBMITTED" => Action::Json(200, mandate(id, "submitted")),
        "MD_PENDING" => Action::Json(200, mandate(id, "pending_submission")),
        "MD_CANCELLED" => Action::Json(200, mandate(id, "cancelled")),
        "MD_EXPIRED" => Action::Json(200, mandate(id, "expired")),
        _ => Action::Json(
            404,
            json!({"error": {"message": "Resource not found", "errors": [{"reason":
            "resource_not_found", "message": "Resource not found"}], "type": "invalid_api_usage", "code": 404}}),
        ),
    }
}

fn pay(client: &Client, kind: &str, reference: &str) -> Answer {
    client.send_json(INSTRUCTION, &instruction("V-1", "VENDOR", kind, reference))
}

/// Requests each reference from a vendor of a kind; returns `attr code`, empty for success.
fn table(kind: &str, vendor: &Vendor, rows: &[(&str, &str, &str)]) -> Value {
    let mut installation = Installation::with_supplier();
    installation.0.set_variable("VENDOR_SECRET", "sk_test_51");
    let (installation, key) = installation;
    installation.add_vendor("VENDOR", kind, &vendor.url("/api/"), &["--secret-env", "VENDOR_SECRET"]);
    let server = installation.serve();
    let client = server.client(&key);
    client.import(&[small("V-1")]);
    for (reference, kind, outcome) in rows {
        let answer = pay(&client, kind, reference);
        match outcome.is_empty() {
            true => assert_eq!(answer.status, 201, "{reference}: {} {}", answer.text(), server.log()),
            false => assert_eq!(answer.faults(), [*outcome], "{reference}"),
        }
    }
    let mut stored = installation.account("V-1")["verified_payment_instructions"].take();
    for instruction in stored.as_array_mut().unwrap() {
        instruction.as_object_mut().unwrap().remove("verified_at");
        instruction.as_object_mut().unwrap().remove("vendor");
    }
    stored
}

#[test]
fn stripe_shows_cards_and_debits() {
    let vendor = Vendor::start(stripe);
    let stored = table(
        "stripe",
        &vendor,
        &[
            ("pm_card", "CARD", ""),
            ("pm_odd", "CARD", ""),
            ("pm_debit", "DIRECT_DEBIT", ""),
            ("pm_debit", "CARD", "type payment_instruction_type_mismatch"),
            ("pm_link", "CARD", "type payment_instruction_type_mismatch"),
            ("pm_none", "CARD", "reference payment_instruction_not_found"),
        ],
    );
    assert_eq!(
        stored,
        json!([
            {"type": "CARD", "reference": "pm_card", "card": {"card_payment_network": "VISA",
                "card_type": "CREDIT", "last_digits": "4242", "expiry_month": 8, "expiry_year": 2031}},
            {"type": "CARD", "reference": "pm_odd", "card":
                {"last_digits": "0005", "expiry_month": 8, "expiry_year": 2031}},
            {"type": "DIRECT_DEBIT", "reference": "pm_debit", "bank_account":
                {"account_holder": "Mara Okafor", "account_number_last_digits": "3456", "bsb": "000000"}},
        ])
    );
    let asked = vendor.asked("/");
    assert_eq!(asked[0].path, "/api/v1/payment_methods/pm_card");
    assert!(asked.iter().all(|a| a.header("Authorization") == Some("Bearer sk_test_51")));
    assert_eq!(asked.len(), 6);
}

#[test]
fn gocardless_shows_mandates_and_their_bank_accounts() {
    let vendor = Vendor::start(gocardless);
    let rejected = "vendor payment_vendor_rejected";
    let stored = table(
        "gocardless",
        &vendor,
        &[
            ("MD_ACTIVE", "DIRECT_DEBIT", ""),
            ("MD_SUBMITTED", "DIRECT_DEBIT", ""),
            ("MD_PENDING", "DIRECT_DEBIT", ""),
            ("MD_CANCELLED", "DIRECT_DEBIT", rejected),
            ("MD_EXPIRED", "DIRECT_DEBIT", rejected),
            ("MD_ACTIVE", "CARD", "type payment_instruction_type_mismatch"),
            ("MD_NONE", "DIRECT_DEBIT", "reference payment_instruction_not_found"),
        ],
    );
    let account = json!({"account_holder": "MARA OKAFOR", "account_number_last_digits": "11"});
    let row = |reference| json!({"type": "DIRECT_DEBIT", "reference": reference, "bank_account": account});
    assert_eq!(stored, json!([row("MD_ACTIVE"), row("MD_SUBMITTED"), row("MD_PENDING")]));
    let asked = vendor.asked("/");
    assert_eq!(asked[0].path, "/api/mandates/MD_ACTIVE");
    assert_eq!(asked[1].path, "/api/customer_bank_accounts/BA123");
    assert!(asked.iter().all(|a| a.header("Authorization") == Some("Bearer sk_test_51")));
    assert!(asked.iter().all(|a| a.header("GoCardless-Version") == Some("2015-07-06")));
}
