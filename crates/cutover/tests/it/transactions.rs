use crate::harness::{Answer, Installation, TRANSACTIONS, items, members};
use crate::payloads::billed;
use serde_json::{Value, json};

const ADDED: &str = "TRANSACTION_ADDED_TO_ACCOUNT";

pub(crate) fn transaction(id: &str, date: &str, amount: &str, kind: &str) -> Value {
    json!({"transaction_id": id, "transaction_date": date, "amount": amount, "type": kind})
}

/// Status and id of each result of an accepted call.
fn results(answer: &Answer) -> Vec<(String, String)> {
    assert_eq!(answer.status, 201, "{}", answer.text());
    let json = answer.json();
    assert_eq!(members(&json), ["results"]);
    let result = |result: &Value| {
        assert_eq!(members(result), ["added_transaction_id", "status", "transaction_data"]);
        assert!(result["added_transaction_id"].is_u64(), "{result}");
        let text = |value: &Value| crate::harness::text(value);
        (text(&result["status"]), text(&result["transaction_data"]["transaction_id"]))
    };
    items(&json["results"]).iter().map(result).collect()
}

fn pair(status: &str, id: &str) -> (String, String) {
    (status.to_owned(), id.to_owned())
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
