use crate::prelude::*;

/// A transaction id given twice, in the same ledger or in different ones.
pub(super) const LED_11: Rule = Rule {
    id: RuleId("LED-11"),
    codes: &[Code::DuplicateTransactionIds],
    place: "`TX.transaction_id`",
    condition: "same as an earlier transaction of the account payload (all ledgers, document order) \
        or of the transactions request",
    fixed: true,
    on: On::Transactions(check),
    ..Rule::OF_PAYLOAD
};

fn check(transactions: Transactions<'_, '_>, checker: &mut Checker<'_>) {
    let mut seen = Seen::new();
    transactions.each(|transaction, at| {
        let id = transaction.transaction_id.usable();
        if id.is_some_and(|id| seen.before(id.trimmed())) {
            checker.report(at.member("transaction_id"), Code::DuplicateTransactionIds);
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn ids<const N: usize>(ids: [Value; N]) -> Value {
        ids.into_iter().map(|id| json!({"transaction_id": id})).collect()
    }

    #[test]
    fn ids_are_unique_over_all_ledgers_current_before_historical() {
        let first = json!({
            "historical_statement_transactions": ids([json!("H"), json!("A")]),
            "current_statement_transactions": ids([json!("A"), json!("a"), json!(7), json!(7), json!(" "), json!("")]),
        });
        let second = json!({"current_statement_transactions": ids([json!(" H\t"), json!("B")])});
        assert_eq!(
            run("LED-11", json!({"ledgers": [first, null, second]})),
            [
                "ledgers.0.historical_statement_transactions.1.transaction_id duplicate_transaction_ids (error)",
                "ledgers.2.current_statement_transactions.0.transaction_id duplicate_transaction_ids (error)",
            ]
        );
    }

    #[test]
    fn ids_are_unique_in_a_transactions_request() {
        let found = request_finds("LED-11", &ids([json!("A"), json!("B"), json!("A"), json!("A")]));
        assert_eq!(
            found,
            [
                "transactions.2.transaction_id duplicate_transaction_ids (error)",
                "transactions.3.transaction_id duplicate_transaction_ids (error)",
            ]
        );
    }
}
