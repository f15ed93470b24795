//! The reference of the rules, generated from the catalogue.

use crate::{Needs, RULES, Rule};

/// The page. A line `{{ABC DEF}}` is replaced with the table of the rules whose ids have one of these
/// prefixes.
const TEMPLATE: &str = include_str!("reference.template");

/// Returns the text of `docs/rules.md`: prose, and a row for each rule.
pub fn rules_markdown() -> String {
    TEMPLATE.lines().map(|line| table(line).unwrap_or_else(|| format!("{line}\n"))).collect()
}

/// Returns the table that a line of the template asks for.
fn table(line: &str) -> Option<String> {
    let prefixes: Vec<&str> = line.strip_prefix("{{")?.strip_suffix("}}")?.split(' ').collect();
    let head = "| Id | Codes | Where | Condition | Level | Needs |\n| --- | --- | --- | --- | --- | --- |\n";
    let rules = RULES.iter().filter(|rule| prefixes.contains(&prefix(rule)));
    Some(rules.fold(head.to_owned(), |table, rule| table + &row(rule)))
}

fn prefix(rule: &Rule) -> &'static str {
    rule.id.0.split_once('-').map_or(rule.id.0, |(prefix, _)| prefix)
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
        Needs::Settings => "settings",
        Needs::Service => "service",
    };
    let (id, codes, place, condition) = (rule.id, codes.join(", "), cell(rule.place), cell(rule.condition));
    format!(
        "| <a id=\"{id}\"></a>{id} | {codes} | {place} | {condition} | {}{fixed}{later} | {needs} |\n",
        rule.level
    )
}

/// Escapes bars, which would end the cell.
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
    fn rows_have_id_code_place_condition_level_and_needs() {
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

    /// Returns the anchor that renderers give to a heading.
    fn anchor(heading: &str) -> String {
        let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-');
        heading.to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-")
    }

    #[test]
    fn links_within_the_page_lead_to_a_heading() {
        let text = rules_markdown();
        let headings = text.lines().filter(|line| line.starts_with("##"));
        let anchors: Vec<String> = headings.map(|line| anchor(line.trim_start_matches(['#', ' ']))).collect();
        let links: Vec<&str> = text.split("](#").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        assert!(links.len() >= 12, "{links:?}");
        for link in links {
            assert!(anchors.iter().any(|anchor| anchor == link), "{link}");
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
