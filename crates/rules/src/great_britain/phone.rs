use crate::form::{MOST_PHONE_DIGITS, phone_digits};
use crate::prelude::*;

const PLACE: &str =
    "`mobile` and `landline` of `customers.#` and `supply_addresses.#.property_administrators.#`";

/// A malformed phone number.
pub(super) const GBR_07: Rule = Rule {
    id: RuleId("GBR-07"),
    codes: &[Code::InvalidBritishPhoneNumber],
    place: PLACE,
    condition: "not a [British phone number](#1013-british-phone-numbers)",
    level: Level::Off,
    on: On::Several(&[On::Customer(customer_form), On::Administrator(administrator_form)]),
    ..Rule::OF_PAYLOAD
};

/// A landline number given as mobile, or the other way round.
pub(super) const GBR_08: Rule = Rule {
    id: RuleId("GBR-08"),
    codes: &[Code::BritishPhoneNumberWrongKind],
    place: PLACE,
    condition: "`mobile` a number not of [mobile form](#1013-british-phone-numbers), \
        or `landline` of mobile form",
    level: Level::Off,
    on: On::Several(&[On::Customer(customer_kind), On::Administrator(administrator_kind)]),
    ..Rule::OF_PAYLOAD
};

fn customer_form(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    form(&customer.mobile, "mobile", at, checker);
    form(&customer.landline, "landline", at, checker);
}

fn administrator_form(administrator: &PropertyAdministrator<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    form(&administrator.mobile, "mobile", at, checker);
    form(&administrator.landline, "landline", at, checker);
}

fn customer_kind(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    kind(&customer.mobile, &customer.landline, at, checker);
}

fn administrator_kind(administrator: &PropertyAdministrator<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    kind(&administrator.mobile, &administrator.landline, at, checker);
}

fn form(number: &Field<Text<'_>>, name: &'static str, at: &At<'_>, checker: &mut Checker<'_>) {
    if number.usable().is_some_and(|number| read(number.trimmed()).is_none()) {
        checker.report(at.member(name), Code::InvalidBritishPhoneNumber);
    }
}

/// Silent about malformed numbers, which GBR-07 reports.
fn kind(mobile: &Field<Text<'_>>, landline: &Field<Text<'_>>, at: &At<'_>, checker: &mut Checker<'_>) {
    let is = |number: &Field<Text<'_>>, kind| {
        number.usable().is_some_and(|number| read(number.trimmed()) == Some(kind))
    };
    if is(mobile, Phone::Fixed) {
        checker.report(at.member("mobile"), Code::BritishPhoneNumberWrongKind);
    }
    if is(landline, Phone::Mobile) {
        checker.report(at.member("landline"), Code::BritishPhoneNumberWrongKind);
    }
}

/// Reads a trimmed text; `None` if it is not a phone number.
fn read(text: &str) -> Option<Phone> {
    let mut buffer = [0; MOST_PHONE_DIGITS];
    match text.as_bytes() {
        [b'+', rest @ ..] => international(phone_digits(rest, &mut buffer)?),
        rest => match phone_digits(rest, &mut buffer)? {
            [b'0', b'0', rest @ ..] => international(rest),
            [b'0', rest @ ..] => national(rest),
            _ => None,
        },
    }
}

fn international(digits: &[u8]) -> Option<Phone> {
    match digits {
        [b'4', b'4', rest @ ..] => national(rest.strip_prefix(b"0").unwrap_or(rest)),
        _ => Phone::foreign(digits),
    }
}

/// A number of the country, without the 0 in front of it.
fn national(digits: &[u8]) -> Option<Phone> {
    match (digits, digits.len()) {
        ([b'7', ..], 10) => Some(Phone::Mobile),
        ([b'1', ..] | [b'8', b'0', b'0', ..], 9) => Some(Phone::Fixed),
        ([b'1' | b'2' | b'3' | b'5' | b'8' | b'9', ..], 10) => Some(Phone::Fixed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    #[test]
    fn numbers_and_their_kinds() {
        use Phone::{Fixed, Foreign, Mobile};
        for (text, kind) in [
            ("07700 900123", Mobile),
            ("+44 7700 900123", Mobile),
            ("+44 (0)7700 900123", Mobile),
            ("0044 7700-900-123", Mobile),
            ("020 7946 0958", Fixed),
            ("(0113) 496 0123", Fixed),
            ("016977 2123", Fixed),
            ("+44 16977 2123", Fixed),
            ("0303 123 7300", Fixed),
            ("0800 123 4567", Fixed),
            ("0800 123 456", Fixed),
            ("+44 800 123 456", Fixed),
            ("0845 123 4567", Fixed),
            ("0560 123 4567", Fixed),
            ("0906 123 4567", Fixed),
            ("+61 412 345 678", Foreign),
            ("0061412345678", Foreign),
            ("+353 1 234 5678", Foreign),
        ] {
            assert_eq!(read(text), Some(kind), "{text}");
        }
        for text in [
            "",
            "+",
            "abc",
            "0",
            "00",
            "7700 900123",
            "44 7700 900123",
            "07700 90012",
            "07700 9001234",
            "020 7946 095",
            "0303 123 730",
            "0845 123 456",
            "01632 9601",
            "0113 496 01234",
            "04 1234 5678",
            "0412 345 6789",
            "0612 345 6789",
            "0412 345 678",
            "1300 123 456",
            "+44 00 7700 900123",
            "+44 4123 456789",
            "07700_900123",
            "07700 900123 x1",
            "+123456",
            "+0123456789",
            "++447700900123",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    /// Runs a rule on the numbers of a customer and on those of a property administrator.
    fn found(rule: &str, phones: Value) -> [Vec<String>; 2] {
        let administered = json!([{"property_administrators": [phones]}]);
        [run(rule, json!({"customers": [phones]})), run(rule, json!({"supply_addresses": administered}))]
    }

    fn lines(member: &str, code: &str) -> [Vec<String>; 2] {
        let person = ["customers.0", "supply_addresses.0.property_administrators.0"];
        person.map(|person| vec![format!("{person}.{member} {code} (warning)")])
    }

    #[test]
    fn malformed_numbers_are_reported() {
        let code = "invalid_british_phone_number";
        let mobile = json!({"mobile": "0412 345 678", "landline": "020 7946 0958"});
        assert_eq!(found("GBR-07", mobile), lines("mobile", code));
        assert_eq!(found("GBR-07", json!({"landline": "020 7946"})), lines("landline", code));
        for phones in [
            json!({"mobile": "\t07700 900123\n", "landline": "0113 496 0123"}),
            json!({"mobile": "020 7946 0958", "landline": "+61 412 345 678"}),
            json!({"mobile": null, "landline": " "}),
            json!({"mobile": 7, "landline": "1".repeat(33)}),
            json!({}),
        ] {
            assert_eq!(found("GBR-07", phones), [[""; 0]; 2]);
        }
    }

    #[test]
    fn swapped_kinds_of_numbers_are_reported() {
        let code = "british_phone_number_wrong_kind";
        assert_eq!(found("GBR-08", json!({"mobile": "020 7946 0958"})), lines("mobile", code));
        assert_eq!(found("GBR-08", json!({"landline": "+44 7700 900123"})), lines("landline", code));
        for phones in [
            json!({"mobile": "07700 900123", "landline": "0113 496 0123"}),
            json!({"mobile": "+61 2 8008 2213", "landline": "+61 412 345 678"}),
            json!({"mobile": "12", "landline": "0412 345 678"}),
            json!({"mobile": ["020 7946 0958"], "landline": null}),
        ] {
            assert_eq!(found("GBR-08", phones), [[""; 0]; 2]);
        }
    }
}
