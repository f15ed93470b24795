use super::file::AtomicFile;
use super::{CodeCount, Page, Report, Row, Top};
use crate::error::Error;
use crate::output::grouped;
use cutover_core::plain;
use std::fmt;
use std::fmt::Write as _;
use std::path::Path;

/// Self-contained HTML page: sums, most frequent codes and the first findings.
pub(super) struct Html {
    file: AtomicFile,
    /// Markup of the first findings. The sums precede them and are known only at the end.
    rows: String,
    findings: u64,
}

/// Maximum number of findings in the page; browsers are slow with more.
const MAX_ROWS: u64 = 10_000;

const STYLE: &str = include_str!("page.css");

impl Html {
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        Ok(Self { file: AtomicFile::create(path)?, rows: String::new(), findings: 0 })
    }
}

impl Report for Html {
    fn add(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.findings += 1;
        if self.findings <= MAX_ROWS {
            self.rows += &finding(row);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, page: &Page) -> Result<(), Error> {
        let before = head(page) + &page.tops.iter().map(top).collect::<String>();
        let findings = findings(self.findings, &self.rows);
        self.file.write(|to| {
            to.write_all(before.as_bytes())?;
            to.write_all(findings.as_bytes())?;
            to.write_all(b"</main>\n</body>\n</html>\n")
        })?;
        self.file.finish()
    }
}

/// Text escaped for HTML; control and direction characters are escaped too.
struct Escaped<'t>(&'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in plain(self.0).chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

fn head(page: &Page) -> String {
    let sum =
        |(name, value): &(&str, String)| format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", Escaped(value));
    let sums: String = page.sums.iter().map(sum).collect();
    let alert = |text: &String| format!("<p class=\"alert\">{}</p>\n", Escaped(text));
    let alerts: String = page.alerts.iter().map(alert).collect();
    let (title, remark) = (page.title, Escaped(&page.remark));
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{alerts}<dl>
{sums}</dl>
<p>{remark}</p>
"#
    )
}

/// Table of the most frequent findings; empty if there are none.
fn top((title, codes, others): &Top) -> String {
    if codes.is_empty() {
        return String::new();
    }
    let rows: String = codes.iter().map(code).collect();
    let others = others.words().map(|others| format!("<p>And {others}.</p>\n")).unwrap_or_default();
    format!(
        "<h2>{title}</h2>\n<table>\n<thead><tr><th>Code<th>Path<th>Found<th>First at<th>Account<th>What it means</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n{others}"
    )
}

fn code(found: &CodeCount) -> String {
    let example = &found.example;
    let number = Escaped(example.external_account_number.as_deref().unwrap_or_default());
    format!(
        "<tr><td data-of=\"Code\"><code>{}</code><td data-of=\"Path\"><code>{}</code>\
         <td data-of=\"Found\">{}<td data-of=\"First at\">{}<td data-of=\"Account\">{number}\
         <td data-of=\"What it means\">{}</tr>\n",
        Escaped(&found.code),
        Escaped(&found.attr),
        grouped(found.count),
        Escaped(&example.place()),
        Escaped(&found.detail),
    )
}

fn findings(count: u64, rows: &str) -> String {
    let said = match count {
        0 => return "<h2>Findings</h2>\n<p>None.</p>\n".to_owned(),
        count if count > MAX_ROWS => {
            let (shown, count) = (grouped(MAX_ROWS), grouped(count));
            format!("The first {shown} of {count}; a .csv or .json report has all of them.")
        }
        count => format!("All {}, in the order of the inputs.", grouped(count)),
    };
    format!(
        "<h2>Findings</h2>\n<p>{said}</p>\n<table>\n<thead><tr><th>Level<th>Code<th>File<th>Supplier\
         <th>Account<th>Path<th>What it means</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    )
}

fn finding(row: &Row<'_>) -> String {
    let text = |text: Option<&'_ str>| Escaped(text.unwrap_or_default()).to_string();
    let line = row.line.map(|line| format!(":{line}")).unwrap_or_default();
    let place =
        row.source.map_or_else(|| format!("{}{line}", row.file.unwrap_or_default()), ToString::to_string);
    format!(
        "<tr class=\"{level}\"><td data-of=\"Level\">{level}<td data-of=\"Code\"><code>{}</code>\
         <td data-of=\"File\">{}<td data-of=\"Supplier\">{}<td data-of=\"Account\">{}\
         <td data-of=\"Path\"><code>{}</code><td data-of=\"What it means\">{}</tr>\n",
        Escaped(row.code),
        Escaped(&place),
        text(row.import_supplier),
        text(row.external_account_number),
        text(row.attr),
        Escaped(row.detail),
        level = row.level,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_an_account_are_escaped() {
        let text = Escaped("<b onclick='x()'>&\"\u{202e}\u{0}").to_string();
        assert_eq!(text, "&lt;b onclick=&#39;x()&#39;&gt;&amp;&quot;\\u{202e}\\u{0}");
        let row = Row {
            file: Some("<f>"),
            line: Some(1),
            import_supplier: Some("<s>"),
            external_account_number: Some("<n>"),
            level: "error",
            attr: Some("<a>"),
            code: "invalid",
            detail: "<d>",
            source: None,
        };
        let html = finding(&row);
        for text in ["<f>", "<s>", "<n>", "<a>", "<d>"] {
            assert!(!html.contains(text) && html.contains(&text.replace('<', "&lt;").replace('>', "&gt;")));
        }
    }

    #[test]
    fn a_page_says_how_many_findings_it_leaves_out() {
        assert!(findings(10_000, "").contains("All 10,000, in"));
        assert!(findings(10_001, "").contains("The first 10,000 of 10,001; a .csv"));
    }
}
