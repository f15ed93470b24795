use crate::prelude::*;

const PLACE: &str = "`MP.mpxn` of GAS";

/// A malformed MPRN.
pub(super) const GBR_03: Rule = Rule {
    id: RuleId("GBR-03"),
    codes: &[Code::InvalidMprn],
    place: PLACE,
    condition: "not of the form of an [MPRN](#1011-mprns)",
    level: Level::Off,
    on: On::MeterPoint(form),
    ..Rule::OF_PAYLOAD
};

/// An MPRN with wrong check digits.
pub(super) const GBR_04: Rule = Rule {
    id: RuleId("GBR-04"),
    codes: &[Code::InvalidCheckDigit],
    place: PLACE,
    condition: "of the form of an [MPRN](#1011-mprns), and the last two digits are not the check digits",
    level: Level::Off,
    on: On::MeterPoint(check_digits),
    ..Rule::OF_PAYLOAD
};

fn form(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if mpxn(point).is_some_and(|text| !is_mprn(text)) {
        checker.report(at.member("mpxn"), Code::InvalidMprn);
    }
}

fn check_digits(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if mpxn(point).is_some_and(|text| is_mprn(text) && has_wrong_check_digits(text)) {
        checker.report(at.member("mpxn"), Code::InvalidCheckDigit);
    }
}

/// Returns the usable identifier of a metered gas point.
fn mpxn<'a>(point: &MeterPoint<'a, '_>) -> Option<&'a str> {
    let is_metered = matches!(point.point.variant, Variant::Gas(_));
    point.point.common.mpxn.usable().filter(|_| is_metered).map(|id| id.trimmed())
}

fn is_mprn(text: &str) -> bool {
    (6..=10).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true if the last two digits of an MPRN are not the remainder of the weighted sum of the others.
fn has_wrong_check_digits(mprn: &str) -> bool {
    let Some((others, check)) = mprn.split_at_checked(mprn.len() - 2) else { return false };
    let sum: u32 = others.bytes().rev().zip(1..).map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
    check.parse() != Ok(sum % 11)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    fn gas(rule: &str, mpxn: &Value) -> Vec<String> {
        found(rule, point(json!({"supply_type": "GAS", "mpxn": mpxn})))
    }

    #[test]
    fn an_mprn_is_six_to_ten_digits() {
        for text in ["50000", "39384244033", "393842440X", "3938 424403", "M3938424403", "٣٩٣٨٤"] {
            assert_eq!(gas("GBR-03", &json!(text)), ["mpxn invalid_mprn (warning)"], "{text}");
            assert_eq!(gas("GBR-04", &json!(text)), [""; 0], "{text}");
        }
        for value in [json!("3938424403"), json!(" 500009 "), json!("0000000"), json!(39384244), json!("")] {
            assert_eq!(gas("GBR-03", &value), [""; 0], "{value}");
        }
        for kind in ["ELECTRICITY", "UNMETERED_GAS", "EMBEDDED_GAS"] {
            assert_eq!(found("GBR-03", point(json!({"mpxn": "x", "supply_type": kind}))), [""; 0], "{kind}");
        }
    }

    #[test]
    fn the_last_two_digits_of_an_mprn_are_its_check_digits() {
        for text in ["3938424404", "3938424413", "9338424403", "500008", "7123456999"] {
            assert_eq!(gas("GBR-04", &json!(text)), ["mpxn invalid_check_digit (warning)"], "{text}");
        }
        // The remainder of the last one is 10.
        for text in ["3938424403", "500009", "12345601", "741234509", "7123456910"] {
            assert_eq!(gas("GBR-04", &json!(text)), [""; 0], "{text}");
        }
        assert_eq!(found("GBR-04", point(json!({"mpxn": "3938424404"}))), [""; 0]);
    }

    #[test]
    fn every_digit_of_an_mprn_counts() {
        let number = *b"3938424403";
        for place in 0..number.len() {
            let mut other = number;
            other[place] = b'0' + (other[place] - b'0' + 1) % 10;
            assert!(has_wrong_check_digits(std::str::from_utf8(&other).unwrap()), "{place}");
        }
    }
}
