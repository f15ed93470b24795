use crate::prelude::*;

/// A malformed number of a British company.
pub(super) const GBR_10: Rule = Rule {
    id: RuleId("GBR-10"),
    codes: &[Code::InvalidBritishCompanyNumber],
    place: "`business.company_number`",
    condition: "not a [British company number](#1015-british-company-numbers)",
    level: Level::Off,
    on: On::Business(check),
    ..Rule::OF_PAYLOAD
};

fn check(business: &Business<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if business.company_number.usable().is_some_and(|number| !is_company_number(number.trimmed())) {
        checker.report(at.member("company_number"), Code::InvalidBritishCompanyNumber);
    }
}

fn is_company_number(text: &str) -> bool {
    let mut bytes = text.bytes().filter(|byte| *byte != b' ');
    let prefix = bytes.by_ref().take(2).filter(u8::is_ascii_alphanumeric).count();
    let digits = bytes.by_ref().take(6).filter(u8::is_ascii_digit).count();
    prefix == 2 && digits == 6 && bytes.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::is_company_number;
    use crate::testing::*;

    #[test]
    fn a_company_number_has_eight_characters() {
        for text in ["00445790", "SC123456", "sc 123 456", "NI012345", "R0000123", "0 0 4 4 5 7 9 0"] {
            assert!(is_company_number(text), "{text}");
        }
        for text in [
            "",
            "445790",
            "0445790",
            "004457900",
            "SCO12345",
            "S-123456",
            "SC12345X",
            "SC\t123456",
            "É012345",
            "004085616",
        ] {
            assert!(!is_company_number(text), "{text}");
        }
    }

    #[test]
    fn malformed_company_numbers_are_reported() {
        let found =
            |number: Value| run_business("GBR-10", json!({"business": {"company_number": number}}), facts());
        let expected = ["business.company_number invalid_british_company_number (warning)"];
        assert_eq!(found(json!("445790")), expected);
        for number in [json!("\t00445790"), json!(""), json!(445_790), json!("4".repeat(101))] {
            assert_eq!(found(number), [""; 0]);
        }
        assert_eq!(run_business("GBR-10", json!({"business": {}}), facts()), [""; 0]);
    }
}
