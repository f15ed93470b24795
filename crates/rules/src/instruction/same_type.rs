use crate::prelude::*;

/// A second payment instruction of the same type.
pub(super) const PIN_01: Rule = Rule {
    id: RuleId("PIN-01"),
    codes: &[Code::InvalidPaymentInstruction],
    place: "`payment_instructions.#.type`",
    condition: "same type as an earlier instruction (none has an end date, so both are open-ended)",
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let Some(instructions) = account.payment_instructions.usable() else { return };
    let mut seen = Seen::new();
    for (index, instruction) in instructions.usable() {
        if instruction.kind.usable().is_some_and(|kind| seen.before(*kind)) {
            let at = At::ROOT.item("payment_instructions", index);
            checker.report(at.member("type"), Code::InvalidPaymentInstruction);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(types: Value) -> Vec<String> {
        let instructions = types.as_array().unwrap().iter();
        let instructions: Vec<_> =
            instructions.map(|t| if t.is_null() { json!(null) } else { json!({"type": t}) }).collect();
        run("PIN-01", json!({"payment_instructions": instructions}))
    }

    #[test]
    fn a_type_given_twice_is_reported() {
        let expected =
            |index| format!("payment_instructions.{index}.type invalid_payment_instruction (error)");
        assert_eq!(found(json!(["CARD", "BPAY", "CARD", "CARD"])), [2, 3].map(expected));
        assert_eq!(found(json!([null, "CARD", 7, "CARD"])), [3].map(expected));
        assert_eq!(found(json!(["CARD", "DIRECT_DEBIT", "card", "card", 7, 7, null, null])), [""; 0]);
        assert_eq!(run("PIN-01", json!({"payment_instructions": [{}, {}]})), [""; 0]);
        assert_eq!(run("PIN-01", json!({"payment_instructions": {}})), [""; 0]);
    }
}
