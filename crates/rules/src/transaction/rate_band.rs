use crate::prelude::*;
use rust_decimal::Decimal;

/// A standing charge whose units are not days.
pub(super) const TXN_14: Rule = Rule {
    id: RuleId("TXN-14"),
    codes: &[Code::LineItemUnitsNotDaysOfPeriod],
    place: "`TX.line_items.#.number_of_units`",
    condition: "`rate_band`, upper-cased, contains `STANDING`: not the number of days from `start_date` to `end_date`, both \
        included",
    level: Level::Warning,
    on: On::LineItem(units),
    ..Rule::OF_PAYLOAD
};

/// A line item without a rate.
pub(super) const TXN_15: Rule = Rule {
    id: RuleId("TXN-15"),
    codes: &[Code::ConflictingRateBandSpecification],
    place: "`TX.line_items.#.rate_band`",
    condition: "absent",
    level: Level::Warning,
    on: On::LineItem(missing),
    ..Rule::OF_PAYLOAD
};

fn units(item: &LineItem<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if item.rate_band.usable().is_some_and(|band| is_standing(band.trimmed()))
        && let (Some(start), Some(end), Some(units)) =
            (item.start_date.usable(), item.end_date.usable(), item.number_of_units.usable())
        && start <= end
        && !is(units.value(), (*end - *start).num_days() + 1)
    {
        checker.report(at.member("number_of_units"), Code::LineItemUnitsNotDaysOfPeriod);
    }
}

/// Most often there is no digit after the point.
fn is(value: Decimal, number: i64) -> bool {
    if value.scale() == 0 { value.mantissa() == number.into() } else { value == Decimal::from(number) }
}

fn is_standing(band: &str) -> bool {
    const STANDING: &[u8] = b"STANDING";
    // Its last letter is rare.
    let ends = band.bytes().enumerate().skip(STANDING.len() - 1).filter(|(_, byte)| byte | 0x20 == b'g');
    ends.map(|(end, _)| &band.as_bytes()[end + 1 - STANDING.len()..=end])
        .any(|part| part.eq_ignore_ascii_case(STANDING))
}

fn missing(item: &LineItem<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if item.rate_band.is_absent() {
        checker.report(at.member("rate_band"), Code::ConflictingRateBandSpecification);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn finds(rule: &str, item: &Value) -> Vec<String> {
        request_finds(rule, &json!([{"line_items": [item]}]))
    }

    #[test]
    fn the_units_of_a_standing_charge_are_days() {
        let expected =
            ["transactions.0.line_items.0.number_of_units line_item_units_not_days_of_period (warning)"];
        let item = |band: &str, end: &str, units: &str| json!({"rate_band": band, "start_date": "2026-10-01", "end_date": end, "number_of_units": units});
        for (item, expected) in [
            (item("STANDING_CHARGE", "2026-10-31", "25"), &expected[..]),
            (item("standing", "2026-10-31", "30"), &expected),
            (item("DAILY_Standing", "2026-10-31", "31.01"), &expected),
            (item("STANDING_CHARGE", "2026-10-31", "31.00"), &[]),
            (item("STANDING_CHARGE", "2026-10-01", "1"), &[]),
            (item("STANDING_CHARGE", "2026-09-30", "25"), &[]),
            (item("STANDING_CHARGE", "2026-10-32", "25"), &[]),
            (item("STANDING_CHARGE", "2026-10-31", "x"), &[]),
            (item("CONSUMPTION_STANDARD", "2026-10-31", "25"), &[]),
            (item("", "2026-10-31", "25"), &[]),
        ] {
            assert_eq!(finds("TXN-14", &item), expected, "{item}");
        }
    }

    #[test]
    fn a_line_item_names_its_rate() {
        let expected =
            ["transactions.0.line_items.0.rate_band conflicting_rate_band_specification (warning)"];
        assert_eq!(finds("TXN-15", &json!({})), expected);
        assert_eq!(finds("TXN-15", &json!({"rate_band": " "})), expected);
        assert_eq!(finds("TXN-15", &json!({"rate_band": "PEAK"})), [""; 0]);
        assert_eq!(finds("TXN-15", &json!({"rate_band": 7})), [""; 0]);
    }
}
