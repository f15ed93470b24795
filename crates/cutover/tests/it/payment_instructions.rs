use crate::harness::{
    Action, BUSINESS, BUSINESS_INSTRUCTION, Client, INSTRUCTION, Installation, Server, Vendor,
};
use crate::harness::{Answer, business, business_instruction, instruction, members};
use crate::payloads::{small, wrapped};
use serde_json::{Value, json};

/// An installation with the imported accounts `V-1` and `V-2`, the staged `W-1`, the business `B-1` and the
/// vendor `PAY`, which has every card.
fn paid() -> (Installation, Server, Client, Vendor) {
    let vendor = Vendor::start(|asked| {
        Action::Json(200, json!({"reference": asked.path.rsplit('/').next().unwrap(), "type": "CARD"}))
    });
    let (installation, server, client) = Installation::with_accounts(&[small("V-1"), small("V-2")]);
    installation.add_vendor("PAY", "http", &vendor.url(""), &[]);
    assert_eq!(client.send_json(BUSINESS, &business("B-1", &[])).status, 201);
    let later = wrapped("W-1", json!({"schedule_window_start": "2099-01-01T00:00:00Z"}));
    assert_eq!(client.create(&later).status, 201);
    (installation, server, client, vendor)
}

fn pay(client: &Client, body: &Value) -> Answer {
    client.send_json(INSTRUCTION, body)
}

#[test]
fn every_fault_of_an_account_instruction_is_reported_without_calling_the_vendor() {
    let (_installation, _server, client, vendor) = paid();
    assert_eq!(
        client.post(INSTRUCTION, r#"{"type": "card", "vendor": " ", "x": 1, "card": {}}"#).faults(),
        [
            "card unknown_field",
            "external_account_number required",
            "import_supplier required",
            "reference required",
            "type invalid_choice",
            "vendor blank",
            "x unknown_field",
        ]
    );
    let mut stranger = instruction("V-1", "PAY", "CASH", "R");
    stranger["import_supplier"] = json!("NOBODY");
    assert_eq!(
        pay(&client, &stranger).faults(),
        ["import_supplier import_supplier_not_found", "type invalid_choice"]
    );
    for number in ["W-1", "NONE", "v-1"] {
        let answer = pay(&client, &instruction(number, "PAY", "CARD", "R"));
        assert_eq!(answer.faults(), ["external_account_number account_not_found"], "{number}");
        let both = pay(&client, &instruction(number, "pay", "CARD", "R"));
        assert_eq!(
            both.faults(),
            ["external_account_number account_not_found", "vendor payment_vendor_unknown"],
            "{number}"
        );
    }
    assert_eq!(vendor.asked("/").len(), 0);
}

#[test]
fn references_are_trimmed_and_encoded_into_one_segment() {
    let (_installation, _server, client, vendor) = paid();
    let mut asked = 0;
    for (reference, segment) in [
        (" R 1 ", "R%201"),
        ("../../admin?x=1#y", "..%2F..%2Fadmin%3Fx%3D1%23y"),
        ("a%2Fb", "a%252Fb"),
        ("é\r\nX: y", "%C3%A9%0D%0AX%3A%20y"),
    ] {
        // This vendor returns the encoded reference, which does not match the requested one.
        let answer = pay(&client, &instruction("V-1", "PAY", "CARD", reference));
        assert_eq!(answer.faults(), ["vendor payment_vendor_rejected"], "{reference}");
        asked += 1;
        let seen = vendor.asked("/");
        assert_eq!(seen.len(), asked);
        assert_eq!(seen[asked - 1].path, format!("/payment-instructions/{segment}"));
        assert_eq!(seen[asked - 1].header("X"), None);
    }
    for reference in [".", ".."] {
        let answer = pay(&client, &instruction("V-1", "PAY", "CARD", reference));
        assert_eq!(answer.faults(), ["reference payment_instruction_not_found"], "{reference}");
    }
    assert_eq!(vendor.asked("/").len(), asked);
}

#[test]
fn an_instruction_of_the_payload_is_not_looked_up() {
    let (installation, _server, client, vendor) = paid();
    let mut account = small("V-3");
    account["payment_instructions"] =
        json!([{"vendor": "PAY", "type": "CARD", "reference": "R", "valid_from": "2025-01-01"}]);
    client.import(&[account]);
    let before = installation.account("V-3");
    // The same request again: it exists.
    assert_eq!(pay(&client, &instruction("V-3", "PAY", "CARD", "R")).status, 201);
    assert_eq!((vendor.asked("/").len(), installation.account("V-3")), (0, before));
}

fn pay_business(client: &Client, reference: &str, accounts: &[&str]) -> Answer {
    let mut body = business_instruction("B-1", "PAY", "CARD", reference);
    let accounts: Vec<Value> = accounts.iter().map(|a| json!({"external_account_number": a})).collect();
    body["accounts"] = json!(accounts);
    client.send_json(BUSINESS_INSTRUCTION, &body)
}

#[test]
fn a_business_instruction_covers_accounts_of_the_business() {
    let (_installation, _server, client, vendor) = paid();
    let plain = client.send_json(BUSINESS_INSTRUCTION, &business_instruction(" B-1 ", "PAY", "CARD", "R-0"));
    assert_eq!(plain.status, 201, "{}", plain.text());
    assert_eq!(plain.json(), json!({"reference": "R-0", "external_business_identifier": "B-1"}));
    for _ in 0..2 {
        let answer = pay_business(&client, "R-1", &["V-1", "V-2"]);
        assert_eq!(answer.status, 201, "{}", answer.text());
        assert_eq!(answer.json(), json!({"reference": "R-1", "external_business_identifier": "B-1"}));
    }
    assert_eq!(vendor.asked("/").len(), 2, "a stored instruction is not requested again");
    assert_eq!(pay_business(&client, "R-1", &["V-2"]).status, 201);
    assert_eq!(vendor.asked("/").len(), 2, "nor for some of its accounts");
}

#[test]
fn every_fault_of_a_business_instruction_is_reported_without_calling_the_vendor() {
    let (_installation, _server, client, vendor) = paid();
    assert_eq!(
        pay_business(&client, "R", &["V-1", "NONE", "W-1", "V-2"]).faults(),
        [
            "accounts.1.external_account_number account_not_found",
            "accounts.2.external_account_number account_not_found",
        ]
    );
    assert_eq!(
        pay_business(&client, "R", &["V-1", " V-1", "V-2", "V-1"]).faults(),
        [
            "accounts.1.external_account_number children_with_duplicate_values",
            "accounts.3.external_account_number children_with_duplicate_values",
        ]
    );
    let mut absent = business_instruction("NONE", "NOBODY", "CARD", "R");
    absent["accounts"] = json!([{"external_account_number": "NONE"}]);
    assert_eq!(
        client.send_json(BUSINESS_INSTRUCTION, &absent).faults(),
        [
            "accounts.0.external_account_number account_not_found",
            "external_business_identifier business_not_found",
            "vendor payment_vendor_unknown",
        ]
    );
    assert_eq!(
        client
            .post(
                BUSINESS_INSTRUCTION,
                r#"{"import_supplier_code": "NOBODY", "accounts": [{}], "reference": 1}"#
            )
            .faults(),
        [
            "accounts.0.external_account_number required",
            "external_business_identifier required",
            "import_supplier_code import_supplier_not_found",
            "reference invalid",
            "type required",
            "vendor required",
        ]
    );
    assert_eq!(vendor.asked("/").len(), 0);
}

#[test]
fn business_and_account_instructions_have_the_same_vendor_errors() {
    let (installation, _server, client, vendor) = paid();
    let sick = Vendor::start(|asked| match asked.path.rsplit('/').next().unwrap() {
        "NONE" => Action::Json(404, json!({})),
        "WRONG" => Action::Json(200, json!([])),
        _ => Action::Json(503, json!({})),
    });
    installation.add_vendor("SICK", "http", &sick.url(""), &[]);
    let pay = |vendor: &str, kind: &str, reference: &str| {
        client.send_json(BUSINESS_INSTRUCTION, &business_instruction("B-1", vendor, kind, reference))
    };
    assert_eq!(pay("SICK", "CARD", "NONE").faults(), ["reference payment_instruction_not_found"]);
    assert_eq!(pay("SICK", "CARD", "WRONG").faults(), ["vendor payment_vendor_rejected"]);
    assert_eq!(pay("PAY", "BPAY", "R").faults(), ["type payment_instruction_type_mismatch"]);
    let down = pay("SICK", "CARD", "R");
    assert_eq!(down.code(), (500, "payment_vendor_unavailable".to_owned()));
    assert_eq!(members(&down.json()), ["code", "detail"]);
    assert_eq!((sick.asked("/").len(), vendor.asked("/").len()), (5, 1));
    assert_eq!(pay("SICK", "CARD", "R").status, 500, "nothing was stored");
}
