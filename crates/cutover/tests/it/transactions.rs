use crate::harness::{Answer, Client, Installation, TRANSACTIONS, adding, items, members};
use crate::payloads::{billed, small};
use serde_json::{Value, json};

const ADDED: &str = "TRANSACTION_ADDED_TO_ACCOUNT";
const EXISTS: &str = "TRANSACTION_ALREADY_EXISTS";

pub(crate) fn transaction(id: &str, date: &str, amount: &str, kind: &str) -> Value {
    json!({"transaction_id": id, "transaction_date": date, "amount": amount, "type": kind})
}

fn add(client: &Client, number: &str, query: &str, transactions: Value) -> Answer {
    client.send_json(&format!("{TRANSACTIONS}{query}"), &adding(number, "transactions", transactions))
}

/// Status and id of each result of an accepted call.
fn results(answer: &Answer) -> Vec<(String, String)> {
    assert_eq!(answer.status, 201, "{}", answer.text());
    let json = answer.json();
    assert_eq!(members(&json), ["results"]);
    let result = |result: &Value| {
        assert_eq!(members(result), ["status", "transaction_data"]);
        let text = |value: &Value| crate::harness::text(value);
        (text(&result["status"]), text(&result["transaction_data"]["transaction_id"]))
    };
    items(&json["results"]).iter().map(result).collect()
}

fn pair(status: &str, id: &str) -> (String, String) {
    (status.to_owned(), id.to_owned())
}

fn balance(installation: &Installation, number: &str) -> String {
    crate::harness::text(&installation.account(number)["ledgers"][0]["ledger_balance"])
}

#[test]
fn transactions_are_added_with_the_digits_sent() {
    let (installation, _server, client) = Installation::with_accounts(&[billed("T-1")]);
    let sent = r#"{"import_supplier":"ACME","external_account_number":"T-1","transactions":[
        {"transaction_id":"A","transaction_date":"2025-07-15","amount":10.10,"type":"PAYMENT","note":"",
         "reason":"ACCOUNT_CHARGE_PAYMENT","display_note":"Thanks","reference":"R","payment_type":"BPAY"},
        {"transaction_id":" B ","transaction_date":"2025-07-01","amount":"3.30","type":"SUPPLY_CHARGE",
         "product_code":"P","line_items":[{"rate_band":"X","start_date":"2025-07-01","end_date":"2025-07-02",
         "number_of_units":2,"net_amount":3.00,"price_per_unit":1.5000,"units":[10.0,12],"params":null}],
         "tax_items":[{"amount":"0.30","tax_type":"VAT","value_taxed":3,"rate":0.10,"unit_type":"PROPORTION"}]}]}"#;
    let answer = client.post(TRANSACTIONS, sent);
    assert_eq!(results(&answer), [pair(ADDED, "A"), pair(ADDED, "B")]);
    let data = |i: usize| answer.json()["results"][i]["transaction_data"].clone();
    assert_eq!(
        data(0),
        json!({"transaction_id": "A", "transaction_date": "2025-07-15", "amount": "10.10", "type": "PAYMENT",
            "reason": "ACCOUNT_CHARGE_PAYMENT", "display_note": "Thanks", "reference": "R",
            "payment_type": "BPAY"})
    );
    assert_eq!(
        data(1)["line_items"],
        json!([{"rate_band": "X", "start_date": "2025-07-01", "end_date": "2025-07-02", "number_of_units": "2",
            "net_amount": "3.00", "price_per_unit": "1.5000", "units": ["10.0", "12"]}])
    );
    assert_eq!(
        data(1)["tax_items"],
        json!([{"amount": "0.30", "tax_type": "VAT", "value_taxed": "3", "rate": "0.10",
            "unit_type": "PROPORTION"}])
    );
    let stored = installation.account("T-1");
    let current = &stored["ledgers"][0]["current_statement_transactions"];
    assert_eq!(
        (&current[1]["transaction_id"], &current[2]),
        (&json!("A"), &data(1)),
        "behind what was imported"
    );
    assert_eq!(stored["ledgers"][0]["ledger_balance"], "16.90");
}

#[test]
fn the_balance_follows_exactly_over_several_calls() {
    let (installation, _server, client) = Installation::with_accounts(&[billed("T-1")]);
    let day = "2025-08-01";
    for (transactions, expected) in [
        (json!([transaction("A", day, "20.20", "PAYMENT"), transaction("B", day, "5", "CHARGE")]), "25.30"),
        (json!([transaction("C", day, "0.005", "REPAYMENT")]), "25.295"),
        (
            json!([transaction("D", day, "-1.00", "CREDIT"), transaction("A", day, "20.2", "PAYMENT")]),
            "24.295",
        ),
        (json!([transaction("E", day, "9999999999.99", "CHARGE")]), "-9999999975.695"),
        (json!([transaction("F", day, "9999999999.99", "CREDIT")]), "24.295"),
    ] {
        let answer = add(&client, "T-1", "", transactions);
        assert_eq!(answer.status, 201, "{}", answer.text());
        assert_eq!(balance(&installation, "T-1"), expected);
    }
}

#[test]
fn a_missing_balance_is_the_sum_of_its_transactions() {
    let mut summed = billed("T-1");
    summed["ledgers"][0]["last_statement_balance"] = json!("-1.00");
    summed["ledgers"][0].as_object_mut().unwrap().remove("ledger_balance");
    let mut without = small("T-2");
    without.as_object_mut().unwrap().remove("ledgers");
    let (installation, _server, client) = Installation::with_accounts(&[summed, without]);
    let payment = json!([transaction("A", "2025-08-01", "5.00", "PAYMENT")]);
    for (number, first, second) in [("T-1", "14.10", "9.10"), ("T-2", "5.00", "0.00")] {
        assert_eq!(results(&add(&client, number, "", payment.clone())), [pair(ADDED, "A")]);
        assert_eq!(balance(&installation, number), first);
        let charge = json!([transaction("B", "2025-08-01", "5.00", "CHARGE")]);
        assert_eq!(results(&add(&client, number, "", charge)), [pair(ADDED, "B")]);
        assert_eq!(balance(&installation, number), second);
    }
}

#[test]
fn existing_transactions_are_skipped() {
    let mut account = billed("T-1");
    account["ledgers"][0]["historical_statement_transactions"] =
        json!([transaction("H1", "2025-06-30", "0.00", "CHARGE")]);
    account["ledgers"]
        .as_array_mut()
        .unwrap()
        .push(json!({"ledger_balance": "2", "last_statement_balance": "0",
        "current_statement_transactions": [transaction("L2", "2025-07-01", "2", "PAYMENT")]}));
    let (installation, _server, client) = Installation::with_accounts(&[account]);
    let calls = json!([
        transaction("A", "2025-07-15", "1.10", "PAYMENT"),
        transaction("T1", "2025-07-01", "10.1", "CREDIT"),
        transaction("H1", "2025-06-30", "0", "CHARGE"),
        transaction(" L2 ", "2025-07-01", "2.00", "PAYMENT"),
    ]);
    let first = add(&client, "T-1", "", calls.clone());
    let known = [pair(EXISTS, "T1"), pair(EXISTS, "H1"), pair(EXISTS, "L2")];
    assert_eq!(results(&first), [&[pair(ADDED, "A")], &known[..]].concat());
    assert_eq!(first.json()["results"][1]["transaction_data"]["amount"], "10.10", "the stored one");
    let before = installation.account("T-1");
    assert_eq!(before["ledgers"][0]["ledger_balance"], "11.20");
    let again = add(&client, "T-1", "", calls);
    assert_eq!(results(&again), [&[pair(EXISTS, "A")], &known[..]].concat());
    assert_eq!(installation.account("T-1"), before);
}

#[test]
fn a_call_may_force_additions() {
    let (installation, _server, client) = Installation::with_accounts(&[billed("T-1")]);
    let query = "?check_previously_added=False";
    let day = "2025-07-15";
    let twice = json!([transaction("T1", day, "1.00", "PAYMENT"), transaction("A", day, "2.00", "CHARGE")]);
    for expected in ["9.10", "8.10"] {
        assert_eq!(
            results(&add(&client, "T-1", query, twice.clone())),
            [pair(ADDED, "T1"), pair(ADDED, "A")]
        );
        assert_eq!(balance(&installation, "T-1"), expected);
    }
    let known = add(&client, "T-1", "", json!([transaction("T1", "2025-07-01", "10.10", "CREDIT")]));
    assert_eq!(results(&known), [pair(EXISTS, "T1")], "of several, the oldest");
    assert_eq!(balance(&installation, "T-1"), "8.10");
}

#[test]
fn an_id_is_not_reused() {
    let (installation, _server, client) = Installation::with_accounts(&[billed("T-1")]);
    let before = installation.account("T-1");
    for other in [
        transaction("T1", "2025-07-01", "10.11", "CREDIT"),
        transaction("T1", "2025-07-02", "10.10", "CREDIT"),
        transaction("T1", "2025-07-01", "10.10", "PAYMENT"),
    ] {
        let batch = json!([transaction("A", "2025-07-15", "1.00", "PAYMENT"), other]);
        let answer = add(&client, "T-1", "", batch);
        assert_eq!(
            answer.faults(),
            ["transactions.1.transaction_id transaction_id_reused_with_different_content"]
        );
        assert_eq!(answer.json()["transaction_data"], other);
        assert_eq!(installation.account("T-1"), before, "half a batch is never stored");
    }
    let twice = json!([
        transaction("A", "2025-07-15", "1", "CREDIT"),
        transaction("A ", "2025-07-15", "1", "CREDIT")
    ]);
    for query in ["", "?check_previously_added=false"] {
        let answer = add(&client, "T-1", query, twice.clone());
        assert_eq!(answer.faults(), ["transactions.1.transaction_id duplicate_transaction_ids"]);
    }
    assert_eq!(installation.account("T-1"), before);
}
