use crate::prelude::*;

/// A meter point on supply without an agreement, or after its last one.
pub(super) const AGR_06: Rule = Rule {
    id: RuleId("AGR-06"),
    codes: &[Code::MeterPointWithNoAgreement],
    place: "`MP.agreements`",
    condition: "supply has not ended before today, no agreement; or [on supply](#4-meter-points-and-agreements) and \
        started, and every agreement has ended on or before today",
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
    let is_missing = is_supplied && is_absent_or_empty(&common.agreements);
    if is_missing || have_all_ended(point, checker.today) {
        checker.report(at.member("agreements"), Code::MeterPointWithNoAgreement);
    }
}

/// Returns true if the meter point is supplied today, and each of its agreements has ended. An agreement does not hold
/// on the day of its end.
fn have_all_ended(point: &MeterPoint<'_, '_>, today: NaiveDate) -> bool {
    let common = &point.point.common;
    let Some(list) = common.agreements.usable().filter(|list| !list.is_empty()) else { return false };
    let has_ended = |a: &Agreement<'_>| a.effective_to.usable().is_some_and(|end| *end <= today);
    point.is_on_supply(today)
        && common.supply_start_date.usable().is_some_and(|start| *start <= today)
        && list.is_whole()
        && list.usable().all(|(_, agreement)| has_ended(agreement))
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

    #[test]
    fn one_of_the_agreements_is_in_force() {
        let missing = ["agreements meter_point_with_no_agreement (warning)"];
        let until = |end: Value| json!({"effective_from": "2021-07-01", "effective_to": end});
        let supplied = |start: &str, end: Value, agreements: Value| {
            let body = json!({"supply_start_date": start, "supply_end_date": end, "agreements": agreements});
            found("AGR-06", point(body))
        };
        let (ended, open) = (until(json!("2026-11-21")), until(json!(null)));
        for (start, end, agreements, expected) in [
            ("2021-07-01", json!(null), json!([ended]), &missing[..]),
            ("2021-07-01", json!("2026-11-22"), json!([ended, ended]), &missing),
            ("2021-07-01", json!("2026-11-21"), json!([ended]), &[]),
            ("2021-07-01", json!("2026-11"), json!([ended]), &[]),
            ("2026-11-22", json!(null), json!([ended]), &[]),
            ("2026-11", json!(null), json!([ended]), &[]),
            ("2021-07-01", json!(null), json!([ended, open]), &[]),
            ("2021-07-01", json!(null), json!([ended, until(json!("2026-11-22"))]), &[]),
            ("2021-07-01", json!(null), json!([ended, until(json!("2026-11-32"))]), &[]),
            ("2021-07-01", json!(null), json!([ended, 7]), &[]),
        ] {
            assert_eq!(supplied(start, end, agreements.clone()), expected, "{start} {agreements}");
        }
    }
}
