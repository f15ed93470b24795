use super::texts::{Fault, Names};
use crate::prelude::*;

/// A text that was written as UTF-8 and read in another encoding.
pub(super) const QUA_02: Rule = Rule {
    id: RuleId("QUA-02"),
    codes: &[Code::TextInWrongEncoding],
    place: "names (`given_name` and `family_name` of `customers.#` and `property_administrators.#`, `salutation`, \
        `account_holder`, `business.company_name`), `billing_name`, `billing_sub_name`, `billing_attention_of`, \
        `billing_address1` to `billing_address5`, places (`locality`, `suburb_or_place_or_locality`, `street_name`, \
        `building_or_property_name`, `location_descriptor`), `notes.#.body`",
    condition: "[read in the wrong encoding](#108-wrong-encodings)",
    level: Level::Warning,
    on: On::Several(&[
        On::Account(billing),
        Names::<Misread>::OF_CUSTOMER,
        On::Customer(salutation),
        Names::<Misread>::OF_ADMINISTRATOR,
        Names::<Misread>::OF_ADDRESS,
        On::Address(building),
        On::Instruction(instruction),
        On::Note(note),
        Names::<Misread>::OF_BUSINESS,
    ]),
    ..Rule::OF_PAYLOAD
};

struct Misread;

impl Fault for Misread {
    const CODE: Code = Code::TextInWrongEncoding;

    /// Looks at the text as sent: `à` becomes `Ã` and a no-break space, which does not belong to the trimmed text.
    fn is_in(text: &Text<'_>) -> bool {
        is_in_wrong_encoding(text.as_sent())
    }
}

fn billing(account: &Account<'_>, checker: &mut Checker<'_>) {
    for (text, name) in [
        (&account.billing_name, "billing_name"),
        (&account.billing_sub_name, "billing_sub_name"),
        (&account.billing_attention_of, "billing_attention_of"),
        (&account.billing_address1, "billing_address1"),
        (&account.billing_address2, "billing_address2"),
        (&account.billing_address3, "billing_address3"),
        (&account.billing_address4, "billing_address4"),
        (&account.billing_address5, "billing_address5"),
    ] {
        Misread::check(text, name, &At::ROOT, checker);
    }
}

fn salutation(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    Misread::check(&customer.salutation, "salutation", at, checker);
}

fn building(address: Address<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let Address::Gas(address) = address {
        Misread::check(&address.building_or_property_name, "building_or_property_name", at, checker);
        Misread::check(&address.location_descriptor, "location_descriptor", at, checker);
    }
}

fn instruction(instruction: &AccountPaymentInstruction<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let Some(bank) = instruction.bank_account.usable() {
        Misread::check(&bank.account_holder, "account_holder", &at.member("bank_account"), checker);
    }
}

fn note(note: &Note<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    Misread::check(&note.body, "body", at, checker);
}

/// Returns true if a text was written as UTF-8 and read in another encoding (rule QUA-02).
///
/// ```
/// use cutover_rules::is_in_wrong_encoding;
/// assert!(is_in_wrong_encoding("MÃ¼ller"));
/// assert!(!is_in_wrong_encoding("Müller"));
/// ```
pub fn is_in_wrong_encoding(text: &str) -> bool {
    !text.is_ascii() && is_misread(text)
}

/// Returns true if a text holds what one character of UTF-8 looks like in Windows-1252 or Latin-1, or a character that
/// stands for bytes that could not be read (rules 10.8).
fn is_misread(text: &str) -> bool {
    // With these bytes begin U+00C0 to U+00FF, and U+FFFD.
    if !text.bytes().any(|byte| matches!(byte, 0xc3 | 0xef)) {
        return false;
    }
    let (mut rest, mut before) = (text.chars(), ' ');
    while let Some(first) = rest.next() {
        let mut ahead = rest.clone();
        let (second, third) = (ahead.next(), ahead.next());
        // In such a word a capital letter does not end the word.
        let is_within = before.is_lowercase() || third.is_some_and(char::is_alphabetic);
        before = first;
        let is_misread = match first {
            '\u{fffd}' => true,
            // Of two bytes: Latin letters with marks, Greek and Cyrillic.
            'Â' | 'Ã' | 'Ä' | 'Å' | 'Î' | 'Ï' | 'Ð' | 'Ñ' => {
                second.is_some_and(|second| continues(second, is_within))
            }
            // Of three bytes: dashes, quotes and the euro sign.
            'â' => second
                .is_some_and(|second| matches!(second, '€' | '‚' | '„' | '\u{80}' | '\u{82}' | '\u{84}')),
            _ => false,
        };
        if is_misread {
            return true;
        }
    }
    false
}

/// Returns true if a character is one of the bytes that continue a character of UTF-8. Quotes, dashes and spaces may well
/// follow a capital letter, but not within a word.
fn continues(character: char, is_within: bool) -> bool {
    match character {
        '«' | '»' | '\u{a0}' => is_within,
        '\u{80}'..='\u{bf}' => true,
        '€' | 'ƒ' | '†' | '‡' | 'ˆ' | '‰' | 'Š' | 'Œ' | 'Ž' | '•' | '˜' | '™' | 'š' | 'œ' | 'ž' | 'Ÿ' => {
            true
        }
        '‚' | '„' | '…' | '‹' | '›' | '‘' | '’' | '“' | '”' | '–' | '—' => is_within,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    /// Reads the UTF-8 of a text as Windows-1252, and bytes without a character there as Latin-1.
    fn misread(text: &str) -> String {
        const FROM_80: [char; 32] = [
            '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
            '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
        ];
        let read = |byte: u8| match byte {
            0x80..=0x9f => FROM_80[usize::from(byte) - 0x80],
            byte => char::from(byte),
        };
        text.bytes().map(read).collect()
    }

    #[test]
    fn texts_read_in_the_wrong_encoding_are_told() {
        for text in [
            "Müller",
            "Zoë",
            "Österreich",
            "don’t",
            "– see",
            "10 €",
            "Łódź",
            "naïve",
            "Čapek",
            "Ελλάδα",
            "Мария",
            "Nguyễn Ân",
        ] {
            assert!(!is_misread(text), "{text}");
            assert!(is_misread(&misread(text)), "{text} as {}", misread(text));
            let latin_1: String = text.bytes().map(char::from).collect();
            assert!(is_misread(&latin_1), "{text} as {latin_1}");
        }
        assert!(is_misread("M\u{fffd}ller"));
        assert_eq!(misread("Müller’s"), "MÃ¼llerâ€™s");
    }

    #[test]
    fn texts_in_capitals_and_quotes_are_not_taken_for_it() {
        for text in [
            "SÃO PAULO",
            "“MAÇÃ”",
            "«MAÇÃ»",
            "IRMÃ\u{a0}",
            "PYHÄJÄRVELLÄ”",
            "Ñandú",
            "ESPAÑA",
            "ÂGE",
            "château",
            "pâté",
            "Ä–B",
        ] {
            assert_eq!(is_misread(text), text == "Ä–B", "{text}");
        }
    }

    #[test]
    fn names_places_and_notes_are_judged() {
        let found_at_the_end = run("QUA-02", json!({"billing_name": "VoilÃ\u{a0}"}));
        assert_eq!(found_at_the_end, ["billing_name text_in_wrong_encoding (warning)"]);
        let found = |text: Value| {
            let person = json!({"given_name": text, "family_name": text});
            let street = json!({"street_name": text});
            let address = json!({"locality": text, "structured_street_address": street});
            let gas = json!({
                "suburb_or_place_or_locality": text, "street": [street], "building_or_property_name": text,
                "location_descriptor": text,
            });
            let mut customer = person.clone();
            customer["address"] = address.clone();
            customer["salutation"] = text.clone();
            let mut body = json!({
                "customers": [customer],
                "notes": [{"body": text}],
                "payment_instructions": [{"bank_account": {"account_holder": text}}],
                "supply_addresses": [{
                    "supply_address": address,
                    "property_administrators": [person],
                    "meter_points": [{"supply_type": "GAS", "address": gas}],
                }],
            });
            for name in ["billing_name", "billing_sub_name", "billing_attention_of"] {
                body[name] = text.clone();
            }
            for line in 1..=5 {
                body[format!("billing_address{line}")] = text.clone();
            }
            run("QUA-02", body)
        };
        let lines = found(json!("MÃ¼ller"));
        assert_eq!(lines.len(), 8 + 3 + 2 + 2 + 1 + 1 + 2 + 4, "{lines:#?}");
        assert!(lines.iter().all(|line| line.ends_with(" text_in_wrong_encoding (warning)")), "{lines:#?}");
        for text in [json!("Müller"), json!("Muller"), json!(7)] {
            assert_eq!(found(text), [""; 0]);
        }
        let business = json!({"business": {"company_name": "CafÃ©"}});
        assert_eq!(
            run_business("QUA-02", business, facts()),
            ["business.company_name text_in_wrong_encoding (warning)"]
        );
    }
}
