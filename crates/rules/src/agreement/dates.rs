use crate::prelude::*;

/// An agreement that ends before it starts.
pub(super) const AGR_01: Rule = Rule {
    id: RuleId("AGR-01"),
    codes: &[Code::StartDateLaterThanEndDate],
    place: "`MP.agreements.#.effective_to`",
    condition: "before `effective_from`",
    on: On::Agreement(reversed),
    ..Rule::OF_PAYLOAD
};

/// An agreement that starts before the supply.
pub(super) const AGR_04: Rule = Rule {
    id: RuleId("AGR-04"),
    codes: &[Code::AgreementStartDateBeforeSupplyStartDate],
    place: "`MP.agreements.#.effective_from`",
    condition: "before `supply_start_date`",
    level: Level::Warning,
    on: On::Agreement(before_supply),
    ..Rule::OF_PAYLOAD
};

fn reversed(agreement: &Agreement<'_>, _: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if dates_reversed(&agreement.effective_from, &agreement.effective_to) {
        checker.report(at.member("effective_to"), Code::StartDateLaterThanEndDate);
    }
}

fn before_supply(
    agreement: &Agreement<'_>,
    point: &MeterPoint<'_, '_>,
    at: &At<'_>,
    checker: &mut Checker<'_>,
) {
    if dates_reversed(&point.point.common.supply_start_date, &agreement.effective_from) {
        checker.report(at.member("effective_from"), Code::AgreementStartDateBeforeSupplyStartDate);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn the_end_is_not_before_the_start() {
        let reversed = ["agreements.0.effective_to start_date_later_than_end_date (error)"];
        for (from, to, expected) in [
            (json!("2026-01-02"), json!("2026-01-01"), &reversed[..]),
            (json!("2026-01-01"), json!("2026-01-01"), &[]),
            (json!("2026-01-01"), json!(null), &[]),
            (json!("2026-01-01"), json!("2025-12-32"), &[]),
            (json!(null), json!("2025-12-31"), &[]),
        ] {
            for supply_type in ["GAS", "NONE"] {
                let agreements = json!([{"effective_from": from, "effective_to": to}]);
                let body = json!({"supply_type": supply_type, "agreements": agreements});
                assert_eq!(found("AGR-01", point(body)), expected, "{agreements}");
            }
        }
    }

    #[test]
    fn an_agreement_does_not_start_before_the_supply() {
        let early = ["agreements.1.effective_from agreement_start_date_before_supply_start_date (warning)"];
        let agreements = json!([
            {"effective_from": "2026-01-01"},
            {"effective_from": "2025-12-31"},
            {"effective_from": 2025},
            {},
        ]);
        let check = |start: Value| {
            let body = json!({"supply_start_date": start, "agreements": agreements});
            found("AGR-04", point(body))
        };
        assert_eq!(check(json!("2026-01-01")), early);
        assert!(check(json!("2025-12-31")).is_empty());
        assert!(check(json!("2026-13-01")).is_empty());
        assert!(check(json!(null)).is_empty());
    }
}
