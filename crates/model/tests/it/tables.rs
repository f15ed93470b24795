//! Accounts as rows of tables, and back.

use cutover_model::tables::{Assembled, Assembler, Row, RowsError, Table, Tables};
use cutover_model::{
    Account, AccountRequest, FieldSpec, Kind, MeterPointCommon, ObjectSpec, Variant, Zone, decode_account,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The account of its rows, in the order in which `order` puts them.
fn again(tables: &Tables, account: &[u8], order: impl FnOnce(&mut Vec<Row<'_>>)) -> Assembled {
    let mut rows = Vec::new();
    let all = tables.indexed_rows(account, |table, cells| {
        rows.push(Row { table, cells: cells.to_vec() });
        Ok::<_, RowsError>(())
    });
    all.unwrap();
    order(&mut rows);
    Assembler::new(tables).assemble(&rows)
}

/// The JSON of an account from its rows.
fn json(tables: &Tables, account: &[u8]) -> Value {
    let assembled = again(tables, account, |rows| rows.reverse());
    assert_eq!(assembled.faults, []);
    assert!(assembled.paths.iter().all(Option::is_some));
    serde_json::from_slice(&assembled.account.unwrap()).unwrap()
}

/// The JSON with numbers as strings of their digits: both forms of a decimal count as equal (contract D20).
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::String(number.to_string()),
        Value::Array(items) => Value::Array(items.into_iter().map(plain).collect()),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (name, plain(value))).collect())
        }
        value => value,
    }
}

/// The valid accounts of the fixtures, without an envelope.
fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/accounts/valid");
    let account = |path: std::path::PathBuf| {
        let body = fs::read(&path).unwrap();
        let json: Value = serde_json::from_slice(&body).unwrap();
        let account = json.get("payload").unwrap_or(&json);
        (path.file_name().unwrap().to_str().unwrap().to_owned(), serde_json::to_vec(account).unwrap())
    };
    let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|file| account(file.unwrap().path())).collect();
    all.sort();
    all
}

#[test]
fn the_dictionary_of_payloads() {
    insta::assert_snapshot!(short(&Tables::payload()));
}

/// The columns that imported accounts have besides those of payloads, and the reverse.
#[test]
fn the_dictionary_of_imported_accounts() {
    let (payload, imported) = (short(&Tables::payload()), short(&Tables::imported()));
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (payload, imported) = (lines(&payload), lines(&imported));
    let without = |some: &[String], others: &[String], sign| {
        let left = some.iter().filter(|line| !others.contains(line));
        left.map(|line| format!("{sign}{line}\n")).collect::<String>()
    };
    let more = without(&imported, &payload, '+');
    insta::assert_snapshot!(more + &without(&payload, &imported, '-'));
}

pub(crate) fn short(tables: &Tables) -> String {
    let mut out = String::new();
    for table in tables {
        let parent = table.parent.map(|parent| format!(", {} of {parent}", table.lists.join(", ")));
        out.push_str(&format!(
            "{}: {}{}\n",
            table.name,
            table.objects.join(", "),
            parent.unwrap_or_default()
        ));
        for column in &table.columns {
            let kinds: Vec<&str> = column.supply_types.iter().map(|kind| kind.as_str()).collect();
            let flags = [
                (column.required, " required"),
                (column.nullable, " nullable"),
                (column.is_personal, " personal"),
            ];
            let flags: String = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word).collect();
            let values = match column.values.len() {
                0 => String::new(),
                1..6 => format!(" {:?}", column.values),
                count => format!(" {count} values"),
            };
            let limits =
                if column.limits.is_empty() { String::new() } else { format!(" ({})", column.limits) };
            let kinds = if kinds.is_empty() { String::new() } else { format!(" {}", kinds.join("|")) };
            let (name, of, role) = (&column.name, column.column_type, column.role);
            out.push_str(&format!("    {name}: {role:?} {of:?}{flags}{limits}{values}{kinds}\n"));
        }
    }
    out
}

#[test]
fn columns_and_tables_have_names_of_their_own() {
    for tables in [Tables::payload(), Tables::imported()] {
        let names: BTreeSet<_> = tables.iter().map(|table| table.name).collect();
        assert_eq!(names.len(), tables.iter().count());
        for table in &tables {
            let names: BTreeSet<_> = table.columns.iter().map(|column| &column.name).collect();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
            let decimals = table.columns.iter().map(|column| format!("{}_decimal", column.name));
            assert_eq!(decimals.filter(|name| names.contains(name)).count(), 0, "{}", table.name);
        }
    }
}

/// Every documented member, by the name of its object.
fn members(spec: &'static ObjectSpec, seen: &mut BTreeSet<(&'static str, &'static str)>) {
    for field in spec.fields {
        if seen.insert((spec.name, field.name)) {
            below(field, seen);
        }
    }
}

fn below(field: &'static FieldSpec, seen: &mut BTreeSet<(&'static str, &'static str)>) {
    match field.kind {
        Kind::Object(spec) => members(spec(), seen),
        Kind::List { item, .. } => below(item, seen),
        Kind::MeterPoint => {
            members(&MeterPointCommon::SPEC, seen);
            Variant::SUPPLY_TYPES.iter().for_each(|kind| members(Variant::spec(*kind), seen));
        }
        _ => {}
    }
}

/// Every member has a column or a table: its name is the last part of one.
#[test]
fn every_documented_member_has_a_column_or_a_table() {
    let tables = Tables::payload();
    let mut seen = BTreeSet::new();
    members(&Account::SPEC, &mut seen);
    assert!(seen.len() > 200, "{}", seen.len());
    for (object, member) in seen {
        let is_last = |name: &str| name.rsplit('.').next() == Some(member);
        let is_inside = |name: &str| name.split('.').any(|part| part == member);
        let has = |table: &Table| {
            table.columns.iter().any(|column| is_last(&column.name) || is_inside(&column.name))
                || tables.iter().any(|other| {
                    other.parent == Some(table.name) && other.lists.iter().any(|list| is_last(list))
                })
        };
        assert!(tables.iter().any(has), "{object}.{member}");
    }
}

#[test]
fn rows_lead_back_to_equal_json() {
    let tables = Tables::payload();
    let mut met = BTreeSet::new();
    for (name, account) in fixtures() {
        let seen = tables.rows(&account, |table, cells| {
            assert_eq!(table.columns.len(), cells.len());
            met.insert(table.name);
            Ok::<_, RowsError>(())
        });
        seen.unwrap();
        let sent = plain(serde_json::from_slice(&account).unwrap());
        assert!(plain(json(&tables, &account)) == sent, "{name}");
    }
    let all: BTreeSet<_> = tables.iter().map(|table| table.name).collect();
    assert_eq!(met, all, "no fixture has the others");
}

/// The accounts as the store keeps and returns them.
#[test]
fn rows_of_imported_accounts_lead_back_to_equal_json() {
    let tables = Tables::imported();
    for (name, account) in fixtures() {
        let decoded = decode_account(&account, Zone::UTC).unwrap();
        let (account, _) = decoded.draft.and_then(AccountRequest::into_valid).unwrap();
        let mut writer = cutover_model::Writer::normal(Zone::UTC, Zone::UTC);
        cutover_model::Encode::encode(&account, &mut writer);
        let account = writer.into_bytes();
        let stored = plain(serde_json::from_slice(&account).unwrap());
        assert!(plain(json(&tables, &account)) == stored, "{name}");
    }
}

#[test]
fn empty_lists_and_objects_differ_from_absent_ones() {
    let tables = Tables::payload();
    for members in [
        "",
        r#","customers":[]"#,
        r#","customers":[{}],"ledgers":[ ],"business":{ }"#,
        r#","ledgers":[{"current_statement_transactions":[]},{"historical_statement_transactions":[]}]"#,
        r#","supply_addresses":[{"meter_points":[]},{"meter_points":[{"meters":[]},{"meters":[{"reading_history":[]}]}]}]"#,
        r#","customers":[{"address":{"structured_street_address":{}}},{"email":null}]"#,
    ] {
        let account = format!(r#"{{"external_account_number":"1"{members}}}"#);
        let sent: Value = serde_json::from_str(&account).unwrap();
        assert_eq!(json(&tables, account.as_bytes()), sent, "{members}");
    }
}

#[test]
fn what_has_no_column_is_refused() {
    let tables = Tables::payload();
    let refused = |account: &str| {
        tables.rows(account.as_bytes(), |_, _| Ok::<_, RowsError>(())).unwrap_err().to_string()
    };
    assert_eq!(refused(r#"{"colour":1}"#), "the account does not fit the table accounts");
    assert_eq!(refused(r#"{"notes":[7]}"#), "the account does not fit the table notes");
    assert_eq!(refused(r#"{"notes":7}"#), "the account does not fit the table accounts");
    assert_eq!(refused(r#"{"billing_name":{}}"#), "the account does not fit the table accounts");
    assert!(refused("{").starts_with("Unexpected") || !refused("{").contains("fit"));
}
