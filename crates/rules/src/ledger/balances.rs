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

/// A missing ledger balance that is not 0 (rules 8.2).
///
/// Not part of LED-01: what an absent balance means is not said, so that it only warns.
pub(super) const LED_14: Rule = Rule {
    id: RuleId("LED-14"),
    codes: &[Code::BalanceMismatchOnLedgerBalance],
    place: "`ledgers.#.ledger_balance`",
    condition: "absent, and `last_statement_balance` (absent counts as 0) + [signed sum](#82-sums) of the current \
        transactions is not 0",
    level: Level::Warning,
    on: On::Ledger(missing_ledger_balance),
    ..Rule::OF_PAYLOAD
};

/// A last statement balance that differs from the sum of its transactions (rules 8.2).
pub(super) const LED_02: Rule = Rule {
    id: RuleId("LED-02"),
    codes: &[Code::HistoricalStatementTransactionsBalanceMismatch],
    place: "`ledgers.#.last_statement_balance`",
    condition: "not the [signed sum](#82-sums) of the historical transactions, of which there is at least one \
        (absent counts as 0)",
    on: On::Ledger(last_statement_balance),
    ..Rule::OF_PAYLOAD
};

/// A transfer balance that differs from the sum of the ledger balances (rules 8.2).
pub(super) const LED_03: Rule = Rule {
    id: RuleId("LED-03"),
    codes: &[Code::LedgerBalancesNotEqualToTransferBalance],
    place: "`transfer_balance`",
    condition: "not the sum of all `ledger_balance` (absent ones, and absent or empty `ledgers`, count as 0)",
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

fn missing_ledger_balance(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if ledger.ledger_balance.is_absent()
        && let Some(expected) = expected(ledger)
        && !expected.is_zero()
    {
        checker.report_as(
            at.member("ledger_balance"),
            Code::BalanceMismatchOnLedgerBalance,
            format_args!(
                "The ledger balance is missing, but the last statement balance and the current transactions add up to \
                 {expected}."
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
        (or_zero(&ledger.last_statement_balance), historical.and_then(signed_sum))
        && balance != sum
    {
        checker.report_as(
            at.member("last_statement_balance"),
            Code::HistoricalStatementTransactionsBalanceMismatch,
            format_args!(
                "The last statement balance is {balance}, but the historical transactions add up to {sum}."
            ),
        );
    }
}

/// A debt that no ledger has would vanish: without ledgers an empty one is made (contract D6).
fn transfer_balance(account: &Account<'_>, checker: &mut Checker<'_>) {
    let Some(balance) = account.transfer_balance.usable().map(cutover_model::Decimal::value) else { return };
    let sum = sum_or_zero(&account.ledgers, |list| whole_sum(list, |ledger| or_zero(&ledger.ledger_balance)));
    if let Some(sum) = sum.filter(|sum| balance != *sum) {
        checker.report_as(
            At::ROOT.member("transfer_balance"),
            Code::LedgerBalancesNotEqualToTransferBalance,
            format_args!("The transfer balance is {balance}, but the ledger balances add up to {sum}."),
        );
    }
}

/// Returns the balance, 0 if it is absent, or `None` if it is faulty.
fn or_zero(balance: &Field<cutover_model::Decimal<'_>>) -> Option<Decimal> {
    match balance.presence() {
        Presence::Usable(balance) => Some(balance.value()),
        Presence::Absent => Some(Decimal::ZERO),
        Presence::Faulty => None,
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
    fn a_missing_ledger_balance_would_be_0() {
        let charge = transaction("CHARGE", "2026-10-01", "20.5");
        let credit = transaction("CREDIT", "2026-10-01", "20.50");
        for (ledger, wrong) in [
            (json!({"last_statement_balance": "-20"}), true),
            (json!({"current_statement_transactions": [charge]}), true),
            (json!({"last_statement_balance": "20.50", "current_statement_transactions": [charge]}), false),
            (json!({"current_statement_transactions": [charge, credit]}), false),
            (json!({"last_statement_balance": "0.00"}), false),
            (json!({"current_statement_transactions": []}), false),
            (json!({}), false),
            (json!({"ledger_balance": 7, "last_statement_balance": "-20"}), false),
            (json!({"ledger_balance": "x", "last_statement_balance": "-20"}), false),
            (json!({"last_statement_balance": "x", "current_statement_transactions": [charge]}), false),
            (json!({"current_statement_transactions": [charge, 7]}), false),
        ] {
            let expected = ["ledgers.0.ledger_balance balance_mismatch_on_ledger_balance (warning)"];
            fires("LED-14", &ledger, if wrong { &expected } else { &[] });
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
            (json!({"historical_statement_transactions": [charge]}), true),
            (json!({"historical_statement_transactions": []}), false),
            (json!({"last_statement_balance": "x", "historical_statement_transactions": [charge]}), false),
            (
                json!({"historical_statement_transactions": [charge, transaction("CREDIT", "2026-10-01", "20.50")]}),
                false,
            ),
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
            (json!({"transfer_balance": "-175.07", "ledgers": []}), true),
            (json!({"transfer_balance": 5}), true),
            (json!({"transfer_balance": "0.00", "ledgers": []}), false),
            (json!({"transfer_balance": 0}), false),
            (json!({"transfer_balance": "x", "ledgers": []}), false),
            (json!({"transfer_balance": 5, "ledgers": {}}), false),
            (json!({"ledgers": two}), false),
            (json!({"transfer_balance": 5, "ledgers": [{"ledger_balance": 1}, {}]}), true),
            (json!({"transfer_balance": 1, "ledgers": [{"ledger_balance": 1}, {}]}), false),
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
