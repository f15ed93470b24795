use super::is_supply_charge;
use crate::prelude::*;

/// A supply charge without its product or its line items.
pub(super) const TXN_03: Rule = Rule {
    id: RuleId("TXN-03"),
    codes: &[Code::Required],
    place: "`TX.product_code`, `TX.line_items`",
    condition: "type SUPPLY_CHARGE; `product_code` absent; `line_items` absent or empty",
    on: On::Transaction(check),
    ..Rule::OF_PAYLOAD
};

fn check(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let transaction = transaction.transaction;
    if !is_supply_charge(transaction) {
        return;
    }
    if transaction.product_code.is_absent() {
        checker.report(at.member("product_code"), Code::Required);
    }
    let items = &transaction.line_items;
    if items.presence() == Presence::Absent || items.usable().is_some_and(List::is_empty) {
        checker.report(at.member("line_items"), Code::Required);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn finds(transaction: Value) -> Vec<String> {
        request_finds("TXN-03", &json!([transaction]))
    }

    #[test]
    fn a_supply_charge_names_its_product_and_line_items() {
        let product = "transactions.0.product_code required (error)";
        let items = "transactions.0.line_items required (error)";
        assert_eq!(finds(json!({"type": "SUPPLY_CHARGE"})), [items, product]);
        assert_eq!(
            finds(json!({"type": "SUPPLY_CHARGE", "product_code": " ", "line_items": []})),
            [items, product]
        );
        assert_eq!(finds(json!({"type": "SUPPLY_CHARGE", "product_code": "P", "line_items": [7]})), [""; 0]);
        assert_eq!(finds(json!({"type": "SUPPLY_CHARGE", "product_code": 7, "line_items": 7})), [""; 0]);
        assert_eq!(finds(json!({"type": "CHARGE"})), [""; 0]);
        assert_eq!(finds(json!({"type": "supply_charge"})), [""; 0]);
    }
}
