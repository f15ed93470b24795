use super::text::{distinct, faults, frequent, lengths, rows};
use super::view::{ColumnView, TableView, View};
use crate::expect;
use crate::output::grouped;
use crate::tables::{escaped, html};
use cutover_core::plain;

/// The profile as a page, which needs no other file.
pub(super) fn page(view: &View) -> String {
    let mut body = format!("<p>{} accounts, {} rows.</p>\n", grouped(view.accounts), grouped(view.rows));
    if view.interrupted {
        body += "<p>Interrupted: the rest of the inputs was not read.</p>\n";
    }
    for alert in expect::alerts(view.differences.as_deref()) {
        body += &format!("<p><strong>{}</strong></p>\n", shown(&alert));
    }
    view.tables.iter().for_each(|table| body += &section(table));
    if !view.without_rows.is_empty() {
        body += &format!("<p>Without rows: {}.</p>\n", view.without_rows.join(", "));
    }
    html("Profile of tables", &body)
}

fn section(view: &TableView) -> String {
    let lines: String = view.columns.iter().map(line).collect();
    format!(
        "<h2 id=\"{0}\">{0}</h2>\n<p>{1}.</p>\n<table>\n<tr><th>Column<th>Type<th>Values<th>Null<th>Absent<th>Distinct\
         <th>Characters<th>Smallest<th>Largest<th>Remarks<th>Most frequent\n{lines}</table>\n",
        view.table,
        rows(view)
    )
}

fn line(view: &ColumnView) -> String {
    let optional = |text: Option<&str>| shown(text.unwrap_or_default());
    let personal = if view.personal { "personal, masked".to_owned() } else { String::new() };
    let remarks: Vec<String> =
        faults(view).into_iter().chain([personal]).filter(|remark| !remark.is_empty()).collect();
    format!(
        "<tr><td><code>{}</code><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}\n",
        escaped(&view.column),
        view.column_type,
        grouped(view.values),
        grouped(view.nulls),
        grouped(view.absent),
        distinct(view).unwrap_or_default(),
        lengths(view).unwrap_or_default(),
        optional(view.smallest.as_deref()),
        optional(view.largest.as_deref()),
        shown(&remarks.join("; ")),
        shown(&frequent(view, usize::MAX).join(", "))
    )
}

/// A text that may come from a file.
fn shown(text: &str) -> String {
    escaped(&plain(text))
}
