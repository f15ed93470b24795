use crate::prelude::*;

/// An account given twice in a business payment instruction.
pub(super) const PIN_08: Rule = Rule {
    id: RuleId("PIN-08"),
    codes: &[Code::ChildrenWithDuplicateValues],
    place: "`accounts.#.external_account_number` (business payment instruction)",
    condition: "same as an earlier item",
    on: On::BusinessInstructionRequest(check),
    ..Rule::OF_PAYLOAD
};

fn check(request: &BusinessPaymentInstructionRequest<'_>, checker: &mut Checker<'_>) {
    let mut seen = Seen::new();
    items(&request.accounts, "accounts", &At::ROOT, |account, at| {
        let number = account.external_account_number.usable();
        if number.is_some_and(|number| seen.before(number.trimmed())) {
            checker.report(at.member("external_account_number"), Code::ChildrenWithDuplicateValues);
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found<const N: usize>(numbers: [Value; N]) -> Vec<String> {
        let accounts: Value =
            numbers.into_iter().map(|number| json!({"external_account_number": number})).collect();
        run_business_instruction("PIN-08", json!({"accounts": accounts}), facts())
    }

    #[test]
    fn an_account_given_twice_is_reported() {
        let line = |index| {
            format!("accounts.{index}.external_account_number children_with_duplicate_values (error)")
        };
        let numbers = [json!("A-1"), json!("a-1"), json!(" A-1\t"), json!("A-2"), json!("A-1")];
        assert_eq!(found(numbers), [2, 4].map(line));
        for twice in [json!(""), json!(" "), json!(7), json!(null)] {
            assert_eq!(found([twice.clone(), twice]), [""; 0]);
        }
        for accounts in [json!([{}, {}]), json!([]), json!("A-1"), json!([null, null])] {
            assert_eq!(run_business_instruction("PIN-08", json!({"accounts": accounts}), facts()), [""; 0]);
        }
        assert_eq!(run_business_instruction("PIN-08", json!({}), facts()), [""; 0]);
    }
}
