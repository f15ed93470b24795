//! Accounts of rows that suppliers write by hand: without positions, with faults.

use cutover_model::tables::{Assembled, Assembler, Cell, Row, RowFaultKind, RowsError, Tables};
use cutover_testkit::payload::account_json;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::borrow::Cow;

/// A row of a table with these cells.
fn row(tables: &Tables, table: &str, cells: &[(&str, &'static str)]) -> Row<'static> {
    let (index, table) = tables.find(table).unwrap();
    let mut row = Row { table: index, cells: vec![Cell::Absent; table.columns.len()] };
    for (column, value) in cells {
        row.cells[table.column(column).unwrap()] = match *value {
            "null" => Cell::Null,
            value => Cell::Value(Cow::Borrowed(value)),
        };
    }
    row
}

fn assemble(rows: &[(&str, &[(&str, &'static str)])]) -> Assembled {
    let tables = Tables::payload();
    let rows: Vec<_> = rows.iter().map(|(table, cells)| self::row(&tables, table, cells)).collect();
    Assembler::new(&tables).assemble(&rows)
}

fn account(assembled: &Assembled) -> Value {
    serde_json::from_slice(assembled.account.as_ref().unwrap()).unwrap()
}

fn faults(assembled: &Assembled) -> Vec<(usize, RowFaultKind)> {
    assembled.faults.iter().map(|fault| (fault.row, fault.kind)).collect()
}

const ACCOUNT: (&str, &[(&str, &str)]) = ("accounts", &[("external_account_number", "A")]);

#[test]
fn natural_keys_lead_to_parents_and_rows_keep_their_order() {
    let assembled = assemble(&[
        ("meters", &[("mpxn", "2"), ("meter_serial_number", "M2")]),
        ("meter_points", &[("mpxn", "1")]),
        ("supply_addresses", &[("supply_address.locality", "Oz")]),
        ACCOUNT,
        ("meter_points", &[("mpxn", "2")]),
        ("meters", &[("mpxn", "1"), ("meter_serial_number", "M1")]),
        ("meters", &[("mpxn", "2"), ("meter_serial_number", "M3")]),
    ]);
    assert_eq!(faults(&assembled), []);
    let expected = json!([{"supply_address": {"locality": "Oz"}, "meter_points": [
        {"mpxn": "1", "meters": [{"meter_serial_number": "M1"}]},
        {"mpxn": "2", "meters": [{"meter_serial_number": "M2"}, {"meter_serial_number": "M3"}]},
    ]}]);
    assert_eq!(account(&assembled)["supply_addresses"], expected);
    let paths: Vec<String> = assembled.paths.iter().map(|path| path.as_ref().unwrap().to_string()).collect();
    assert_eq!(paths[0], "supply_addresses.0.meter_points.1.meters.0");
    assert_eq!(paths[6], "supply_addresses.0.meter_points.1.meters.1");
    assert_eq!(paths[3], "non_field_errors");
}

#[test]
fn positions_order_items_and_may_be_given_to_some() {
    let assembled = assemble(&[
        ACCOUNT,
        ("customers", &[("given_name", "last")]),
        ("customers", &[("given_name", "second"), ("position", "20")]),
        ("customers", &[("given_name", "first"), ("position", "3")]),
    ]);
    assert_eq!(faults(&assembled), []);
    let names = account(&assembled)["customers"].clone();
    assert_eq!(names, json!([{"given_name": "first"}, {"given_name": "second"}, {"given_name": "last"}]));
}

#[test]
fn rows_without_a_place_are_faults() {
    let assembled = assemble(&[
        ACCOUNT,
        ("supply_addresses", &[("position", "1")]),
        ("supply_addresses", &[("position", "2")]),
        ("supply_addresses", &[("position", "2"), ("supply_address.locality", "twice")]),
        ("meter_points", &[("mpxn", "either")]),
        ("meters", &[("mpxn", "unknown")]),
        ("customers", &[("position", "0")]),
        ("customers", &[("position", "first")]),
        ACCOUNT,
    ]);
    assert_eq!(
        faults(&assembled),
        [
            (3, RowFaultKind::DuplicateKey { first: 2 }),
            (4, RowFaultKind::AmbiguousParent),
            (5, RowFaultKind::Orphan),
            (6, RowFaultKind::InvalidPosition),
            (7, RowFaultKind::InvalidPosition),
            (8, RowFaultKind::DuplicateKey { first: 0 }),
        ]
    );
    assert!(assembled.paths[3..].iter().all(Option::is_none));
}

#[test]
fn rows_below_a_row_without_a_place_are_orphans() {
    let assembled = assemble(&[
        ACCOUNT,
        ("meter_points", &[("supply_addresses_position", "9"), ("mpxn", "1")]),
        ("meters", &[("mpxn", "1")]),
    ]);
    assert_eq!(faults(&assembled), [(1, RowFaultKind::Orphan), (2, RowFaultKind::Orphan)]);
}

#[test]
fn a_natural_key_identifies_rows_without_a_position() {
    let assembled = assemble(&[
        ACCOUNT,
        ("supply_addresses", &[]),
        ("meter_points", &[("mpxn", "1")]),
        ("meter_points", &[("mpxn", "2"), ("position", "1")]),
        ("meter_points", &[("mpxn", "2"), ("position", "2")]),
        ("meter_points", &[("mpxn", "1")]),
        ("meter_points", &[("mpxn", "2")]),
        ("meters", &[("mpxn", "1"), ("meter_serial_number", "M")]),
    ]);
    assert_eq!(
        faults(&assembled),
        [(5, RowFaultKind::DuplicateKey { first: 2 }), (6, RowFaultKind::DuplicateKey { first: 3 })]
    );
    let points = account(&assembled)["supply_addresses"][0]["meter_points"].clone();
    let expected =
        json!([{"mpxn": "2"}, {"mpxn": "2"}, {"mpxn": "1", "meters": [{"meter_serial_number": "M"}]}]);
    assert_eq!(points, expected);
}

#[test]
fn a_row_names_its_list_where_several_share_a_table() {
    let ledger: (&str, &[_]) = ("ledgers", &[]);
    let assembled = assemble(&[
        ACCOUNT,
        ledger,
        ("transactions", &[("list", "current_statement_transactions"), ("amount", "1.50")]),
        ("transactions", &[("list", "other_transactions")]),
        ("transactions", &[]),
    ]);
    assert_eq!(faults(&assembled), [(3, RowFaultKind::UnknownList), (4, RowFaultKind::UnknownList)]);
    let ledger = &account(&assembled)["ledgers"][0];
    assert_eq!(ledger["current_statement_transactions"], json!([{"amount": "1.50"}]));
}

#[test]
fn a_column_that_says_empty_must_not_be_contradicted() {
    let assembled = assemble(&[
        (
            "accounts",
            &[
                ("external_account_number", "A"),
                ("customers", "[]"),
                ("business", "{}"),
                ("business.business_contract_identifier", "B"),
                ("ledgers", "[]"),
                ("notes", "none"),
            ],
        ),
        ("customers", &[]),
    ]);
    assert_eq!(faults(&assembled), [(0, RowFaultKind::NotEmpty), (0, RowFaultKind::NotEmpty)]);
    let account = account(&assembled);
    assert_eq!(account["ledgers"], json!([]));
    // The field checks say that it is no list.
    assert_eq!(account["notes"], json!("none"));
}

#[test]
fn cells_without_the_form_of_their_column_are_strings() {
    let assembled = assemble(&[(
        "accounts",
        &[
            ("external_account_number", "A"),
            ("unknown_occupier", "yes"),
            ("transfer_balance", "1,5"),
            ("billing_name", "null"),
        ],
    )]);
    let account = account(&assembled);
    assert_eq!(account["unknown_occupier"], json!("yes"));
    assert_eq!(account["transfer_balance"], json!("1,5"));
    assert_eq!(account["billing_name"], Value::Null);
}

#[test]
fn json_in_a_cell_is_one_line_or_a_string() {
    for (text, expected) in
        [("{\"a\":\n [1]}\r\n", json!({"a": [1]})), ("{\"a\"", json!("{\"a\"")), ("", json!(""))]
    {
        let assembled = assemble(&[
            ACCOUNT,
            ("ledgers", &[]),
            ("transactions", &[("list", "current_statement_transactions")]),
            ("line_items", &[("params", text)]),
        ]);
        assert_eq!(faults(&assembled), []);
        assert!(!assembled.account.as_ref().unwrap().contains(&b'\n'));
        let transaction = &account(&assembled)["ledgers"][0]["current_statement_transactions"][0];
        assert_eq!(transaction["line_items"][0]["params"], expected);
    }
}

#[test]
fn rows_without_an_account_make_none() {
    let assembled = assemble(&[("customers", &[("given_name", "Ann")])]);
    assert_eq!(assembled.account, None);
    assert_eq!(faults(&assembled), [(0, RowFaultKind::Orphan)]);
}

/// Numbers and digits in strings by value: both forms of a decimal count as equal (contract D20).
fn by_value(value: Value) -> Value {
    match value {
        Value::Number(digits) => Value::String(digits.to_string()),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Number(digits)) => Value::String(digits.to_string()),
            _ => Value::String(text),
        },
        Value::Array(items) => items.into_iter().map(by_value).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, by_value(value))).collect(),
        value => value,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    /// Whatever the order of its rows, an account comes back with every member.
    #[test]
    fn rows_lead_back_to_random_accounts(seed in any::<u64>(), order in any::<u64>()) {
        let (tables, sent) = (Tables::payload(), account_json(seed));
        let mut rows = Vec::new();
        tables.indexed_rows(sent.as_bytes(), |table, cells| {
            rows.push(Row { table, cells: cells.to_vec() });
            Ok::<_, RowsError>(())
        }).unwrap();
        let count = rows.len();
        rows.rotate_left(order as usize % count);
        rows.swap(0, order as usize % count);
        let assembled = Assembler::new(&tables).assemble(&rows);
        prop_assert_eq!(&assembled.faults, &[]);
        let made: Value = serde_json::from_slice(&assembled.account.unwrap()).unwrap();
        let sent: Value = serde_json::from_str(&sent).unwrap();
        prop_assert_eq!(by_value(made), by_value(sent));
    }
}
