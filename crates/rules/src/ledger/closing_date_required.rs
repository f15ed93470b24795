use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::{Ledger, Transaction};
use cutover_model::{Field, List, Presence};

/// Historical transactions without the date that closed them.
pub(crate) const LED_08: Rule = Rule {
    id: RuleId("LED-08"),
    codes: &[Code::HistoricalStatementTransactionsRequireLastStatementClosingDate],
    place: "`ledgers.#.last_statement_closing_date`",
    condition: "absent, historical transactions not empty",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Ledger(check_transactions),
};

/// A closed balance without the date that closed it.
pub(crate) const LED_09: Rule = Rule {
    id: RuleId("LED-09"),
    codes: &[Code::HistoricalStatementWithoutLastStatementClosingDate],
    place: "`ledgers.#.last_statement_closing_date`",
    condition: "absent, `last_statement_balance` given and not 0, current transactions not empty, \
        historical transactions absent or empty (else LED-08)",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Ledger(check_balance),
};

fn check_transactions(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if ledger.last_statement_closing_date.is_absent()
        && is_filled(&ledger.historical_statement_transactions) == Some(true)
    {
        checker.report(
            at.member("last_statement_closing_date"),
            Code::HistoricalStatementTransactionsRequireLastStatementClosingDate,
        );
    }
}

fn check_balance(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let is_closed = ledger.last_statement_balance.usable().is_some_and(|balance| !balance.value().is_zero());
    if ledger.last_statement_closing_date.is_absent()
        && is_closed
        && is_filled(&ledger.current_statement_transactions) == Some(true)
        && is_filled(&ledger.historical_statement_transactions) == Some(false)
    {
        checker.report(
            at.member("last_statement_closing_date"),
            Code::HistoricalStatementWithoutLastStatementClosingDate,
        );
    }
}

/// Whether a list has items, faulty ones included; unknown if the list is faulty.
fn is_filled(list: &Field<List<Transaction<'_>>>) -> Option<bool> {
    match list.presence() {
        Presence::Usable(list) => Some(!list.is_empty()),
        Presence::Absent => Some(false),
        Presence::Faulty => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::ledger::sample::{fires, on};
    use serde_json::{Value, json};

    const TRANSACTIONS: &str = "ledgers.0.last_statement_closing_date historical_statement_transactions_require_last_statement_closing_date (error)";
    const BALANCE: &str = "ledgers.0.last_statement_closing_date historical_statement_without_last_statement_closing_date (error)";

    fn ledger(balance: Value, current: Value, historical: Value) -> Value {
        json!({
            "last_statement_balance": balance,
            "current_statement_transactions": current, "historical_statement_transactions": historical,
        })
    }

    #[test]
    fn historical_transactions_need_the_closing_date() {
        let (none, one) = (json!([]), json!([on("2026-01-01")]));
        fires("LED-08", &ledger(json!(0), none.clone(), one.clone()), &[TRANSACTIONS]);
        fires("LED-08", &ledger(json!(0), none.clone(), json!([null])), &[TRANSACTIONS]);
        fires("LED-08", &ledger(json!(0), one.clone(), none.clone()), &[]);
        fires("LED-08", &ledger(json!(0), none.clone(), json!("x")), &[]);
        let mut dated = ledger(json!(0), none, one);
        for closing in ["2026-01-01", "faulty"] {
            dated["last_statement_closing_date"] = closing.into();
            fires("LED-08", &dated, &[]);
        }
    }

    #[test]
    fn a_closed_balance_needs_the_closing_date() {
        let (none, one) = (json!([]), json!([on("2026-01-01")]));
        fires("LED-09", &ledger(json!(5), one.clone(), none.clone()), &[BALANCE]);
        let absent = json!({"last_statement_balance": "-5.0", "current_statement_transactions": one});
        fires("LED-09", &absent, &[BALANCE]);
        fires("LED-09", &ledger(json!("0.00"), one.clone(), none.clone()), &[]);
        fires("LED-09", &ledger(json!("five"), one.clone(), none.clone()), &[]);
        fires("LED-09", &ledger(json!(5), none.clone(), none.clone()), &[]);
        fires("LED-09", &ledger(json!(5), one.clone(), one.clone()), &[]);
        fires("LED-09", &ledger(json!(5), one.clone(), json!({})), &[]);
        fires("LED-09", &ledger(json!(5), json!({}), none), &[]);
    }
}
