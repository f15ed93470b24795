use crate::prelude::*;

/// A meter point on supply without an agreement.
pub(super) const AGR_06: Rule = Rule {
    id: RuleId("AGR-06"),
    codes: &[Code::MeterPointWithNoAgreement],
    place: "`MP.agreements`",
    condition: "supply has not ended before today, no agreement",
    level: Level::Warning,
    on: On::MeterPoint(check),
    ..Rule::OF_PAYLOAD
};

fn check(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let common = &point.point.common;
    let is_supplied = match common.supply_end_date.presence() {
        Presence::Usable(end) => *end >= checker.today,
        Presence::Absent => true,
        Presence::Faulty => false,
    };
    if is_supplied && is_absent_or_empty(&common.agreements) {
        checker.report(at.member("agreements"), Code::MeterPointWithNoAgreement);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_meter_point_on_supply_has_an_agreement() {
        let missing = ["agreements meter_point_with_no_agreement (warning)"];
        for (body, expected) in [
            (json!({}), &missing[..]),
            (json!({"agreements": []}), &missing),
            (json!({"supply_type": "NONE"}), &missing),
            (json!({"supply_end_date": "2026-11-21"}), &missing),
            (json!({"supply_end_date": null}), &missing),
            (json!({"supply_end_date": "2026-11-20"}), &[]),
            (json!({"supply_end_date": "soon"}), &[]),
            (json!({"agreements": [{}]}), &[]),
            (json!({"agreements": [7]}), &[]),
            (json!({"agreements": null}), &[]),
        ] {
            assert_eq!(found("AGR-06", point(body.clone())), expected, "{body}");
        }
    }
}
