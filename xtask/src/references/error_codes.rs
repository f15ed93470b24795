//! `docs/error-codes.md`, from the one table of codes.

use cutover_core::{CODES, Code, Domain};

const HEAD: &str = "\
<!-- Generated from crates/core/src/code.rs by `cargo xtask docs`: edit there. -->

# Error codes

Every code the service sends, in errors and in warnings. Logic may depend on a code: it is never renamed or
removed within a version of the API. The meaning is for people, and its wording may change.
";

/// The text of the reference: a section a domain, a row a code, in the order of the table.
pub(super) fn markdown() -> String {
    let mut text = HEAD.to_owned();
    for domain in domains() {
        let (title, meaning) = describe(domain);
        let codes: Vec<Code> = CODES.iter().copied().filter(|code| code.domain() == domain).collect();
        section(&mut text, title, meaning, &codes);
    }
    text
}

fn domains() -> Vec<Domain> {
    let mut domains = Vec::new();
    for code in CODES {
        if !domains.contains(&code.domain()) {
            domains.push(code.domain());
        }
    }
    domains
}

fn section(text: &mut String, title: &str, meaning: &str, codes: &[Code]) {
    text.push_str(&format!("\n## {title}\n\n{meaning}\n\n| Code | Meaning |\n| --- | --- |\n"));
    for code in codes {
        text.push_str(&format!("| `{code}` | {} |\n", cell(code.detail())));
    }
}

/// A bar would end the cell.
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
        for code in CODES {
            assert_eq!(text.matches(&format!("\n| `{code}` | ")).count(), 1, "{code}");
        }
    }

    #[test]
    fn a_bar_does_not_end_a_cell() {
        assert_eq!(cell("a | b"), "a \\| b");
    }
}
