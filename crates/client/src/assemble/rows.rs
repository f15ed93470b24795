//! Tells NDJSON of rows from NDJSON of accounts or other requests.

use super::files::TableFile;
use crate::input::{MAX_ACCOUNT, first_line};
use cutover_model::tables::{ColumnRole, Table, Tables};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// True if a file holds rows: it is empty, or its first line is an object without objects inside. A pipe cannot be looked at before it is
/// read, and holds accounts.
pub(super) fn are_in(file: &TableFile, tables: &Tables) -> bool {
    let Some(table) = tables.get(file.table).filter(|_| file.bytes().is_some()) else { return false };
    if file.bytes() == Some(0) {
        return true;
    }
    let line = file.text().and_then(|text| first_line(text, MAX_ACCOUNT));
    line.is_ok_and(|(line, _)| is_row(&line, table) && !(tables.rows_are_bodies() && is_body(&line, table)))
}

fn is_row(line: &[u8], table: &Table) -> bool {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let Ok(members) = serde_json::from_slice::<BTreeMap<String, &RawValue>>(line) else { return false };
    let is_plain = |(name, value): (&String, &&RawValue)| {
        let (column, json) = (table.column(name).map(|column| table.columns[column].role), value.get());
        let has_object = !json.starts_with('"') && json != "{}" && json.contains('{');
        // A column of JSON may have objects.
        column == Some(ColumnRole::Member) || !has_object
    };
    !members.is_empty() && members.iter().all(is_plain)
}

/// True for a row that is a whole request, which is sent with the bytes that it has: it has all required members and only
/// members of the contract.
fn is_body(line: &[u8], table: &Table) -> bool {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let Ok(members) = serde_json::from_slice::<BTreeMap<String, &RawValue>>(line) else { return false };
    let columns = || table.columns.iter().filter(|column| column.role == ColumnRole::Member);
    members.keys().all(|name| columns().any(|column| column.name == *name))
        && columns().all(|column| !column.required || members.contains_key(&column.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_model::PaymentInstructionRequest;

    #[test]
    fn accounts_have_objects_inside_and_rows_have_none() {
        let tables = Tables::payload();
        let is_row = |name: &str, line: &str| is_row(line.as_bytes(), tables.find(name).unwrap().1);
        for line in [
            r#"{"external_account_number":"A","transfer_balance":1.50,"customers":[],"business":{},"x":"{"}"#,
            "\u{feff}{\"NR\":\"A\"}\n",
        ] {
            assert!(is_row("accounts", line), "{line}");
        }
        for line in [
            r#"{"external_account_number":"A","customers":[{"given_name":"Ann"}]}"#,
            r#"{"payload":{"external_account_number":"A"}}"#,
            "{}",
            "[1]",
            "{",
            "",
        ] {
            assert!(!is_row("accounts", line), "{line}");
        }
    }

    #[test]
    fn a_whole_request_without_objects_is_no_row() {
        let tables = Tables::request(&PaymentInstructionRequest::SPEC);
        let is_body = |line: &str| is_body(line.as_bytes(), tables.get(0).unwrap());
        let request = r#"{"import_supplier":"S","external_account_number":"A","vendor":"V","reference":"R","type":"CARD"}"#;
        assert!(is_body(request));
        assert!(!is_body(&request.replace(r#""vendor":"V","#, "")));
        assert!(!is_body(&request.replace(r#""vendor":"#, r#""position":1,"vendor":"#)));
        assert!(!is_body("[]"));
    }
}
