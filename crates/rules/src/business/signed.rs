use crate::prelude::*;

/// A contract signed after it became valid.
pub(super) const BUS_07: Rule = Rule {
    id: RuleId("BUS-07"),
    codes: &[Code::SignedAfterValidFrom],
    place: "`business.business_contracts.#.signed_at_date`",
    condition: "after `valid_from_date`",
    level: Level::Warning,
    on: On::Contract(check),
    ..Rule::OF_PAYLOAD
};

fn check(contract: &Contract<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if dates_reversed(&contract.signed_at_date, &contract.valid_from_date) {
        checker.report(at.member("signed_at_date"), Code::SignedAfterValidFrom);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(signed: Value, valid_from: Value) -> Vec<String> {
        let contracts = json!([{"signed_at_date": signed, "valid_from_date": valid_from}]);
        run_business("BUS-07", json!({"business": {"business_contracts": contracts}}), facts())
    }

    #[test]
    fn a_contract_is_signed_before_it_is_valid() {
        assert_eq!(
            found(json!("2026-01-02"), json!("2026-01-01")),
            ["business.business_contracts.0.signed_at_date signed_after_valid_from (warning)"]
        );
        for signed in [json!("2026-01-01"), json!("2025-12-01"), json!(null), json!("2026-02-30")] {
            assert_eq!(found(signed, json!("2026-01-01")), [""; 0]);
        }
        assert_eq!(found(json!("2026-01-02"), json!("2026-1-1")), [""; 0]);
    }
}
