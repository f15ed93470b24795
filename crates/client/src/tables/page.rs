//! The dictionary as a page.

use super::{heading, presence};
use cutover_model::tables::{Column, Table};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid}\
code{font-size:.93em}";

/// The page, which needs no other file.
pub(super) fn page(what: &str, tables: &[&Table]) -> String {
    let sections: String = tables.iter().copied().map(section).collect();
    html(&format!("Tables of {what}"), &sections)
}

/// A page with this title and body.
pub(crate) fn html(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

fn section(table: &Table) -> String {
    let rows: String = table.columns.iter().map(row).collect();
    let (name, heading) = (table.name, escaped(&heading(table)));
    format!(
        "<h2 id=\"{name}\">{name}</h2>\n<p>{heading}.</p>\n<table>\n<tr><th>Column<th>Type<th>Required\
         <th>Personal<th>Limits<th>Meaning\n{rows}</table>\n"
    )
}

fn row(column: &Column) -> String {
    let values = column.values.iter().map(|value| format!("<code>{}</code>", escaped(value)));
    let values = values.collect::<Vec<_>>().join(" ");
    format!(
        "<tr><td><code>{}</code><td>{}<td>{}<td>{}<td>{} {values}<td>{}\n",
        escaped(&column.name),
        column.column_type.name(),
        presence(column),
        if column.is_personal { "yes" } else { "" },
        escaped(&column.limits),
        escaped(&column.doc)
    )
}

/// Text escaped for HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_model::tables::Tables;

    #[test]
    fn the_page_has_every_column_and_escapes_texts() {
        let tables = Tables::payload();
        let tables: Vec<&Table> = tables.iter().collect();
        let page = page("accounts", &tables);
        let columns: usize = tables.iter().map(|table| table.columns.len()).sum();
        assert_eq!(page.matches("<tr><td>").count(), columns);
        assert_eq!(escaped("<a> & \"b\""), "&lt;a&gt; &amp; &quot;b&quot;");
    }
}
