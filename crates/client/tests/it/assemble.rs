//! Accounts made of tables, and tables made of accounts.

use crate::harness::{RunResult, Sandbox};
use cutover_model::tables::{Cell, RowsError, Tables};
use cutover_tables::{Format, Layout, Personal, TableWriter};
use cutover_testkit::payload::account_json;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

/// Runs `assemble` with all findings, and returns these.
fn assemble(sandbox: &Sandbox, arguments: &[&str]) -> (RunResult, Vec<Value>) {
    let run = sandbox.run(&[&["assemble", "--findings", "findings.ndjson"], arguments].concat());
    let findings = sandbox.read("findings.ndjson");
    (run, findings.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// File, line, column and code of each finding.
fn places(findings: &[Value]) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let place = |finding: &Value| {
        ["file", "line", "column", "code"].map(|name| text(&finding[name])).join(" ").replace("null", "-")
    };
    findings.iter().map(place).collect()
}

fn accounts(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The valid accounts of the fixtures, without an envelope, each on a line.
fn fixtures() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/accounts/valid");
    let text =
        |file: std::io::Result<std::fs::DirEntry>| std::fs::read_to_string(file.unwrap().path()).unwrap();
    let account = |text: String| {
        let account: Members<'_> = serde_json::from_str(&text).unwrap();
        account.get("payload").map_or(&*text, |payload| payload.get()).replace('\n', " ")
    };
    std::fs::read_dir(folder).unwrap().map(text).map(account).collect()
}

/// The valid accounts of the fixtures, and random ones.
fn sent() -> BTreeMap<String, String> {
    let number = |text: &str| {
        let account: Value = serde_json::from_str(text).unwrap();
        account["external_account_number"].as_str().unwrap().to_owned()
    };
    fixtures().into_iter().chain((0..60).map(account_json)).map(|text| (number(&text), text)).collect()
}

type Members<'j> = BTreeMap<String, &'j RawValue>;

/// An account with its members by name, and numbers as strings with the digits as sent.
fn by_digits(json: &str) -> String {
    let text = |text: String| format!("{text:?}");
    match json.as_bytes()[0] {
        b'{' => {
            let members: Members<'_> = serde_json::from_str(json).unwrap();
            let members =
                members.into_iter().map(|(name, value)| format!("{name}:{}", by_digits(value.get())));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(json).unwrap();
            let items: Vec<_> = items.into_iter().map(|item| by_digits(item.get())).collect();
            format!("[{}]", items.join(","))
        }
        b'"' => text(serde_json::from_str(json).unwrap()),
        b'-' | b'0'..=b'9' => text(json.to_owned()),
        _ => json.to_owned(),
    }
}

#[test]
fn accounts_come_back_from_their_tables_in_every_format() {
    let (sandbox, sent) = (Sandbox::new(), sent());
    sandbox.write("sent.ndjson", sent.values().map(|text| format!("{text}\n")).collect::<String>());
    for format in ["csv", "ndjson", "parquet"] {
        let run = sandbox.run(&["disassemble", "sent.ndjson", "--to", format, "--format", format]);
        let note = format!("note: {} accounts written as tables, 0 findings", sent.len());
        assert!(run.code == Some(0) && run.err.contains(&note), "{}", run.err);
        let (run, findings) = assemble(&sandbox, &[format]);
        assert_eq!((run.code, findings), (Some(0), vec![]), "{format}: {}", run.err);
        assert_eq!(run.out.lines().count(), sent.len());
        // Both are in the order of the numbers.
        for (made, (number, sent)) in run.out.lines().zip(sent.iter()) {
            assert!(by_digits(made) == by_digits(sent), "{format} {number}");
        }
    }
}

/// The assembled fixtures pass every rule.
#[test]
fn assembled_fixtures_are_valid() {
    let sandbox = Sandbox::new();
    sandbox.write("sent.ndjson", fixtures().join("\n"));
    for format in ["csv", "ndjson", "parquet"] {
        let run = sandbox.run(&["disassemble", "sent.ndjson", "--to", format, "--format", format]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        let out = format!("{format}.ndjson");
        let run = sandbox.run(&["assemble", format, "--out", &out]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        let run = sandbox.validate(&[&out]);
        assert_eq!(run.code, Some(0), "{format}: {}", run.out);
        assert!(run.out.contains("Warnings  0"), "{}", run.out);
    }
}

/// Where the contract requires a member that is null, an absent cell of Parquet is null: other writers have one null.
#[test]
fn required_members_are_null_in_parquet_of_others() {
    let sandbox = Sandbox::new();
    let tables = Tables::payload();
    std::fs::create_dir(sandbox.path("in")).unwrap();
    let mut writers: Vec<_> = tables
        .iter()
        .map(|table| {
            let file = File::create(sandbox.path(&format!("in/{}.parquet", table.name))).unwrap();
            TableWriter::new(Format::Parquet, Layout::of(table, Personal::Full), file).unwrap()
        })
        .collect();
    for account in fixtures() {
        let row = |table: usize, cells: &[Cell<'_>]| {
            writers[table].row(cells).unwrap();
            Ok::<_, RowsError>(())
        };
        tables.indexed_rows(account.as_bytes(), row).unwrap();
    }
    writers.into_iter().for_each(|writer| drop(writer.finish().unwrap()));
    let run = sandbox.run(&["assemble", "in", "--out", "out.ndjson"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let run = sandbox.validate(&["out.ndjson"]);
    assert_eq!(run.code, Some(0), "{}", run.out);
}

#[test]
fn files_are_found_by_their_names_and_rows_by_their_keys() {
    let sandbox = Sandbox::new();
    sandbox.write("in/customers-2.csv", "external_account_number;given_name\nB;Ben\nA;Ann\n");
    sandbox.write("in/customers-1.ndjson", "{\"external_account_number\":\"A\",\"given_name\":\"Al\"}\n");
    sandbox.write("in/accounts.csv", "external_account_number,transfer_balance\nB,0010.50\nA,\\N\n");
    let (run, findings) = assemble(&sandbox, &["in"]);
    assert_eq!((run.code, findings), (Some(0), vec![]), "{}", run.err);
    assert_eq!(
        accounts(&run.out),
        [
            json!({"external_account_number": "A", "transfer_balance": null,
                "customers": [{"given_name": "Al"}, {"given_name": "Ann"}]}),
            json!({"external_account_number": "B", "transfer_balance": "0010.50", "customers": [{"given_name": "Ben"}]}),
        ]
    );
    assert_eq!(run.err, "note: 2 accounts of 5 rows in 3 files, 0 findings\n");
}

#[test]
fn what_is_lost_is_found_with_its_place() {
    let sandbox = Sandbox::new();
    sandbox.write("in/accounts.csv", "external_account_number,Colour\nA,red\nA,blue\n\n,green\n");
    sandbox.write(
        "in/customers.csv",
        "external_account_number,position,given_name\nC,1,\"x\ny\"\nA,1,Ann\nA,1,Al\nA,one,Ben\nA\n",
    );
    sandbox.write("in/ledgers.csv", "external_account_number\nA\n");
    sandbox.write(
        "in/transactions.ndjson",
        "{\"external_account_number\":\"A\",\"list\":\"x\"}\n[]\n{\"other\":1}\n",
    );
    sandbox.write("in/notes.csv", "external_account_number,body,BODY\n");
    sandbox.write("in/statements.csv", "external_account_number,statement_id\nA,\"1\n");
    sandbox.write("in/unknown.csv", "a\n");
    let (run, findings) = assemble(&sandbox, &["in"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(
        places(&findings),
        [
            "in/unknown.csv - - unread_file",
            "in/accounts.csv 1 Colour unread_column",
            "in/accounts.csv 5 - missing_key",
            "in/customers.csv 7 - unreadable_row",
            "in/notes.csv 1 - unreadable_input",
            "in/statements.csv 2 - unreadable_input",
            "in/transactions.ndjson 2 - unreadable_row",
            "in/transactions.ndjson 3 other unread_column",
            "in/transactions.ndjson 3 - missing_key",
            "in/accounts.csv 3 - duplicate_key",
            "in/customers.csv 5 position duplicate_key",
            "in/customers.csv 6 position invalid_position",
            "in/transactions.ndjson 1 list unknown_list",
            "in/customers.csv 2 - orphan_row",
        ]
    );
    assert_eq!(accounts(&run.out)[0]["customers"], json!([{"given_name": "Ann"}]));
    let printed: Vec<&str> = run.err.lines().collect();
    assert_eq!(printed[13], "error: in/customers.csv:2: no row of accounts has its keys");
    assert_eq!(printed[14], "note: 1 account of 10 rows in 6 files, 14 findings");
}

#[test]
fn a_mapping_renames_and_translates() {
    let sandbox = Sandbox::new();
    let mapping = "encoding = \"windows-1252\"\ndelimiter = \";\"\nnull = [\"NULL\"]\ndate = \"DD.MM.YYYY\"\n\
        decimal_mark = \",\"\nthousands_mark = \".\"\n\
        [tables.accounts]\nfiles = [\"KONTEN\"]\nignored = [\"STAND\"]\n\
        [tables.accounts.columns]\nexternal_account_number = \"NR\"\nbilling_name = \"NAME\"\n\
        transfer_balance = \"SALDO\"\ndate_of_sale = \"VERKAUF\"\nsales_channel = \"KANAL\"\n\
        [tables.accounts.constants]\nimport_supplier = \"ACME\"\n\
        [tables.accounts.codes.sales_channel]\nD = \"DIRECT\"\n";
    sandbox.write("m.toml", mapping);
    let head = "NR;NAME;SALDO;VERKAUF;KANAL;STAND\n";
    let rows = b"1;M\xFCller, A;1.234,50;02.03.2026;D;x\n2;NULL;1.5;2026-03-02;E;x\n";
    sandbox.write("KONTEN_1.csv", [head.as_bytes(), rows].concat());
    let (run, findings) = assemble(&sandbox, &["KONTEN_1.csv", "--mapping", "m.toml"]);
    assert_eq!(
        places(&findings),
        ["KONTEN_1.csv 3 VERKAUF unexpected_form", "KONTEN_1.csv 3 SALDO unexpected_form"]
    );
    assert_eq!(
        accounts(&run.out),
        [
            json!({"import_supplier": "ACME", "external_account_number": "1", "billing_name": "Müller, A",
                "transfer_balance": "1234.50", "date_of_sale": "2026-03-02", "sales_channel": "DIRECT"}),
            json!({"import_supplier": "ACME", "external_account_number": "2", "transfer_balance": "1.5",
                "date_of_sale": "2026-03-02", "sales_channel": "E"}),
        ]
    );
}

#[test]
fn lineage_names_file_line_and_column_of_each_member() {
    let sandbox = Sandbox::new();
    sandbox.write("accounts.csv", "External_Account_Number,billing_name\nA,Ann\n");
    sandbox.write("customers.csv", "external_account_number,given_name\n\nA,Ann\nA,Ben\n");
    let (run, _) = assemble(&sandbox, &["accounts.csv", "customers.csv", "--lineage", "lineage.ndjson"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let lineage: Value = serde_json::from_str(&sandbox.read("lineage.ndjson")).unwrap();
    let source = |file: &str, line: u64, column: &str| json!({"file": file, "line": line, "column": column});
    let expected = json!({"external_account_number": "A", "members": {
        "external_account_number": source("accounts.csv", 2, "External_Account_Number"),
        "billing_name": source("accounts.csv", 2, "billing_name"),
        "customers.0.given_name": source("customers.csv", 3, "given_name"),
        "customers.1.given_name": source("customers.csv", 4, "given_name"),
    }});
    assert_eq!(lineage, expected);
}

#[test]
fn what_would_not_come_back_is_not_written_as_tables() {
    let sandbox = Sandbox::new();
    let lines = [
        r#"{"external_account_number":"A","customers":[{"given_name":"Ann"}]}"#,
        r#"{"external_account_number":"B","colour":"red"}"#,
        r#"{"external_account_number":"C","supply_addresses":[{"supply_address":{}}]}"#,
        r#"{"payload":{"external_account_number":"D"},"task_params":{"x":1}}"#,
        r#"{"payload":{"external_account_number":"E"}}"#,
        "[1]",
    ];
    sandbox.write("in.ndjson", lines.join("\n"));
    let run = sandbox.run(&["disassemble", "in.ndjson", "--to", "t", "--findings", "f.ndjson"]);
    assert_eq!(run.code, Some(1));
    let lines: Vec<Value> =
        sandbox.read("f.ndjson").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(places(&lines), [2, 3, 4, 6].map(|line| format!("in.ndjson {line} - not_restorable")));
    let (run, _) = assemble(&sandbox, &["t"]);
    let numbers: Vec<_> =
        accounts(&run.out).iter().map(|account| account["external_account_number"].clone()).collect();
    assert_eq!(numbers, ["A", "E"]);
    let again = sandbox.run(&["disassemble", "in.ndjson", "--to", "t"]);
    assert_eq!(again.code, Some(2));
    assert!(again.err.contains("accounts.csv cannot be created"), "{}", again.err);
}

#[test]
fn the_example_of_the_template_is_complete() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["tables", "template", "new"]);
    assert_eq!((run.code, &*run.err), (Some(0), ""));
    let mapping = ["--mapping", "new/mapping.toml", "--out", "all.ndjson"];
    let (run, findings) = assemble(&sandbox, &[&["new/example"], &mapping[..]].concat());
    assert_eq!((run.code, findings), (Some(0), vec![]), "{}", run.err);
    assert_eq!(sandbox.validate(&["all.ndjson"]).code, Some(0));
    let (run, findings) = assemble(&sandbox, &["new/tables"]);
    assert_eq!((run.code, findings, &*run.out), (Some(0), vec![], ""));
    assert_eq!(sandbox.run(&["tables", "template", "new"]).code, Some(2));
    // Every setting of the mapping may be taken as it is.
    let all = sandbox.read("new/mapping.toml").lines().map(uncommented).collect::<String>();
    sandbox.write("all.toml", all);
    let (run, _) = assemble(&sandbox, &["new/tables", "--mapping", "all.toml"]);
    assert!(run.code == Some(0) || run.code == Some(1), "{}", run.err);
}

/// A line of the mapping with its setting in force.
fn uncommented(line: &str) -> String {
    let setting = line.strip_prefix("# ").filter(|line| line.contains(" = ") || line.starts_with('['));
    format!("{}\n", setting.unwrap_or(line))
}

#[test]
fn the_dictionary_is_printed() {
    let sandbox = Sandbox::new();
    let json: Value = serde_json::from_str(&sandbox.run(&["tables", "describe", "--json"]).out).unwrap();
    assert_eq!(json[0]["table"], "accounts");
    assert!(sandbox.run(&["tables", "describe"]).out.starts_with("accounts: a row for each account\n"));
    assert!(sandbox.run(&["tables", "describe", "--html"]).out.starts_with("<!DOCTYPE html>"));
}

#[test]
fn damage_by_spreadsheets_is_found_and_left_as_it_is() {
    let sandbox = Sandbox::new();
    let head = "external_account_number,date_of_sale,billing_name,billing_postcode\n";
    let rows = [
        "0001,2026-03-02,Ann,3056",
        "1.2E+12,45321,MÃ¼ller,0800",
        "1234.0,03/12/2026,#REF!,800",
        "0012,,Null,null",
        "12,2026-03-02,,",
    ];
    sandbox.write("accounts.csv", format!("{head}{}\n", rows.join("\n")));
    let (run, findings) = assemble(&sandbox, &["accounts.csv"]);
    assert_eq!(run.code, Some(1));
    let mut found = places(&findings);
    found.sort();
    let expected = [
        "3 billing_name text_in_wrong_encoding",
        "3 date_of_sale day_number",
        "3 external_account_number exponent_in_identifier",
        "4 billing_name error_value",
        "4 billing_postcode lost_zeros",
        "4 date_of_sale day_order",
        "4 external_account_number fraction_in_identifier",
        "5 billing_postcode error_value",
        "6 external_account_number lost_zeros",
    ];
    assert_eq!(found, expected.map(|place| format!("accounts.csv {place}")));
    let made = accounts(&run.out);
    let postcodes: Vec<_> = made.iter().map(|account| account["billing_postcode"].clone()).collect();
    assert_eq!(postcodes, [json!("3056"), json!("null"), json!("0800"), Value::Null, json!("800")]);
    assert!(!run.err.contains("Müller") && !run.err.contains("45321"), "{}", run.err);
}

#[test]
fn an_identifier_that_is_a_number_with_a_point_is_found() {
    let sandbox = Sandbox::new();
    sandbox.write("accounts.ndjson", "{\"external_account_number\":61000000.0}\n");
    let (_, findings) = assemble(&sandbox, &["accounts.ndjson"]);
    assert_eq!(places(&findings), ["accounts.ndjson 1 external_account_number fraction_in_identifier"]);
}

#[test]
fn the_guard_against_formulas_is_taken_off_again() {
    let sandbox = Sandbox::new();
    let names = ["=1+1", "+x", "-x", "@x", "'=1", "''=1", "'t Hart", "'", ""];
    let account = |(n, name): (usize, &&str)| json!({"external_account_number": format!("-{n}"), "transfer_balance": "-5.00", "billing_name": name});
    let sent: Vec<Value> = names.iter().enumerate().map(account).collect();
    sandbox.write("sent.ndjson", sent.iter().map(|account| format!("{account}\n")).collect::<String>());
    sandbox.write("m.toml", "guarded_formulas = true\n");
    let run = sandbox.run(&["disassemble", "sent.ndjson", "--to", "t", "--guard-formulas"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let cells: Vec<String> =
        sandbox.read("t/accounts.csv").split(['\n', ',']).skip(1).map(str::to_owned).collect();
    assert!(cells.iter().all(|cell| !cell.starts_with(['=', '+', '-', '@'])), "{cells:?}");
    let (run, findings) = assemble(&sandbox, &["t", "--mapping", "m.toml"]);
    assert_eq!((run.code, findings), (Some(0), vec![]), "{}", run.err);
    assert_eq!(accounts(&run.out), sent);
    let run =
        sandbox.run(&["disassemble", "sent.ndjson", "--to", "n", "--guard-formulas", "--format", "ndjson"]);
    assert!(run.code == Some(2) && run.err.contains("--guard-formulas is for CSV"), "{}", run.err);
}

#[test]
fn an_account_with_a_million_rows_is_left_out() {
    let sandbox = Sandbox::new();
    sandbox.write("accounts.csv", "external_account_number\nA\nB\n");
    sandbox.write("notes.csv", format!("external_account_number,body\n{}", "A,x\n".repeat(1_000_000)));
    let (run, findings) = assemble(&sandbox, &["accounts.csv", "notes.csv"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert_eq!(places(&findings), ["accounts.csv 2 - account_too_large"]);
    assert_eq!(accounts(&run.out), [json!({"external_account_number": "B"})]);
}

#[test]
fn files_of_hostile_forms_are_findings() {
    let sandbox = Sandbox::new();
    let names = (0..1_000_000).map(|n| format!("c{n}")).collect::<Vec<_>>().join(",");
    sandbox.write("in/customers.csv", names + "\n");
    sandbox.write("in/notes.csv", format!("external_account_number,body\nA,\"{}", "x".repeat(17 << 20)));
    sandbox.write("in/accounts.csv", "external_account_number\nA\n");
    let (run, findings) = assemble(&sandbox, &["in"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(
        places(&findings),
        ["in/customers.csv 1 - unreadable_input", "in/notes.csv 2 - unreadable_input"]
    );
    assert!(run.err.contains("in/notes.csv:2: a quote opens here and is not closed"), "{}", run.err);
    assert_eq!(accounts(&run.out).len(), 1);
}

#[test]
fn unusable_arguments_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("accounts.csv", "external_account_number\nA\n");
    sandbox.write("other.csv", "a\n");
    sandbox.write("bad.toml", "[tables.kunden]\n");
    let refused = |arguments: &[&str]| {
        let run = sandbox.run(&[&["assemble"], arguments].concat());
        assert_eq!(run.code, Some(2));
        run.err
    };
    assert!(refused(&["gone"]).contains("gone cannot be read"));
    assert!(refused(&["other.csv"]).contains("belongs to no table"));
    let mapping = refused(&["accounts.csv", "--mapping", "bad.toml"]);
    assert!(mapping.contains("bad.toml is not a mapping: there is no table \"kunden\""), "{mapping}");
    assert!(refused(&["accounts.csv", "--out", "accounts.csv"]).contains("is an input"));
}

#[test]
fn files_of_folders_that_are_not_read_are_findings_or_named() {
    let sandbox = Sandbox::new();
    sandbox.write("in/accounts.csv", "external_account_number\nA\n");
    for name in ["meters.txt", "customers.xlsx", "transactions.xml", "README.md"] {
        sandbox.write(&format!("in/{name}"), "x");
    }
    let (run, findings) = assemble(&sandbox, &["in"]);
    assert_eq!(run.code, Some(1));
    let unread = ["customers.xlsx", "meters.txt", "transactions.xml"];
    assert_eq!(places(&findings), unread.map(|name| format!("in/{name} - - unread_file")));
    let note = "note: skipped, because their names are not those of inputs: in/README.md\n";
    assert!(run.err.contains(note), "{}", run.err);
    let run = sandbox.validate(&["in"]);
    assert!(run.out.contains("3  unread_file    in/customers.xlsx"), "{}", run.out);
}

#[test]
fn a_file_that_is_named_twice_is_read_once() {
    let sandbox = Sandbox::new();
    sandbox.write("in/accounts.csv", "external_account_number\nA\n");
    sandbox.write("in/customers.csv", "external_account_number,given_name\nA,Ann\n");
    std::fs::hard_link(sandbox.path("in/customers.csv"), sandbox.path("in/customers-2.csv")).unwrap();
    let (run, findings) = assemble(&sandbox, &["in", "in/customers.csv", "in/../in"]);
    assert_eq!((run.code, findings), (Some(0), vec![]), "{}", run.err);
    assert_eq!(accounts(&run.out)[0]["customers"], json!([{"given_name": "Ann"}]));
    let run = sandbox.validate(&["in", "in/customers.csv"]);
    assert!(run.out.contains("2 files, 2 rows, 0 findings"), "{}", run.out);
}

#[test]
fn outputs_replace_no_input_and_no_other_output() {
    let sandbox = Sandbox::new();
    sandbox.write("accounts.csv", "external_account_number\nA\n");
    sandbox.write("a.ndjson", "{\"external_account_number\":\"A\"}\n");
    sandbox.write("m.toml", "");
    for (arguments, why) in [
        (vec!["disassemble", "a.ndjson", "--to", "t", "--findings", "a.ndjson"], "a.ndjson is an input"),
        (vec!["assemble", "accounts.csv", "--mapping", "m.toml", "--out", "m.toml"], "m.toml is an input"),
        (vec!["assemble", "accounts.csv", "--out", "x", "--findings", "./x"], "x is named for two outputs"),
    ] {
        let run = sandbox.run(&arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.err.contains(why), "{}", run.err);
    }
    assert_eq!(sandbox.read("a.ndjson"), "{\"external_account_number\":\"A\"}\n");
}

#[test]
fn accounts_that_would_become_one_are_not_written_as_tables() {
    let sandbox = Sandbox::new();
    let lines = [
        r#"{"import_supplier":"X","external_account_number":"A"}"#,
        r#"{"import_supplier":"X"}"#,
        r#"{"import_supplier":"Y","external_account_number":"A"}"#,
        r#"{"import_supplier":"X","external_account_number":null}"#,
    ];
    sandbox.write("in.ndjson", lines.join("\n"));
    let run = sandbox.run(&["disassemble", "in.ndjson", "--to", "t", "--findings", "f.ndjson"]);
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("note: 1 account written as tables, 3 findings"), "{}", run.err);
    let found: Vec<Value> =
        sandbox.read("f.ndjson").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = ["2 - missing_key", "3 - duplicate_key", "4 - missing_key"];
    assert_eq!(places(&found), expected.map(|place| format!("in.ndjson {place}")));
    let (run, _) = assemble(&sandbox, &["t"]);
    assert_eq!(accounts(&run.out), [json!({"import_supplier": "X", "external_account_number": "A"})]);
}

#[test]
fn a_difference_is_named_with_its_path_and_digits_are_compared() {
    let sandbox = Sandbox::new();
    let lines = [
        r#"{"external_account_number":"A","transfer_balance":1.10}"#,
        r#"{"external_account_number":"B","supply_addresses":[{"supply_address":{}}]}"#,
        r#"{"external_account_number":"C","billing_name":null}"#,
        r#"{"external_account_number":"D","transfer_balance":9007199254740993.10}"#,
    ];
    sandbox.write("in.ndjson", lines.join("\n"));
    for format in ["csv", "parquet"] {
        let run = sandbox.run(&["disassemble", "in.ndjson", "--to", format, "--format", format]);
        let another =
            "in.ndjson:2: assembling its tables gives another account: they differ at supply_addresses.0.";
        assert!(run.err.contains(another), "{}", run.err);
        let (run, _) = assemble(&sandbox, &[format]);
        let digits = ["\"transfer_balance\":\"1.10\"", "\"transfer_balance\":\"9007199254740993.10\""];
        assert!(digits.into_iter().all(|digits| run.out.contains(digits)), "{}", run.out);
        assert!(run.out.contains("\"billing_name\":null"), "{}", run.out);
    }
}

#[test]
fn an_input_that_cannot_be_read_ends_with_code_2() {
    let sandbox = Sandbox::new();
    sandbox.write("in.ndjson.gz", "no gzip");
    let run = sandbox.run(&["disassemble", "in.ndjson.gz", "--to", "t"]);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains("1 finding"), "{}", run.err);
}

#[test]
fn numbers_of_typed_files_are_not_converted() {
    let sandbox = Sandbox::new();
    sandbox.write("m.toml", "decimal_mark = ','\nthousands_mark = '.'\ndate = 'DD/MM/YYYY'\n");
    let rows = ["1.234", "\"1.234,5\"", "\".234\"", "\"0.234\""];
    let rows = (1..)
        .zip(rows)
        .map(|(n, value)| format!("{{\"external_account_number\":\"{n}\",\"transfer_balance\":{value}}}\n"));
    sandbox.write("accounts.ndjson", rows.collect::<String>());
    let (run, findings) = assemble(&sandbox, &["accounts.ndjson", "--mapping", "m.toml"]);
    let form = "transfer_balance unexpected_form";
    assert_eq!(places(&findings), [3, 4].map(|line| format!("accounts.ndjson {line} {form}")));
    let made = accounts(&run.out);
    let balances: Vec<_> = made.iter().map(|account| account["transfer_balance"].clone()).collect();
    assert_eq!(balances, ["1.234", "1234.5", ".234", "0.234"]);
}

/// Parquet keeps the type of days, so a mapping of their form does not apply to them.
#[test]
fn days_of_parquet_are_not_converted() {
    let sandbox = Sandbox::new();
    sandbox.write("m.toml", "date = 'YYYY/DD/MM'\n");
    sandbox.write("a.ndjson", "{\"external_account_number\":\"A\",\"date_of_sale\":\"2026-03-02\"}\n");
    let run = sandbox.run(&["disassemble", "a.ndjson", "--to", "t", "--format", "parquet"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let (run, findings) = assemble(&sandbox, &["t", "--mapping", "m.toml"]);
    assert_eq!((run.code, findings), (Some(0), vec![]), "{}", run.err);
    assert_eq!(accounts(&run.out)[0]["date_of_sale"], "2026-03-02");
}
