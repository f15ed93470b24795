use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use crate::view::{CURRENT, dates};
use crate::walk::items;
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Account;

/// A current transaction of a day that was billed already.
pub(crate) const LED_12: Rule = Rule {
    id: RuleId("LED-12"),
    codes: &[Code::CurrentStatementTransactionBeforeLastBilledToDate],
    place: "`ledgers.#.current_statement_transactions.#.transaction_date`",
    condition: "before the account's `last_billed_to_date`",
    level: Level::Warning,
    fixed: false,
    needs: Needs::Payload,
    on: On::Account(check),
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let Some(billed) = account.last_billed_to_date.usable() else { return };
    items(&account.ledgers, "ledgers", &At::ROOT, |ledger, at| {
        for (index, date) in dates(&ledger.current_statement_transactions) {
            if date < *billed {
                let at = at.item(CURRENT, index);
                let code = Code::CurrentStatementTransactionBeforeLastBilledToDate;
                checker.report(at.member("transaction_date"), code);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::ledger::sample::on;
    use crate::testing::of;
    use serde_json::json;

    #[test]
    fn current_transactions_lie_on_or_after_the_last_billed_day() {
        let ledgers = json!([
            {"current_statement_transactions": [on("2026-10-01"), on("faulty")]},
            {"current_statement_transactions": [on("2026-09-30")], "historical_statement_transactions": [on("2026-01-01")]},
        ]);
        let billed = |day| of("LED-12", json!({"last_billed_to_date": day, "ledgers": ledgers}));
        assert_eq!(
            billed("2026-10-01"),
            [
                "ledgers.1.current_statement_transactions.0.transaction_date current_statement_transaction_before_last_billed_to_date (warning)",
            ]
        );
        assert_eq!(billed("2026-09-30"), [""; 0]);
        assert_eq!(billed("faulty"), [""; 0]);
        assert_eq!(of("LED-12", json!({"ledgers": ledgers})), [""; 0]);
    }
}
