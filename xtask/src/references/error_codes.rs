//! `docs/error-codes.md`, from the table of codes and the catalogue of rules.

use cutover_core::{Code, Domain};
use cutover_rules::RULES;

const HEAD: &str = "\
<!-- Generated from crates/core/src/code.rs by `cargo xtask docs`: edit there. -->

# Error codes

Every code the service sends, in errors and in warnings. Logic may depend on a code: it is never renamed or
removed within a version of the API. The meaning is for readers, and its wording may change.

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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(rules(Code::InvalidPhoneNumber), "[CUS-01](rules.md#CUS-01)");
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
