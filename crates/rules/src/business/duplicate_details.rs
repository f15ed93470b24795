use crate::at::At;
use crate::check::Checker;
use crate::form::Seen;
use crate::rule::{Needs, On, Rule};
use crate::walk::items;
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Business;

/// A fact about a business given twice.
pub(crate) const BUS_05: Rule = Rule {
    id: RuleId("BUS-05"),
    codes: &[Code::ChildrenWithDuplicateValues],
    place: "`business.details.#.key`",
    condition: "same as an earlier detail",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Business(check),
};

fn check(business: &Business<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let mut seen = Seen::new();
    items(&business.details, "details", at, |detail, at| {
        if detail.key.usable().is_some_and(|key| seen.before(key.trimmed())) {
            checker.report(at.member("key"), Code::ChildrenWithDuplicateValues);
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::{facts, of_business};
    use serde_json::{Value, json};

    fn found(details: Value) -> Vec<String> {
        of_business("BUS-05", json!({"business": {"details": details}}), facts())
    }

    #[test]
    fn a_detail_is_given_once() {
        let detail = |key: &str, value: &str| json!({"key": key, "value": value});
        assert_eq!(
            found(json!([detail("abn", "1"), detail("frmp", "1"), detail("abn ", "2"), detail("ABN", "1")])),
            ["business.details.2.key children_with_duplicate_values (error)"]
        );
        for twice in [json!({}), detail(" ", "1"), json!({"key": 7}), json!(null)] {
            assert_eq!(found(json!([twice, twice])), [""; 0]);
        }
    }
}
