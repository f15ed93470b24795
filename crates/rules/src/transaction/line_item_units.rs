use crate::prelude::*;
use rust_decimal::Decimal;

/// Units of a line item that are not two values.
pub(super) const TXN_07: Rule = Rule {
    id: RuleId("TXN-07"),
    codes: &[Code::LineItemUnitsMustBeTwoValues],
    place: "`TX.line_items.#.units`",
    condition: "given, not exactly two items (faulty items count)",
    on: On::LineItem(check_count),
    ..Rule::OF_PAYLOAD
};

/// Two units whose difference is not the number of units.
pub(super) const TXN_09: Rule = Rule {
    id: RuleId("TXN-09"),
    codes: &[Code::UnitsDoNotMatchNumberOfUnits],
    place: "`TX.line_items.#.units`",
    condition: "two values whose difference, without sign, is not `number_of_units`",
    level: Level::Warning,
    on: On::LineItem(check_difference),
    ..Rule::OF_PAYLOAD
};

fn check_count(item: &LineItem<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if item.units.usable().is_some_and(|units| units.len() != 2) {
        checker.report(at.member("units"), Code::LineItemUnitsMustBeTwoValues);
    }
}

fn check_difference(item: &LineItem<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let (Some(used), Some(number)) = (difference(item), item.number_of_units.usable())
        && used != number.value()
    {
        checker.report(at.member("units"), Code::UnitsDoNotMatchNumberOfUnits);
    }
}

/// Returns the difference of two usable units, or `None` if there are not exactly two.
fn difference(item: &LineItem<'_>) -> Option<Decimal> {
    let units = item.units.usable().filter(|units| units.len() == 2)?;
    let mut values = units.usable().map(|(_, value)| value.value());
    Some((values.next()? - values.next()?).abs())
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn finds(rule: &str, units: Value, number: Value) -> Vec<String> {
        let items = json!([{"units": units, "number_of_units": number}]);
        request_finds(rule, &json!([{"line_items": items}]))
    }

    #[test]
    fn units_are_two_values() {
        let expected = ["transactions.0.line_items.0.units line_item_units_must_be_two_values (error)"];
        for units in [json!([]), json!([1]), json!([1, null, 3])] {
            assert_eq!(finds("TXN-07", units, json!(1)), expected);
        }
        for units in [json!([1, 2]), json!([1, null]), json!("x")] {
            assert_eq!(finds("TXN-07", units, json!(1)), [""; 0]);
        }
        assert_eq!(request_finds("TXN-07", &json!([{"line_items": [{}]}])), [""; 0]);
    }

    #[test]
    fn the_difference_of_units_is_the_number_of_units() {
        let expected = ["transactions.0.line_items.0.units units_do_not_match_number_of_units (warning)"];
        for (units, number, fires) in [
            (json!([100, "250.5"]), json!("150.50"), false),
            (json!(["250.5", 100]), json!("150.5"), false),
            (json!([100, "250.5"]), json!("-150.5"), true),
            (json!([100, 250]), json!("150.0001"), true),
            (json!([100, 250, 300]), json!(1), false),
            (json!([100, "x"]), json!(1), false),
            (json!([100, 250]), json!("x"), false),
        ] {
            let expected = if fires { &expected[..] } else { &[] };
            assert_eq!(finds("TXN-09", units.clone(), number), expected, "{units}");
        }
    }
}
