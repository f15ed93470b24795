use crate::prelude::*;

/// An instruction of a payment vendor that is not configured: its first collection would fail.
pub(crate) const PST_18: Rule = Rule {
    id: RuleId("PST-18"),
    codes: &[Code::InvalidVendor],
    place: "`payment_instructions.#.vendor` of accounts",
    condition: "the organisation has configured vendors, and none of this name",
    level: Level::Warning,
    fixed: false,
    on: On::Instruction(check),
    ..Rule::OF_SERVICE
};

fn check(instruction: &AccountPaymentInstruction<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let (Some(unknown), Some(vendor)) = (checker.facts.unknown_vendors, instruction.vendor.usable()) else {
        return;
    };
    if unknown.contains(vendor.trimmed()) {
        checker.report(at.member("vendor"), Code::InvalidVendor);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_vendor_that_is_not_configured_is_reported() {
        let unknown = BTreeSet::from(["NOVENDOR".to_owned()]);
        let found = |vendor: Value, unknown_vendors| {
            let body = json!({"payment_instructions": [{"vendor": vendor}]});
            run_with("PST-18", body, Facts { unknown_vendors, ..facts() })
        };
        assert_eq!(
            found(json!(" NOVENDOR"), Some(&unknown)),
            ["payment_instructions.0.vendor invalid_vendor (warning)"]
        );
        for vendor in [json!("stripe"), json!(7), json!(null)] {
            assert_eq!(found(vendor, Some(&unknown)), [""; 0]);
        }
        assert_eq!(found(json!("NOVENDOR"), None), [""; 0]);
    }
}
