//! The manual of the rules, made from the catalogue.

use crate::{Needs, RULES, Rule};

const HEAD: &str = "\
<!-- Generated from crates/rules/src by `cargo xtask docs`: edit there. -->

# Rules

Every condition that a payload is checked against, in the order of the catalogue. All findings of a payload are
given in one answer, by path and code; the same pair is given once, at the higher level.

- **Level**: an *error* refuses the request; a *warning* is recorded and shown, and changes nothing else; a rule
  that is *off* is not run. An operator can set the level of a rule for an import supplier, unless it is *fixed*.
- **Needs**: *payload* rules are decided by the request and the clock alone, *service* rules by what is stored or
  configured as well. Some of these are found only when the request is carried out.
- `#` is an index. `MP` is `supply_addresses.#.meter_points.#`; `TX` is one transaction, in
  `ledgers.#.current_statement_transactions.#`, `ledgers.#.historical_statement_transactions.#` or `transactions.#`.
- A rule looks at values that passed their own field checks. If one of its inputs is faulty it is silent; if one is
  absent it is silent too, unless its condition says what absence means.
- *Today* and *now* are those of the import supplier's time zone. Texts are compared without white space at their
  ends.
- What forms and terms mean stands [at the end](#forms-and-terms); what a code says, in the
  [error reference](error-codes.md).
";

/// What conditions refer to.
const TERMS: &str = include_str!("terms.md");

/// The sections of the manual, with the prefixes of the ids in each.
const GROUPS: &[(&str, &[&str])] = &[
    ("Structure", &["STR"]),
    ("Kind of meter point", &["SUP"]),
    ("Account, people, addresses", &["ACC", "CUS", "ADR"]),
    ("Meter points and agreements", &["MPT", "AGR"]),
    ("Meters, registers, readings", &["MTR", "RDG"]),
    ("Ledgers and transactions", &["LED", "TXN"]),
    ("Payments", &["PIN", "SCH"]),
    ("Documents, statements, events, notes", &["DOC", "STM", "EVT", "NOT"]),
    ("Businesses", &["BUS"]),
    ("Schedule window", &["WIN"]),
    ("Stored state", &["PST"]),
];

/// The text of `docs/rules.md`: a section a group, a row a rule.
pub fn rules_markdown() -> String {
    let mut text = HEAD.to_owned();
    for (title, prefixes) in GROUPS {
        let rules = RULES.iter().filter(|rule| prefixes.contains(&prefix(rule)));
        section(&mut text, title, rules);
    }
    text + TERMS
}

fn prefix(rule: &Rule) -> &'static str {
    rule.id.0.split_once('-').map_or(rule.id.0, |(prefix, _)| prefix)
}

fn section<'r>(text: &mut String, title: &str, rules: impl Iterator<Item = &'r Rule>) {
    let mut rows = rules.map(row).peekable();
    if rows.peek().is_some() {
        let head =
            "| Id | Codes | Where | Condition | Level | Needs |\n| --- | --- | --- | --- | --- | --- |\n";
        text.push_str(&format!("\n## {title}\n\n{head}"));
        rows.for_each(|row| text.push_str(&row));
    }
}

fn row(rule: &Rule) -> String {
    let codes: Vec<String> =
        rule.codes.iter().map(|code| format!("[`{code}`](error-codes.md#{code})")).collect();
    let fixed = if rule.fixed { ", fixed" } else { "" };
    let later = match rule.level_after_import() {
        level if level == rule.level => String::new(),
        level => format!("; {level} in requests after the import"),
    };
    let needs = match rule.needs {
        Needs::Payload => "payload",
        Needs::Service => "service",
    };
    let (id, codes, place, condition) = (rule.id, codes.join(", "), cell(rule.place), cell(rule.condition));
    format!(
        "| <a id=\"{id}\"></a>{id} | {codes} | {place} | {condition} | {}{fixed}{later} | {needs} |\n",
        rule.level
    )
}

/// A bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_one_row_in_the_order_of_the_catalogue() {
        let text = rules_markdown();
        let mut rest = text.as_str();
        for rule in RULES {
            let start = format!("\n| <a id=\"{0}\"></a>{0} | ", rule.id);
            assert_eq!(text.matches(&start).count(), 1, "{}", rule.id);
            let at = rest.find(&start);
            assert!(at.is_some(), "{} comes too early", rule.id);
            rest = &rest[at.unwrap_or_default()..];
        }
    }

    #[test]
    fn a_row_says_what_the_rule_is() {
        let text = rules_markdown();
        for (id, code, rest) in [
            (
                "STR-01",
                "required",
                "any required member | member missing while its object is there | error, fixed | payload |",
            ),
            (
                "STR-19",
                "unrecognised_value",
                "open lists with known values | value not among them | warning | payload |",
            ),
            (
                "STM-02",
                "duplicate_statement_ids",
                "`statements.#.statement_id` | same as an earlier statement of the payload | warning; error in requests after the import | payload |",
            ),
            (
                "PST-15",
                "account_import_process_in_progress",
                "the body of account creation | its import process is IN_PROGRESS | error, fixed | service |",
            ),
            (
                "LED-10",
                "historical_statement_period_end_in_future",
                "`ledgers.#.last_statement_closing_date` | after today | error | payload |",
            ),
        ] {
            let row = format!("| <a id=\"{id}\"></a>{id} | [`{code}`](error-codes.md#{code}) | {rest}");
            assert!(text.lines().any(|line| line == row), "{row}");
        }
    }

    #[test]
    fn links_of_conditions_lead_to_a_term() {
        let text = rules_markdown();
        let heading = |name: &str| name.to_lowercase().replace(' ', "-");
        let terms: Vec<String> =
            TERMS.lines().filter_map(|line| line.strip_prefix("### ")).map(heading).collect();
        let links = text.split("](#").skip(1).filter_map(|rest| rest.split(')').next());
        let links: Vec<&str> = links.filter(|link| *link != "forms-and-terms").collect();
        assert!(links.len() >= 12, "{links:?}");
        for link in links {
            assert!(terms.iter().any(|term| term == link), "{link}");
        }
    }

    #[test]
    fn every_row_has_six_cells() {
        for rule in RULES {
            let row = row(rule).replace("\\|", "");
            assert_eq!(row.matches('|').count(), 7, "{row}");
        }
        assert_eq!(cell("a | b"), "a \\| b");
    }
}
