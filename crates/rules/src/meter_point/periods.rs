use crate::prelude::*;
use cutover_model::DateTime;

/// A list of periods in which not exactly one is current.
pub(super) const MPT_08: Rule = Rule {
    id: RuleId("MPT-08"),
    codes: &[Code::OneCurrentData],
    place: "`MP.nmi_status_periods`, `MP.meter_data_providers`, `MP.distributors`",
    condition: "not exactly one item without end (`active_to` / `to_date` absent); an empty list fires",
    on: On::MeterPoint(one_current),
    ..Rule::OF_PAYLOAD
};

/// A period that ends before it starts.
pub(super) const MPT_09: Rule = Rule {
    id: RuleId("MPT-09"),
    codes: &[Code::StartDateLaterThanEndDate],
    place: "`MP.nmi_status_periods.#.active_to`, `MP.meter_data_providers.#.to_date`, `MP.distributors.#.to_date`",
    condition: "before the item's start",
    on: On::MeterPoint(reversed),
    ..Rule::OF_PAYLOAD
};

fn one_current(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(own) = embedded(point) else { return };
    for (name, fires) in [
        ("nmi_status_periods", not_one_open(&own.nmi_status_periods, |p| &p.active_to)),
        ("meter_data_providers", not_one_open(&own.meter_data_providers, |p| &p.to_date)),
        ("distributors", not_one_open(&own.distributors, |p| &p.to_date)),
    ] {
        if fires {
            checker.report(at.member(name), Code::OneCurrentData);
        }
    }
}

fn reversed(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(own) = embedded(point) else { return };
    let zone = checker.facts.now.zone;
    let mut report = |at: At<'_>, end| checker.report(at.member(end), Code::StartDateLaterThanEndDate);
    each(&own.nmi_status_periods, |(i, p)| {
        if datetimes_reversed(&p.active_from, &p.active_to, zone) {
            report(at.item("nmi_status_periods", i), "active_to");
        }
    });
    each(&own.meter_data_providers, |(i, p)| {
        if datetimes_reversed(&p.from_date, &p.to_date, zone) {
            report(at.item("meter_data_providers", i), "to_date");
        }
    });
    each(&own.distributors, |(i, p)| {
        if datetimes_reversed(&p.from_date, &p.to_date, zone) {
            report(at.item("distributors", i), "to_date");
        }
    });
}

fn embedded<'a, 'j>(point: &MeterPoint<'a, 'j>) -> Option<&'a EmbeddedElectricityMeterPoint<'j>> {
    match &point.point.variant {
        Variant::EmbeddedElectricity(own) => Some(own),
        _ => None,
    }
}

/// Returns true if the list and all its ends are known, and not exactly one of these is open.
fn not_one_open<'a, 'j: 'a, T>(field: &'a Field<List<T>>, end: fn(&'a T) -> &'a Field<DateTime<'j>>) -> bool {
    let Some(list) = field.usable().filter(|list| list.is_whole()) else { return false };
    let ends = || list.usable().map(|(_, item)| end(item));
    ends().all(|end| !end.is_faulty()) && ends().filter(|end| end.is_absent()).count() != 1
}

fn each<T>(field: &Field<List<T>>, f: impl FnMut((u32, &T))) {
    field.usable().into_iter().flat_map(List::usable).for_each(f);
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    const FROM: &str = "2026-01-01T00:00:00Z";
    const TO: &str = "2026-02-01T00:00:00Z";
    const LISTS: [(&str, &str, &str); 3] = [
        ("nmi_status_periods", "active_from", "active_to"),
        ("meter_data_providers", "from_date", "to_date"),
        ("distributors", "from_date", "to_date"),
    ];

    /// Runs a rule on each of the three lists, with periods that start on the same day and have these ends.
    fn ends(id: &str, ends: &Value) -> Vec<(String, String)> {
        let one = |(list, start, end): (&str, &str, &str)| {
            let items = match ends {
                Value::Array(ends) => ends.iter().map(|to| json!({(start): FROM, (end): to})).collect(),
                other => other.clone(),
            };
            let body = json!({"supply_type": "EMBEDDED_ELECTRICITY", (list): items});
            (format!("{list} {end}"), found(id, point(body)).join(", "))
        };
        LISTS.map(one).into()
    }

    #[test]
    fn exactly_one_period_is_current() {
        for (list, fires) in [
            (json!([null]), false),
            (json!([TO, null]), false),
            (json!([]), true),
            (json!([TO]), true),
            (json!([null, TO, null]), true),
            (json!([null, null, "x"]), false),
            (json!(7), false),
        ] {
            for (name, found) in ends("MPT-08", &list) {
                let name = name.split(' ').next().unwrap();
                let expected = if fires { format!("{name} one_current_data (error)") } else { String::new() };
                assert_eq!(found, expected, "{list}");
            }
        }
        let faulty_item = json!({"supply_type": "EMBEDDED_ELECTRICITY", "distributors": [7]});
        assert!(found("MPT-08", point(faulty_item)).is_empty());
    }

    #[test]
    fn periods_do_not_end_before_they_start() {
        for (end, fires) in [
            (json!("2025-12-31T23:59:59Z"), true),
            (json!("2026-01-01T09:59:00+10:00"), true),
            (json!(FROM), false),
            (json!("2026-01-01T10:00:00+10:00"), false),
            (json!("2026-01-01"), false),
            (json!(null), false),
        ] {
            for (name, found) in ends("MPT-09", &json!([end])) {
                let path = name.replace(' ', ".0.");
                let expected = if fires {
                    format!("{path} start_date_later_than_end_date (error)")
                } else {
                    String::new()
                };
                assert_eq!(found, expected, "{end}");
            }
        }
    }
}
