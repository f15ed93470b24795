//! Compares the list of rules with a second list.

use cutover_core::{Code, Domain, Level};
use cutover_rules::{Needs, RULES, Rule};

/// Every rule in order; `?` marks warnings, `-` rules that are off by default, `!` fixed levels.
const CATALOGUE: &str = "
    STR-01! STR-02! STR-03! STR-04! STR-05! STR-06! STR-07! STR-08! STR-09! STR-10! STR-11! STR-12!
    STR-13! STR-14! STR-15! STR-16! STR-17! STR-18! STR-20! STR-19?
    SUP-01! SUP-02! SUP-03?
    ACC-01 ACC-02 ACC-03 ACC-04? ACC-05? ACC-06? ACC-07? ACC-08? ACC-09? ACC-10 ACC-11?
    CUS-01 CUS-02? CUS-03 CUS-04? CUS-05 CUS-06 CUS-07? CUS-08? CUS-09- CUS-10- CUS-11- CUS-12
    ADR-01 ADR-05 ADR-02 ADR-03? ADR-04 ADR-06? ADR-07? ADR-08? ADR-09?
    MPT-01? MPT-02? MPT-03 MPT-04 MPT-05 MPT-06 MPT-07 MPT-08 MPT-09 MPT-10 MPT-11?
    MPT-12? MPT-13? MPT-14? MPT-15? MPT-16 MPT-17? MPT-18? MPT-19? MPT-20?
    AGR-01 AGR-02 AGR-03? AGR-04? AGR-05 AGR-06? AGR-07? AGR-08? AGR-09
    MTR-01 MTR-02 MTR-03? MTR-04 MTR-05 MTR-06 MTR-07 MTR-08 MTR-09 MTR-10 MTR-11- MTR-12? MTR-13?
    MTR-14? MTR-15? MTR-16? MTR-17? MTR-18? MTR-19? MTR-20?
    RDG-01 RDG-02? RDG-03 RDG-04 RDG-05? RDG-06? RDG-07? RDG-08?
    LED-01 LED-02 LED-03 LED-04 LED-05 LED-06 LED-07 LED-08 LED-09 LED-10 LED-11! LED-12? LED-13? LED-14?
    TXN-01 TXN-02 TXN-03 TXN-04 TXN-05 TXN-06 TXN-07 TXN-08? TXN-09? TXN-10?
    TXN-11? TXN-12? TXN-13- TXN-14? TXN-15? TXN-16- TXN-17
    PIN-01 PIN-02? PIN-03 PIN-04? PIN-05? PIN-06? PIN-07? PIN-08
    SCH-01 SCH-02 SCH-03 SCH-04? SCH-05? SCH-06?
    DOC-01! DOC-02! DOC-03!
    STM-01 STM-02? STM-03? STM-04?
    EVT-01? EVT-02?
    NOT-01 NOT-02 NOT-03? NOT-04?
    BUS-01 BUS-02 BUS-03 BUS-04 BUS-05 BUS-06? BUS-07? BUS-08? BUS-09- BUS-10?
    WIN-01! WIN-02! WIN-03! WIN-04!
    PST-01! PST-02! PST-03! PST-04! PST-05! PST-06! PST-07! PST-08! PST-09! PST-10! PST-11! PST-12?
    PST-13! PST-14! PST-15! PST-16! PST-17 PST-18? PST-19? PST-20?
    QUA-01? QUA-02? QUA-03? QUA-04? QUA-05?
    GBR-01- GBR-02- GBR-03- GBR-04- GBR-05- GBR-06- GBR-07- GBR-08- GBR-09- GBR-10-
";

fn mark(rule: &Rule) -> String {
    let level = match rule.level {
        Level::Error => "",
        Level::Warning => "?",
        Level::Off => "-",
    };
    format!("{}{level}{}", rule.id, if rule.fixed { "!" } else { "" })
}

#[test]
fn rules_have_the_order_and_levels_of_the_second_list() {
    let expected: Vec<&str> = CATALOGUE.split_whitespace().collect();
    let rules: Vec<String> = RULES.iter().map(mark).collect();
    assert_eq!(rules, expected);
}

#[test]
fn every_rule_has_codes_place_and_condition() {
    for rule in RULES {
        assert!(
            !rule.codes.is_empty() && !rule.place.is_empty() && !rule.condition.is_empty(),
            "{}",
            rule.id
        );
        assert_eq!(cutover_rules::rule(rule.id.0).map(|found| found.id), Some(rule.id));
    }
    assert!(cutover_rules::rule("LED-99").is_none());
}

#[test]
fn every_code_of_fields_rules_and_stored_state_has_a_rule() {
    let given = |code: &&Code| RULES.iter().any(|rule| rule.codes.contains(code));
    let decided = |code: &&Code| matches!(code.domain(), Domain::Field | Domain::Rule | Domain::Service);
    let orphans: Vec<&Code> = Code::ALL.iter().filter(decided).filter(|code| !given(code)).collect();
    assert_eq!(orphans, [&Code::TooManyErrors], "the mark of a list that was cut has no rule");
}

#[test]
fn only_stm_02_has_another_level_after_the_import() {
    let others = RULES.iter().filter(|rule| rule.level_after_import() != rule.level);
    let others: Vec<_> = others.map(|rule| (rule.id.0, rule.level_after_import())).collect();
    assert_eq!(others, [("STM-02", Level::Error)]);
}

#[test]
fn rules_that_need_stored_state_are_marked() {
    for rule in RULES {
        let service = rule.id.0.starts_with("PST") || matches!(rule.id.0, "DOC-02" | "DOC-03" | "BUS-10");
        assert_eq!(rule.needs == Needs::Service, service, "{}", rule.id);
    }
}
