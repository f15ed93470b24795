//! Exports of a supplier's imported accounts as tables.

use crate::after_import::additions;
use crate::harness::{Client, Installation, items, wait_for_count};
use crate::payloads::{billed, fixture, small};
use cutover_testkit_s3::{BUCKET, Fault, S3Server};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const BULK: &str = "/v2/data-import/accounts/bulk/";

fn manifest(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap()
}

/// The rows of a table, of all parts that the manifest lists, in their order.
fn rows(folder: &Path, manifest: &Value, table: &str) -> Vec<Value> {
    let listed = items(&manifest["tables"]).iter().find(|listed| listed["table"] == table).unwrap();
    let parts = items(&listed["parts"]).iter().flat_map(|part| {
        let text = fs::read_to_string(folder.join(part["file"].as_str().unwrap())).unwrap();
        assert_eq!(part["bytes"], text.len());
        let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(part["rows"], rows.len());
        rows
    });
    let rows: Vec<Value> = parts.collect();
    assert_eq!(listed["rows"], rows.len());
    rows
}

fn numbers(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["external_account_number"].as_str().unwrap()).collect()
}

/// Sends accounts and waits for their import.
fn import(client: &Client, accounts: &[Value]) {
    let imported = || {
        let progress = client.progress();
        progress["totals"]["accounts"].as_u64().unwrap() as usize
    };
    let before = imported();
    let lines: String = accounts.iter().map(|account| format!("{account}\n")).collect();
    let answer = client.send("POST", BULK, &[("content-type", "application/x-ndjson")], lines.as_bytes());
    assert_eq!(answer.text().matches("\"status\":201").count(), accounts.len(), "{}", answer.text());
    wait_for_count("the imports", before + accounts.len(), imported);
}

fn export(installation: &Installation, name: &str, options: &[&str]) -> (PathBuf, Value) {
    let folder = installation.path().join(name);
    let to = folder.to_str().unwrap();
    let done =
        installation.run_json(&[&["export", "ACME", "--to", to, "--format", "ndjson"][..], options].concat());
    let manifest = manifest(&folder);
    assert_eq!(
        (&done["accounts"], &done["events_after"]),
        (&manifest["accounts"], &manifest["events_after"])
    );
    (folder, manifest)
}

/// Number of accounts in the largest export, unless `CUTOVER_EXPORT_ACCOUNTS` names another: `cargo xtask torture` does.
const USUAL: usize = 600;
/// Accounts in a request.
const SENT_AT_ONCE: usize = 2_000;

#[test]
fn an_export_has_every_account_with_its_digits_and_totals() {
    let count = std::env::var("CUTOVER_EXPORT_ACCOUNTS").map_or(USUAL, |count| count.parse().unwrap());
    let (installation, _server, client) = Installation::serving();
    let mut accounts: Vec<Value> = (10..count).map(|n| small(&format!("S-{n:05}"))).collect();
    accounts.extend((0..10).map(|n| billed(&format!("B-{n}"))));
    accounts.chunks(SENT_AT_ONCE).for_each(|some| import(&client, some));
    let part = (count * 3 / 10).to_string();
    let (folder, manifest) = export(&installation, "all", &["--part-accounts", &part]);
    assert_eq!(manifest["accounts"], count);
    let account_rows = rows(&folder, &manifest, "accounts");
    let mut found = numbers(&account_rows);
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), count);
    let totals = client.progress()["totals"].clone();
    let balance =
        |value: &Value| value.as_str().unwrap().parse::<cutover_model::rust_decimal::Decimal>().unwrap();
    assert_eq!(balance(&manifest["totals"]["ledger_balance"]), balance(&totals["ledger_balance"]));
    let sum = |column: &str| {
        let ledgers = rows(&folder, &manifest, "ledgers");
        ledgers.iter().filter(|row| row.get(column).is_some()).map(|row| balance(&row[column])).sum()
    };
    assert_eq!(balance(&totals["ledger_balance"]), sum("ledger_balance"));
    assert_eq!(balance(&totals["ledger_balance"]), sum("ledger_balance_decimal"));
    for (table, total) in [("readings", "readings"), ("transactions", "transactions")] {
        assert_eq!(rows(&folder, &manifest, table).len() as u64, totals[total].as_u64().unwrap(), "{table}");
    }
    let parts = fs::read_dir(folder.join("accounts")).unwrap().count();
    assert!(parts > 2, "{parts}");
    assert!(!folder.join("progress.json").exists());
    let audited = installation.run_json(&["audit", "--action", "export"]);
    assert_eq!(items(&audited)[0]["detail"], json!({"format": "ndjson", "personal": "full"}));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let part = folder.join("accounts/part-00001.ndjson");
        assert_eq!((mode(&folder), mode(&part), mode(&folder.join("manifest.json"))), (0o700, 0o600, 0o600));
    }
}

/// Every kind of account, with everything that was added later; in all formats.
#[test]
fn formats_have_the_same_tables() {
    let (installation, _server, client) = Installation::with_accounts(&[billed("A-1")]);
    for (path, body) in additions("A-1") {
        assert_eq!(client.send_json(path, &body).status, 201, "{path}");
    }
    let mut counts = BTreeMap::new();
    for format in ["ndjson", "csv", "parquet"] {
        let folder = installation.path().join(format);
        installation.run_json(&["export", "ACME", "--to", folder.to_str().unwrap(), "--format", format]);
        let manifest = manifest(&folder);
        let rows: Vec<(String, u64)> = items(&manifest["tables"])
            .iter()
            .map(|table| (table["table"].as_str().unwrap().to_owned(), table["rows"].as_u64().unwrap()))
            .collect();
        counts.insert(format, rows);
        for table in items(&manifest["tables"]) {
            for part in items(&table["parts"]) {
                assert!(folder.join(part["file"].as_str().unwrap()).is_file(), "{part}");
            }
        }
    }
    assert_eq!(counts["csv"], counts["ndjson"]);
    assert_eq!(counts["parquet"], counts["ndjson"]);
    assert!(counts["csv"].contains(&("historical_statements".to_owned(), 1)), "{counts:?}");
    let head = fs::read_to_string(installation.path().join("csv/customers/part-00001.csv")).unwrap();
    assert!(head.starts_with("external_account_number,position,given_name,"), "{head}");
    let parquet = fs::read(installation.path().join("parquet/customers/part-00001.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
}

/// An interrupted export continues after its last complete part and writes no row twice.
#[test]
fn an_interrupted_export_goes_on_after_its_last_part() {
    let accounts: Vec<Value> = (0..1_000).map(|n| small(&format!("S-{n:05}"))).collect();
    let (installation, _server, client) = Installation::serving();
    import(&client, &accounts);
    let (whole, expected) = export(&installation, "whole", &["--part-accounts", "200"]);
    let expected_rows = rows(&whole, &expected, "customers");
    let to = installation.path().join("cut");
    let path = to.to_str().unwrap();
    let args = ["export", "ACME", "--to", path, "--format", "ndjson", "--part-accounts", "200"];
    let record = json!({
        "export": 1, "supplier": "ACME", "format": "ndjson", "personal": "full", "after": null,
        "created_at": expected["created_at"], "events_after": expected["events_after"], "mask_key": null,
        "reached": "nothing", "parts": 0, "tables": items(&expected["tables"]).iter().map(no_parts).collect::<Vec<_>>(),
        "totals": {"accounts": 0, "ledger_balance": "0.00", "readings": 0, "transactions": 0, "documents": 0},
    });
    fs::create_dir_all(&to).unwrap();
    fs::write(to.join("progress.json"), record.to_string()).unwrap();
    let other = ["export", "ACME", "--to", path, "--format", "ndjson", "--masked"];
    assert!(installation.run_refused(&other).contains("an export with other options is unfinished there"));
    for part in 1..=5 {
        // The file cannot get its name. Those of earlier tables have theirs already.
        let obstacle = to.join(format!("customers/part-{part:05}.ndjson"));
        fs::create_dir_all(obstacle.join("x")).unwrap();
        assert!(installation.run_refused(&args).contains(&format!("customers/part-{part:05}.ndjson")));
        assert!(to.join(format!("accounts/part-{part:05}.ndjson")).exists());
        assert!(!to.join("manifest.json").exists());
        fs::remove_dir_all(&obstacle).unwrap();
    }
    installation.run_json(&args);
    let resumed = manifest(&to);
    assert_eq!(rows(&to, &resumed, "customers"), expected_rows);
    assert_eq!(resumed["tables"], expected["tables"]);
    assert_eq!(resumed["totals"], expected["totals"]);
    assert!(installation.run_refused(&args).contains("holds a complete export"));
}

fn no_parts(table: &Value) -> Value {
    json!({"table": table["table"], "rows": 0, "parts": []})
}

#[test]
fn a_folder_may_be_named_from_the_working_folder() {
    let (installation, _server, client) = Installation::serving();
    import(&client, &[small("S-1")]);
    let mut command = installation.program(&["export", "ACME", "--to", "out", "--format", "csv"]);
    let done = command.current_dir(installation.path()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(manifest(&installation.path().join("out"))["accounts"], 1);
}

#[test]
fn an_incremental_export_has_what_changed_and_names_what_was_erased() {
    let (installation, _server, client) =
        Installation::with_accounts(&[small("A-1"), small("A-2"), small("A-3"), small("A-4")]);
    let (_, first) = export(&installation, "first", &[]);
    let after = first["events_after"].as_str().unwrap();
    let (_, none) = export(&installation, "none", &["--after", after]);
    assert_eq!((&none["accounts"], &none["erased"]), (&json!(0), &json!([])));
    for number in ["A-3", "A-4"] {
        installation.run_json(&["account", "erase", "ACME", number, "--yes", "--because", "asked for"]);
    }
    let forget = ["account", "erase", "ACME", "A-4", "--forget", "--yes", "--because", "to send it again"];
    installation.run_json(&forget);
    assert_eq!(client.create(&small("A-4")).status, 201);
    assert_eq!(client.create(&small("A-5")).status, 201);
    client.wait("A-4", "PROCESSED");
    client.wait("A-5", "PROCESSED");
    let (folder, second) = export(&installation, "second", &["--after", after]);
    let changed = rows(&folder, &second, "accounts");
    assert_eq!(numbers(&changed), ["A-4", "A-5"]);
    assert_eq!((&second["erased"], &second["after"]), (&json!(["A-3"]), &json!(after)));
    let to = installation.path().join("x");
    let refused = |id: &str| {
        installation.run_refused(&[
            "export",
            "ACME",
            "--to",
            to.to_str().unwrap(),
            "--format",
            "csv",
            "--after",
            id,
        ])
    };
    assert!(refused("yesterday").contains("not the id of an event"));
}

#[test]
fn personal_values_are_left_out_or_replaced_consistently() {
    let accounts = [fixture("electricity", "E-1"), small("A-1"), small("A-2")];
    let (installation, _server, client) = Installation::serving();
    import(&client, &accounts);
    let (full, full_list) = export(&installation, "full", &[]);
    let (masked, masked_list) = export(&installation, "masked", &["--masked", "--part-accounts", "1"]);
    let (without, without_list) = export(&installation, "without", &["--without-personal"]);
    let (full, masked) = (rows(&full, &full_list, "customers"), rows(&masked, &masked_list, "customers"));
    assert_eq!(numbers(&full), numbers(&masked));
    let mut replacements = BTreeMap::new();
    for (row, replaced) in full.iter().zip(&masked) {
        for (name, value) in row.as_object().unwrap() {
            if name == "position" || name == "external_account_number" {
                continue;
            }
            let replaced = &replaced[name];
            let known =
                replacements.entry((name.clone(), value.to_string())).or_insert_with(|| replaced.clone());
            assert_eq!(known, replaced, "{name}");
            if ["given_name", "family_name", "email", "mobile", "date_of_birth"].contains(&&**name) {
                assert_ne!(value, replaced, "{name}");
            }
        }
    }
    assert!(replacements.len() > 5);
    for row in rows(&without, &without_list, "customers") {
        let names: Vec<&String> = row.as_object().unwrap().keys().collect();
        assert_eq!(names, ["external_account_number", "position"]);
    }
    assert_eq!(masked_list["personal"], "masked");
    assert!(!masked_list.to_string().contains("mask_key"));
}

/// A bucket holds the same files; what an interruption left is continued there as well.
#[test]
fn a_bucket_has_the_files_of_a_folder() {
    let storage = S3Server::start().unwrap();
    let (mut installation, key) = Installation::with_supplier();
    storage.environment().iter().for_each(|(name, value)| installation.set_variable(name, value));
    let server = installation.serve();
    import(&server.client(&key), &[billed("A-1"), small("A-2"), small("A-3")]);
    let (folder, expected) = export(&installation, "folder", &[]);
    let to = format!("s3://{BUCKET}/exports/acme");
    let args = ["export", "ACME", "--to", &to, "--format", "ndjson"];
    let listed = storage.bucket(BUCKET).join("exports/acme");
    storage.set_fault(Fault::Status(403));
    installation.run_refused(&args);
    storage.set_fault(Fault::None);
    installation.run_json(&args);
    let found = manifest(&listed);
    assert_eq!(found["tables"], expected["tables"]);
    assert_eq!(rows(&listed, &found, "transactions"), rows(&folder, &expected, "transactions"));
    assert!(!listed.join("progress.json").exists());
    assert!(installation.run_refused(&args).contains("holds a complete export"));
}

/// Another implementation of Parquet reads rows, sums and digits. `cargo xtask test` installs it.
#[test]
fn pyarrow_reads_rows_sums_and_digits() {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/python/bin/python3");
    if !python.exists() {
        // Captured output would hide the note.
        std::io::stderr().write_all(b"NOT RUN: no pyarrow in target/tools/python\n").unwrap();
        return;
    }
    let (installation, _server, client) = Installation::serving();
    let mut accounts: Vec<Value> = (0..500).map(|n| small(&format!("S-{n:05}"))).collect();
    accounts.push(billed("B-1"));
    accounts.push(fixture("electricity", "E-1"));
    accounts.push(fixture("gas", "G-1"));
    import(&client, &accounts);
    let (texts, listed) = export(&installation, "texts", &[]);
    let folder = installation.path().join("parquet");
    let to = folder.to_str().unwrap();
    installation.run_json(&["export", "ACME", "--to", to, "--format", "parquet", "--part-accounts", "200"]);
    let output = Command::new(python).arg("-c").arg(READ).arg(to).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let read: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(read["ledger_balance"], listed["totals"]["ledger_balance"]);
    for table in items(&listed["tables"]) {
        let name = table["table"].as_str().unwrap();
        assert_eq!(read["rows"][name], table["rows"], "{name}");
    }
    let digits = |table: &str, column: &str| {
        let cells = rows(&texts, &listed, table);
        let cells = cells.iter().filter_map(|row| row[column].as_str());
        cells.map(str::to_owned).collect::<Vec<_>>()
    };
    for (table, column) in [("readings", "reading_value"), ("transactions", "amount")] {
        assert_eq!(read[column], json!(digits(table, column)), "{column}");
    }
}

/// Prints rows by table, the sum of the ledgers, and texts of decimals; checks each against its value.
const READ: &str = r#"
import decimal, json, os, sys
import pyarrow.parquet as parquet
root = sys.argv[1]
manifest = json.load(open(os.path.join(root, "manifest.json")))
found = {"rows": {}}
cells = {}
for table in manifest["tables"]:
    rows = []
    for part in table["parts"]:
        rows += parquet.read_table(os.path.join(root, part["file"])).to_pylist()
    found["rows"][table["table"]] = len(rows)
    cells[table["table"]] = rows
for rows in cells.values():
    for row in rows:
        for name, value in row.items():
            if name.endswith("_decimal") and value is not None:
                assert isinstance(value, decimal.Decimal) and value == decimal.Decimal(row[name[:-8]]), name
total = sum((row["ledger_balance_decimal"] or 0 for row in cells["ledgers"]), decimal.Decimal(0))
found["ledger_balance"] = str(total.quantize(decimal.Decimal("0.01")))
for table, name in [("readings", "reading_value"), ("transactions", "amount")]:
    found[name] = [row[name] for row in cells[table] if row[name] is not None]
print(json.dumps(found))
"#;
