use crate::prelude::*;

/// A malformed sort code, which is sent where the BSB is.
pub(super) const GBR_09: Rule = Rule {
    id: RuleId("GBR-09"),
    codes: &[Code::InvalidSortCode],
    place: "`payment_instructions.#.bank_account.bsb`",
    condition: "not a [sort code](#1014-sort-codes)",
    level: Level::Off,
    on: On::Instruction(check),
    ..Rule::OF_PAYLOAD
};

fn check(instruction: &AccountPaymentInstruction<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(account) = instruction.bank_account.usable() else { return };
    if account.bsb.usable().is_some_and(|code| !is_sort_code(code.trimmed())) {
        checker.report_as(
            at.member("bank_account").member("bsb"),
            Code::InvalidSortCode,
            format_args!(
                "This is not a sort code of three pairs of digits, with hyphens, spaces or nothing between."
            ),
        );
    }
}

fn is_sort_code(text: &str) -> bool {
    let is_digits = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_digit);
    match text.as_bytes() {
        [a, b, first @ (b'-' | b' '), c, d, second, e, f] => {
            first == second && is_digits(&[*a, *b, *c, *d, *e, *f])
        }
        bytes => bytes.len() == 6 && is_digits(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::is_sort_code;
    use crate::testing::*;

    #[test]
    fn a_sort_code_is_three_pairs_of_digits() {
        for text in ["20-00-00", "20 00 00", "200000", "040004"] {
            assert!(is_sort_code(text), "{text}");
        }
        for text in [
            "",
            "20000",
            "2000000",
            "20-0000",
            "2000-00",
            "20-00 00",
            "20_00_00",
            "20-0-000",
            "200-000",
            "2O-00-00",
            "20-00-0a",
            "20--00-0",
            "20-00-00-",
        ] {
            assert!(!is_sort_code(text), "{text}");
        }
    }

    #[test]
    fn malformed_sort_codes_are_reported() {
        let found = |bank_account: Value| {
            run("GBR-09", json!({"payment_instructions": [{"bank_account": bank_account}]}))
        };
        let expected = ["payment_instructions.0.bank_account.bsb invalid_sort_code (warning)"];
        for code in ["062-000", "20-00"] {
            assert_eq!(found(json!({"bsb": code})), expected);
        }
        for code in [json!(" 20-00-00 "), json!("200000"), json!(""), json!(20), json!("x".repeat(17))] {
            assert_eq!(found(json!({"bsb": code})), [""; 0]);
        }
        assert_eq!(found(json!({})), [""; 0]);
        assert_eq!(found(json!("20")), [""; 0]);
    }
}
