use crate::prelude::*;

/// A reference that may contain a card number.
pub(super) const PIN_07: Rule = Rule {
    id: RuleId("PIN-07"),
    codes: &[Code::PossibleCardNumber],
    place: "`reference` of any payment instruction or transaction",
    condition: "holds 13–19 digits in a row passing the Luhn test (the value is never logged)",
    level: Level::Warning,
    on: On::Several(&[
        On::Instruction(instruction),
        On::Transaction(transaction),
        On::InstructionRequest(request),
        On::BusinessInstructionRequest(business_request),
    ]),
    ..Rule::OF_PAYLOAD
};

fn instruction(instruction: &AccountPaymentInstruction<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&instruction.reference, at, checker);
}

fn transaction(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&transaction.transaction.reference, at, checker);
}

fn request(request: &PaymentInstructionRequest<'_>, checker: &mut Checker<'_>) {
    check(&request.reference, &At::ROOT, checker);
}

fn business_request(request: &BusinessPaymentInstructionRequest<'_>, checker: &mut Checker<'_>) {
    check(&request.reference, &At::ROOT, checker);
}

fn check(reference: &Field<Text<'_>>, at: &At<'_>, checker: &mut Checker<'_>) {
    if reference.usable().is_some_and(|reference| holds_card_number(reference.trimmed())) {
        checker.report(at.member("reference"), Code::PossibleCardNumber);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(reference: Value) -> Vec<String> {
        let transactions = json!([{"reference": reference}]);
        run(
            "PIN-07",
            json!({
                "payment_instructions": [{"reference": reference}],
                "ledgers": [{
                    "current_statement_transactions": transactions,
                    "historical_statement_transactions": transactions,
                }],
            }),
        )
    }

    #[test]
    fn card_numbers_in_references_are_reported() {
        let places = [
            "ledgers.0.current_statement_transactions.0",
            "ledgers.0.historical_statement_transactions.0",
            "payment_instructions.0",
        ];
        let expected = places.map(|place| format!("{place}.reference possible_card_number (warning)"));
        assert_eq!(found(json!("tok 4111111111111111")), expected);
        for reference in [
            json!("tok 4111111111111112"),
            json!(4111111111111111_u64),
            json!(""),
            json!("cus_9"),
            json!(null),
        ] {
            assert_eq!(found(reference), [""; 0]);
        }
    }

    #[test]
    fn requests_after_the_import_are_checked() {
        let expected = ["reference possible_card_number (warning)"];
        let body = json!({"reference": "4111111111111111"});
        assert_eq!(run_instruction("PIN-07", &body, facts()), expected);
        assert_eq!(run_business_instruction("PIN-07", &body, facts()), expected);
        let transactions = json!({"transactions": [{}, body]});
        assert_eq!(
            run_transactions("PIN-07", transactions, facts()),
            ["transactions.1.reference possible_card_number (warning)"]
        );
        let token = json!({"reference": "mandate-7"});
        assert_eq!(run_instruction("PIN-07", &token, facts()), [""; 0]);
        assert_eq!(run_business_instruction("PIN-07", token, facts()), [""; 0]);
    }
}
