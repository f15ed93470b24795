use super::Target;
use crate::fixtures::fixtures;
use cutover_model::tables::{Assembled, Assembler, Cell, Row, RowsError, Tables};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The rows of an account.
pub(crate) const TARGET: Target = Target {
    name: "assemble",
    description: "rows of an account: an account that comes back from its own rows, and a fault for every row that is not in it",
    run,
    seeds,
    words: &[
        "\naccounts",
        "\nmeter_points",
        "\nmeters",
        "\ntransactions",
        "\tposition=",
        "\tmpxn=",
        "\tlist=",
        "\tcustomers=[]",
        "\\N",
        "=[]",
        "={}",
        "={\"a\":1}",
    ],
    max: 16 << 10,
    executions: 10_000,
};

pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(Tables::payload);

fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let assembler = Assembler::new(&TABLES);
    let rows: Vec<Row<'_>> = text.lines().filter_map(row).collect();
    let assembled = assembler.assemble(&rows);
    check(&assembled, &rows);
    let Some(account) = &assembled.account else { return };
    // Rows of one table keep their order, which is that of their items.
    let mut by_table = rows.clone();
    by_table.sort_by_key(|row| std::cmp::Reverse(row.table));
    let other = assembler.assemble(&by_table).account;
    assert!(other.as_ref() == Some(account), "the account depends on the order of the tables");
    check_inverse(&assembler, account);
}

/// A row: its table and its cells, separated by tabs. What the tables do not have is left out.
pub(super) fn row(line: &str) -> Option<Row<'_>> {
    let mut parts = line.split('\t');
    let (index, table) = TABLES.find(parts.next()?)?;
    let mut row = Row { table: index, cells: vec![Cell::Absent; table.columns.len()] };
    for (name, value) in parts.filter_map(|part| part.split_once('=')) {
        if let Some(column) = table.column(name) {
            row.cells[column] = match value {
                "\\N" => Cell::Null,
                value => Cell::Value(Cow::Borrowed(value)),
            };
        }
    }
    Some(row)
}

/// No row is lost without a fault, and the account is JSON on one line.
fn check(assembled: &Assembled, rows: &[Row<'_>]) {
    assert_eq!(assembled.paths.len(), rows.len());
    for fault in &assembled.faults {
        let row = &rows[fault.row];
        assert!(fault.column.is_none_or(|column| column < row.cells.len()), "a fault of no column");
    }
    for (index, path) in assembled.paths.iter().enumerate() {
        let has_fault = || assembled.faults.iter().any(|fault| fault.row == index);
        assert!(path.is_some() || has_fault(), "the row {index} is lost");
    }
    let Some(account) = &assembled.account else { return };
    assert!(!account.contains(&b'\n'), "more than one line");
    let Some(account) = json(account) else { return };
    for path in assembled.paths.iter().flatten().filter(|path| !path.segments().is_empty()) {
        let pointer = format!("/{}", path.to_string().replace('.', "/"));
        assert!(account.pointer(&pointer).is_some_and(serde_json::Value::is_object), "{path} is no object");
    }
}

/// An account as JSON; `None` if a number has no place in a floating-point one.
pub(super) fn json(account: &[u8]) -> Option<serde_json::Value> {
    let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(account).is_ok();
    assert!(is_json, "an account is JSON");
    serde_json::from_slice(account).ok()
}

/// An account that has rows is made of them again.
fn check_inverse(assembler: &Assembler<'_>, account: &[u8]) {
    let mut rows = Vec::new();
    let walked = TABLES.indexed_rows(account, |table, cells| {
        rows.push(Row { table, cells: cells.to_vec() });
        Ok::<_, RowsError>(())
    });
    if walked.is_ok() {
        let again = assembler.assemble(&rows);
        assert!(again.faults.is_empty(), "{:?}", again.faults);
        assert!(again.account.as_deref() == Some(account), "another account comes back");
    }
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    fixtures("accounts").iter().filter_map(|account| written(account)).collect()
}

/// The rows of an account as an input has them.
fn written(account: &[u8]) -> Option<Vec<u8>> {
    let mut text = String::new();
    let walked = TABLES.rows(account, |table, cells| {
        text.push_str(table.name);
        for (column, cell) in table.columns.iter().zip(cells) {
            let value = match cell {
                Cell::Absent => continue,
                Cell::Null => "\\N",
                Cell::Value(value) => value,
            };
            text.push_str(&format!("\t{}={}", column.name, value.replace(['\t', '\n'], " ")));
        }
        text.push('\n');
        Ok::<_, RowsError>(())
    });
    walked.ok().map(|()| text.into_bytes())
}
