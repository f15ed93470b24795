use crate::prelude::*;

/// No agreement in force on the last billed day.
///
/// A meter point whose supply began after that day was not billed then.
pub(super) const AGR_07: Rule = Rule {
    id: RuleId("AGR-07"),
    codes: &[Code::NoAgreementCoveringLastBilledToDate],
    place: "`MP.agreements`",
    condition: "[on supply](#4-meter-points-and-agreements) since the [last billed day](#85-last-billed-day-of-a-meter-point) \
        or earlier, and none of the agreements, of which there is at least one, is in force on that day",
    level: Level::Warning,
    on: On::MeterPoint(on_last_billed_day),
    ..Rule::OF_PAYLOAD
};

/// An agreement that lasts longer than the supply.
pub(super) const AGR_08: Rule = Rule {
    id: RuleId("AGR-08"),
    codes: &[Code::MeterpointWithAgreementNotOnSupply],
    place: "`MP.agreements.#.effective_to`",
    condition: "[off supply](#4-meter-points-and-agreements), and the agreement is open or ends later than one day after \
        `supply_end_date`",
    level: Level::Warning,
    on: On::Agreement(after_supply),
    ..Rule::OF_PAYLOAD
};

fn on_last_billed_day(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let (common, today) = (&point.point.common, checker.today);
    let Some(billed) = point.last_billed.filter(|_| point.is_on_supply(today)) else { return };
    if common.supply_start_date.usable().is_none_or(|start| *start > billed) {
        return;
    }
    let Some(list) = common.agreements.usable().filter(|list| !list.is_empty()) else { return };
    if list.is_whole() && list.usable().all(|(_, agreement)| is_in_force(agreement, billed) == Some(false)) {
        checker.report(at.member("agreements"), Code::NoAgreementCoveringLastBilledToDate);
    }
}

/// Returns whether an agreement is in force on a day, or `None` if faults hide it.
fn is_in_force(agreement: &Agreement<'_>, day: NaiveDate) -> Option<bool> {
    let is_open = match agreement.effective_to.presence() {
        Presence::Usable(end) => *end > day,
        Presence::Absent => true,
        Presence::Faulty => return None,
    };
    Some(is_open && *agreement.effective_from.usable()? <= day)
}

fn after_supply(
    agreement: &Agreement<'_>,
    point: &MeterPoint<'_, '_>,
    at: &At<'_>,
    checker: &mut Checker<'_>,
) {
    let Some(last) = point.off_supply_since(checker.today).and_then(|end| end.succ_opt()) else { return };
    let is_late = match agreement.effective_to.presence() {
        Presence::Usable(end) => *end > last,
        Presence::Absent => true,
        Presence::Faulty => false,
    };
    if is_late {
        checker.report(at.member("effective_to"), Code::MeterpointWithAgreementNotOnSupply);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn agreement(from: &str, to: Value) -> Value {
        json!({"effective_from": from, "effective_to": to})
    }

    /// Runs AGR-07 on a meter point that is billed up to 2026-09-30.
    fn billed(supply_start: Value, supply_end: Value, agreements: &Value) -> Vec<String> {
        let mut body = point(
            json!({"supply_start_date": supply_start, "supply_end_date": supply_end, "agreements": agreements}),
        );
        body["last_billed_to_date"] = json!("2026-09-30");
        found("AGR-07", body)
    }

    #[test]
    fn an_agreement_is_in_force_on_the_last_billed_day() {
        let missing = ["agreements no_agreement_covering_last_billed_to_date (warning)"];
        for (agreements, expected) in [
            (json!([agreement("2026-10-15", json!(null))]), &missing[..]),
            (
                json!([agreement("2021-07-01", json!("2026-09-30")), agreement("2026-10-01", json!(null))]),
                &missing,
            ),
            (json!([agreement("2026-09-30", json!(null))]), &[]),
            (
                json!([agreement("2021-07-01", json!("2026-10-01")), agreement("2026-10-01", json!(null))]),
                &[],
            ),
            (json!([agreement("2026-10-15", json!(null)), 7]), &[]),
            (json!([agreement("2026-10-15", json!(null)), agreement("2026-02-30", json!(null))]), &[]),
            (json!([agreement("2021-07-01", json!("2026-09-31"))]), &[]),
            (json!([]), &[]),
            (json!(7), &[]),
        ] {
            assert_eq!(billed(json!("2021-07-01"), json!(null), &agreements), expected, "{agreements}");
        }
        let late = json!([agreement("2026-10-15", json!(null))]);
        assert_eq!(billed(json!("2026-09-30"), json!("2026-11-22"), &late), missing);
        assert_eq!(billed(json!("2026-10-01"), json!(null), &late), [""; 0], "a new meter point");
        assert_eq!(billed(json!("2026-09"), json!(null), &late), [""; 0]);
        assert_eq!(billed(json!("2021-07-01"), json!("2026-11-21"), &late), [""; 0], "off supply");
        let undated = json!({"supply_start_date": "2021-07-01", "agreements": late});
        assert_eq!(found("AGR-07", point(undated)), [""; 0]);
    }

    #[test]
    fn the_earliest_date_of_the_registers_in_place_counts() {
        let fires = |removed: Value, dates: [Value; 2]| {
            let register = |date: &Value| json!({"register_id": "E1", "last_billed_to_date": date});
            let meters = json!([
                {"removed_on": removed, "registers": [register(&dates[0])]},
                {"registers": [register(&dates[1]), {"register_id": "E2"}]},
            ]);
            let mut body = point(json!({
                "supply_type": "ELECTRICITY", "supply_start_date": "2021-07-01", "meters": meters,
                "agreements": [agreement("2026-10-01", json!(null))],
            }));
            body["last_billed_to_date"] = json!("2026-10-31");
            !found("AGR-07", body).is_empty()
        };
        let (early, late) = (json!("2026-09-30"), json!("2026-10-01"));
        assert!(fires(json!(null), [early.clone(), late.clone()]));
        assert!(fires(json!(null), [late.clone(), early.clone()]));
        assert!(!fires(json!(null), [late.clone(), late.clone()]));
        assert!(!fires(json!("2026-01-01"), [early.clone(), late.clone()]), "a removed meter does not count");
        assert!(!fires(json!("2026"), [early.clone(), early.clone()]), "it may be in place or not");
        assert!(!fires(json!(null), [json!("2026"), early]));
    }

    #[test]
    fn agreements_end_with_the_supply() {
        let late = "meterpoint_with_agreement_not_on_supply (warning)";
        let supplied_until = |end: Value, agreement_end: Value| {
            let agreements = json!([agreement("2024-07-01", agreement_end)]);
            found("AGR-08", point(json!({"supply_end_date": end, "agreements": agreements})))
        };
        let expected = [format!("agreements.0.effective_to {late}")];
        for end in [json!(null), json!("2026-09-02")] {
            assert_eq!(supplied_until(json!("2026-08-31"), end), expected);
        }
        for (supply_end, end) in [
            (json!("2026-08-31"), json!("2026-09-01")),
            (json!("2026-08-31"), json!("2026-08-30")),
            (json!("2026-08-31"), json!("2026-09-31")),
            (json!("2026-08-32"), json!(null)),
            (json!("2026-11-22"), json!(null)),
            (json!(null), json!(null)),
        ] {
            assert_eq!(supplied_until(supply_end, end), [""; 0]);
        }
        assert_eq!(supplied_until(json!("2026-11-21"), json!(null)), expected, "it ends today");
    }
}
