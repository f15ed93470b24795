use crate::prelude::*;

/// A malformed BSB.
pub(super) const PIN_03: Rule = Rule {
    id: RuleId("PIN-03"),
    codes: &[Code::InvalidSortCode],
    place: "`payment_instructions.#.bank_account.bsb`",
    condition: "not a [BSB](#104-bsb)",
    on: On::Instruction(check),
    ..Rule::OF_PAYLOAD
};

fn check(instruction: &AccountPaymentInstruction<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(account) = instruction.bank_account.usable() else { return };
    if account.bsb.usable().is_some_and(|bsb| !is_bsb(bsb.trimmed())) {
        checker.report(at.member("bank_account").member("bsb"), Code::InvalidSortCode);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(bank_account: Value) -> Vec<String> {
        run("PIN-03", json!({"payment_instructions": [{"bank_account": bank_account}]}))
    }

    #[test]
    fn malformed_bsbs_are_reported() {
        let expected = ["payment_instructions.0.bank_account.bsb invalid_sort_code (error)"];
        for bsb in ["62", "062–000", "0620000"] {
            assert_eq!(found(json!({"bsb": bsb})), expected);
        }
        for bsb in [json!(" 062-000 "), json!("012003"), json!(""), json!(62), json!("x".repeat(17))] {
            assert_eq!(found(json!({"bsb": bsb})), [""; 0]);
        }
        assert_eq!(found(json!({})), [""; 0]);
        assert_eq!(found(json!("62")), [""; 0]);
    }
}
