use crate::prelude::*;

/// "No hazard" together with another hazard.
pub(super) const MPT_06: Rule = Rule {
    id: RuleId("MPT-06"),
    codes: &[Code::NoHazardCannotCombineWithOtherHazards],
    place: "`MP.hazard_details`",
    condition: "more than one item (faulty ones count), one of them (lower-cased) `customer reports no hazard`",
    on: On::MeterPoint(no_hazard),
    ..Rule::OF_PAYLOAD
};

/// "Not known" together with another hazard.
pub(super) const MPT_07: Rule = Rule {
    id: RuleId("MPT-07"),
    codes: &[Code::NotKnownCannotCombineWithOtherHazards],
    place: "`MP.hazard_details`",
    condition: "more than one item (faulty ones count), one of them (lower-cased) `not known to initiator`",
    on: On::MeterPoint(not_known),
    ..Rule::OF_PAYLOAD
};

fn no_hazard(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if combines(point, "customer reports no hazard") {
        checker.report(at.member("hazard_details"), Code::NoHazardCannotCombineWithOtherHazards);
    }
}

fn not_known(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if combines(point, "not known to initiator") {
        checker.report(at.member("hazard_details"), Code::NotKnownCannotCombineWithOtherHazards);
    }
}

/// Returns true if the phrase is one of several hazards.
fn combines(point: &MeterPoint<'_, '_>, phrase: &str) -> bool {
    let hazards = point.hazard_details().and_then(|field| field.usable());
    let is_among = |list: &List<_>| list.usable().any(|(_, hazard)| is(hazard, phrase));
    hazards.is_some_and(|list| list.len() > 1 && is_among(list))
}

fn is(hazard: &Text<'_>, phrase: &str) -> bool {
    hazard.trimmed().eq_ignore_ascii_case(phrase)
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn fires(id: &str, supply_type: &str, hazards: &Value) -> bool {
        let found = found(id, point(json!({"supply_type": supply_type, "hazard_details": hazards})));
        assert!(found.iter().all(|line| line.starts_with("hazard_details ") && line.ends_with("(error)")));
        !found.is_empty()
    }

    #[test]
    fn the_phrases_cannot_be_combined_with_hazards() {
        for (id, phrase) in [("MPT-06", "Customer reports NO hazard"), ("MPT-07", " not known to Initiator ")]
        {
            for (hazards, expected) in [
                (json!([phrase]), false),
                (json!([phrase, "Dog"]), true),
                (json!(["Dog", phrase]), true),
                (json!([phrase, phrase]), true),
                (json!([phrase, 7]), true),
                (json!([phrase, ""]), true),
                (json!(["Dog", "Cat"]), false),
                (json!(["Dog", 7]), false),
                (json!([]), false),
                (json!(phrase), false),
            ] {
                for supply_type in ["ELECTRICITY", "GAS", "EMBEDDED_ELECTRICITY"] {
                    assert_eq!(fires(id, supply_type, &hazards), expected, "{id} {hazards}");
                }
                assert!(!fires(id, "NONE", &hazards), "undecided");
            }
        }
    }
}
