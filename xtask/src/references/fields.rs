//! `docs/fields.md`, from the declarations of the payloads, with links to the rules and the contract.

use cutover_model::describe::fields_markdown;

use crate::citations::{Citation, Document, Targets, citations};
use crate::error::Error;

/// The text of the reference.
pub(super) fn markdown() -> Result<String, Error> {
    let targets = Targets::of_repository()?;
    let text = fields_markdown();
    // Outside the tables citations are written as links already.
    let line = |line: &str| if line.starts_with("| `") { linked(line, &targets) } else { line.to_owned() };
    Ok(text.split_inclusive('\n').map(line).collect())
}

/// The line with a link in place of each citation that resolves.
fn linked(line: &str, targets: &Targets) -> String {
    let (mut text, mut end) = (String::new(), 0);
    for citation in citations(line) {
        let Some(link) = targets.anchor(&citation).and_then(|anchor| link(&citation, anchor)) else {
            continue;
        };
        let start = citation.keyword.as_ref().map_or(citation.range.start, |keyword| keyword.start);
        text.push_str(&line[end..start]);
        text.push_str(&link);
        end = citation.range.end;
    }
    text + &line[end..]
}

fn link(citation: &Citation<'_>, anchor: &str) -> Option<String> {
    let item = citation.item;
    Some(match citation.document {
        Document::Contract => format!("[contract {item}](contract.md#{anchor})"),
        Document::Fields => format!("[{item}](#{anchor})"),
        Document::Rules if anchor == item => format!("[{item}](rules.md#{item})"),
        Document::Rules => format!("[rules {item}](rules.md#{anchor})"),
        Document::Decisions => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_become_links() {
        let targets = Targets::of_repository().unwrap();
        assert_eq!(
            linked("| A day (contract D6, rules WIN-01 and WIN-02). |\n", &targets),
            "| A day ([contract D6](contract.md#d6-states-and-events), [WIN-01](rules.md#WIN-01) and \
             [WIN-02](rules.md#WIN-02)). |\n"
        );
        assert_eq!(linked("| See fields 1.5. |", &targets), "| See [1.5](#15-types). |");
    }
}
