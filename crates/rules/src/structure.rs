//! The field checks, which the decoder runs, as rules of the catalogue (rules 2).

use crate::prelude::*;
use cutover_model::FIELD_CHECKS;

/// A body that is not JSON. It is answered by itself, as nothing else can be checked (rules 9).
const STR_18: Rule = Rule {
    id: RuleId("STR-18"),
    codes: &[Code::ParseError],
    place: "body",
    condition: "not JSON (also: `NaN`, `Infinity`, lone surrogate escapes, invalid UTF-8, a BOM, \
        more than 100 arrays and objects inside one another)",
    fixed: true,
    on: On::Decoding,
    ..Rule::OF_PAYLOAD
};

/// Index of STR-18, which follows STR-17.
const INDEX_OF_STR_18: usize = 17;

/// Every field check, and STR-18 between its neighbours.
pub(crate) const RULES: [Rule; FIELD_CHECKS.len() + 1] = {
    let mut rows = [STR_18; FIELD_CHECKS.len() + 1];
    let mut i = 0;
    while i < FIELD_CHECKS.len() {
        rows[if i < INDEX_OF_STR_18 { i } else { i + 1 }] = Rule::decoding(&FIELD_CHECKS[i]);
        i += 1;
    }
    rows
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn str_18_follows_str_17() {
        let ids: Vec<&str> = RULES[16..20].iter().map(|rule| rule.id.0).collect();
        assert_eq!(ids, ["STR-17", "STR-18", "STR-20", "STR-19"]);
        assert_eq!(RULES.iter().filter(|rule| rule.id.0 == "STR-18").count(), 1);
    }
}
