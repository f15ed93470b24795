use crate::prelude::*;
use cutover_model::choices::PaymentInstructionType;

/// A card instruction with a bank account, or a direct debit with a card.
pub(super) const PIN_02: Rule = Rule {
    id: RuleId("PIN-02"),
    codes: &[Code::PaymentInstructionDetailsDoNotMatchType],
    place: "`payment_instructions.#.bank_account` / `.card`",
    condition: "type CARD with a `bank_account` member / DIRECT_DEBIT with a `card` member \
                (usable or faulty)",
    level: Level::Warning,
    on: On::Instruction(other_details),
    ..Rule::OF_PAYLOAD
};

/// A card instruction without card details.
pub(super) const PIN_04: Rule = Rule {
    id: RuleId("PIN-04"),
    codes: &[Code::CardDetailsNotProvidedForCardPaymentInstruction],
    place: "`payment_instructions.#.card`",
    condition: "type CARD, absent",
    level: Level::Warning,
    on: On::Instruction(no_card),
    ..Rule::OF_PAYLOAD
};

/// A direct debit without a bank account.
pub(super) const PIN_05: Rule = Rule {
    id: RuleId("PIN-05"),
    codes: &[Code::BankDetailsNotProvided],
    place: "`payment_instructions.#.bank_account`",
    condition: "type DIRECT_DEBIT, absent",
    level: Level::Warning,
    on: On::Instruction(no_bank_account),
    ..Rule::OF_PAYLOAD
};

fn other_details(instruction: &AccountPaymentInstruction<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let code = Code::PaymentInstructionDetailsDoNotMatchType;
    if is_of(instruction, PaymentInstructionType::Card) && !instruction.bank_account.is_absent() {
        checker.report(at.member("bank_account"), code);
    }
    if is_of(instruction, PaymentInstructionType::DirectDebit) && !instruction.card.is_absent() {
        checker.report(at.member("card"), code);
    }
}

fn no_card(instruction: &AccountPaymentInstruction<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if is_of(instruction, PaymentInstructionType::Card) && instruction.card.is_absent() {
        checker.report(at.member("card"), Code::CardDetailsNotProvidedForCardPaymentInstruction);
    }
}

fn no_bank_account(instruction: &AccountPaymentInstruction<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if is_of(instruction, PaymentInstructionType::DirectDebit) && instruction.bank_account.is_absent() {
        checker.report(at.member("bank_account"), Code::BankDetailsNotProvided);
    }
}

fn is_of(instruction: &AccountPaymentInstruction<'_>, kind: PaymentInstructionType) -> bool {
    instruction.kind.usable() == Some(&kind)
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(rule: &str, instruction: Value) -> Vec<String> {
        run(rule, json!({"payment_instructions": [instruction]}))
    }

    #[test]
    fn details_of_another_type_are_reported() {
        let expected = |member| {
            [format!(
                "payment_instructions.0.{member} payment_instruction_details_do_not_match_type (warning)"
            )]
        };
        for details in [json!({}), json!(7), json!(null)] {
            let card = json!({"type": "CARD", "bank_account": details});
            assert_eq!(found("PIN-02", card), expected("bank_account"));
            let debit = json!({"type": "DIRECT_DEBIT", "card": details});
            assert_eq!(found("PIN-02", debit), expected("card"));
        }
        for instruction in [
            json!({"type": "CARD", "card": {}}),
            json!({"type": "DIRECT_DEBIT", "bank_account": {}}),
            json!({"type": "BPAY", "bank_account": {}, "card": {}}),
            json!({"type": "debit", "bank_account": {}, "card": {}}),
            json!({"bank_account": {}, "card": {}}),
        ] {
            assert_eq!(found("PIN-02", instruction), [""; 0]);
        }
    }

    #[test]
    fn missing_details_are_reported() {
        let card =
            "payment_instructions.0.card card_details_not_provided_for_card_payment_instruction (warning)";
        assert_eq!(found("PIN-04", json!({"type": "CARD", "bank_account": {}})), [card]);
        let bank = "payment_instructions.0.bank_account bank_details_not_provided (warning)";
        assert_eq!(found("PIN-05", json!({"type": "DIRECT_DEBIT", "card": {}})), [bank]);
        for instruction in [
            json!({"type": "CARD", "card": {}}),
            json!({"type": "CARD", "card": null}),
            json!({"type": "DIRECT_DEBIT", "bank_account": {}}),
            json!({"type": "DIRECT_DEBIT", "bank_account": "062-000"}),
            json!({"type": "PAYMENT_SLIP"}),
            json!({"type": 7}),
            json!({}),
        ] {
            assert_eq!(found("PIN-04", instruction.clone()), [""; 0]);
            assert_eq!(found("PIN-05", instruction), [""; 0]);
        }
    }
}
