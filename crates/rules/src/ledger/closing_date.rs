use crate::prelude::*;
use cutover_model::draft::Transaction;

/// A last statement issued before it was closed.
pub(super) const LED_07: Rule = Rule {
    id: RuleId("LED-07"),
    codes: &[Code::LastStatementIssuedBeforeClosingDate],
    place: "`ledgers.#.last_statement_issue_date`",
    condition: "before `last_statement_closing_date`",
    on: On::Ledger(issued_before),
    ..Rule::OF_PAYLOAD
};

/// Historical transactions without a closing date.
pub(super) const LED_08: Rule = Rule {
    id: RuleId("LED-08"),
    codes: &[Code::HistoricalStatementTransactionsRequireLastStatementClosingDate],
    place: "`ledgers.#.last_statement_closing_date`",
    condition: "absent, historical transactions not empty",
    on: On::Ledger(required_by_transactions),
    ..Rule::OF_PAYLOAD
};

/// A last statement balance without a closing date.
pub(super) const LED_09: Rule = Rule {
    id: RuleId("LED-09"),
    codes: &[Code::HistoricalStatementWithoutLastStatementClosingDate],
    place: "`ledgers.#.last_statement_closing_date`",
    condition: "absent, `last_statement_balance` given and not 0, current transactions not empty, \
        historical transactions absent or empty (else LED-08)",
    on: On::Ledger(required_by_balance),
    ..Rule::OF_PAYLOAD
};

/// A last statement that closes in the future.
pub(super) const LED_10: Rule = Rule {
    id: RuleId("LED-10"),
    codes: &[Code::HistoricalStatementPeriodEndInFuture],
    place: "`ledgers.#.last_statement_closing_date`",
    condition: "after today",
    on: On::Ledger(in_future),
    ..Rule::OF_PAYLOAD
};

fn required_by_transactions(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if ledger.last_statement_closing_date.is_absent()
        && is_filled(&ledger.historical_statement_transactions) == Some(true)
    {
        checker.report(
            at.member("last_statement_closing_date"),
            Code::HistoricalStatementTransactionsRequireLastStatementClosingDate,
        );
    }
}

fn required_by_balance(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
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

/// Returns whether a list has items, faulty ones included, or `None` if the list is faulty.
fn is_filled(list: &Field<List<Transaction<'_>>>) -> Option<bool> {
    match list.presence() {
        Presence::Usable(list) => Some(!list.is_empty()),
        Presence::Absent => Some(false),
        Presence::Faulty => None,
    }
}

fn issued_before(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let (Some(issued), Some(closing)) =
        (ledger.last_statement_issue_date.usable(), ledger.last_statement_closing_date.usable())
        && issued < closing
    {
        checker.report(at.member("last_statement_issue_date"), Code::LastStatementIssuedBeforeClosingDate);
    }
}

fn in_future(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if ledger.last_statement_closing_date.usable().is_some_and(|day| *day > checker.today) {
        checker.report(at.member("last_statement_closing_date"), Code::HistoricalStatementPeriodEndInFuture);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

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

    #[test]
    fn a_statement_is_issued_on_or_after_its_closing_day() {
        let closed =
            |day, issued| json!({"last_statement_closing_date": day, "last_statement_issue_date": issued});
        fires("LED-07", &closed("2026-10-01", "2026-10-01"), &[]);
        fires("LED-07", &closed("2026-10-01", "faulty"), &[]);
        fires("LED-07", &closed("faulty", "2026-10-01"), &[]);
        fires("LED-07", &json!({"last_statement_issue_date": "2026-10-01"}), &[]);
        fires(
            "LED-07",
            &closed("2026-10-01", "2026-09-30"),
            &["ledgers.0.last_statement_issue_date last_statement_issued_before_closing_date (error)"],
        );
    }

    const FUTURE: &str =
        "ledgers.0.last_statement_closing_date historical_statement_period_end_in_future (error)";

    #[test]
    fn a_closing_date_after_today_is_reported() {
        fires("LED-10", &json!({"last_statement_closing_date": "2026-11-21"}), &[]);
        fires("LED-10", &json!({"last_statement_closing_date": "2026-11-22"}), &[FUTURE]);
        fires("LED-10", &json!({"last_statement_closing_date": "2026-13-22"}), &[]);
        fires("LED-10", &json!({}), &[]);
    }

    #[test]
    fn today_is_the_day_in_the_suppliers_zone() {
        let body = json!({"ledgers": [{"last_statement_closing_date": "2026-11-22"}]});
        let at = |zone| run_with("LED-10", &body, facts_at("2026-11-21T14:30:00Z", zone));
        assert_eq!(at("UTC"), [FUTURE]);
        assert_eq!(at("Australia/Sydney"), [""; 0]);
    }
}
