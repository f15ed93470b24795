use crate::prelude::*;

/// A transaction in the future. In a transactions request the open period decides (rule PST-06).
pub(super) const TXN_01: Rule = Rule {
    id: RuleId("TXN-01"),
    codes: &[Code::TransactionInFuture],
    place: "`TX.transaction_date` in ledgers",
    condition: "after today (in a transactions request the open period decides: PST-06)",
    on: On::Transaction(check),
    ..Rule::OF_PAYLOAD
};

fn check(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let date = transaction.transaction.transaction_date.usable();
    if transaction.origin == Origin::Ledger && date.is_some_and(|date| *date > checker.today) {
        checker.report(at.member("transaction_date"), Code::TransactionInFuture);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn ledger_transactions_after_today_are_reported() {
        let all = json!([on("2026-11-21"), on("2026-11-22"), on("faulty")]);
        fires(
            "TXN-01",
            &json!({"current_statement_transactions": all}),
            &["ledgers.0.current_statement_transactions.1.transaction_date transaction_in_future (error)"],
        );
        fires(
            "TXN-01",
            &json!({"historical_statement_transactions": all}),
            &["ledgers.0.historical_statement_transactions.1.transaction_date transaction_in_future (error)"],
        );
        assert_eq!(request_finds("TXN-01", &all), [""; 0]);
    }
}
