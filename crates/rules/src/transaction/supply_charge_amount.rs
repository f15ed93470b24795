use super::is_supply_charge;
use crate::ledger::arithmetic::{is_near, sum_or_zero, whole_sum};
use crate::prelude::*;
use cutover_model::{Decimal, draft};

/// A supply charge whose amount differs from the sum of its items (rules 8.2).
pub(super) const TXN_04: Rule = Rule {
    id: RuleId("TXN-04"),
    codes: &[Code::LedgerTransactionAmountDoesNotMatchWithLineItemNetAmountAndTaxAmount],
    place: "`TX.amount`",
    condition: "SUPPLY_CHARGE with line items: more than 0.01 away from the sum of their `net_amount` \
        and the tax items' `amount`",
    on: On::Transaction(check),
    ..Rule::OF_PAYLOAD
};

fn check(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let transaction = transaction.transaction;
    if is_supply_charge(transaction)
        && let (Some(amount), Some(sum)) = (transaction.amount.usable(), items_sum(transaction))
        && !is_near(amount.value(), sum)
    {
        checker.report_as(
            at.member("amount"),
            Code::LedgerTransactionAmountDoesNotMatchWithLineItemNetAmountAndTaxAmount,
            format_args!("The amount is {}, but line items and taxes add up to {sum}.", amount.value()),
        );
    }
}

/// Returns the sum of net amounts and taxes, or `None` if one is unknown or there are no line items.
fn items_sum(transaction: &draft::Transaction<'_>) -> Option<rust_decimal::Decimal> {
    let items = transaction.line_items.usable().filter(|items| !items.is_empty())?;
    let net = whole_sum(items, |item| item.net_amount.usable().map(Decimal::value))?;
    let tax = sum_or_zero(&transaction.tax_items, |items| {
        whole_sum(items, |item| item.amount.usable().map(Decimal::value))
    })?;
    Some(net + tax)
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn fires(kind: &str, amount: Value, net: Value, tax: Value) -> bool {
        let found = request_finds(
            "TXN-04",
            &json!([{"type": kind, "amount": amount, "line_items": net, "tax_items": tax}]),
        );
        let expected = "transactions.0.amount ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount (error)";
        assert!(found.is_empty() || found == [expected], "{found:?}");
        !found.is_empty()
    }

    #[test]
    fn the_amount_is_the_sum_of_items_and_taxes_within_a_cent() {
        let net = json!([{"net_amount": "10.005"}, {"net_amount": -2}]);
        let tax = json!([{"amount": "0.80"}, {"amount": 0.1}]);
        for (amount, far) in
            [("8.905", false), ("8.915", false), ("8.895", false), ("8.9150000001", true), ("8.89", true)]
        {
            assert_eq!(fires("SUPPLY_CHARGE", json!(amount), net.clone(), tax.clone()), far, "{amount}");
        }
        assert!(!fires("SUPPLY_CHARGE", json!("8.01"), net.clone(), json!([])));
        assert!(fires("SUPPLY_CHARGE", json!("-8.005"), net.clone(), json!([])));
        assert!(!fires("CHARGE", json!(1), net, json!([])));
    }

    #[test]
    fn silent_if_a_part_is_unknown() {
        let net = json!([{"net_amount": 1}]);
        assert!(!fires("SUPPLY_CHARGE", json!(5), json!([]), json!([])));
        assert!(!fires("SUPPLY_CHARGE", json!(5), json!([{"net_amount": 1}, {}]), json!([])));
        assert!(!fires("SUPPLY_CHARGE", json!(5), json!([{"net_amount": 1}, null]), json!([])));
        assert!(!fires("SUPPLY_CHARGE", json!(5), net.clone(), json!([{"amount": "x"}])));
        assert!(!fires("SUPPLY_CHARGE", json!(5), net.clone(), json!(null)));
        assert!(!fires("SUPPLY_CHARGE", json!("x"), net.clone(), json!([])));
        assert!(fires("SUPPLY_CHARGE", json!(5), net, json!([])));
        let without_tax = json!([{"type": "SUPPLY_CHARGE", "amount": 5, "line_items": [{"net_amount": 1}]}]);
        assert_eq!(request_finds("TXN-04", &without_tax).len(), 1);
    }
}
