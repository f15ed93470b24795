use crate::UniqueDetail;
use crate::prelude::*;

/// A number that another business has too: one of them is wrong, or a business is sent twice.
pub(crate) const BUS_10: Rule = Rule {
    id: RuleId("BUS-10"),
    codes: &[Code::BusinessDetailValueExistsForUniqueKey],
    place: "`business.details.#.value`",
    condition: "`key` `abn` or `acn`: another business of the organisation has a detail with this key and the same digits",
    level: Level::Warning,
    fixed: false,
    on: On::Business(check),
    ..Rule::OF_SERVICE
};

fn check(business: &Business<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(taken) = checker.facts.taken_details.filter(|taken| !taken.is_empty()) else { return };
    items(&business.details, "details", at, |detail, at| {
        if UniqueDetail::of_draft(detail).is_some_and(|detail| taken.contains(&detail)) {
            checker.report(at.member("value"), Code::BusinessDetailValueExistsForUniqueKey);
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::UniqueDetail;
    use crate::testing::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_number_that_another_business_has_is_reported() {
        let taken = BTreeSet::from([UniqueDetail::of("abn", "51824753556").unwrap()]);
        let found = |key: Value, value: Value, taken_details| {
            let details = json!([{"key": "frmp", "value": "51824753556"}, {"key": key, "value": value}]);
            run_business(
                "BUS-10",
                json!({"business": {"details": details}}),
                Facts { taken_details, ..facts() },
            )
        };
        let expected = ["business.details.1.value business_detail_value_exists_for_unique_key (warning)"];
        for (key, value) in [("abn", "51824753556"), (" abn", "51 824-753 556 ")] {
            assert_eq!(found(json!(key), json!(value), Some(&taken)), expected);
        }
        for (key, value) in [
            (json!("acn"), json!("51824753556")),
            (json!("ABN"), json!("51824753556")),
            (json!("abn"), json!("5182475355")),
            (json!("abn"), json!(51_824_753_556_u64)),
            (json!(7), json!("51824753556")),
        ] {
            assert_eq!(found(key, value, Some(&taken)), [""; 0]);
        }
        for taken in [None, Some(&BTreeSet::new())] {
            assert_eq!(found(json!("abn"), json!("51824753556"), taken), [""; 0]);
        }
        let without = Facts { taken_details: Some(&taken), ..facts() };
        assert_eq!(run_business("BUS-10", json!({"business": {}}), without), [""; 0]);
    }
}
