use crate::prelude::*;
use cutover_model::Decimal;

/// An amount with a fraction of a cent.
pub(super) const LED_13: Rule = Rule {
    id: RuleId("LED-13"),
    codes: &[Code::AmountHasFractionOfCent],
    place: "`TX.amount`, `…ledger_balance`, `…last_statement_balance`, `transfer_balance`",
    condition: "more than two digits after the point, trailing zeros left out",
    level: Level::Warning,
    on: On::Several(&[On::Account(account), On::Ledger(ledger), On::Transaction(transaction)]),
    ..Rule::OF_PAYLOAD
};

fn account(account: &Account<'_>, checker: &mut Checker<'_>) {
    check(&account.transfer_balance, "transfer_balance", &At::ROOT, checker);
}

fn ledger(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&ledger.last_statement_balance, "last_statement_balance", at, checker);
    check(&ledger.ledger_balance, "ledger_balance", at, checker);
}

fn transaction(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&transaction.transaction.amount, "amount", at, checker);
}

fn check(money: &Field<Decimal<'_>>, member: &'static str, at: &At<'_>, checker: &mut Checker<'_>) {
    let has_fraction = |money: &Decimal<'_>| {
        let money = money.value();
        money.scale() > 2 && money.normalize().scale() > 2
    };
    if money.usable().is_some_and(has_fraction) {
        checker.report(at.member(member), Code::AmountHasFractionOfCent);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn money_has_two_digits_after_the_point() {
        let body = r#"{
            "transfer_balance": 1.001,
            "ledgers": [{
                "ledger_balance": "-0.001", "last_statement_balance": "0.0000000001",
                "current_statement_transactions": [{"amount": 1.25}, {"amount": 1.2500}, {"amount": "1.255"}],
                "historical_statement_transactions": [{"amount": 3e-3}, {"amount": 3e2}, {"amount": "1.12345678901"}, {}]
            }]
        }"#;
        assert_eq!(
            run("LED-13", body),
            [
                "ledgers.0.current_statement_transactions.2.amount amount_has_fraction_of_cent (warning)",
                "ledgers.0.historical_statement_transactions.0.amount amount_has_fraction_of_cent (warning)",
                "ledgers.0.last_statement_balance amount_has_fraction_of_cent (warning)",
                "ledgers.0.ledger_balance amount_has_fraction_of_cent (warning)",
                "transfer_balance amount_has_fraction_of_cent (warning)",
            ]
        );
        let found = request_finds("LED-13", &json!([{"amount": "0.005"}]));
        assert_eq!(found, ["transactions.0.amount amount_has_fraction_of_cent (warning)"]);
    }
}
