//! Reads where rules report: the members that their texts for people name.

use crate::{RULES, Rule};

/// What `MP` stands for in the texts.
const METER_POINT: &str = "supply_addresses.#.meter_points.#";
/// What `TX` stands for: the transactions of ledgers, then those of the request.
const TRANSACTIONS: [&str; 3] = [
    "ledgers.#.current_statement_transactions.#",
    "ledgers.#.historical_statement_transactions.#",
    "transactions.#",
];
/// Members of a request that objects in it have as well: alone they mean those of the request.
const OF_REQUEST: [&str; 3] = ["external_account_number", "last_billed_to_date", "vendor"];
/// Words for objects, and the part that the paths of their members have.
const OBJECTS: [(&str, &str); 2] =
    [("payment instruction", "payment_instructions.#."), ("transaction", "transactions.#.")];

/// Returns the rules about a member of a request, in the order of the catalogue: those that report at its path, with `#` for
/// indexes, and those that its description names. The checks of its form are not among them.
pub fn rules_about(path: &str, description: &str) -> Vec<&'static Rule> {
    let named = named(description);
    let is_about = |rule: &&Rule| {
        let is_of_form = rule.id.0.starts_with("STR-");
        !is_of_form && (named.iter().any(|id| id == rule.id.0) || reports_at(rule, path))
    };
    RULES.iter().filter(is_about).collect()
}

/// The ids of rules in a text: `CUS-01`, and all from the first to the last of `AGR-02 to AGR-04`.
fn named(text: &str) -> Vec<String> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .collect();
    let mut ids = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let Some((group, last)) = id(word) else { continue };
        let range =
            index.checked_sub(2).filter(|_| words[index - 1] == "to").and_then(|first| id(words[first]));
        let first = range.filter(|(other, _)| *other == group).map_or(last, |(_, first)| first);
        ids.extend((first..=last).map(|number| format!("{group}-{number:02}")));
    }
    ids
}

/// The parts of an id: `CUS` and 1.
fn id(word: &str) -> Option<(&str, u32)> {
    let (group, number) = word.split_once('-')?;
    let is_id = group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_uppercase()) && number.len() == 2;
    Some((group, number.parse().ok().filter(|_| is_id)?))
}

/// True if the text of a rule names the member at a path.
fn reports_at(rule: &Rule, path: &str) -> bool {
    let mut before = String::new();
    rule.place.split([',', ';', '(', ')']).any(|clause| {
        let (members, of) = clause.split_once(" of ").unwrap_or((clause, ""));
        let (named, objects) = (tokens(members), tokens(of));
        if members.contains("` to `") && is_between(&named, path) {
            return true;
        }
        named.into_iter().any(|member| {
            before = sibling(&before, member);
            if objects.is_empty() {
                return is_of(of, path) && is_at(rule, &before, path);
            }
            objects.iter().any(|object| is_at(rule, &format!("{object}.{before}"), path))
        })
    })
}

/// The words in back quotes.
fn tokens(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// True for the members from the first to the last, which differ in a digit.
fn is_between(named: &[&str], path: &str) -> bool {
    matches!(named, [first, last] if path.len() == first.len() && (*first..=*last).contains(&path))
}

/// The member beside the one before for `.name`; else itself.
fn sibling(before: &str, member: &str) -> String {
    match (member.strip_prefix('.'), before.rsplit_once('.')) {
        (Some(name), Some((object, _))) => format!("{object}.{name}"),
        _ => member.to_owned(),
    }
}

/// True if a path is that of a member of the objects that words name, if they name any.
fn is_of(words: &str, path: &str) -> bool {
    let mut named = OBJECTS.iter().filter(|(word, _)| words.contains(word)).peekable();
    named.peek().is_none() || !path.contains('.') || named.any(|(_, object)| path.contains(object))
}

/// True if a path is the one of a text. A name alone is that of a member of any object, a path that of any request.
fn is_at(rule: &Rule, text: &str, path: &str) -> bool {
    let joined = |object: &str, member: &str| match member {
        "" => path == object,
        member => path.strip_prefix(object).and_then(|rest| rest.strip_prefix('.')) == Some(member),
    };
    let text = text.trim_start_matches('…');
    match text.split_once('.').unwrap_or((text, "")) {
        ("MP", member) => joined(METER_POINT, member),
        ("TX", member) => {
            let all = if rule.place.contains("in ledgers") { 2 } else { TRANSACTIONS.len() };
            TRANSACTIONS[..all].iter().any(|transaction| joined(transaction, member))
        }
        (name, "") if OF_REQUEST.contains(&name) && !rule.place.contains(" of any ") => path == name,
        _ => path.strip_suffix(text).is_some_and(|before| before.is_empty() || before.ends_with('.')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(path: &str, description: &str) -> Vec<&'static str> {
        rules_about(path, description).into_iter().map(|rule| rule.id.0).collect()
    }

    #[test]
    fn descriptions_name_rules_and_ranges_of_them() {
        assert_eq!(ids("none", "Day (rules 8.3, AGR-02 to AGR-04, STR-19)."), ["AGR-02", "AGR-03", "AGR-04"]);
        assert_eq!(ids("none", "From CUS-01 to the end; AB-01, CUS-1."), ["CUS-01"]);
    }

    #[test]
    fn texts_of_rules_name_members() {
        let place = |place, path| reports_at(&Rule { place, ..Rule::OF_PAYLOAD }, path);
        for (text, path) in [
            ("`customers.#`", "customers.#"),
            ("`mobile` and `landline` of `customers.#` and `x.#`", "x.#.landline"),
            (
                "`MP.meters.#.removed_on` / `.active_to`",
                "supply_addresses.#.meter_points.#.meters.#.active_to",
            ),
            ("`MP`", "supply_addresses.#.meter_points.#"),
            ("`TX.amount`, `…ledger_balance`", "ledgers.#.current_statement_transactions.#.amount"),
            ("`TX.amount`, `…ledger_balance`", "ledgers.#.ledger_balance"),
            ("`TX.amount`", "transactions.#.amount"),
            ("`reference` of any payment instruction or transaction", "transactions.#.reference"),
            ("`reference` of any payment instruction or transaction", "payment_instructions.#.reference"),
            ("names (`given_name` of `customers.#`, `salutation`)", "customers.#.salutation"),
            ("`billing_address1` to `billing_address5`", "billing_address3"),
            ("`postcode` of every address", "customers.#.address.postcode"),
        ] {
            assert!(place(text, path), "{text}: {path}");
        }
        for (text, path) in [
            ("`customers.#`", "customers.#.email"),
            ("`mobile` of `customers.#`", "property_administrators.#.mobile"),
            (
                "`last_billed_to_date`",
                "supply_addresses.#.meter_points.#.meters.#.registers.#.last_billed_to_date",
            ),
            ("`TX.amount` in ledgers", "transactions.#.amount"),
            ("`billing_address1` to `billing_address5`", "billing_address6"),
            ("`type` of payment instructions", "transactions.#.type"),
            ("`transactions.#.transaction_id`", "ledgers.#.current_statement_transactions.#.transaction_id"),
        ] {
            assert!(!place(text, path), "{text}: {path}");
        }
    }
}
