use crate::prelude::*;

/// A supply that has ended and is not billed to its end.
pub(super) const MPT_12: Rule = Rule {
    id: RuleId("MPT-12"),
    codes: &[Code::UnbilledFormerSupplyAddress],
    place: "`MP.supply_end_date`",
    condition: "[off supply](#4-meter-points-and-agreements), and the [last billed day](#85-last-billed-day-of-a-meter-point) \
        is before it",
    level: Level::Warning,
    on: On::MeterPoint(unbilled),
    ..Rule::OF_PAYLOAD
};

/// A supply that ended without a reading on its last day.
pub(super) const MPT_14: Rule = Rule {
    id: RuleId("MPT-14"),
    codes: &[Code::NoReadingOnSupplyEndDate],
    place: "`MP.meters`",
    condition: "[off supply](#4-meter-points-and-agreements), and no reading of any of the meters, of which there is at \
        least one, is of `supply_end_date`",
    level: Level::Warning,
    on: On::MeterPoint(unread),
    ..Rule::OF_PAYLOAD
};

fn unbilled(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let (Some(end), Some(billed)) = (point.off_supply_since(checker.today), point.last_billed)
        && billed < end
    {
        checker.report(at.member("supply_end_date"), Code::UnbilledFormerSupplyAddress);
    }
}

fn unread(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(end) = point.off_supply_since(checker.today) else { return };
    let (mut is_unread, mut is_any) = (true, false);
    let are_known = point.each_meter(|_, meter| {
        is_any = true;
        is_unread &= meter.was_read_on(end) == Some(false);
    });
    if are_known && is_any && is_unread {
        checker.report(at.member("meters"), Code::NoReadingOnSupplyEndDate);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_former_supply_is_billed_to_its_end() {
        let late = ["supply_end_date unbilled_former_supply_address (warning)"];
        let found = |end: Value, billed: Value| {
            let mut body = point(json!({"supply_type": "GAS", "supply_end_date": end}));
            body["last_billed_to_date"] = billed;
            found("MPT-12", body)
        };
        assert_eq!(found(json!("2026-11-15"), json!("2026-09-30")), late);
        assert_eq!(found(json!("2026-11-21"), json!("2026-11-20")), late, "it ends today");
        for (end, billed) in [
            (json!("2026-09-30"), json!("2026-09-30")),
            (json!("2026-11-22"), json!("2026-09-30")),
            (json!(null), json!("2026-09-30")),
            (json!("2026-11-31"), json!("2026-09-30")),
            (json!("2026-11-15"), json!("2026-09-31")),
        ] {
            assert_eq!(found(end, billed), [""; 0]);
        }
        let undated = point(json!({"supply_end_date": "2026-11-15"}));
        assert_eq!(crate::testing::found("MPT-12", undated), [""; 0]);
        let register = json!({"register_id": "E1", "last_billed_to_date": "2026-11-14"});
        let mut billed =
            point(json!({"supply_end_date": "2026-11-15", "meters": [{"registers": [register]}]}));
        billed["last_billed_to_date"] = json!("2026-11-15");
        assert_eq!(crate::testing::found("MPT-12", billed), late, "the register decides");
    }

    #[test]
    fn a_supply_ends_with_a_reading() {
        let missing = ["meters no_reading_on_supply_end_date (warning)"];
        let (last, other) = (json!({"reading_date": "2026-08-31"}), json!({"reading_date": "2026-08-30"}));
        let read = |readings: Value| json!({"reading_history": readings});
        for (meters, expected) in [
            (json!([{}]), &missing[..]),
            (json!([read(json!([other])), read(json!([]))]), &missing),
            (json!([read(json!([other])), read(json!([other, last]))]), &[]),
            (json!([read(json!([last])), read(json!([other]))]), &[]),
            (json!([{"transfer_readings": [last]}, read(json!(7))]), &[]),
            (json!([read(json!([other])), read(json!([7]))]), &[]),
            (json!([read(json!([other])), 7]), &[]),
            (json!([]), &[]),
            (json!(7), &[]),
        ] {
            for kind in ["ELECTRICITY", "GAS", "EMBEDDED_ELECTRICITY", "EMBEDDED_GAS", "EMBEDDED_WATER"] {
                let body = json!({"supply_type": kind, "supply_end_date": "2026-08-31", "meters": meters});
                assert_eq!(found("MPT-14", point(body)), expected, "{kind} {meters}");
            }
        }
        for end in [json!(null), json!("2026-11-22"), json!("2026-08-32")] {
            let body = json!({"supply_type": "GAS", "supply_end_date": end, "meters": [{}]});
            assert_eq!(found("MPT-14", point(body)), [""; 0]);
        }
    }
}
