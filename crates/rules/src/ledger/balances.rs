use super::arithmetic::{signed_sum, sum_or_zero, whole_sum};
use crate::prelude::*;
use rust_decimal::Decimal;

/// A ledger balance that differs from the sum of its parts (rules 8.2).
pub(super) const LED_01: Rule = Rule {
    id: RuleId("LED-01"),
    codes: &[Code::BalanceMismatchOnLedgerBalance],
    place: "`ledgers.#.ledger_balance`",
    condition: "not `last_statement_balance` + [signed sum](#82-sums) of the current transactions \
        (at least one of the two is given; the other counts as 0)",
    on: On::Ledger(ledger_balance),
    ..Rule::OF_PAYLOAD
};

/// A last statement balance that differs from the sum of its transactions (rules 8.2).
pub(super) const LED_02: Rule = Rule {
    id: RuleId("LED-02"),
    codes: &[Code::HistoricalStatementTransactionsBalanceMismatch],
    place: "`ledgers.#.last_statement_balance`",
    condition: "not the [signed sum](#82-sums) of the historical transactions, of which there is at least one",
    on: On::Ledger(last_statement_balance),
    ..Rule::OF_PAYLOAD
};

/// A transfer balance that differs from the sum of the ledger balances (rules 8.2).
pub(super) const LED_03: Rule = Rule {
    id: RuleId("LED-03"),
    codes: &[Code::LedgerBalancesNotEqualToTransferBalance],
    place: "`transfer_balance`",
    condition: "not the sum of all `ledger_balance`, which every ledger gives",
    on: On::Account(transfer_balance),
    ..Rule::OF_PAYLOAD
};

fn ledger_balance(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let (Some(balance), Some(expected)) = (ledger.ledger_balance.usable(), expected(ledger))
        && balance.value() != expected
    {
        checker.report_as(
            at.member("ledger_balance"),
            Code::BalanceMismatchOnLedgerBalance,
            format_args!(
                "The ledger balance is {}, but the last statement balance and the current transactions add up to \
                 {expected}.",
                balance.value()
            ),
        );
    }
}

fn expected(ledger: &Ledger<'_>) -> Option<Decimal> {
    let closed = match ledger.last_statement_balance.presence() {
        Presence::Usable(balance) => balance.value(),
        Presence::Absent if ledger.current_statement_transactions.is_absent() => return None,
        Presence::Absent => Decimal::ZERO,
        Presence::Faulty => return None,
    };
    Some(closed + sum_or_zero(&ledger.current_statement_transactions, signed_sum)?)
}

fn last_statement_balance(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let historical = ledger.historical_statement_transactions.usable().filter(|list| !list.is_empty());
    if let (Some(balance), Some(sum)) =
        (ledger.last_statement_balance.usable(), historical.and_then(signed_sum))
        && balance.value() != sum
    {
        checker.report_as(
            at.member("last_statement_balance"),
            Code::HistoricalStatementTransactionsBalanceMismatch,
            format_args!(
                "The last statement balance is {}, but the historical transactions add up to {sum}.",
                balance.value()
            ),
        );
    }
}

fn transfer_balance(account: &Account<'_>, checker: &mut Checker<'_>) {
    let ledgers = account.ledgers.usable().filter(|list| !list.is_empty());
    let balance = |ledger: &Ledger<'_>| Some(ledger.ledger_balance.usable()?.value());
    let sum = ledgers.and_then(|list| whole_sum(list, balance));
    if let (Some(balance), Some(sum)) = (account.transfer_balance.usable(), sum)
        && balance.value() != sum
    {
        checker.report_as(
            At::ROOT.member("transfer_balance"),
            Code::LedgerBalancesNotEqualToTransferBalance,
            format_args!(
                "The transfer balance is {}, but the ledger balances add up to {sum}.",
                balance.value()
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn the_ledger_balance_is_the_last_balance_and_the_current_transactions() {
        let current = json!([
            transaction("PAYMENT", "2026-10-01", "100.10"),
            transaction("CREDIT", "2026-10-01", "0.0000000001"),
            transaction("CHARGE", "2026-10-01", "20"),
            transaction("SUPPLY_CHARGE", "2026-10-01", "30.05"),
            transaction("REPAYMENT", "2026-10-01", "-1"),
        ]);
        let unusable = json!([transaction("GIFT", "2026-10-01", "1")]);
        for (ledger, wrong) in [
            (json!({"ledger_balance": "51.0500000001", "current_statement_transactions": current}), false),
            (json!({"ledger_balance": "51.05", "current_statement_transactions": current}), true),
            (
                json!({"ledger_balance": "-1.2", "last_statement_balance": "-52.2500000001",
                    "current_statement_transactions": current}),
                false,
            ),
            (json!({"ledger_balance": 7.50, "last_statement_balance": "7.5"}), false),
            (json!({"ledger_balance": 7, "last_statement_balance": "7.5"}), true),
            (json!({"ledger_balance": 7, "current_statement_transactions": []}), true),
            (json!({"ledger_balance": 7}), false),
            (json!({"last_statement_balance": 7}), false),
            (json!({"ledger_balance": 7, "last_statement_balance": "x"}), false),
            (json!({"ledger_balance": 7, "current_statement_transactions": {}}), false),
            (json!({"ledger_balance": 7, "current_statement_transactions": [null]}), false),
            (json!({"ledger_balance": 7, "current_statement_transactions": unusable}), false),
        ] {
            let expected = ["ledgers.0.ledger_balance balance_mismatch_on_ledger_balance (error)"];
            fires("LED-01", &ledger, if wrong { &expected } else { &[] });
        }
    }

    #[test]
    fn the_last_statement_balance_is_the_sum_of_the_historical_transactions() {
        let charge = transaction("CHARGE", "2026-10-01", "20.5");
        for (ledger, wrong) in [
            (
                json!({"last_statement_balance": "-20.50", "historical_statement_transactions": [charge]}),
                false,
            ),
            (json!({"last_statement_balance": "20.50", "historical_statement_transactions": [charge]}), true),
            (json!({"last_statement_balance": -20.51, "historical_statement_transactions": [charge]}), true),
            (json!({"last_statement_balance": 1, "historical_statement_transactions": []}), false),
            (json!({"last_statement_balance": 1}), false),
            (json!({"last_statement_balance": 1, "historical_statement_transactions": [charge, 7]}), false),
            (json!({"historical_statement_transactions": [charge]}), false),
        ] {
            let expected = [
                "ledgers.0.last_statement_balance historical_statement_transactions_balance_mismatch (error)",
            ];
            fires("LED-02", &ledger, if wrong { &expected } else { &[] });
        }
    }

    #[test]
    fn the_transfer_balance_is_the_sum_of_the_ledger_balances() {
        let two = json!([{"ledger_balance": "10.10"}, {"ledger_balance": -0.1}]);
        for (body, fires) in [
            (json!({"transfer_balance": "10.00", "ledgers": two}), false),
            (json!({"transfer_balance": "10.01", "ledgers": two}), true),
            (json!({"transfer_balance": 5, "ledgers": []}), false),
            (json!({"transfer_balance": 5}), false),
            (json!({"ledgers": two}), false),
            (json!({"transfer_balance": 5, "ledgers": [{"ledger_balance": 1}, {}]}), false),
            (
                json!({"transfer_balance": 5, "ledgers": [{"ledger_balance": 1}, {"ledger_balance": "1e1"}]}),
                false,
            ),
            (json!({"transfer_balance": 5, "ledgers": [{"ledger_balance": 1}, null]}), false),
        ] {
            let expected = "transfer_balance ledger_balances_not_equal_to_transfer_balance (error)";
            assert_eq!(run("LED-03", &body), if fires { vec![expected] } else { vec![] }, "{body}");
        }
    }
}
