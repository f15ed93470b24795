use crate::prelude::*;

const PLACE: &str = "`MP.mpxn` of ELECTRICITY";

/// A malformed MPAN.
pub(super) const GBR_01: Rule = Rule {
    id: RuleId("GBR-01"),
    codes: &[Code::InvalidMpan],
    place: PLACE,
    condition: "not of the form of an [MPAN](#1010-mpans)",
    level: Level::Off,
    on: On::MeterPoint(form),
    ..Rule::OF_PAYLOAD
};

/// An MPAN with a wrong check digit.
pub(super) const GBR_02: Rule = Rule {
    id: RuleId("GBR-02"),
    codes: &[Code::InvalidCheckDigit],
    place: PLACE,
    condition: "of the form of an [MPAN](#1010-mpans), and the last digit is not the check digit",
    level: Level::Off,
    on: On::MeterPoint(check_digit),
    ..Rule::OF_PAYLOAD
};

const DIGITS: usize = 13;

/// Primes without 11, by which the sum is divided.
const WEIGHTS: [u32; DIGITS - 1] = [3, 5, 7, 13, 17, 19, 23, 29, 31, 37, 41, 43];

fn form(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if mpxn(point).is_some_and(|text| digits(text).is_none()) {
        checker.report(at.member("mpxn"), Code::InvalidMpan);
    }
}

fn check_digit(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if mpxn(point).and_then(digits).is_some_and(|digits| has_wrong_check_digit(&digits)) {
        checker.report(at.member("mpxn"), Code::InvalidCheckDigit);
    }
}

/// Returns the usable identifier of a metered electricity point.
fn mpxn<'a>(point: &MeterPoint<'a, '_>) -> Option<&'a str> {
    let is_metered = matches!(point.point.variant, Variant::Electricity(_));
    point.point.common.mpxn.usable().filter(|_| is_metered).map(|id| id.trimmed())
}

/// Returns the digits of an MPAN, spaces left out; `None` for other texts.
fn digits(text: &str) -> Option<[u8; DIGITS]> {
    let mut digits = [0; DIGITS];
    let mut places = digits.iter_mut();
    for byte in text.bytes().filter(|byte| *byte != b' ') {
        *places.next()? = byte.is_ascii_digit().then(|| byte - b'0')?;
    }
    places.next().is_none().then_some(digits)
}

fn has_wrong_check_digit(digits: &[u8; DIGITS]) -> bool {
    let sum: u32 = digits.iter().zip(WEIGHTS).map(|(digit, weight)| u32::from(*digit) * weight).sum();
    sum % 11 % 10 != u32::from(digits[DIGITS - 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    #[test]
    fn an_mpan_is_thirteen_digits() {
        let malformed = ["mpxn invalid_mpan (warning)"];
        for text in
            ["131234567890", "13123456789077", "131234567890X", "13-12345678-907", "S1312345678907", "٢"]
        {
            assert_eq!(found("GBR-01", point(json!({"mpxn": text}))), malformed, "{text}");
            assert_eq!(found("GBR-02", point(json!({"mpxn": text}))), [""; 0], "{text}");
        }
        for body in [
            json!({"mpxn": "1312345678907"}),
            json!({"mpxn": " 13 1234 5678 908 "}),
            json!({"mpxn": "20", "supply_type": "GAS"}),
            json!({"mpxn": "20", "supply_type": "UNMETERED_ELECTRICITY"}),
            json!({"mpxn": "EMBEDDED_ELECTRICITY_20"}),
            json!({"mpxn": 1312345678907_u64}),
            json!({"mpxn": " "}),
            json!({}),
        ] {
            assert_eq!(found("GBR-01", point(body.clone())), [""; 0], "{body}");
        }
    }

    #[test]
    fn the_last_digit_of_an_mpan_is_its_check_digit() {
        for text in ["1312345678908", "13 1234 5678 917", "3112345678907", "2499999999990"] {
            let expected = ["mpxn invalid_check_digit (warning)"];
            assert_eq!(found("GBR-02", point(json!({"mpxn": text}))), expected, "{text}");
        }
        // The remainder of the last one is 10.
        for text in ["1312345678907", "13 1234 5678 907", "1030006718997", "1410234567010"] {
            assert_eq!(found("GBR-02", point(json!({"mpxn": text}))), [""; 0], "{text}");
        }
        assert_eq!(found("GBR-02", point(json!({"mpxn": "1312345678908", "supply_type": "GAS"}))), [""; 0]);
    }

    #[test]
    fn every_digit_of_an_mpan_counts() {
        let number = digits("1312345678907").unwrap();
        for place in 0..DIGITS {
            let mut other = number;
            other[place] = (other[place] + 1) % 10;
            assert!(has_wrong_check_digit(&other), "{place}");
        }
    }
}
