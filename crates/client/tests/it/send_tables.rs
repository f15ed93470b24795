//! `send` of requests that are made of tables.

use crate::harness::{RunResult, Sandbox};
use crate::send::{fixture, send};
use crate::stub::Stub;
use crate::upload::figures;
use serde_json::{Value, json};

/// A mapping as `upload` takes it.
const MAPPING: &str = "[tables.accounts.constants]\nimport_supplier = \"ACME_ENERGY\"\n\
                       [tables.customers.columns]\ngiven_name = \"VORNAME\"\n";

/// Runs `send` with the mapping and a report.
fn send_mapped(sandbox: &Sandbox, stub: &Stub, arguments: &[&str]) -> RunResult {
    sandbox.write("mapping.toml", MAPPING);
    let options = ["--mapping", "mapping.toml", "--report", "r.json"];
    send(sandbox, stub, &[arguments, &options].concat())
}

/// The bodies that the stub has got, in the order of their texts: requests about different accounts have none.
fn sent(stub: &Stub) -> Vec<Value> {
    let mut sent: Vec<Value> = stub.state().sent.iter().map(|(_, body)| body.clone()).collect();
    sent.sort_by_key(Value::to_string);
    sent
}

/// Each finding: its place in the tables, its code and its member.
fn findings(sandbox: &Sandbox) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let finding = |row: Value| {
        let place = ["file", "line", "column"].map(|name| text(&row["source"][name])).join(":");
        format!("{place} {} {}", text(&row["code"]), text(&row["attr"]))
    };
    sandbox.rows("r.json").into_iter().map(finding).collect()
}

#[test]
fn notes_of_an_account_are_one_request() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write(
        "in/notes.csv",
        "external_account_number,import_supplier,body,created_at\n\
         B,OTHER,Hello,\nA,,\"One, two\",2026-01-02T03:04:05Z\nB,OTHER,Again,\n",
    );
    sandbox.write("in/notes-2.csv", "external_account_number,position,body\nA,,Last\nA,1,First\n");
    sandbox.write(
        "in/note_documents.ndjson",
        r#"{"external_account_number":"A","notes_position":1,"document_path":"a.pdf"}"#,
    );
    let ran = send_mapped(&sandbox, &stub, &["notes", "in"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    assert_eq!(figures(&ran, ["requests", "accepted", "faulty"]), [2, 2, 0]);
    assert_eq!(ran.summary()["tables"], json!({"files": 3, "rows": 6, "findings": 0}));
    assert_eq!(ran.summary()["items"]["added"], 5);
    let request = |supplier: &str, number: &str, notes: Value| json!({"import_supplier": supplier, "external_account_number": number, "notes": notes});
    let notes = json!([
        {"body": "First", "document_paths": [{"document_path": "a.pdf"}]},
        {"body": "Last"},
        {"body": "One, two", "created_at": "2026-01-02T03:04:05Z"},
    ]);
    let of_b = request("OTHER", "B", json!([{"body": "Hello"}, {"body": "Again"}]));
    assert_eq!(sent(&stub), [request("ACME_ENERGY", "A", notes), of_b]);
    // Another run has nothing to do, and says where the requests come from.
    let again = send_mapped(&sandbox, &stub, &["notes", "in"]);
    assert_eq!((again.code, again.summary()["in_earlier_runs"]["accepted"].as_u64()), (Some(0), Some(2)));
    assert_eq!(stub.state().sent.len(), 2);
    let journal = sandbox.read("in.cutover-journal");
    assert!(journal.contains("in/notes-2.csv") && !journal.contains("the tables"), "{journal}");
}

#[test]
fn transactions_have_their_lines_and_taxes() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write(
        "transactions.csv",
        "external_account_number,import_supplier,dry_run,transaction_id,transaction_date,amount,type,product_code\n\
         A,S,false,T-1,2026-11-15,65.630,SUPPLY_CHARGE,P\nA,S,false,T-2,2026-11-16,1.5,CREDIT,\n",
    );
    sandbox.write(
        "line_items.csv",
        "external_account_number,transaction_id,rate_band,start_date,end_date,number_of_units,net_amount\n\
         A,T-1,PEAK,2026-11-01,2026-11-15,100,65.63\n",
    );
    let ran =
        send(&sandbox, &stub, &["transactions", "transactions.csv", "line_items.csv", "--report", "r.json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.err, ran.out);
    let line = json!({"rate_band": "PEAK", "start_date": "2026-11-01", "end_date": "2026-11-15",
                      "number_of_units": "100", "net_amount": "65.63"});
    let first = json!({"transaction_id": "T-1", "transaction_date": "2026-11-15", "amount": "65.630",
                       "type": "SUPPLY_CHARGE", "product_code": "P", "line_items": [line]});
    let second = json!({"transaction_id": "T-2", "transaction_date": "2026-11-16", "amount": "1.5",
                        "type": "CREDIT"});
    let expected = json!({"import_supplier": "S", "external_account_number": "A", "dry_run": false,
                          "transactions": [first, second]});
    assert_eq!(sent(&stub), [expected]);
}

#[test]
fn statements_and_businesses_are_made_of_tables() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write(
        "historical_statements.csv",
        "external_account_number,bill_period_from_date,bill_period_to_date,statement_id,gross_amount\n\
         A,2026-01-01,2026-01-31,S-1,12.340\n",
    );
    let ran = send_mapped(&sandbox, &stub, &["historical-statements", "historical_statements.csv"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.err, ran.out);
    let statement = json!({"bill_period_from_date": "2026-01-01", "bill_period_to_date": "2026-01-31",
                           "statement_id": "S-1", "gross_amount": "12.340"});
    let expected = json!({"import_supplier": "ACME_ENERGY", "external_account_number": "A",
                          "statements": [statement]});
    assert_eq!(sent(&stub), [expected]);

    let business = fixture("businesses/valid/cold_storage");
    let terms = |contract: usize, version: usize| {
        let versions = &business["business"]["business_contracts"][contract]["versions"];
        versions[version]["terms"].to_string().replace('"', "\"\"")
    };
    stub.state().sent.clear();
    sandbox.write(
        "b/businesses.csv",
        "external_business_identifier,business.business_type,business.company_number,business.company_name\n\
         B-HALLORAN,PTY_LTD,000 000 019,Halloran Cold Storage Pty Ltd\n",
    );
    sandbox.write(
        "b/business_details.csv",
        "external_business_identifier,key,value\nB-HALLORAN,abn,89 000 000 019\nB-HALLORAN,anzsic,5309\n",
    );
    sandbox.write(
        "b/business_contracts.csv",
        "external_business_identifier,identifier,valid_from_date,signed_at_date\n\
         B-HALLORAN,C-2023-0042,2023-01-01,2022-12-01\nB-HALLORAN,C-2026-0007,2026-07-01,2026-06-15\n",
    );
    let versions = [("2024-07-01", terms(0, 0)), ("2023-01-01", terms(0, 1))];
    let versions = versions.map(|(day, terms)| format!("B-HALLORAN,C-2023-0042,{day},\"{terms}\"\n"));
    sandbox.write(
        "b/business_contract_versions.csv",
        format!("external_business_identifier,identifier,applicable_at_date,terms\n{}", versions.concat()),
    );
    let ran = send_mapped(&sandbox, &stub, &["businesses", "b"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.err, ran.out);
    assert_eq!(sent(&stub), [business]);
    let again = send_mapped(&sandbox, &stub, &["businesses", "b"]);
    assert_eq!((again.code, figures(&again, ["accepted"]), stub.state().sent.len()), (Some(0), [1], 1));
}

#[test]
fn payment_instructions_of_accounts_and_businesses_are_told_apart_by_their_tables() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write(
        "in/payment_instructions.csv",
        "external_account_number,vendor,reference,type\nA,V,R-1,CARD\nA,V,R-2,DIRECT_DEBIT\n",
    );
    sandbox.write(
        "in/business_payment_instructions.csv",
        "external_business_identifier,vendor,reference,type\nB,V,R-3,CARD\n",
    );
    sandbox.write(
        "in/business_payment_instruction_accounts.csv",
        "external_business_identifier,external_account_number\nB,A\nB,C\n",
    );
    let ran = send_mapped(&sandbox, &stub, &["payment-instructions", "in"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    let of = |reference: &str, kind: &str| {
        json!({"import_supplier": "ACME_ENERGY", "external_account_number": "A", "vendor": "V",
               "reference": reference, "type": kind})
    };
    let accounts = json!([{"external_account_number": "A"}, {"external_account_number": "C"}]);
    let of_business = json!({"import_supplier_code": "ACME_ENERGY", "external_business_identifier": "B",
                             "vendor": "V", "reference": "R-3", "type": "CARD", "accounts": accounts});
    let mut expected = vec![of("R-1", "CARD"), of("R-2", "DIRECT_DEBIT"), of_business];
    expected.sort_by_key(Value::to_string);
    assert_eq!(sent(&stub), expected);
    let paths: Vec<String> = stub.state().sent.iter().map(|(path, _)| path.clone()).collect();
    assert_eq!(paths.iter().filter(|path| *path == "business-payment-instruction/create/").count(), 1);
}

/// They are sent with the bytes that they have, so that earlier journals know them.
#[test]
fn requests_as_json_are_no_rows_whatever_the_name_of_their_file() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    for (what, name, file) in [
        ("businesses", "businesses/valid/cold_storage", "businesses.ndjson"),
        ("notes", "notes/valid/calls", "notes.ndjson"),
        ("payment-instructions", "payment_instructions/valid/card", "payment_instructions.ndjson"),
    ] {
        let body = fixture(name);
        sandbox.write(file, body.to_string());
        let ran = send(&sandbox, &stub, &[what, file]);
        assert_eq!((ran.code, figures(&ran, ["accepted"])), (Some(0), [1]), "{}{}", ran.err, ran.out);
        assert_eq!(ran.summary()["tables"], Value::Null);
        assert_eq!(stub.state().sent.last().map(|(_, sent)| sent.clone()), Some(body));
    }
}

#[test]
fn findings_name_file_line_and_column() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write(
        "in/notes.csv",
        "external_account_number,body,created_at,shade\nA,Hello,,red\nB,Hello,yesterday,\nC,Hello,,\nC,,,\n,x,,\n",
    );
    sandbox
        .write("in/note_documents.csv", "external_account_number,notes_position,document_path\nA,2,a.pdf\n");
    let ran = send_mapped(&sandbox, &stub, &["notes", "in", "--report", "r.csv"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""), "{}", ran.out);
    assert_eq!(figures(&ran, ["requests", "accepted", "faulty"]), [3, 0, 3]);
    assert_eq!(
        findings(&sandbox),
        [
            "in/notes.csv:1:shade unread_column notes.shade",
            "in/notes.csv:6:null missing_key notes",
            "in/note_documents.csv:2:null orphan_row note_documents",
            "in/notes.csv:3:created_at invalid notes.0.created_at",
            "in/notes.csv:5:null note_body_or_document_path_not_found notes.1",
        ]
    );
    assert!(sandbox.read("r.csv").contains(",in/notes.csv,3,created_at\r\n"), "{}", sandbox.read("r.csv"));
    assert!(stub.state().sent.is_empty());
    let journal = sandbox.read("in.cutover-journal");
    assert!(journal.contains("in/note_documents.csv") || journal.contains("in/notes.csv"), "{journal}");
}

#[test]
fn findings_of_other_requests_name_their_rows_too() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let mut found = Vec::new();
    for (what, files) in [
        (
            "businesses",
            &[
                ("businesses.csv", "external_business_identifier,business.business_type\nB,PTY\n"),
                ("business_details.csv", "external_business_identifier,key,value\nB,abn,\n"),
            ][..],
        ),
        (
            "transactions",
            &[(
                "transactions.csv",
                "external_account_number,transaction_id,transaction_date,amount,type\n\
                 A,T-1,2026-11-01,\"1,5\",CREDIT\nA,T-1,2026-11-01,2,CREDIT\n",
            )],
        ),
        (
            "historical-statements",
            &[(
                "historical_statements.csv",
                "external_account_number,bill_period_from_date,bill_period_to_date,statement_id\n\
                 A,2026-02-01,2026-01-01,S-1\n",
            )],
        ),
        (
            "payment-instructions",
            &[
                ("payment_instructions.csv", "external_account_number,vendor,reference,type\nA,V,R-1,CASH\n"),
                (
                    "business_payment_instruction_accounts.csv",
                    "external_business_identifier,external_account_number\nB,A\n",
                ),
            ],
        ),
    ] {
        let paths = files.iter().map(|(name, text)| {
            sandbox.write(name, text);
            *name
        });
        let paths: Vec<&str> = paths.collect();
        let ran = send_mapped(&sandbox, &stub, &[&[what], &paths[..], &["--journal", what]].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""), "{}", ran.out);
        found.extend(findings(&sandbox));
    }
    insta::assert_snapshot!("send_tables_findings", found.join("\n"));
    assert!(stub.state().sent.is_empty());
}

#[test]
fn a_row_that_may_belong_to_any_request_of_the_account_holds_all_of_them() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox
        .write("in/notes.csv", "external_account_number,import_supplier,body\nA,S,One\nA,T,Two\nB,S,Three\n");
    sandbox.write("in/note_documents.csv", "external_account_number,document_path\nA,a.pdf\n");
    let ran = send(&sandbox, &stub, &["notes", "in", "--report", "r.json"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "faulty"])), (Some(1), [1, 2]), "{}", ran.err);
    assert_eq!(findings(&sandbox), ["in/note_documents.csv:2:null ambiguous_parent note_documents"; 2]);
}

#[test]
fn a_refusal_by_the_service_names_the_row() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("notes.csv", "external_account_number,import_supplier,body\nA,S,One\nA,S,Two\n");
    let error = json!({"attr": "notes.1.body", "code": "invalid", "detail": "No."});
    let answer = json!({"type": "validation_error", "errors": [error]});
    stub.state().sent_answers.insert("A".to_owned(), (400, answer));
    let ran = send(&sandbox, &stub, &["notes", "notes.csv", "--report", "r.json"]);
    assert_eq!((ran.code, figures(&ran, ["refused"])), (Some(1), [1]), "{}", ran.err);
    assert_eq!(findings(&sandbox), ["notes.csv:3:body invalid notes.1.body"]);
}

#[test]
fn a_missing_supplier_is_explained() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("notes.csv", "external_account_number,body\nA,Hello\n");
    let ran = send(&sandbox, &stub, &["notes", "notes.csv", "--report", "r.json"]);
    assert_eq!((ran.code, figures(&ran, ["faulty"])), (Some(1), [1]), "{}", ran.err);
    assert_eq!(
        findings(&sandbox),
        [
            "notes.csv:null:import_supplier required notes.import_supplier",
            "notes.csv:2:import_supplier required import_supplier"
        ]
    );
    let detail = sandbox.rows("r.json")[0]["detail"].to_string();
    assert!(detail.contains("[tables.notes.constants]"), "{detail}");
}

/// What was added once is left out by the service, so that rows may be appended to an extract.
#[test]
fn many_rows_are_requests_that_the_service_takes() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let rows = |count: usize| {
        let rows: String = (0..count).map(|n| format!("A,S,{n:05}\n")).collect();
        format!("external_account_number,import_supplier,body\n{rows}")
    };
    sandbox.write("notes.csv", rows(2_001));
    let ran = send(&sandbox, &stub, &["notes", "notes.csv", "--connections", "8"]);
    assert_eq!((ran.code, figures(&ran, ["requests", "accepted"])), (Some(0), [3, 3]), "{}", ran.err);
    let state = stub.state();
    let bodies = state.sent.iter().flat_map(|(_, body)| body["notes"].as_array().unwrap());
    let bodies: Vec<&str> = bodies.map(|note| note["body"].as_str().unwrap()).collect();
    assert!(bodies.len() == 2_001 && bodies.is_sorted());
    assert_eq!(state.sent[0].1["notes"].as_array().unwrap().len(), 1_000);
    drop(state);
    sandbox.write("notes.csv", rows(2_500));
    let ran = send(&sandbox, &stub, &["notes", "notes.csv"]);
    assert_eq!((ran.code, ran.summary()["in_earlier_runs"]["accepted"].as_u64()), (Some(0), Some(2)));
    assert_eq!(stub.state().sent.len(), 4);
}

#[test]
fn a_folder_may_hold_the_whole_extract() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("in/notes.csv", "external_account_number,body\nA,Hello\n");
    sandbox.write("in/accounts.csv", "external_account_number\nA\n");
    sandbox.write("in/transactions.ndjson", "{\"external_account_number\":\"A\",\"amount\":\"1\"}\n");
    sandbox.write("in/businesses.csv", "external_business_identifier\nB\n");
    let ran = send_mapped(&sandbox, &stub, &["notes", "in"]);
    assert_eq!((ran.code, figures(&ran, ["accepted"])), (Some(0), [1]), "{}", ran.out);
    let note = "left alone, because they belong to other tables: in/accounts.csv, in/businesses.csv, in/transactions.ndjson";
    assert!(ran.err.contains(note), "{}", ran.err);
    // What belongs to no table at all is a finding, as of upload.
    sandbox.write("in/staff.csv", "a\n1\n");
    let ran = send_mapped(&sandbox, &stub, &["notes", "in"]);
    assert_eq!(
        (ran.code, findings(&sandbox)),
        (Some(1), vec!["in/staff.csv:null:null unread_file null".to_owned()])
    );
}

#[test]
fn a_table_of_something_else_is_refused() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("in/accounts.csv", "external_account_number\nA\n");
    let ran = send(&sandbox, &stub, &["notes", "in/accounts.csv"]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    let why = "in/accounts.csv belongs to no table of these requests. Their tables: notes, note_documents";
    assert!(ran.err.contains(why), "{}", ran.err);
    let ran = send(&sandbox, &stub, &["notes", "in"]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.err.contains("no file holds these requests"), "{}", ran.err);
    sandbox.write("wrong.toml", "[tables.notes.columns]\ngiven_name = \"X\"\n");
    let ran = send(&sandbox, &stub, &["notes", "in", "--mapping", "wrong.toml"]);
    assert!(ran.err.contains("the table \"notes\" has no column \"given_name\""), "{}", ran.err);
}

#[test]
fn the_mapping_and_the_encoding_are_those_of_assemble() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write(
        "mapping.toml",
        "delimiter = \";\"\ndate = \"DD/MM/YYYY\"\n[tables.accounts.constants]\nimport_supplier = \"A\"\n\
         [tables.historical_statements]\nfiles = [\"BILLS\"]\n\
         [tables.historical_statements.columns]\nexternal_account_number = \"NR\"\nstatement_id = \"ID\"\n\
         number = \"N\"\nbill_period_from_date = \"FROM\"\nbill_period_to_date = \"TO\"\n\
         [tables.historical_statements.constants]\nimport_supplier = \"B\"\n",
    );
    sandbox.write("BILLS.csv", b"NR;ID;N;FROM;TO\n1;S;M\xfcller;01/02/2026;28/02/2026\n");
    let options = ["--mapping", "mapping.toml", "--encoding", "windows-1252"];
    let ran = send(&sandbox, &stub, &[&["historical-statements", "BILLS.csv"], &options[..]].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.err, ran.out);
    let statement = json!({"statement_id": "S", "number": "M\u{fc}ller", "bill_period_from_date": "2026-02-01",
                           "bill_period_to_date": "2026-02-28"});
    let expected = json!({"import_supplier": "B", "external_account_number": "1", "statements": [statement]});
    assert_eq!(sent(&stub), [expected]);
}

#[test]
fn the_tables_of_requests_are_described() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["tables", "describe", "payment-instructions"]);
    insta::assert_snapshot!("send_tables_described", ran.out);
    let json: Value =
        serde_json::from_str(&sandbox.run(&["tables", "describe", "notes", "--json"]).out).unwrap();
    assert_eq!((&json[0]["table"], &json[1]["parent"]), (&json!("notes"), &json!("notes")));
    let page = sandbox.run(&["tables", "describe", "notes", "--html"]).out;
    assert!(page.contains("<h1>Tables of notes</h1>"), "{page}");
}
