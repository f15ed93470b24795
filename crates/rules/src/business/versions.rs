use crate::prelude::*;

/// Contract versions that do not begin with the contract.
pub(super) const BUS_03: Rule = Rule {
    id: RuleId("BUS-03"),
    codes: &[Code::ContractVersionsDoesNotIncludeCurrent],
    place: "`business.business_contracts.#.versions`",
    condition: "not empty, and the earliest `applicable_at_date` is not `valid_from_date`",
    on: On::Contract(from_the_start),
    ..Rule::OF_PAYLOAD
};

/// Two versions of a contract that apply from the same day.
pub(super) const BUS_04: Rule = Rule {
    id: RuleId("BUS-04"),
    codes: &[Code::DuplicateContractVersions],
    place: "`business.business_contracts.#.versions.#.applicable_at_date`",
    condition: "same day as an earlier version of the contract",
    on: On::Contract(duplicates),
    ..Rule::OF_PAYLOAD
};

fn from_the_start(contract: &Contract<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let (Some(versions), Some(start)) = (contract.versions.usable(), contract.valid_from_date.usable())
    else {
        return;
    };
    if earliest(versions).is_some_and(|earliest| earliest != *start) {
        checker.report(at.member("versions"), Code::ContractVersionsDoesNotIncludeCurrent);
    }
}

/// Returns the earliest day, if every version has a usable one.
fn earliest(versions: &List<ContractVersion<'_>>) -> Option<NaiveDate> {
    if !versions.is_whole() {
        return None;
    }
    let mut days = versions.usable().map(|(_, version)| version.applicable_at_date.usable().copied());
    let first = days.next()??;
    days.try_fold(first, |earliest, day| Some(earliest.min(day?)))
}

fn duplicates(contract: &Contract<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let mut seen = Seen::new();
    items(&contract.versions, "versions", at, |version, at| {
        if version.applicable_at_date.usable().is_some_and(|day| seen.before(*day)) {
            checker.report(at.member("applicable_at_date"), Code::DuplicateContractVersions);
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(id: &str, versions: Value) -> Vec<String> {
        let contracts = json!([{"valid_from_date": "2026-01-01", "versions": versions}]);
        run_business(id, json!({"business": {"business_contracts": contracts}}), facts())
    }

    fn version(day: &str) -> Value {
        json!({"applicable_at_date": day})
    }

    #[test]
    fn the_first_version_applies_from_the_start() {
        let expected =
            ["business.business_contracts.0.versions contract_versions_does_not_include_current (error)"];
        for versions in [
            json!([version("2026-01-02")]),
            json!([version("2026-01-01"), version("2025-12-31")]),
            json!([version("2026-03-01"), version("2026-02-01")]),
        ] {
            assert_eq!(found("BUS-03", versions), expected);
        }
        for versions in [
            json!([version("2026-02-01"), version("2026-01-01")]),
            json!([]),
            json!(null),
            json!([version("2026-02-01"), null]),
            json!([version("2026-02-01"), {}]),
            json!([{"applicable_at_date": "2026-02-30"}, version("2026-02-01")]),
            json!({"0": version("2026-02-01")}),
        ] {
            assert_eq!(found("BUS-03", versions), [""; 0]);
        }
        for start in [json!({}), json!({"valid_from_date": "2026-02-30"}), json!({"valid_from_date": null})] {
            let mut contract = start;
            contract["versions"] = json!([version("2026-02-01")]);
            let business = json!({"business": {"business_contracts": [contract]}});
            assert_eq!(run_business("BUS-03", business, facts()), [""; 0]);
        }
    }

    #[test]
    fn versions_apply_from_different_days() {
        let (one, other) = (version("2026-01-01"), version("2026-01-02"));
        let line = |index| {
            format!(
                "business.business_contracts.0.versions.{index}.applicable_at_date duplicate_contract_versions (error)"
            )
        };
        assert_eq!(found("BUS-04", json!([one, null, other, one, {}, one])), [3, 5].map(line));
        assert_eq!(found("BUS-04", json!([one, other, {}, {}, version("x"), version("x")])), [""; 0]);
        let contract = json!({"versions": [one]});
        let business = json!({"business": {"business_contracts": [contract, contract]}});
        assert_eq!(run_business("BUS-04", business, facts()), [""; 0]);
    }
}
