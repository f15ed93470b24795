use crate::harness::{
    Action, BUSINESS, BUSINESS_INSTRUCTION, Client, INSTRUCTION, Installation, Server, Vendor,
};
use crate::harness::{Answer, business, business_instruction, instruction};
use crate::payloads::small;
use serde_json::{Value, json};

/// An installation with the imported accounts `V-1` and `V-2`, the business `B-1` and the vendor `PAY`, which has every
/// card.
fn paid() -> (Installation, Server, Client, Vendor) {
    let vendor = Vendor::start(|asked| {
        Action::Json(200, json!({"reference": asked.path.rsplit('/').next().unwrap(), "type": "CARD"}))
    });
    let (installation, server, client) = Installation::with_accounts(&[small("V-1"), small("V-2")]);
    installation.add_vendor("PAY", "http", &vendor.url(""), &[]);
    assert_eq!(client.send_json(BUSINESS, &business("B-1", &[])).status, 201);
    (installation, server, client, vendor)
}

fn pay(client: &Client, body: &Value) -> Answer {
    client.send_json(INSTRUCTION, body)
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
