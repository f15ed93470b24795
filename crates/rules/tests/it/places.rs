//! Every rule is found at some member.

use cutover_model::describe::members;
use cutover_rules::{RULES, rules_about};
use std::collections::BTreeSet;

#[test]
fn every_rule_is_about_a_member() {
    let members = members();
    let about = members.iter().flat_map(|member| rules_about(&member.path, &member.doc));
    let found: BTreeSet<&str> = about.map(|rule| rule.id.0).collect();
    let without =
        RULES.iter().map(|rule| rule.id.0).filter(|id| !id.starts_with("STR-") && !found.contains(id));
    // It is about a whole account.
    assert_eq!(without.collect::<Vec<_>>(), ["PST-15"]);
}
