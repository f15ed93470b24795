use crate::prelude::*;

/// A current transaction on or before the closing date of the last statement.
pub(super) const LED_04: Rule = Rule {
    id: RuleId("LED-04"),
    codes: &[Code::CurrentStatementTransactionBeforeLastStatementClosingDate],
    place: "`ledgers.#.current_statement_transactions.#.transaction_date`",
    condition: "on or before `last_statement_closing_date`",
    on: On::Ledger(current_before_closing),
    ..Rule::OF_PAYLOAD
};

/// A historical transaction after the closing date of the last statement.
pub(super) const LED_05: Rule = Rule {
    id: RuleId("LED-05"),
    codes: &[Code::HistoricalStatementTransactionAfterLastStatementClosingDate],
    place: "`ledgers.#.historical_statement_transactions.#.transaction_date`",
    condition: "after `last_statement_closing_date`",
    on: On::Ledger(historical_after_closing),
    ..Rule::OF_PAYLOAD
};

/// A current transaction before a historical one, in a ledger without a closing date.
pub(super) const LED_06: Rule = Rule {
    id: RuleId("LED-06"),
    codes: &[Code::HistoricalStatementTransactionAfterCurrentStatementTransaction],
    place: "`ledgers.#.current_statement_transactions.#.transaction_date`",
    condition: "`last_statement_closing_date` absent, and before the latest of the ledger's usable \
        historical transaction dates",
    on: On::Ledger(current_before_historical),
    ..Rule::OF_PAYLOAD
};

/// A current transaction before the last billed date.
pub(super) const LED_12: Rule = Rule {
    id: RuleId("LED-12"),
    codes: &[Code::CurrentStatementTransactionBeforeLastBilledToDate],
    place: "`ledgers.#.current_statement_transactions.#.transaction_date`",
    condition: "before the latest `last_billed_to_date` of the account and its registers",
    level: Level::Warning,
    on: On::Account(current_before_last_billed),
    ..Rule::OF_PAYLOAD
};

fn current_before_closing(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(closing) = ledger.last_statement_closing_date.usable() else { return };
    let code = Code::CurrentStatementTransactionBeforeLastStatementClosingDate;
    report_current(ledger, at, checker, code, |date| date <= *closing);
}

fn historical_after_closing(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(closing) = ledger.last_statement_closing_date.usable() else { return };
    for (index, date) in dates(&ledger.historical_statement_transactions) {
        if date > *closing {
            let at = at.item(HISTORICAL, index);
            let code = Code::HistoricalStatementTransactionAfterLastStatementClosingDate;
            checker.report(at.member("transaction_date"), code);
        }
    }
}

fn current_before_historical(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if !ledger.last_statement_closing_date.is_absent() {
        return;
    }
    let latest = dates(&ledger.historical_statement_transactions).map(|(_, date)| date).max();
    let Some(latest) = latest else { return };
    let code = Code::HistoricalStatementTransactionAfterCurrentStatementTransaction;
    report_current(ledger, at, checker, code, |date| date < latest);
}

fn current_before_last_billed(account: &Account<'_>, checker: &mut Checker<'_>) {
    let Some(billed) = latest_billed(account) else { return };
    let code = Code::CurrentStatementTransactionBeforeLastBilledToDate;
    items(&account.ledgers, "ledgers", &At::ROOT, |ledger, at| {
        report_current(ledger, at, checker, code, |date| date < billed);
    });
}

/// Returns the latest usable date. A faulty one would not change what lies before it.
fn latest_billed(account: &Account<'_>) -> Option<NaiveDate> {
    let mut latest = account.last_billed_to_date.usable().copied();
    each_electricity_register(account, |_, register, _| {
        latest = latest.max(register.last_billed_to_date.usable().copied());
    });
    latest
}

/// Reports the current transactions of a ledger whose date is wrong.
fn report_current(
    ledger: &Ledger<'_>,
    at: &At<'_>,
    checker: &mut Checker<'_>,
    code: Code,
    is_wrong: impl Fn(NaiveDate) -> bool,
) {
    for (index, date) in dates(&ledger.current_statement_transactions) {
        if is_wrong(date) {
            checker.report(at.item(CURRENT, index).member("transaction_date"), code);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn current_transactions_are_dated_after_the_closing_date() {
        let current = json!([on("2026-09-29"), on("2026-09-30"), on("2026-10-01"), on("bad"), null]);
        let closed =
            |day| json!({"current_statement_transactions": current, "last_statement_closing_date": day});
        fires("LED-04", &closed("2026-09-28"), &[]);
        fires("LED-04", &closed("faulty"), &[]);
        fires("LED-04", &json!({"current_statement_transactions": current}), &[]);
        fires(
            "LED-04",
            &json!({"historical_statement_transactions": current, "last_statement_closing_date": "2026-11-01"}),
            &[],
        );
        fires(
            "LED-04",
            &closed("2026-09-30"),
            &[
                "ledgers.0.current_statement_transactions.0.transaction_date current_statement_transaction_before_last_statement_closing_date (error)",
                "ledgers.0.current_statement_transactions.1.transaction_date current_statement_transaction_before_last_statement_closing_date (error)",
            ],
        );
    }

    #[test]
    fn historical_transactions_are_not_dated_after_the_closing_date() {
        let historical = json!([on("2026-09-30"), null, on("2026-10-01")]);
        let closed = |day| json!({"historical_statement_transactions": historical, "last_statement_closing_date": day});
        fires("LED-05", &closed("2026-10-01"), &[]);
        fires("LED-05", &closed("faulty"), &[]);
        fires("LED-05", &json!({"historical_statement_transactions": historical}), &[]);
        fires(
            "LED-05",
            &closed("2026-09-30"),
            &[
                "ledgers.0.historical_statement_transactions.2.transaction_date historical_statement_transaction_after_last_statement_closing_date (error)",
            ],
        );
    }

    #[test]
    fn without_a_closing_date_the_latest_historical_date_counts() {
        let current = json!([on("2026-09-30"), on("2026-10-01"), on("2026-10-02")]);
        let historical = json!([on("2026-01-01"), on("2026-10-01"), on("faulty"), null]);
        let mut ledger = json!({
            "current_statement_transactions": current, "historical_statement_transactions": historical,
        });
        fires(
            "LED-06",
            &ledger,
            &[
                "ledgers.0.current_statement_transactions.0.transaction_date historical_statement_transaction_after_current_statement_transaction (error)",
            ],
        );
        for closing in ["2026-01-01", "faulty"] {
            ledger["last_statement_closing_date"] = closing.into();
            fires("LED-06", &ledger, &[]);
        }
        fires("LED-06", &json!({"current_statement_transactions": current}), &[]);
        let faulty =
            json!({"current_statement_transactions": current, "historical_statement_transactions": 1});
        fires("LED-06", &faulty, &[]);
    }

    #[test]
    fn current_transactions_are_not_dated_before_the_last_billed_date() {
        let ledgers = json!([
            {"current_statement_transactions": [on("2026-10-01"), on("faulty")]},
            {"current_statement_transactions": [on("2026-09-30")], "historical_statement_transactions": [on("2026-01-01")]},
        ]);
        let billed = |day| run("LED-12", json!({"last_billed_to_date": day, "ledgers": ledgers}));
        assert_eq!(
            billed("2026-10-01"),
            [
                "ledgers.1.current_statement_transactions.0.transaction_date current_statement_transaction_before_last_billed_to_date (warning)",
            ]
        );
        assert_eq!(billed("2026-09-30"), [""; 0]);
        assert_eq!(billed("faulty"), [""; 0]);
        assert_eq!(run("LED-12", json!({"ledgers": ledgers})), [""; 0]);
        let with_registers = |account: Value, registers: Value| {
            let mut body = meter("ELECTRICITY", json!({"registers": registers}));
            body["last_billed_to_date"] = account;
            body["ledgers"] = ledgers.clone();
            run("LED-12", body)
        };
        let dated = |date: &str| json!({"last_billed_to_date": date});
        assert_eq!(with_registers(json!("2026-09-30"), json!([dated("2026-10-01"), {}])).len(), 1);
        assert_eq!(with_registers(json!("2026-10-01"), json!([dated("2026-09-30")])).len(), 1);
        assert_eq!(with_registers(json!("faulty"), json!([dated("faulty"), dated("2026-10-01")])).len(), 1);
        assert_eq!(with_registers(json!("2026-09-30"), json!([dated("2026-09-30")])), [""; 0]);
    }
}
