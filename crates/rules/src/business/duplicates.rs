use crate::prelude::*;

/// A contract identifier given twice.
pub(super) const BUS_02: Rule = Rule {
    id: RuleId("BUS-02"),
    codes: &[Code::DuplicateContractIdentifiers],
    place: "`business.business_contracts.#.identifier`",
    condition: "same as an earlier contract",
    on: On::Business(contracts),
    ..Rule::OF_PAYLOAD
};

/// A detail of a business given twice.
pub(super) const BUS_05: Rule = Rule {
    id: RuleId("BUS-05"),
    codes: &[Code::ChildrenWithDuplicateValues],
    place: "`business.details.#.key`",
    condition: "same as an earlier detail",
    on: On::Business(details),
    ..Rule::OF_PAYLOAD
};

fn contracts(business: &Business<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let mut seen = Seen::new();
    items(&business.business_contracts, "business_contracts", at, |contract, at| {
        if contract.identifier.usable().is_some_and(|identifier| seen.before(identifier.trimmed())) {
            checker.report(at.member("identifier"), Code::DuplicateContractIdentifiers);
        }
    });
}

fn details(business: &Business<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let mut seen = Seen::new();
    items(&business.details, "details", at, |detail, at| {
        if detail.key.usable().is_some_and(|key| seen.before(key.trimmed())) {
            checker.report(at.member("key"), Code::ChildrenWithDuplicateValues);
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn in_contracts(contracts: Value) -> Vec<String> {
        run_business("BUS-02", json!({"business": {"business_contracts": contracts}}), facts())
    }

    #[test]
    fn a_contract_is_given_once() {
        let contract = |identifier: &str| json!({"identifier": identifier});
        let line = |index| {
            format!("business.business_contracts.{index}.identifier duplicate_contract_identifiers (error)")
        };
        let contracts = json!([contract("C-1"), null, contract(" C-1"), contract("c-1"), contract("C-1")]);
        assert_eq!(in_contracts(contracts), [2, 4].map(line));
        for twice in [json!({}), contract(""), json!({"identifier": 1}), json!(null)] {
            assert_eq!(in_contracts(json!([twice, twice])), [""; 0]);
        }
        assert_eq!(in_contracts(json!({"identifier": "C-1"})), [""; 0]);
    }

    fn in_details(details: Value) -> Vec<String> {
        run_business("BUS-05", json!({"business": {"details": details}}), facts())
    }

    #[test]
    fn a_detail_is_given_once() {
        let detail = |key: &str, value: &str| json!({"key": key, "value": value});
        assert_eq!(
            in_details(json!([
                detail("abn", "1"),
                detail("frmp", "1"),
                detail("abn ", "2"),
                detail("ABN", "1")
            ])),
            ["business.details.2.key children_with_duplicate_values (error)"]
        );
        for twice in [json!({}), detail(" ", "1"), json!({"key": 7}), json!(null)] {
            assert_eq!(in_details(json!([twice, twice])), [""; 0]);
        }
    }
}
