use crate::at::At;
use crate::check::Checker;
use crate::form::Seen;
use crate::rule::{Needs, On, Rule};
use crate::walk::items;
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Business;

/// A contract given twice.
pub(crate) const BUS_02: Rule = Rule {
    id: RuleId("BUS-02"),
    codes: &[Code::DuplicateContractIdentifiers],
    place: "`business.business_contracts.#.identifier`",
    condition: "same as an earlier contract",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Business(check),
};

fn check(business: &Business<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let mut seen = Seen::new();
    items(&business.business_contracts, "business_contracts", at, |contract, at| {
        if contract.identifier.usable().is_some_and(|identifier| seen.before(identifier.trimmed())) {
            checker.report(at.member("identifier"), Code::DuplicateContractIdentifiers);
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::{facts, of_business};
    use serde_json::{Value, json};

    fn found(contracts: Value) -> Vec<String> {
        of_business("BUS-02", json!({"business": {"business_contracts": contracts}}), facts())
    }

    #[test]
    fn a_contract_is_given_once() {
        let contract = |identifier: &str| json!({"identifier": identifier});
        let line = |index| {
            format!("business.business_contracts.{index}.identifier duplicate_contract_identifiers (error)")
        };
        let contracts = json!([contract("C-1"), null, contract(" C-1"), contract("c-1"), contract("C-1")]);
        assert_eq!(found(contracts), [2, 4].map(line));
        for twice in [json!({}), contract(""), json!({"identifier": 1}), json!(null)] {
            assert_eq!(found(json!([twice, twice])), [""; 0]);
        }
        assert_eq!(found(json!({"identifier": "C-1"})), [""; 0]);
    }
}
