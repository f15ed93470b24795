//! `docs/error-codes.md`, from the table of codes and the catalogue of rules.

use cutover_core::{Code, Domain};
use cutover_rules::RULES;

const HEAD: &str = "\
<!-- Generated from crates/core/src/code.rs by `cargo xtask docs`: edit there. -->

# Error codes

Every code the service sends, in errors, in warnings and as a reason, and those of the client. Logic may
depend on a code: it is never renamed or removed within a version of the API. The meaning is for readers, and its
wording may change.

The supplier's guide explains [how to read the errors](guide/supplier.md#reading-the-errors) and
[what to do on which answer](guide/supplier.md#what-to-do-on-which-answer). Each code has an anchor:
`error-codes.md#invalid_phone_number`. The rules of a code say under which condition it is reported, and whether as an
error or as a warning.
";

/// The text of the reference: a section per domain, a row per code, in the order of the table.
pub(super) fn markdown() -> String {
    let mut text = HEAD.to_owned();
    for domain in domains() {
        let (title, meaning) = describe(domain);
        let codes: Vec<Code> = Code::ALL.iter().copied().filter(|code| code.domain() == domain).collect();
        section(&mut text, title, meaning, &codes);
    }
    text
}

fn domains() -> Vec<Domain> {
    let mut domains = Vec::new();
    for code in &Code::ALL {
        if !domains.contains(&code.domain()) {
            domains.push(code.domain());
        }
    }
    domains
}

fn section(text: &mut String, title: &str, meaning: &str, codes: &[Code]) {
    text.push_str(&format!("\n## {title}\n\n{meaning}\n\n| Code | Meaning | Rules |\n| --- | --- | --- |\n"));
    for code in codes {
        let (meaning, rules) = (cell(code.detail()), rules(*code));
        text.push_str(&format!("| <a id=\"{code}\"></a>`{code}` | {meaning} | {rules} |\n"));
    }
}

/// Links to the rules that report a code.
fn rules(code: Code) -> String {
    let giving = RULES.iter().filter(|rule| rule.codes.contains(&code));
    let links: Vec<String> = giving.map(|rule| format!("[{0}](rules.md#{0})", rule.id)).collect();
    if links.is_empty() { "–".to_owned() } else { links.join(", ") }
}

/// Escapes bars, which would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn describe(domain: Domain) -> (&'static str, &'static str) {
    match domain {
        Domain::Field => ("Fields", "A check of one value, or of the structure."),
        Domain::Rule => ("Rules", "A condition that spans fields, decided by the payload and the clock."),
        Domain::Service => ("Service", "A condition that needs stored state or configuration."),
        Domain::Process => ("Processes", "Why a process ended without an account."),
        Domain::General => ("Answers", "An answer as a whole."),
        Domain::Undo => ("Undo", "Why the import of an account is kept when it was to be undone."),
        Domain::Table => (
            "Tables",
            "What `cutover-client` finds about files, rows and cells. The service sends none of these.",
        ),
        Domain::Client => {
            ("The client", "What `cutover-client` adds to its reports. The service sends none of these.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::root;
    use serde_json::Value;
    use std::collections::BTreeSet;
    use std::fs::read_to_string;

    /// Pages that name members and codes of answers, statuses and reports.
    const PAGES: [&str; 4] =
        ["docs/contract.md", "docs/client.md", "docs/guide/supplier.md", "docs/guide/connect.md"];
    /// Words on these pages that are neither a code nor a name in the description of the API: members and words of answers and reports, tables,
    /// and a status of a vendor.
    const OTHERS: [&str; 19] = [
        "business_contract_versions",
        "business_details",
        "business_payment_instruction_accounts",
        "business_payment_instructions",
        "error_rate",
        "import_process",
        "left_out",
        "not_compared",
        "not_kept",
        "notes_position",
        "null_columns",
        "pending_submission",
        "source_column",
        "source_file",
        "source_line",
        "supplier_complete",
        "supplier_paused",
        "warnings_across_accounts",
        "with_warnings",
    ];

    /// Returns true if a text is written like a code; codes of suppliers and words of payloads are in capitals.
    fn is_word(text: &str) -> bool {
        text.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase())
    }

    /// Collects the names and words of a description, and apart from them the codes in its examples.
    fn collect(value: &Value, words: &mut BTreeSet<String>, codes: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    words.insert(name.clone());
                    match value.as_str() {
                        Some(text) if ["code", "reason"].contains(&name.as_str()) && is_word(text) => {
                            codes.insert(text.into())
                        }
                        Some(text) if name == "name" => words.insert(text.into()),
                        _ => true,
                    };
                    collect(value, words, codes);
                }
            }
            Value::Array(items) => {
                words.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
                items.iter().for_each(|item| collect(item, words, codes));
            }
            _ => {}
        }
    }

    /// A code of an answer, a list or a page that has no explanation helps nobody. Pages, `explain` and the reference are made
    /// from the same table.
    #[test]
    fn every_code_that_is_shown_is_explained() {
        let read = |path: &str| read_to_string(root().join(path)).unwrap();
        let (mut words, mut shown) = (BTreeSet::new(), BTreeSet::new());
        collect(&serde_json::from_str(&read("docs/openapi.json")).unwrap(), &mut words, &mut shown);
        let is_code = |word: &str| Code::from_word(word).is_some();
        let unexplained: Vec<_> = shown.iter().filter(|code| !is_code(code)).collect();
        assert!(unexplained.is_empty(), "the description of the API names {unexplained:?}");
        let mut others = BTreeSet::new();
        for page in PAGES {
            let text = read(page);
            let quoted = text.split('`').skip(1).step_by(2);
            let quoted = quoted.filter(|word| is_word(word) && word.contains('_'));
            let unknown = quoted.filter(|word| !is_code(word) && !words.contains(*word));
            others.extend(unknown.map(str::to_owned));
        }
        assert_eq!(others, OTHERS.map(str::to_owned).into(), "every code on a page belongs into the table");
    }

    #[test]
    fn every_code_has_one_row() {
        let text = markdown();
        for code in &Code::ALL {
            let start = format!("\n| <a id=\"{code}\"></a>`{code}` | ");
            assert_eq!(text.matches(&start).count(), 1, "{code}");
        }
    }

    #[test]
    fn a_code_has_the_rules_that_give_it() {
        assert_eq!(rules(Code::InvalidPhoneNumber), "[CUS-01](rules.md#CUS-01), [CUS-11](rules.md#CUS-11)");
        assert_eq!(rules(Code::StatementIssuedBeforePeriodEnd), "[STM-03](rules.md#STM-03)");
        assert_eq!(rules(Code::Throttled), "–");
        for rule in RULES {
            assert!(markdown().contains(&format!("(rules.md#{})", rule.id)), "{}", rule.id);
        }
    }

    #[test]
    fn a_bar_does_not_end_a_cell() {
        assert_eq!(cell("a | b"), "a \\| b");
    }
}
