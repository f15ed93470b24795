//! Account payment instructions, and the answers of vendors (the table of contract D8).

use crate::harness::{
    Action, Answer, Client, INSTRUCTION, Installation, ReceivedRequest, Server, Vendor, instruction,
};
use crate::payloads::small;
use serde_json::{Value, json};

/// A vendor whose behaviour is the first segment of the path. What vendors answer otherwise, and what that means, is
/// tested in `cutover-outbound`.
fn scripted(asked: &ReceivedRequest) -> Action {
    let (what, rest) = asked.path[1..].split_once('/').unwrap();
    let reference = rest.rsplit('/').next().unwrap_or_default();
    let card = json!({"card_payment_network": "VISA", "card_type": "DEBIT", "last_digits": "4242",
        "expiry_month": 11, "expiry_year": 2031});
    let good = json!({"reference": reference, "type": "CARD", "card": card});
    match what {
        "good" => Action::Json(200, good),
        "mandate" => Action::Json(
            200,
            json!({"reference": reference, "type": "DIRECT_DEBIT", "bank_account":
                {"account_holder": "M Tran", "account_number_last_digits": "5678", "bsb": "063-019"}}),
        ),
        "recovers" if asked.before < 2 => Action::Json(500, json!({})),
        "recovers" => Action::Json(200, good),
        other => panic!("no vendor {other}"),
    }
}

/// An installation with the account `V-1` and a vendor for each behaviour.
fn paid(what: &[&str]) -> (Installation, Server, Client, Vendor) {
    let vendor = Vendor::start(scripted);
    let (installation, server, client) = Installation::with_accounts(&[small("V-1")]);
    for name in what {
        installation.add_vendor(name, "http", &vendor.url(&format!("/{name}")), &[]);
    }
    (installation, server, client, vendor)
}

fn pay(client: &Client, vendor: &str, kind: &str) -> Answer {
    client.send_json(INSTRUCTION, &instruction("V-1", vendor, kind, "R"))
}

#[test]
fn a_confirmed_instruction_is_stored_once() {
    let (installation, _server, client, vendor) = paid(&["good", "mandate"]);
    let number = client.status("V-1")["service_identifier"].clone();
    for (name, kind) in [("good", "CARD"), ("mandate", "DIRECT_DEBIT")] {
        for _ in 0..2 {
            let answer = pay(&client, name, kind);
            assert_eq!(answer.status, 201, "{}", answer.text());
            assert_eq!(answer.json(), json!({"service_account_number": number, "reference": "R"}));
        }
        let asked = vendor.asked(&format!("/{name}/"));
        assert_eq!(asked.len(), 1, "the second time nobody is asked");
        assert_eq!(
            (&*asked[0].method, &*asked[0].path),
            ("GET", &*format!("/{name}/payment-instructions/R"))
        );
        assert_eq!(asked[0].header("Authorization"), None);
    }
    let stored = installation.account("V-1")["verified_payment_instructions"].take();
    let mut stored = stored.as_array().unwrap().clone();
    for instruction in &mut stored {
        assert!(instruction.as_object_mut().unwrap().remove("verified_at").is_some());
    }
    assert_eq!(
        Value::from(stored),
        json!([
            {"vendor": "good", "type": "CARD", "reference": "R", "card": {"card_payment_network": "VISA",
                "card_type": "DEBIT", "last_digits": "4242", "expiry_month": 11, "expiry_year": 2031}},
            {"vendor": "mandate", "type": "DIRECT_DEBIT", "reference": "R", "bank_account":
                {"account_holder": "M Tran", "account_number_last_digits": "5678", "bsb": "063-019"}},
        ])
    );
}

/// Failure 13.
#[test]
fn a_completed_dry_run_may_be_sent_again_unchanged() {
    let (installation, _server, client, vendor) = paid(&["recovers"]);
    assert_eq!(pay(&client, "recovers", "CARD").status, 201, "one that fails twice is asked again");
    assert_eq!(vendor.asked("/recovers/").len(), 3);
    assert_eq!(installation.account("V-1")["verified_payment_instructions"].as_array().unwrap().len(), 1);
    let down = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let state = down.clone();
    let vendor = Vendor::start(move |_| match state.load(std::sync::atomic::Ordering::SeqCst) {
        true => Action::Json(503, json!({})),
        false => Action::Json(200, json!({"reference": "R", "type": "CARD"})),
    });
    installation.add_vendor("later", "http", &vendor.url(""), &[]);
    assert_eq!(pay(&client, "later", "CARD").status, 500);
    down.store(false, std::sync::atomic::Ordering::SeqCst);
    for _ in 0..2 {
        assert_eq!(pay(&client, "later", "CARD").status, 201);
    }
    assert_eq!(vendor.asked("/").len(), 4, "three failures, one success, none for the stored one");
    assert_eq!(installation.account("V-1")["verified_payment_instructions"].as_array().unwrap().len(), 2);
}

/// Failure 13.
#[test]
fn concurrent_creates_store_one() {
    let (installation, _server, client, _vendor) = paid(&["good"]);
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(|| pay(&client, "good", "CARD"))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for answer in &answers {
        assert_eq!(answer.status, 201, "{}", answer.text());
    }
    assert_eq!(installation.account("V-1")["verified_payment_instructions"].as_array().unwrap().len(), 1);
}
