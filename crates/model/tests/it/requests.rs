//! Requests other than accounts, made of rows.

use crate::tables::short;
use cutover_model::tables::{Assembler, Bodies, BodyLimits, Cell, Row, RowFaultKind, RowsError, Tables};
use cutover_model::{
    BusinessPaymentInstructionRequest, BusinessRequest, HistoricalStatementsRequest, NotesRequest,
    ObjectSpec, PaymentInstructionRequest, TransactionsRequest,
};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeSet;

const SPECS: [&ObjectSpec; 6] = [
    &BusinessRequest::SPEC,
    &NotesRequest::SPEC,
    &TransactionsRequest::SPEC,
    &HistoricalStatementsRequest::SPEC,
    &PaymentInstructionRequest::SPEC,
    &BusinessPaymentInstructionRequest::SPEC,
];
const LIMITS: BodyLimits = BodyLimits { items: 1_000, bytes: 8 << 20 };

/// Cells of a table, by the names of their columns.
type NamedCells<'c> = (&'c str, &'c [(&'c str, &'static str)]);

fn rows(tables: &Tables, rows: &[NamedCells<'_>]) -> Vec<Row<'static>> {
    let row = |(name, cells): &NamedCells<'_>| {
        let (index, table) = tables.find(name).unwrap();
        let mut row = Row { table: index, cells: vec![Cell::Absent; table.columns.len()] };
        for (column, value) in *cells {
            row.cells[table.column(column).unwrap()] = Cell::Value(Cow::Borrowed(value));
        }
        row
    };
    rows.iter().map(row).collect()
}

fn bodies(spec: &'static ObjectSpec, of: &[NamedCells<'_>], limits: BodyLimits) -> Bodies {
    let tables = Tables::request(spec);
    let rows = rows(&tables, of);
    Assembler::new(&tables).bodies(&rows, limits)
}

fn json(made: &Bodies) -> Vec<Value> {
    made.bodies.iter().map(|body| serde_json::from_slice(&body.json).unwrap()).collect()
}

/// The rows of a body with the paths of their objects.
fn placed(made: &Bodies, body: usize) -> Vec<String> {
    made.bodies[body].rows.iter().map(|(row, path)| format!("{row} {path}")).collect()
}

fn faults(made: &Bodies) -> Vec<(usize, RowFaultKind)> {
    made.faults.iter().map(|fault| (fault.row, fault.kind)).collect()
}

#[test]
fn the_dictionary_of_requests() {
    insta::assert_snapshot!(SPECS.map(|spec| short(&Tables::request(spec))).join("\n"));
}

#[test]
fn columns_and_tables_of_requests_have_names_of_their_own() {
    for tables in SPECS.map(Tables::request) {
        let names: BTreeSet<_> = tables.iter().map(|table| table.name).collect();
        assert_eq!(names.len(), tables.iter().count());
        for table in &tables {
            let names: BTreeSet<_> = table.columns.iter().map(|column| &column.name).collect();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
            assert!(table.column(tables.subject()).is_some(), "{}", table.name);
        }
    }
}

#[test]
fn items_of_a_supplier_are_one_request_in_their_order() {
    let note =
        |body, supplier| [("external_account_number", "A"), ("import_supplier", supplier), ("body", body)];
    let with_position = [&note("first", "S")[..], &[("position", "1")]].concat();
    let made = bodies(
        &NotesRequest::SPEC,
        &[
            ("note_documents", &[("notes_position", "2"), ("document_path", "a.pdf")]),
            ("notes", &note("second", "S")),
            ("notes", &note("another", "T")),
            ("notes", &note("third", "S")),
            ("notes", &with_position),
        ],
        LIMITS,
    );
    let request = |supplier, notes: Value| json!({"import_supplier": supplier, "external_account_number": "A", "notes": notes});
    let documents = json!([{"document_path": "a.pdf"}]);
    let second = json!({"body": "second", "document_paths": documents});
    let first = request("S", json!([{"body": "first"}, second, {"body": "third"}]));
    assert_eq!(json(&made), [first, request("T", json!([{"body": "another"}]))]);
    assert_eq!(faults(&made), []);
    assert_eq!(
        placed(&made, 0),
        ["4 non_field_errors", "4 notes.0", "1 notes.1", "0 notes.1.document_paths.0", "3 notes.2"]
    );
    assert_eq!(placed(&made, 1), ["2 non_field_errors", "2 notes.0"]);
}

#[test]
fn a_request_has_no_more_items_and_bytes_than_it_may_have() {
    let note: &[(&str, &str)] = &[("external_account_number", "A"), ("body", "0123456789")];
    let of = vec![("notes", note); 2_500];
    let counts = |limits| {
        let made = bodies(&NotesRequest::SPEC, &of, limits);
        assert_eq!(made.faults, []);
        let rows: Vec<usize> =
            made.bodies.iter().flat_map(|body| body.rows[1..].iter().map(|(row, _)| *row)).collect();
        assert!(rows.into_iter().eq(0..of.len()));
        let largest = made.bodies.iter().map(|body| body.json.len()).max();
        let items = |request: &Value| request["notes"].as_array().unwrap().len();
        (json(&made).iter().map(items).collect::<Vec<_>>(), largest.unwrap())
    };
    assert_eq!(counts(LIMITS).0, [1_000, 1_000, 500]);
    let (items, largest) = counts(BodyLimits { bytes: 30_000, ..LIMITS });
    assert!(items[0] > 1_000 * 9 / 10 && largest <= 30_000, "{items:?} {largest}");
    // What is too large alone is not lost.
    assert_eq!(counts(BodyLimits { bytes: 1, ..LIMITS }).0, [1; 2_500]);
}

#[test]
fn a_natural_key_leads_to_an_item() {
    let transaction = |id| [("external_account_number", "A"), ("transaction_id", id)];
    let made = bodies(
        &TransactionsRequest::SPEC,
        &[
            ("transactions", &transaction("1")),
            ("transactions", &transaction("2")),
            ("transactions", &transaction("2")),
            ("line_items", &[("transaction_id", "2"), ("rate_band", "PEAK")]),
            ("tax_items", &[("transaction_id", "3")]),
            ("tax_items", &[]),
        ],
        LIMITS,
    );
    let lines = json!([{"rate_band": "PEAK"}]);
    let transactions = json!([{"transaction_id": "1"}, {"transaction_id": "2", "line_items": lines}]);
    assert_eq!(json(&made), [json!({"external_account_number": "A", "transactions": transactions})]);
    let expected = [
        (2, RowFaultKind::DuplicateKey { first: 1 }),
        (4, RowFaultKind::Orphan),
        (5, RowFaultKind::AmbiguousParent),
    ];
    assert_eq!(faults(&made), expected);
}

#[test]
fn every_row_of_payment_instructions_is_a_request() {
    let instruction = [("external_account_number", "A"), ("vendor", "V")];
    let made = bodies(
        &PaymentInstructionRequest::SPEC,
        &[("payment_instructions", &instruction), ("payment_instructions", &instruction)],
        LIMITS,
    );
    let request = json!({"external_account_number": "A", "vendor": "V"});
    assert_eq!(json(&made), [request.clone(), request]);
    let of_business = |position| [("external_business_identifier", "B"), ("position", position)];
    let account =
        |position| [("business_payment_instructions_position", position), ("external_account_number", "A")];
    let made = bodies(
        &BusinessPaymentInstructionRequest::SPEC,
        &[
            ("business_payment_instructions", &of_business("2")),
            ("business_payment_instructions", &of_business("1")),
            ("business_payment_instruction_accounts", &account("2")),
            ("business_payment_instruction_accounts", &[("external_account_number", "A")]),
            ("business_payment_instructions", &of_business("0")),
        ],
        LIMITS,
    );
    let accounts = json!([{"external_account_number": "A"}]);
    let business = json!({"external_business_identifier": "B"});
    let second = json!({"external_business_identifier": "B", "accounts": accounts});
    assert_eq!(json(&made), [business, second]);
    assert_eq!(faults(&made), [(3, RowFaultKind::AmbiguousParent), (4, RowFaultKind::InvalidPosition)]);
    assert_eq!(placed(&made, 1), ["0 non_field_errors", "2 accounts.0"]);
}

#[test]
fn rows_of_businesses_lead_back_to_equal_json() {
    let tables = Tables::request(&BusinessRequest::SPEC);
    for name in ["cold_storage", "sole_trader", "without_contracts"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/businesses/valid");
        let body = std::fs::read(format!("{folder}/{name}.json")).unwrap();
        let mut rows = Vec::new();
        let walked = tables.indexed_rows(&body, |table, cells| {
            rows.push(Row { table, cells: cells.to_vec() });
            Ok::<_, RowsError>(())
        });
        walked.unwrap();
        rows.reverse();
        let made = Assembler::new(&tables).bodies(&rows, LIMITS);
        assert_eq!(faults(&made), []);
        assert_eq!(json(&made), [serde_json::from_slice::<Value>(&body).unwrap()], "{name}");
    }
}
