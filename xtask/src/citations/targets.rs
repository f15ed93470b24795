use std::collections::BTreeMap;
use std::path::Path;

use super::{Citation, Document};
use crate::anchor::{slug, unique};
use crate::error::Error;
use crate::files;

const CONTRACT: &str = "docs/contract.md";
const DECISIONS: &str = "docs/decisions";

/// Everything that can be cited.
pub(crate) struct Targets {
    /// Anchors by section.
    contract: BTreeMap<String, String>,
    fields: BTreeMap<String, String>,
    /// Anchors by section, and by the code of a rule.
    rules: BTreeMap<String, String>,
    /// Numbers.
    decisions: Vec<String>,
}

impl Targets {
    pub(crate) fn of_repository() -> Result<Self, Error> {
        Ok(Self {
            contract: sections(&files::read(Path::new(CONTRACT))?),
            fields: sections(&cutover_model::describe::fields_markdown()),
            rules: rules(&cutover_rules::reference::rules_markdown()),
            decisions: decisions(&files::with_extension(&["md"])?),
        })
    }

    /// The anchor of a section or of a rule; `None` if there is none of that name.
    pub(crate) fn anchor(&self, citation: &Citation<'_>) -> Option<&str> {
        let anchors = match citation.document {
            Document::Contract => &self.contract,
            Document::Fields => &self.fields,
            Document::Rules => &self.rules,
            Document::Decisions => return None,
        };
        anchors.get(citation.item).map(String::as_str)
    }

    /// Why a citation does not resolve; `None` if it does.
    pub(super) fn fault(&self, citation: &Citation<'_>) -> Option<String> {
        let item = citation.item;
        let place = match citation.document {
            Document::Contract => CONTRACT,
            Document::Fields => "docs/fields.md",
            Document::Rules => "docs/rules.md",
            Document::Decisions if item.starts_with('D') => {
                return Some(format!("decisions {item}: the notation is: contract {item}"));
            }
            Document::Decisions => {
                let is_known = self.decisions.iter().any(|number| number == item);
                return (!is_known).then(|| format!("{DECISIONS} has no {item}"));
            }
        };
        self.anchor(citation).is_none().then(|| format!("{place} has no {item}"))
    }
}

/// The anchors of numbered headings, such as `## 1. Title`, `### D6 Title` and `### A.1 Title`.
fn sections(markdown: &str) -> BTreeMap<String, String> {
    let mut seen = BTreeMap::new();
    let headings = markdown.lines().filter(|line| line.starts_with('#'));
    let anchors = headings.filter_map(|line| {
        let heading = line.trim_start_matches('#').trim();
        let anchor = unique(slug(heading), &mut seen);
        let number = heading.split(' ').next()?.trim_end_matches('.');
        number.contains(|c: char| c.is_ascii_digit()).then(|| (number.to_owned(), anchor))
    });
    anchors.collect()
}

/// Those of sections, and the codes of rules.
fn rules(markdown: &str) -> BTreeMap<String, String> {
    let mut rules = sections(markdown);
    let ids = markdown.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    rules.extend(ids.map(|(id, _)| (id.to_owned(), id.to_owned())));
    rules
}

/// The numbers that files of decisions begin with.
fn decisions(paths: &[impl AsRef<Path>]) -> Vec<String> {
    let files = paths.iter().filter_map(|path| path.as_ref().strip_prefix(DECISIONS).ok()?.to_str());
    files.filter_map(|name| name.split_once('-')).map(|(number, _)| number.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citations::citations;

    fn targets() -> Targets {
        Targets {
            contract: sections(
                "# The contract\n## 4. Endpoints\n### 4.1 Accounts\n### D6 States and events\n",
            ),
            fields: sections("## 1. How\n### 1.5 Types\n### A.1 Flats\n"),
            rules: rules("## 8. Terms\n### 8.1 Signs\n| <a id=\"STR-01\"></a>`STR-01` |"),
            decisions: decisions(&["docs/decisions/0008-store.md", "docs/README.md"]),
        }
    }

    fn faults(text: &str) -> Vec<String> {
        citations(text).iter().filter_map(|citation| targets().fault(citation)).collect()
    }

    #[test]
    fn citations_of_existing_items_resolve() {
        let text = "contract 4.1, 4, D6 and fields 1.5; fields A.1, rules STR-01, 8.1 and 8, decision 0008.";
        assert_eq!(faults(text), [""; 0]);
        let citations = citations("contract D6");
        assert_eq!(targets().anchor(&citations[0]), Some("d6-states-and-events"));
    }

    #[test]
    fn citations_of_missing_items_are_reported() {
        assert_eq!(faults("contract 4.1, 4.9"), ["docs/contract.md has no 4.9"]);
        assert_eq!(faults("contract\n/// D7"), ["docs/contract.md has no D7"]);
        assert_eq!(faults("fields 8)"), ["docs/fields.md has no 8"]);
        assert_eq!(faults("rules STR-01 to STR-02"), ["docs/rules.md has no STR-02"]);
        assert_eq!(faults("decisions 0008 and 0009"), ["docs/decisions has no 0009"]);
    }

    #[test]
    fn the_old_notation_of_decisions_is_reported() {
        assert_eq!(faults("decisions D6"), ["decisions D6: the notation is: contract D6"]);
    }
}
