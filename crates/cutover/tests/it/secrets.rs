use crate::after_import::additions;
use crate::harness::{
    Action, BUSINESS, BUSINESS_INSTRUCTION, INSTRUCTION, Installation, ReceivedRequest, VALIDATE, Vendor,
    answer, business, business_instruction, instruction,
};
use crate::payloads::small;
use serde_json::json;

/// Failure 22. Canaries in every part of requests appear in no log.
#[test]
fn nothing_of_a_payload_or_a_credential_is_logged() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--log-level", "trace"]);
    let client = server.client(&key);
    let mut account = small("CANARY-NUMBER");
    account["customers"][0]["family_name"] = json!("CANARYNAME\u{1b}[31m\r\nINJECTED");
    account["customers"][0]["date_of_birth"] = json!("1971-03-17");
    account["payment_instructions"] = json!([{"vendor": "V", "type": "DIRECT_DEBIT", "reference": "CANARYREF", "valid_from": "2020-01-01",
        "bank_account": {"account_holder": "CANARYHOLDER", "account_number": "999888777", "bsb": "062-000"}}]);
    assert_eq!(client.create(&account).status, 201);
    client.wait("CANARY-NUMBER", "PROCESSED");
    account["payment_instructions"][0]["bank_account"]["bsb"] = json!("CANARYBSB");
    assert_eq!(client.post(VALIDATE, account.to_string()).status, 400);
    client.post(VALIDATE, "{\"CANARYJSON");
    client.get("/CANARYPATH?CANARYQUERY=1");
    let token = client.token.clone().unwrap();
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0));
    assert!(log.contains("/v2/data-import/accounts/validate/"), "requests are logged: {log}");
    for secret in ["CANARY", "999888777", "1971-03-17", "062-000", "INJECTED", &key, &token] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

/// The fault of each answer of the vendor, by reference.
fn leaking(asked: &ReceivedRequest) -> Action {
    let reference = asked.path.rsplit('/').next().unwrap();
    let account =
        json!({"account_holder": "CANARYHOLDER", "account_number_last_digits": "QZ7J", "bsb": "062-000"});
    let good = json!({"reference": reference, "type": "DIRECT_DEBIT", "bank_account": account});
    match reference {
        "CANARYREF-text" => Action::Raw(answer(200, "", "CANARYBODY")),
        "CANARYREF-other" => Action::Json(200, json!({"reference": "CANARYECHO", "type": "DIRECT_DEBIT"})),
        "CANARYREF-down" => Action::Json(503, good),
        "CANARYREF-moved" => Action::Raw(answer(301, "Location: http://CANARYHOST/\r\n", "")),
        "CANARYREF-whole" => {
            let whole = json!({"account_number_last_digits": "999888777"});
            Action::Json(200, json!({"reference": reference, "type": "DIRECT_DEBIT", "bank_account": whole}))
        }
        _ => Action::Json(200, good),
    }
}

/// Failure 22. References, bank details and the vendor's secret appear in no log, answer or command output
/// other than their own.
#[test]
fn nothing_from_a_vendors_answer_is_logged() {
    let vendor = Vendor::start(leaking);
    let (mut installation, key) = Installation::with_supplier();
    installation.set_variable("VENDOR_KEY", "CANARYSECRET");
    let url = vendor.url("");
    installation.add_vendor("PAY", "http", &url, &["--secret-env", "VENDOR_KEY"]);
    let server = installation.serve_with(&["--log-level", "trace"]);
    let client = server.client(&key);
    client.import(&[small("V-1")]);
    assert_eq!(client.send_json(BUSINESS, &business("B-1", &["CANARYCONTRACT"])).status, 201);
    let mut answers = String::new();
    for (what, status) in
        [("good", 201), ("text", 400), ("other", 400), ("moved", 400), ("whole", 400), ("down", 500)]
    {
        let reference = format!("CANARYREF-{what}");
        let account = client.send_json(INSTRUCTION, &instruction("V-1", "PAY", "DIRECT_DEBIT", &reference));
        let body = business_instruction("B-1", "PAY", "DIRECT_DEBIT", &reference);
        let business = client.send_json(BUSINESS_INSTRUCTION, &body);
        assert_eq!((account.status, business.status), (status, status), "{what}");
        if status != 201 {
            // The caller's own reference is repeated.
            answers += &account.text().replace(&reference, "");
            answers += &business.text().replace(&reference, "");
        }
    }
    assert!(vendor.asked("/").iter().all(|a| a.header("Authorization") == Some("Bearer CANARYSECRET")));
    for (path, body) in additions("V-1") {
        let mut body = body.to_string();
        body = body
            .replace("\"B\"", "\"CANARYNOTE\"")
            .replace("\"A\"", "\"CANARYID\"")
            .replace("\"Q1\"", "\"CANARYID\"");
        assert_eq!(client.post(path, &body).status, 201);
        assert_eq!(
            client.post(path, body.replace("2025-", "CANARY-").replace("\"body\"", "\"CANARY\"")).status,
            400
        );
    }
    let reported = [&["vendor", "list"][..], &["doctor"], &["process", "list", "ACME"]];
    let outputs = reported.map(|args| String::from_utf8(installation.run(args).stdout).unwrap()).concat();
    assert!(outputs.contains("PAY") && outputs.contains("database"), "{outputs}");
    let metrics = server.anonymous().get("/metrics").text();
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0));
    assert!(log.contains(BUSINESS_INSTRUCTION), "requests are logged: {log}");
    for (place, words) in [("log", log), ("answers", answers), ("outputs", outputs), ("metrics", metrics)] {
        for secret in ["CANARY", "QZ7J", "999888777", "062-000", &key, client.token.as_ref().unwrap()] {
            assert!(!words.contains(secret), "{secret} is in the {place}");
        }
    }
    assert!(installation.account("V-1").to_string().contains("QZ7J"), "it is kept where it belongs");
}
