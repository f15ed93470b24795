use super::arithmetic::whole_sum;
use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use cutover_core::{Code, Level, RuleId};
use cutover_model::Decimal;
use cutover_model::draft::Account;

/// A transfer balance that the ledgers do not give: equation (c) of rules 8.2.
pub(crate) const LED_03: Rule = Rule {
    id: RuleId("LED-03"),
    codes: &[Code::LedgerBalancesNotEqualToTransferBalance],
    place: "`transfer_balance`",
    condition: "not the sum of all `ledger_balance`, which every ledger gives",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Account(check),
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let ledgers = account.ledgers.usable().filter(|list| !list.is_empty());
    let sum =
        ledgers.and_then(|list| whole_sum(list, |ledger| ledger.ledger_balance.usable().map(Decimal::value)));
    if let (Some(balance), Some(sum)) = (account.transfer_balance.usable(), sum)
        && balance.value() != sum
    {
        checker.report(At::ROOT.member("transfer_balance"), Code::LedgerBalancesNotEqualToTransferBalance);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::of;
    use serde_json::json;

    #[test]
    fn the_transfer_balance_is_the_sum_of_the_ledgers() {
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
            assert_eq!(of("LED-03", &body), if fires { vec![expected] } else { vec![] }, "{body}");
        }
    }
}
