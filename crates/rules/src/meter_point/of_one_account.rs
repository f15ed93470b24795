use crate::prelude::*;
use cutover_model::choices::SupplyType;
use cutover_model::draft::MeterPoint;

/// A second unmetered point for the same kind of appliance.
pub(super) const MPT_18: Rule = Rule {
    id: RuleId("MPT-18"),
    codes: &[Code::TooManySupplyAddressesForUnmeteredApplianceType],
    place: "`MP.mpxn`",
    condition: "unmetered, and an earlier point of the account is of the same kind and has the same `appliance_type`, \
        or, where that is absent, the same `mpxn` after its prefix",
    level: Level::Warning,
    on: On::Account(appliances),
    ..Rule::OF_PAYLOAD
};

/// Meters of one account on different reading routes.
pub(super) const MPT_19: Rule = Rule {
    id: RuleId("MPT-19"),
    codes: &[Code::ReadingRouteValuesShouldMatch],
    place: "`MP.meters.#.reading_route` (EMBEDDED_GAS), `MP.reading_route` (EMBEDDED_WATER)",
    condition: "differs from the first of the account",
    level: Level::Warning,
    on: On::Account(routes),
    ..Rule::OF_PAYLOAD
};

fn appliances(account: &Account<'_>, checker: &mut Checker<'_>) {
    let mut seen = None;
    each_point(account, |point, at| {
        let is_seen = |appliance| seen.get_or_insert_with(Seen::new).before(appliance);
        if appliance(point).is_some_and(is_seen) {
            checker.report(at.member("mpxn"), Code::TooManySupplyAddressesForUnmeteredApplianceType);
        }
    });
}

/// Returns kind and appliance of an unmetered point.
fn appliance<'a>(point: &'a MeterPoint<'_>) -> Option<(SupplyType, &'a str)> {
    let (kind, appliance_type, prefix) = match &point.variant {
        Variant::UnmeteredElectricity(own) => {
            (SupplyType::UnmeteredElectricity, &own.appliance_type, "UNMETERED_ELECTRICITY_")
        }
        Variant::UnmeteredGas(own) => (SupplyType::UnmeteredGas, &own.appliance_type, "UNMETERED_GAS_"),
        _ => return None,
    };
    let text = match appliance_type.presence() {
        Presence::Usable(text) => text.trimmed(),
        Presence::Absent => point.common.mpxn.usable()?.trimmed().strip_prefix(prefix)?,
        Presence::Faulty => return None,
    };
    Some((kind, text))
}

fn routes(account: &Account<'_>, checker: &mut Checker<'_>) {
    let mut first = None;
    each_point(account, |point, at| match &point.variant {
        Variant::EmbeddedGas(own) => items(&own.meters, "meters", at, |meter, at| {
            route(&mut first, &meter.reading_route, at, checker);
        }),
        Variant::EmbeddedWater(own) => route(&mut first, &own.reading_route, at, checker),
        _ => {}
    });
}

fn route<'a>(
    first: &mut Option<&'a str>,
    route: &'a Field<Text<'_>>,
    at: &At<'_>,
    checker: &mut Checker<'_>,
) {
    let Some(route) = route.usable().map(Text::trimmed) else { return };
    if *first.get_or_insert(route) != route {
        checker.report(at.member("reading_route"), Code::ReadingRouteValuesShouldMatch);
    }
}

fn each_point<'a, 'j>(account: &'a Account<'j>, mut f: impl FnMut(&'a MeterPoint<'j>, &At<'_>)) {
    items(&account.supply_addresses, "supply_addresses", &At::ROOT, |entry, at| {
        items(&entry.meter_points, "meter_points", at, &mut f);
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn account(points: Value) -> Value {
        json!({"supply_addresses": [{"meter_points": []}, {"meter_points": points}]})
    }

    #[test]
    fn an_account_has_one_unmetered_point_for_a_kind_of_appliance() {
        let code = "too_many_supply_addresses_for_unmetered_appliance_type (warning)";
        let of = |kind: &str, appliance: Value, mpxn: &str| json!({"supply_type": kind, "appliance_type": appliance, "mpxn": mpxn});
        let points = json!([
            of("UNMETERED_GAS", json!("COOKTOP"), "1"),
            of("UNMETERED_GAS", json!("HEATER"), "2"),
            of("UNMETERED_ELECTRICITY", json!("COOKTOP"), "3"),
            of("UNMETERED_GAS", json!(" COOKTOP"), "4"),
            of("UNMETERED_GAS", json!(7), "5"),
            of("UNMETERED_GAS", json!(7), "6"),
            of("UNMETERED_GAS", json!(null), "UNMETERED_GAS_HEATER"),
            of("UNMETERED_GAS", json!(null), "UNMETERED_GAS_LIGHT"),
            of("UNMETERED_GAS", json!(null), "7"),
            of("UNMETERED_GAS", json!(null), "7"),
            of("GAS", json!("COOKTOP"), "8"),
        ]);
        let line = |i| format!("supply_addresses.1.meter_points.{i}.mpxn {code}");
        assert_eq!(run("MPT-18", account(points)), [3, 6].map(line));
    }

    #[test]
    fn an_account_has_one_reading_route() {
        let gas = |routes: &[Value]| {
            let meters: Value = routes.iter().map(|route| json!({"reading_route": route})).collect();
            json!({"supply_type": "EMBEDDED_GAS", "meters": meters})
        };
        let water = |route: Value| json!({"supply_type": "EMBEDDED_WATER", "reading_route": route});
        let code = "reading_route_values_should_match (warning)";
        let points = json!([
            gas(&[json!(7), json!("HT-07 "), json!("HT-09")]),
            water(json!("HT-07")),
            water(json!("HT-08")),
            water(json!(null)),
            json!({"supply_type": "ELECTRICITY"}),
        ]);
        assert_eq!(
            run("MPT-19", account(points)),
            [
                format!("supply_addresses.1.meter_points.0.meters.2.reading_route {code}"),
                format!("supply_addresses.1.meter_points.2.reading_route {code}"),
            ]
        );
        assert_eq!(run("MPT-19", account(json!([water(json!("HT-08")), water(json!("HT-08"))]))), [""; 0]);
    }
}
