//! Recorded answers of the public APIs, and the instructions read from them (contract D11).

use super::environment::{LookupResult, SECRET, quick, vendor, vendors, wait};
use super::server::{Behavior, Server};
use cutover_app::port::{
    InstructionDetails, PaymentVendors, VendorBankAccount, VendorCard, VendorError, VendorInstruction,
    VendorKind,
};
use serde_json::Value;

macro_rules! recorded {
    ($name:literal) => {
        include_str!(concat!("../../../tests/fixtures/vendors/", $name, ".json"))
    };
}

/// Looks up an instruction at a vendor that gives these answers in turn.
fn asked(kind: VendorKind, reference: &str, answers: &[(u16, &str)]) -> (LookupResult, Vec<String>) {
    let acts: Vec<Behavior> =
        answers.iter().map(|(status, body)| Behavior::Answer(*status, (*body).into())).collect();
    let server = Server::start(acts);
    let looked = wait(vendors(quick()).look_up(&vendor(kind, &format!("{}/api", server.url())), reference));
    (looked, server.requests())
}

fn looked_up(kind: VendorKind, reference: &str, answers: &[(u16, &str)]) -> LookupResult {
    asked(kind, reference, answers).0
}

/// A recorded answer with one member changed.
fn with(recorded: &str, pointer: &str, value: impl Into<Value>) -> String {
    let mut json: Value = serde_json::from_str(recorded).unwrap();
    *json.pointer_mut(pointer).unwrap() = value.into();
    json.to_string()
}

fn card(network: Option<&str>, kind: Option<&str>, digits: &str, month: u8, year: u16) -> VendorInstruction {
    let card = VendorCard {
        card_payment_network: network.map(Into::into),
        card_type: kind.map(Into::into),
        last_digits: Some(digits.into()),
        expiry_month: Some(month),
        expiry_year: Some(year),
    };
    VendorInstruction {
        kind: "CARD".into(),
        details: InstructionDetails { card: Some(card), bank_account: None },
    }
}

fn bank_account(holder: &str, digits: &str, bsb: Option<&str>) -> VendorInstruction {
    let account = VendorBankAccount {
        account_holder: Some(holder.into()),
        account_number_last_digits: Some(digits.into()),
        bsb: bsb.map(Into::into),
    };
    let details = InstructionDetails { card: None, bank_account: Some(account) };
    VendorInstruction { kind: "DIRECT_DEBIT".into(), details }
}

fn is_rejected(looked: &LookupResult) -> bool {
    matches!(looked, Err(VendorError::Rejected(_)))
}

#[test]
fn our_own_protocol() {
    let (looked, requests) = asked(VendorKind::Http, "card/7", &[(200, recorded!("http_card"))]);
    assert_eq!(looked, Ok(Some(card(Some("VISA"), Some("DEBIT"), "4242", 11, 2031))));
    assert!(
        requests[0].starts_with("GET /api/payment-instructions/card%2F7 HTTP/1.1\r\n"),
        "{}",
        requests[0]
    );
    let looked = looked_up(VendorKind::Http, "dd-1", &[(200, recorded!("http_bank_account"))]);
    assert_eq!(looked, Ok(Some(bank_account("Robin Example", "456", Some("062-000")))));
}

#[test]
fn our_own_protocol_with_missing_members() {
    let unknown = with(recorded!("http_card"), "/card/card_payment_network", "UNIONPAY");
    let unknown = with(&unknown, "/card/card_type", Value::Null);
    let looked = looked_up(VendorKind::Http, "card/7", &[(200, &unknown)]);
    assert_eq!(looked, Ok(Some(card(None, None, "4242", 11, 2031))));
    let looked = looked_up(VendorKind::Http, "b", &[(200, r#"{"reference": "b", "type": "BPAY"}"#)]);
    let bpay = VendorInstruction { kind: "BPAY".into(), details: InstructionDetails::default() };
    assert_eq!(looked, Ok(Some(bpay)));
}

#[test]
fn stripe_card() {
    let (looked, requests) = asked(VendorKind::Stripe, "pm_1ExampleCard", &[(200, recorded!("stripe_card"))]);
    assert_eq!(looked, Ok(Some(card(Some("VISA"), Some("CREDIT"), "4242", 8, 2030))));
    let request = requests[0].to_lowercase();
    assert!(request.starts_with("get /api/v1/payment_methods/pm_1examplecard http/1.1\r\n"), "{request}");
    assert!(request.contains("stripe-version: 2024-06-20\r\n"), "{request}");
    assert!(request.contains(&format!("authorization: bearer {SECRET}\r\n")), "{request}");
}

#[test]
fn stripe_networks_and_kinds_of_card() {
    let networks = [
        ("mastercard", Some("MASTERCARD")),
        ("amex", Some("AMEX")),
        ("jcb", Some("JCB")),
        ("discover", Some("DISCOVER")),
        ("unionpay", None),
        ("eftpos_au", None),
        ("unknown", None),
    ];
    for (brand, network) in networks {
        let body = with(recorded!("stripe_card"), "/card/brand", brand);
        let looked = looked_up(VendorKind::Stripe, "pm_1ExampleCard", &[(200, &body)]);
        assert_eq!(looked, Ok(Some(card(network, Some("CREDIT"), "4242", 8, 2030))));
    }
    for (funding, kind) in [("debit", Some("DEBIT")), ("prepaid", Some("PREPAID")), ("unknown", None)] {
        let body = with(recorded!("stripe_card"), "/card/funding", funding);
        let looked = looked_up(VendorKind::Stripe, "pm_1ExampleCard", &[(200, &body)]);
        assert_eq!(looked, Ok(Some(card(Some("VISA"), kind, "4242", 8, 2030))));
    }
}

#[test]
fn stripe_direct_debit() {
    let looked = looked_up(VendorKind::Stripe, "pm_1ExampleBecs", &[(200, recorded!("stripe_becs"))]);
    assert_eq!(looked, Ok(Some(bank_account("Robin Example", "3456", Some("000000")))));
}

#[test]
fn other_stripe_kinds_match_none_of_ours() {
    let looked = looked_up(VendorKind::Stripe, "pm_1ExampleSepa", &[(200, recorded!("stripe_sepa"))]);
    let other = VendorInstruction { kind: "OTHER".into(), details: InstructionDetails::default() };
    assert_eq!(looked, Ok(Some(other)));
}

#[test]
fn stripe_misses_and_unexpected_answers() {
    let missing = recorded!("stripe_missing");
    assert_eq!(looked_up(VendorKind::Stripe, "pm_1ExampleNone", &[(404, missing)]), Ok(None));
    let card = recorded!("stripe_card");
    assert!(is_rejected(&looked_up(VendorKind::Stripe, "pm_1Another", &[(200, card)])));
    for (pointer, value) in
        [("/card", Value::Null), ("/card/exp_month", 0.into()), ("/card/last4", "42424".into())]
    {
        let body = with(card, pointer, value);
        assert!(is_rejected(&looked_up(VendorKind::Stripe, "pm_1ExampleCard", &[(200, &body)])), "{pointer}");
    }
}

#[test]
fn gocardless_mandate_and_its_bank_account() {
    let answers = [(200, recorded!("gocardless_mandate")), (200, recorded!("gocardless_bank_account"))];
    let (looked, requests) = asked(VendorKind::Gocardless, "MD0000EXAMPLE", &answers);
    assert_eq!(looked, Ok(Some(bank_account("ROBIN EXAMPLE", "11", None))));
    assert!(requests[0].starts_with("GET /api/mandates/MD0000EXAMPLE HTTP/1.1\r\n"), "{}", requests[0]);
    assert!(
        requests[1].starts_with("GET /api/customer_bank_accounts/BA0000EXAMPLE HTTP/1.1\r\n"),
        "{}",
        requests[1]
    );
    for request in requests {
        let request = request.to_lowercase();
        assert!(request.contains("gocardless-version: 2015-07-06\r\n"), "{request}");
        assert!(request.contains(&format!("authorization: bearer {SECRET}\r\n")), "{request}");
    }
}

#[test]
fn gocardless_live_mandates_are_accepted_and_others_rejected() {
    let states = [
        ("active", true),
        ("submitted", true),
        ("pending_submission", true),
        ("pending_customer_approval", false),
        ("suspended_by_payer", false),
        ("failed", false),
        ("cancelled", false),
        ("expired", false),
        ("consumed", false),
        ("blocked", false),
    ];
    for (state, live) in states {
        let mandate = with(recorded!("gocardless_mandate"), "/mandates/status", state);
        let answers = [(200, mandate.as_str()), (200, recorded!("gocardless_bank_account"))];
        let (looked, requests) = asked(VendorKind::Gocardless, "MD0000EXAMPLE", &answers);
        assert_eq!((is_rejected(&looked), requests.len()), (!live, if live { 2 } else { 1 }), "{state}");
    }
}

#[test]
fn gocardless_misses_and_unexpected_answers() {
    let (missing, mandate) = (recorded!("gocardless_missing"), recorded!("gocardless_mandate"));
    assert_eq!(looked_up(VendorKind::Gocardless, "MD0000NONE", &[(404, missing)]), Ok(None));
    assert!(is_rejected(&looked_up(VendorKind::Gocardless, "MD0000OTHER", &[(200, mandate)])));
    let gone = [(200, mandate), (404, missing)];
    assert!(is_rejected(&looked_up(VendorKind::Gocardless, "MD0000EXAMPLE", &gone)));
    let other = with(recorded!("gocardless_bank_account"), "/customer_bank_accounts/id", "BA0000OTHER");
    assert!(is_rejected(&looked_up(
        VendorKind::Gocardless,
        "MD0000EXAMPLE",
        &[(200, mandate), (200, &other)]
    )));
}

#[test]
fn gocardless_retries_each_of_its_requests() {
    let (down, mandate) = ((503, ""), (200, recorded!("gocardless_mandate")));
    let answers = [down, mandate, down, (200, recorded!("gocardless_bank_account"))];
    let (looked, requests) = asked(VendorKind::Gocardless, "MD0000EXAMPLE", &answers);
    assert_eq!(looked, Ok(Some(bank_account("ROBIN EXAMPLE", "11", None))));
    assert_eq!(requests.len(), 4);
}
