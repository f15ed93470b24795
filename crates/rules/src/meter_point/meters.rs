use crate::prelude::*;

/// A supply without a meter.
pub(super) const MPT_13: Rule = Rule {
    id: RuleId("MPT-13"),
    codes: &[Code::MeterPointWithNoMeters],
    place: "`MP.meters`",
    condition: "metered or embedded, [on supply](#4-meter-points-and-agreements), and no meter is \
        [in place](#5-meters-registers-readings) (absent: only where the member is optional)",
    level: Level::Warning,
    on: On::MeterPoint(check),
    ..Rule::OF_PAYLOAD
};

fn check(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if point.is_on_supply(checker.today) && has_no_meter(point) == Some(true) {
        checker.report(at.member("meters"), Code::MeterPointWithNoMeters);
    }
}

/// Returns whether no meter is in place, or `None` if there are none for this kind, or a fault hides it.
fn has_no_meter(point: &MeterPoint<'_, '_>) -> Option<bool> {
    match &point.point.variant {
        Variant::Electricity(own) => all_removed(&own.meters, |m| m.removed_on.usable().is_some()),
        Variant::Gas(own) => all_removed(&own.meters, |m| m.removed_on.usable().is_some()),
        // An embedded point without the list has the fault `required` already.
        Variant::EmbeddedElectricity(own) if own.meters.is_sent() => {
            all_removed(&own.meters, |m| m.active_to.usable().is_some())
        }
        Variant::EmbeddedGas(own) if own.meters.is_sent() => all_removed(&own.meters, |_| false),
        Variant::EmbeddedWater(own) if own.meters.is_sent() => all_removed(&own.meters, |_| false),
        _ => None,
    }
}

fn all_removed<T>(meters: &Field<List<T>>, is_removed: impl Fn(&T) -> bool) -> Option<bool> {
    match meters.presence() {
        Presence::Usable(list) => Some(list.is_whole() && list.usable().all(|(_, meter)| is_removed(meter))),
        Presence::Absent => Some(true),
        Presence::Faulty => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_meter_point_on_supply_has_a_meter() {
        let missing = ["meters meter_point_with_no_meters (warning)"];
        let removed = json!({"removed_on": "2019-03-14"});
        for (kind, body, expected) in [
            ("ELECTRICITY", json!({}), &missing[..]),
            ("ELECTRICITY", json!({"meters": []}), &missing),
            ("GAS", json!({"meters": [removed, removed]}), &missing),
            ("GAS", json!({"meters": [], "supply_end_date": "2026-11-22"}), &missing),
            ("EMBEDDED_ELECTRICITY", json!({"meters": [{"active_to": "2019-03-14T00:00:00Z"}]}), &missing),
            ("EMBEDDED_WATER", json!({"meters": []}), &missing),
            ("EMBEDDED_GAS", json!({"meters": []}), &missing),
            ("EMBEDDED_GAS", json!({"meters": [{}]}), &[]),
            ("EMBEDDED_WATER", json!({"meters": [{}]}), &[]),
            ("EMBEDDED_WATER", json!({}), &[]),
            ("EMBEDDED_GAS", json!({}), &[]),
            ("EMBEDDED_ELECTRICITY", json!({}), &[]),
            ("ELECTRICITY", json!({"meters": [removed, {}]}), &[]),
            ("ELECTRICITY", json!({"meters": [{"removed_on": "2019"}]}), &[]),
            ("ELECTRICITY", json!({"meters": [removed, 7]}), &[]),
            ("ELECTRICITY", json!({"meters": 7}), &[]),
            ("ELECTRICITY", json!({"supply_end_date": "2026-11-21"}), &[]),
            ("ELECTRICITY", json!({"supply_end_date": "2026-11-31"}), &[]),
            ("UNMETERED_GAS", json!({}), &[]),
            ("UNMETERED_ELECTRICITY", json!({}), &[]),
            ("STEAM", json!({}), &[]),
        ] {
            let mut body = body;
            body["supply_type"] = json!(kind);
            assert_eq!(found("MPT-13", point(body.clone())), expected, "{body}");
        }
    }
}
