//! Profiles of tables and of accounts.

use crate::harness::{Sandbox, account, line};
use serde_json::{Value, json};

/// Accounts and their tables.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let accounts = ["valid/electricity", "valid/dual_fuel", "valid/unmetered_gas"].map(line);
    sandbox.write("accounts.ndjson", accounts.join(&b'\n'));
    let ran = sandbox.run(&["disassemble", "accounts.ndjson", "--to", "tables"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    sandbox
}

fn table(profile: &Value, name: &str) -> Value {
    let tables = profile["tables"].as_array().unwrap();
    tables.iter().find(|table| table["table"] == name).unwrap().clone()
}

fn column(profile: &Value, of: &str, name: &str) -> Value {
    let table = table(profile, of);
    let columns = table["columns"].as_array().unwrap();
    columns.iter().find(|column| column["column"] == name).unwrap().clone()
}

#[test]
fn tables_and_the_accounts_that_they_are_of_have_the_same_profile() {
    let sandbox = sandbox();
    let of_accounts = sandbox.run(&["profile", "accounts.ndjson", "--json"]);
    let of_tables = sandbox.run(&["profile", "tables", "--json"]);
    assert_eq!((of_accounts.code, of_tables.code), (Some(0), Some(0)), "{}", of_tables.err);
    assert_eq!(of_accounts.summary(), of_tables.summary());
    let profile = of_tables.summary();
    assert_eq!((&profile["accounts"], &table(&profile, "accounts")["rows"]), (&json!(3), &json!(3)));
}

#[test]
fn a_table_has_its_rows_and_values() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "accounts.csv",
        "external_account_number,import_supplier,sales_channel\nA-1,ACME,DIRECT\nA-2,ACME,PIGEON\nA-3,ACME,DIRECT\n",
    );
    sandbox.write(
        "customers.csv",
        "external_account_number,email,date_of_birth\nA-1,ann@example.com,1980-02-03\nA-1,bo@example.org,\nA-3,\\N,1980-02-03\n",
    );
    let ran = sandbox.run(&["profile", "."]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!("tables", ran.out);
    for personal in ["ann@", "1980", "@example"] {
        assert!(!ran.out.contains(personal), "{}", ran.out);
    }
    let profile = sandbox.run(&["profile", ".", "--json"]).summary();
    let per_account = json!({"least": 0, "median": 1, "greatest": 2, "accounts_without": 1});
    assert_eq!(table(&profile, "customers")["per_account"], per_account);
    insta::assert_snapshot!("column", column(&profile, "customers", "date_of_birth"));
    assert_eq!(column(&profile, "accounts", "sales_channel")["outside_list"], 1);
}

#[test]
fn the_page_has_every_column_and_no_personal_value() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["profile", "tables", "--html", "profile.html"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    let page = sandbox.read("profile.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<h2 id=\"customers\">"), "{page}");
    let account: Value = serde_json::from_slice(&line("valid/electricity")).unwrap();
    let email = account["customers"][0]["email"].as_str().unwrap();
    assert!(!page.contains(email) && page.contains("personal, masked"));
}

#[test]
fn what_differs_from_the_counts_of_the_source_is_named() {
    let sandbox = sandbox();
    sandbox.write("counts.csv", "table,rows\naccounts,3\ncustomers,99\n");
    for inputs in ["tables", "accounts.ndjson"] {
        let ran = sandbox.run(&["profile", inputs, "--expect", "counts.csv"]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.out.contains("  customers: 99 rows expected, 4 found\n"), "{}", ran.out);
    }
}

#[test]
fn what_cannot_be_read_is_a_finding() {
    let sandbox = Sandbox::new();
    let odd = json!({"external_account_number": "A", "customers": [7]}).to_string();
    sandbox.write("a.ndjson", [&account("N-1")[..], odd.as_bytes(), b"{"].join(&b'\n'));
    let ran = sandbox.run(&["profile", "a.ndjson", "--json"]);
    assert_eq!(
        (ran.code, &ran.summary()["accounts"], &ran.summary()["findings"]),
        (Some(1), &json!(1), &json!(2))
    );
    assert!(
        ran.err.starts_with("error: a.ndjson:2: the account does not fit the table customers\n"),
        "{}",
        ran.err
    );
    // A typing error in a name is not taken for an empty table.
    assert_eq!(sandbox.run(&["profile", "gone.csv"]).code, Some(2));
}

#[test]
fn rows_of_a_table_called_accounts_are_told_from_accounts() {
    let sandbox = Sandbox::new();
    sandbox
        .write("accounts.ndjson", "{\"external_account_number\": \"A-1\", \"import_supplier\": \"ACME\"}\n");
    sandbox.write("customers.ndjson", "{\"external_account_number\": \"A-1\", \"email\": \"a@b.example\"}\n");
    let profile = sandbox.run(&["profile", "accounts.ndjson", "customers.ndjson", "--json"]).summary();
    assert_eq!(column(&profile, "accounts", "import_supplier")["smallest"], "ACME");
    assert_eq!((&profile["accounts"], &table(&profile, "customers")["rows"]), (&json!(1), &json!(1)));
}

#[test]
fn a_list_in_the_place_of_its_rows_is_masked() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "accounts.csv",
        "external_account_number,customers\nA-1,\"[{\"\"email\"\": \"\"ann@b.example\"\"}]\"\n",
    );
    let ran = sandbox.run(&["profile", "accounts.csv"]);
    assert!(ran.out.contains("1 outside the known list") && !ran.out.contains("ann@"), "{}", ran.out);
}
