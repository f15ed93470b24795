use crate::prelude::*;

/// A supply that ends before it starts.
pub(super) const MPT_03: Rule = Rule {
    id: RuleId("MPT-03"),
    codes: &[Code::StartDateLaterThanEndDate],
    place: "`MP.supply_end_date`",
    condition: "before `supply_start_date`",
    on: On::MeterPoint(reversed),
    ..Rule::OF_PAYLOAD
};

/// A supply that ends in the future.
pub(super) const MPT_11: Rule = Rule {
    id: RuleId("MPT-11"),
    codes: &[Code::LossInProgress],
    place: "`MP.supply_end_date`",
    condition: "after today",
    level: Level::Warning,
    on: On::MeterPoint(loss_in_progress),
    ..Rule::OF_PAYLOAD
};

/// A supply that starts in the future.
pub(super) const MPT_15: Rule = Rule {
    id: RuleId("MPT-15"),
    codes: &[Code::FutureSupplyStartDate],
    place: "`MP.supply_start_date`",
    condition: "after today",
    level: Level::Warning,
    on: On::MeterPoint(in_future),
    ..Rule::OF_PAYLOAD
};

fn in_future(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if point.point.common.supply_start_date.usable().is_some_and(|start| *start > checker.today) {
        checker.report(at.member("supply_start_date"), Code::FutureSupplyStartDate);
    }
}

fn reversed(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let common = &point.point.common;
    if dates_reversed(&common.supply_start_date, &common.supply_end_date) {
        checker.report(at.member("supply_end_date"), Code::StartDateLaterThanEndDate);
    }
}

fn loss_in_progress(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let end = point.point.common.supply_end_date.usable();
    // This rule does not run while the kind of meter point is undecided (fields 3.1).
    let is_decided = !matches!(point.point.variant, Variant::Undecided);
    if is_decided && end.is_some_and(|end| *end > checker.today) {
        checker.report(at.member("supply_end_date"), Code::LossInProgress);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn the_end_is_not_before_the_start() {
        let reversed = ["supply_end_date start_date_later_than_end_date (error)"];
        for (start, end, expected) in [
            (json!("2026-01-02"), json!("2026-01-01"), &reversed[..]),
            (json!("2026-01-01"), json!("2026-01-01"), &[]),
            (json!("2026-01-01"), json!(null), &[]),
            (json!("2026-01-32"), json!("2026-01-01"), &[]),
            (json!("2026-01-02"), json!(1), &[]),
        ] {
            let dates = json!({"supply_start_date": start, "supply_end_date": end});
            assert_eq!(found("MPT-03", point(dates.clone())), expected, "{dates}");
        }
        let undecided =
            json!({"supply_type": 1, "supply_start_date": "2026-01-02", "supply_end_date": "2026-01-01"});
        assert_eq!(found("MPT-03", point(undecided)), reversed);
    }

    #[test]
    fn a_supply_that_starts_after_today_is_reported() {
        let early = ["supply_start_date future_supply_start_date (warning)"];
        for (start, expected) in [
            (json!("2026-11-22"), &early[..]),
            (json!("2026-11-21"), &[]),
            (json!("2027-02-30"), &[]),
            (json!(null), &[]),
        ] {
            assert_eq!(found("MPT-15", point(json!({"supply_start_date": start}))), expected, "{start}");
        }
    }

    #[test]
    fn a_supply_end_after_today_is_a_loss_in_progress() {
        let loss = ["supply_end_date loss_in_progress (warning)"];
        for (body, expected) in [
            (json!({"supply_end_date": "2026-11-22"}), &loss[..]),
            (json!({"supply_end_date": "2026-11-21"}), &[]),
            (json!({"supply_end_date": "2026-11-222"}), &[]),
            (json!({"supply_end_date": null}), &[]),
            (json!({"supply_end_date": "2026-11-22", "supply_type": "NONE"}), &[]),
        ] {
            assert_eq!(found("MPT-11", point(body.clone())), expected, "{body}");
        }
    }
}
