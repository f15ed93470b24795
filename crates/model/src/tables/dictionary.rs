//! The dictionary of the tables, as JSON and as a page of the manual.

use super::{Column, ColumnRole, ColumnType, Table, Tables};
use crate::describe::Json;

/// The dictionary of tables (contract D20): an array of `{table, parent, lists, columns}`. `lists` are the members of the
/// parent that have the rows. A column has `name`, `key` (true for columns that lead to the parent's row), `type`,
/// `required`, `personal`, `doc`, `limits` and `values`; `digits` (before and after the point) if it is a decimal, and
/// `supply_types` if only the rows of some kinds of meter points have it.
pub fn dictionary<'t>(tables: impl IntoIterator<Item = &'t Table>) -> Json {
    Json::List(tables.into_iter().map(table).collect())
}

fn table(table: &Table) -> Json {
    let columns = table.columns.iter().map(column).collect::<Vec<_>>();
    Json::object()
        .with("table", table.name)
        .with("parent", table.parent.map_or(Json::Null, Json::from))
        .with("lists", Json::list(table.lists.iter().map(String::as_str)))
        .with("columns", columns)
}

fn column(column: &Column) -> Json {
    let digits = match column.column_type {
        ColumnType::Decimal { before, after } => Some(Json::list([before, after])),
        _ => None,
    };
    let kinds = column.supply_types.iter().map(|kind| kind.as_str());
    Json::object()
        .with("name", &*column.name)
        .with("key", column.role == ColumnRole::Key)
        .with("type", column.column_type.name())
        .with_some("digits", digits)
        .with("required", column.required)
        .with("nullable", column.nullable)
        .with("personal", column.is_personal)
        .with("doc", &*column.doc)
        .with("limits", &*column.limits)
        .with("values", Json::list(column.values.iter().copied()))
        .with_some("supply_types", (!column.supply_types.is_empty()).then(|| Json::list(kinds)))
}

/// Maximum number of values in a cell of the manual; [the fields](crate::describe::fields_markdown) list all.
const MAX_VALUES: usize = 12;

/// The beginning of the manual.
const INTRODUCTION: &str = "\
<!-- Generated from crates/model/src by `cargo xtask docs`: edit there. -->

# Tables

The tables of `cutover export` ([contract D19](contract.md#d19-outbound-data), [decision
0039](decisions/0039-tables-and-export.md)), derived from the declarations of [the fields](fields.md).

- Key columns come first: those of the row above, then `list` where several lists share a table, and `position`, the place in
  the list from 1 on. Below, a position has the name of its table before it: `ledgers_position`.
- A single nested object is part of the row: `address.postal_code`. A list of values and a free member are JSON text.
- A member that may be a string or a whole number, such as a house number, is text.
- A decimal is text with the digits as sent. Beside it is a column `<name>_decimal` with its value in the declared digits; it is
  absent if the value needs more.
- In CSV an empty cell is an absent member, `\\N` is null, `\"\"` the empty string. Parquet has one null for both; the text column `null_columns`, if it is there, names the cells of a row that are null.
- An account that is exported again replaces all of its rows: delete those with its `external_account_number` first.
- A personal column is left out by `--without-personal`, and its values are replaced by `--masked`.
";

/// The text of `docs/tables.md`: the tables of imported accounts.
pub fn tables_markdown() -> String {
    INTRODUCTION.to_owned() + &Tables::imported().iter().map(section).collect::<String>()
}

fn section(table: &Table) -> String {
    let parent = match table.parent {
        None => "One row for each account.".to_owned(),
        Some(parent) => {
            let lists: Vec<String> = table.lists.iter().map(|list| format!("`{list}`")).collect();
            format!("One row for each item of {} of a row in [{parent}](#{parent}).", lists.join(" and "))
        }
    };
    let rows: String = table.columns.iter().map(row).collect();
    format!(
        "\n## {}\n\n{parent}\n\n| column | type | required | personal | limits, values | meaning |\n|---|---|---|---|---|---|\n{rows}",
        table.name
    )
}

fn row(column: &Column) -> String {
    let required = match (column.role, column.required, column.nullable) {
        (ColumnRole::Key, ..) => "key",
        (_, true, false) => "yes",
        (_, true, true) => "yes, nullable",
        (_, false, _) => "no",
    };
    let kinds: Vec<String> = column.supply_types.iter().map(|kind| format!("`{}`", kind.as_str())).collect();
    let only = if kinds.is_empty() { String::new() } else { format!(" Only of {}.", kinds.join(", ")) };
    let cells = [
        format!("`{}`", column.name),
        column.column_type.name().to_owned(),
        required.to_owned(),
        if column.is_personal { "yes" } else { "no" }.to_owned(),
        limits(column),
        format!("{}{only}", column.doc),
    ];
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

fn limits(column: &Column) -> String {
    let word =
        |value: &&str| if value.is_empty() { "the empty string".to_owned() } else { format!("`{value}`") };
    let values = match &*column.values {
        [] => String::new(),
        values if values.len() > MAX_VALUES => format!("{} values: see fields", values.len()),
        values => values.iter().map(word).collect::<Vec<_>>().join(", "),
    };
    match (&*column.limits, &*values) {
        ("", "") => "–".to_owned(),
        ("", one) | (one, "") => one.to_owned(),
        ("one of the values", values) => values.to_owned(),
        (limits, values) => format!("{limits}; {values}"),
    }
}
