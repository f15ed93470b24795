use crate::ledger::arithmetic::is_near_product;
use crate::prelude::*;
use cutover_model::choices::TaxUnitType;

/// A proportional tax that is not value times rate (rules 8.2).
pub(super) const TXN_10: Rule = Rule {
    id: RuleId("TXN-10"),
    codes: &[Code::TaxAmountMismatch],
    place: "`TX.tax_items.#.amount`",
    condition: "unit type PROPORTION: more than 0.01 away from `value_taxed` × `rate`",
    level: Level::Warning,
    on: On::Transaction(check),
    ..Rule::OF_PAYLOAD
};

fn check(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    items(&transaction.transaction.tax_items, "tax_items", at, |item, at| {
        if is_wrong(item) {
            checker.report(at.member("amount"), Code::TaxAmountMismatch);
        }
    });
}

fn is_wrong(item: &TaxItem<'_>) -> bool {
    if let (Some(TaxUnitType::Proportion), Some(amount), Some(taxed), Some(rate)) =
        (item.unit_type.usable(), item.amount.usable(), item.value_taxed.usable(), item.rate.usable())
    {
        return !is_near_product(amount.value(), taxed.value(), rate.value());
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_proportional_tax_is_value_times_rate_within_a_cent() {
        let item = |amount, taxed, rate, unit| json!({"amount": amount, "value_taxed": taxed, "rate": rate, "unit_type": unit});
        let large = "999999999999999.99999";
        let items = json!([
            item("12.34", "123.45", "0.1", "PROPORTION"),
            item("12.335", "123.45", "0.1", "PROPORTION"),
            item("12.33", "123.45", "0.1", "PROPORTION"),
            item("99", "123.45", "0.1", "CURRENCY_PER_KWH"),
            item("99", "123.45", "0.1", "SHARE"),
            item("99", "x", "0.1", "PROPORTION"),
            item("99", large, large, "PROPORTION"),
            {"unit_type": "PROPORTION", "amount": 1},
        ]);
        assert_eq!(
            request_finds("TXN-10", &json!([{"tax_items": items}])),
            [
                "transactions.0.tax_items.2.amount tax_amount_mismatch (warning)",
                "transactions.0.tax_items.6.amount tax_amount_mismatch (warning)",
            ]
        );
    }
}
