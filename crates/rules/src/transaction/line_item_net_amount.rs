use crate::ledger::arithmetic::is_near_product;
use crate::prelude::*;

/// A net amount that is not price times units (rules 8.2).
pub(super) const TXN_06: Rule = Rule {
    id: RuleId("TXN-06"),
    codes: &[Code::IncorrectLineItemNetAmount],
    place: "`TX.line_items.#.net_amount`",
    condition: "more than 0.01 away from `price_per_unit` × `number_of_units`, all three given",
    on: On::LineItem(check),
    ..Rule::OF_PAYLOAD
};

fn check(item: &LineItem<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let (Some(net), Some(price), Some(units)) =
        (item.net_amount.usable(), item.price_per_unit.usable(), item.number_of_units.usable())
        && !is_near_product(net.value(), price.value(), units.value())
    {
        checker.report(at.member("net_amount"), Code::IncorrectLineItemNetAmount);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn the_net_amount_is_price_times_units_within_a_cent() {
        let item =
            |net, price, units| json!({"net_amount": net, "price_per_unit": price, "number_of_units": units});
        // 0.25 × 123.4567 is 30.864175.
        let items = json!([
            item("30.86", "0.25", "123.4567"),
            item("30.874175", "0.25", "123.4567"),
            item("30.8741751", "0.25", "123.4567"),
            item("-30.86", "0.25", "123.4567"),
            item("x", "0.25", "123.4567"),
            {"net_amount": 5, "number_of_units": 1},
            item("0", "99999999.9999999", "999999999999.9999"),
        ]);
        assert_eq!(
            request_finds("TXN-06", &json!([{"line_items": items}])),
            [
                "transactions.0.line_items.2.net_amount incorrect_line_item_net_amount (error)",
                "transactions.0.line_items.3.net_amount incorrect_line_item_net_amount (error)",
                "transactions.0.line_items.6.net_amount incorrect_line_item_net_amount (error)",
            ]
        );
    }
}
