use crate::prelude::*;
use crate::tariff::{self, End};

/// A charge for a tariff that there is not.
pub(super) const TXN_17: Rule = Rule {
    id: RuleId("TXN-17"),
    codes: &[Code::ProductCodeDoesNotExist],
    place: "`TX.product_code`",
    condition: "where the supplier has a list of tariffs: not in the list",
    on: On::Transaction(check),
    ..Rule::OF_SETTINGS
};

fn check(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let (Some(tariffs), Some(code)) =
        (&checker.values.tariff_codes, transaction.transaction.product_code.usable())
    else {
        return;
    };
    let code = code.trimmed();
    if !code.is_empty() && tariff::end_of(tariffs, code) == End::NoTariff {
        checker.report(at.member("product_code"), Code::ProductCodeDoesNotExist);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use cutover_model::{RuleValues, TariffCode};

    #[test]
    fn charges_are_for_tariffs_of_the_list() {
        let found = |code: Value, tariff_codes: Option<Vec<TariffCode>>| {
            let ledger = json!({"current_statement_transactions": [{"product_code": code}]});
            run_with_values(
                "TXN-17",
                json!({"ledgers": [ledger]}),
                RuleValues { tariff_codes, ..RuleValues::default() },
            )
        };
        let tariffs = || Some(vec![TariffCode { code: "A".into(), ends_on: None }]);
        let expected =
            ["ledgers.0.current_statement_transactions.0.product_code product_code_does_not_exist (error)"];
        assert_eq!(found(json!("B"), tariffs()), expected);
        for code in [json!(" A"), json!(""), json!(7), json!(null)] {
            assert_eq!(found(code, tariffs()), [""; 0]);
        }
        assert_eq!(found(json!("B"), None), [""; 0]);
    }
}
