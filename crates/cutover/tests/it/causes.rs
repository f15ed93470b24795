use crate::harness::{
    ACCOUNTS, Action, Client, INSTRUCTION, Installation, STATEMENTS, Server, TRANSACTIONS, Vendor, adding,
    instruction, items, text,
};
use crate::payloads::{billed, small, without_customers};
use crate::transactions::transaction;
use serde_json::{Value, json};

/// `A-1` and `A-2` are imported with a warning; `F-1` and `F-2` were accepted with it, and then rejected for it.
fn failed() -> (Installation, Server, Client) {
    let (installation, key) = Installation::with_supplier();
    {
        let server = installation.serve();
        server.client(&key).import(&[without_customers("A-1"), without_customers("A-2")]);
    }
    {
        let api = installation.serve_with(&["--role", "api"]);
        for number in ["F-1", "F-2"] {
            assert_eq!(api.client(&key).create(&without_customers(number)).status, 201);
        }
    }
    installation.run_json(&["supplier", "set", "ACME", "--rule", "ACC-04=error"]);
    let server = installation.serve();
    let client = server.client(&key);
    for number in ["F-1", "F-2"] {
        client.wait(number, "ERRORED");
    }
    (installation, server, client)
}

fn issues(client: &Client, number: &str) -> Value {
    let answer = client.get(&format!("{ACCOUNTS}ACME/{number}/issues/"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

fn listed(client: &Client, query: &str) -> Vec<String> {
    let found = client.get(&format!("{ACCOUNTS}ACME/?{query}"));
    assert_eq!(found.status, 200, "{query}: {}", found.text());
    items(&found.json()).iter().map(|item| text(&item["external_account_number"])).collect()
}

/// Failures and warnings are counted, listed and shown by what was wrong, until it is no more.
#[test]
fn failures_and_warnings_are_visible_by_their_causes() {
    let (installation, _server, client) = failed();
    let progress = client.progress();
    let cause = |count: u64, examples: &[&str]| {
        let attr = progress["top_errors"][0]["attr"].clone();
        json!([{ "code": "account_without_customers", "attr": attr, "count": count, "examples": examples }])
    };
    assert_eq!(progress["top_errors"], cause(2, &["F-1", "F-2"]));
    assert_eq!(progress["top_warnings"], cause(2, &["A-1", "A-2"]));
    assert_eq!(client.status("F-1")["latest_error"]["code"], "import_process_failed_validation");
    let found = issues(&client, "F-1");
    assert_eq!((&found["attempt"], &found["warnings"]), (&json!(1), &json!([])));
    let error = &found["errors"][0];
    assert_eq!((&error["code"], &error["rule"]), (&json!("account_without_customers"), &json!("ACC-04")));
    let warning = &issues(&client, "A-1")["warnings"][0];
    assert_eq!(
        (&warning["code"], &warning["source"]),
        (&json!("account_without_customers"), &json!("account"))
    );
    assert_eq!(listed(&client, "error_code=account_without_customers"), ["F-1", "F-2"]);
    assert_eq!(listed(&client, "error_code=account_without_customers&page_size=1"), ["F-1"]);
    assert_eq!(listed(&client, "error_code=account_without_customers&status=PROCESSED"), [""; 0]);
    assert_eq!(listed(&client, "error_code=import_process_failed_validation"), [""; 0]);
    assert_eq!(listed(&client, "warning_code=account_without_customers"), ["A-1", "A-2"]);
    for name in ["error_code", "warning_code"] {
        let refused = client.get(&format!("{ACCOUNTS}ACME/?{name}=account_without_customer"));
        assert_eq!((refused.status, refused.faults()), (400, vec![format!("{name} invalid")]));
    }
    for rest in [&[][..], &["--yes"]] {
        let words = ["process", "retry", "ACME", "--error-code", "none_such"];
        let refused = installation.run_refused(&[&words[..], rest].concat());
        assert!(refused.contains("there is no error code \"none_such\""), "{refused}");
    }
    let list =
        installation.run_json(&["process", "list", "ACME", "--error-code", "account_without_customers"]);
    assert_eq!(items(&list).len(), 2);
    assert_eq!(list[0]["error_codes"], json!(["account_without_customers"]));
    let list =
        installation.run_json(&["process", "list", "ACME", "--warning-code", "account_without_customers"]);
    assert_eq!(items(&list).len(), 2);
    let shown = installation.run_json(&["process", "show", "ACME", "F-1"]);
    assert_eq!(shown["errors"], found["errors"]);
    assert_eq!(installation.run_json(&["process", "show", "ACME", "A-1"])["warnings"][0], *warning);

    installation.run_json(&["supplier", "set", "ACME", "--rule", "ACC-04=default"]);
    installation.run_json(&["process", "retry", "ACME", "F-1"]);
    client.wait("F-1", "PROCESSED");
    installation.run_json(&["account", "erase", "ACME", "A-2", "--yes", "--because", "asked for"]);
    let progress = client.progress();
    assert_eq!(progress["top_errors"][0]["examples"], json!(["F-2"]));
    assert_eq!(progress["top_warnings"][0]["examples"], json!(["A-1", "F-1"]));
    assert_eq!(issues(&client, "F-1")["errors"], json!([]));
    assert_eq!(listed(&client, "error_code=account_without_customers"), ["F-2"]);
}

/// Each kind of request after the import names itself as the source of its warnings.
#[test]
fn warnings_name_the_request_that_caused_them() {
    let vendor =
        Vendor::start(|_| Action::Json(200, json!({"reference": "4111111111111111", "type": "CARD"})));
    let (installation, _server, client) = Installation::with_accounts(&[billed("A-1")]);
    installation.add_vendor("PAY", "http", &vendor.url(""), &[]);
    let statement = json!({"bill_period_from_date": "2025-01-01", "bill_period_to_date": "2025-03-31",
        "issued_date": "2025-03-30", "statement_id": "Q1"});
    let requests = [
        (
            TRANSACTIONS,
            adding("A-1", "transactions", json!([transaction("A", "2025-08-01", "1.005", "CREDIT")])),
        ),
        (STATEMENTS, adding("A-1", "statements", json!([statement]))),
        (INSTRUCTION, instruction("A-1", "PAY", "CARD", "4111111111111111")),
    ];
    for (path, body) in requests {
        let answer = client.send_json(path, &body);
        assert_eq!(answer.status, 201, "{path}: {}", answer.text());
    }
    let warnings = issues(&client, "A-1")["warnings"].clone();
    let after: Vec<_> = items(&warnings).iter().filter(|warning| warning["source"] != "account").collect();
    let facts = ["source", "code", "attr"];
    let mut after: Vec<_> = after.iter().map(|warning| facts.map(|fact| text(&warning[fact]))).collect();
    after.sort();
    assert_eq!(
        after,
        [
            ["historical_statements", "statement_issued_before_period_end", "statements.0.issued_date"],
            ["payment_instruction", "possible_card_number", "reference"],
            ["transactions", "amount_has_fraction_of_cent", "transactions.0.amount"],
        ],
        "{warnings}"
    );
}

/// Failed accounts are exported, corrected and sent again; archived ones are named.
#[test]
fn failed_accounts_are_exported_to_be_corrected() {
    let (installation, _server, client) = failed();
    let export = |format: &str, more: &[&str]| {
        let output = installation.run(&[&["process", "export", "ACME", "--format", format], more].concat());
        assert!(output.status.success(), "{output:?}");
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (out, err)
    };
    let (csv, _) = export("csv", &[]);
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["external_account_number", "code", "attr", "rule", "detail", "value"]);
    for (row, number) in rows[1..].iter().zip(["F-1", "F-2"]) {
        assert_eq!((row[0], row[1], row[3]), (number, "account_without_customers", "ACC-04"));
    }
    assert_eq!(rows.len(), 3);
    assert_eq!(export("csv", &["--status", "dry_run_errored"]).0.lines().count(), 1);
    let (lines, _) = export("ndjson", &["--error-code", "account_without_customers"]);
    let sent = [without_customers("F-1"), without_customers("F-2")].map(|sent| format!("{sent}\n"));
    assert_eq!(lines, sent.concat(), "the payloads are there to the byte");
    let refused = ["process", "export", "ACME", "--format", "csv", "--status", "pending"];
    assert!(installation.run_refused(&refused).contains("have not failed"));

    let corrected = lines.lines().next().unwrap().replace("\"customers\":[]", &customers());
    assert_eq!(client.post(ACCOUNTS, corrected).status, 201);
    client.wait("F-1", "PROCESSED");
    let archive = installation.path().join("archive").display().to_string();
    installation.run_json(&["process", "archive", "--before", "2999-01-01", "--to", &archive, "--yes"]);
    let (lines, said) = export("ndjson", &[]);
    assert_eq!(lines, "");
    assert!(
        said.starts_with("F-2: left out, its payload is archived\n1 failed accounts are left out"),
        "{said}"
    );
    let file = installation.path().join("failed.ndjson").display().to_string();
    let to_file = ["process", "export", "ACME", "--format", "ndjson", "--out", &file];
    let written = installation.run_json(&to_file);
    assert_eq!((&written["accounts"], &written["left_out"]), (&json!(0), &json!(1)));
    assert!(installation.run_refused(&to_file).contains("exists"));
    let recorded = installation.run_json(&["audit", "--action", "process.export"]);
    assert_eq!(items(&recorded).len(), 5);
    assert_eq!(recorded[2]["detail"]["error_code"], "account_without_customers");
}

fn customers() -> String {
    format!("\"customers\":{}", small("F-1")["customers"])
}
