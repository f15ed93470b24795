use super::texts::{Fault, Identifiers, Names};
use crate::prelude::*;

/// A word that stands for a missing value, or what a spreadsheet made of a value.
pub(super) const QUA_01: Rule = Rule {
    id: RuleId("QUA-01"),
    codes: &[Code::PlaceholderValue],
    place: "names (`given_name` and `family_name` of `customers.#` and `property_administrators.#`, `billing_name`, \
        `business.company_name`), places (`locality`, `suburb_or_place_or_locality`, `street_name`), identifiers \
        (`external_account_number`, `statement_id`, `MP.mpxn`, `.parent_nmi`, `.parent_mirn`, `tariff_code`, \
        `meter_serial_number`, `register_id`, `reference` and `account_number` of payment instructions)",
    condition: "a [placeholder](#107-placeholders)",
    level: Level::Warning,
    on: On::Several(&[
        On::Account(billing),
        Names::<Placeholder>::OF_CUSTOMER,
        Names::<Placeholder>::OF_ADMINISTRATOR,
        Names::<Placeholder>::OF_ADDRESS,
        Names::<Placeholder>::OF_BUSINESS,
        Identifiers::<Placeholder>::OF_ACCOUNT,
        Identifiers::<Placeholder>::OF_METER_POINT,
        Identifiers::<Placeholder>::OF_AGREEMENT,
        Identifiers::<Placeholder>::OF_METER,
        Identifiers::<Placeholder>::OF_INSTRUCTION,
    ]),
    ..Rule::OF_PAYLOAD
};

struct Placeholder;

impl Fault for Placeholder {
    const CODE: Code = Code::PlaceholderValue;

    fn is_in(text: &Text<'_>) -> bool {
        is_placeholder(text.trimmed())
    }
}

fn billing(account: &Account<'_>, checker: &mut Checker<'_>) {
    Placeholder::check(&account.billing_name, "billing_name", &At::ROOT, checker);
}

/// Words for what is missing, in lower case, sorted: English first of all, then what exports of other languages have.
/// Words that are names or places somewhere, such as `na`, `nil` or `leer`, are left out, but for `null` and `nan`, which
/// are too frequent in exports.
const WORDS: [&str; 60] = [
    "#n/a",
    "#n/d",
    "a confirmar",
    "anonym",
    "anonymous",
    "aucun",
    "desconhecido",
    "desconocido",
    "dummy",
    "empty",
    "inconnu",
    "k. a.",
    "k.a.",
    "keine",
    "keine angabe",
    "manquant",
    "missing",
    "n. a.",
    "n. v. t.",
    "n.a",
    "n.a.",
    "n.n.",
    "n.v.t.",
    "n/a",
    "n/d",
    "nan",
    "nessuno",
    "nicht bekannt",
    "nieznany",
    "ninguno",
    "no aplica",
    "no data",
    "no name",
    "none",
    "not applicable",
    "not available",
    "not known",
    "not provided",
    "null",
    "okänd",
    "onbekend",
    "placeholder",
    "sans objet",
    "sconosciuto",
    "sin datos",
    "sin nombre",
    "string",
    "tba",
    "tbc",
    "tbd",
    "test",
    "test test",
    "testing",
    "to be advised",
    "to be confirmed",
    "tuntematon",
    "ukendt",
    "unbekannt",
    "undefined",
    "unknown",
];

/// Number of bytes of the longest word.
const LONGEST: usize = 15;
/// More words than have the same number of bytes.
const MOST: usize = 12;

/// The words by their number of bytes, each as one number: nearly every text is compared with a few of them, and none.
static BY_LENGTH: [[u128; MOST]; LONGEST + 1] = {
    // No text has these bytes.
    let mut all = [[u128::MAX; MOST]; LONGEST + 1];
    let mut next = [0; LONGEST + 1];
    let mut i = 0;
    while i < WORDS.len() {
        let word = WORDS[i].as_bytes();
        let (mut bytes, mut place) = ([0; 16], 0);
        while place < word.len() {
            bytes[place] = word[place];
            place += 1;
        }
        all[word.len()][next[word.len()]] = u128::from_le_bytes(bytes);
        next[word.len()] += 1;
        i += 1;
    }
    all
};

/// The first characters of the words of a number of bytes: a bit for the lower five bits of each.
static INITIALS: [u32; LONGEST + 1] = {
    let mut all = [0; LONGEST + 1];
    let mut i = 0;
    while i < WORDS.len() {
        let word = WORDS[i].as_bytes();
        all[word.len()] |= 1 << (word[0] & 0x1f);
        i += 1;
    }
    all
};

/// Returns true if a trimmed text is a placeholder (rules 10.7).
fn is_placeholder(text: &str) -> bool {
    let bytes = text.as_bytes();
    match bytes {
        [first, ..] if first.is_ascii_alphabetic() => is_word(bytes) || is_crossed_out(bytes),
        [first, ..] if first.is_ascii_digit() => is_rounded_number(bytes),
        [b'-', rest @ ..] if is_rounded_number(rest) => true,
        [b'#', b'A'..=b'Z' | b'a'..=b'z', .., b'!' | b'?'] => true,
        [] => false,
        _ => bytes.iter().all(|byte| FILLERS.contains(byte)) || is_word(bytes),
    }
}

/// Characters of which a text says nothing.
const FILLERS: &[u8] = b"?-_.*/\\ ";

fn is_word(bytes: &[u8]) -> bool {
    let (Some(words), [first, ..]) = (BY_LENGTH.get(bytes.len()), bytes) else { return false };
    if INITIALS[bytes.len()] & 1 << (first & 0x1f) == 0 {
        return false;
    }
    let mut lower = [0; 16];
    lower[..bytes.len()].copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    words.contains(&u128::from_le_bytes(lower))
}

fn is_crossed_out(bytes: &[u8]) -> bool {
    bytes.len() > 1 && bytes.iter().all(|byte| byte | 0x20 == b'x')
}

/// Returns true for what spreadsheets write for a long number: `1.23E+10`.
fn is_rounded_number(bytes: &[u8]) -> bool {
    let is_sign = |from_end: usize| {
        let place = bytes.len().checked_sub(from_end);
        place.is_some_and(|place| matches!(bytes[place], b'+' | b'-'))
    };
    let Some(sign) = (2..=4).find(|from_end| is_sign(*from_end)) else { return false };
    let (number, exponent) = bytes.split_at(bytes.len() - sign);
    let [digits @ .., b'e' | b'E'] = number else { return false };
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    digits.first().is_some_and(is_digit)
        && digits.iter().all(|byte| is_digit(byte) || matches!(byte, b'.' | b','))
        && exponent[1..].iter().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    #[test]
    fn words_are_in_order_and_none_is_longer() {
        assert!(WORDS.is_sorted(), "{WORDS:?}");
        assert!(WORDS.iter().all(|word| word.len() <= LONGEST && *word == word.to_ascii_lowercase()));
        assert!(WORDS.iter().all(|word| is_placeholder(&word.to_ascii_uppercase())));
        assert!(!is_placeholder("\0\0\0"), "the end of the list is no word");
    }

    #[test]
    fn placeholders() {
        for text in [
            "NULL",
            "null",
            "nan",
            "NaN",
            "N/A",
            "n/a",
            "#N/A",
            "#REF!",
            "#NAME?",
            "#DIV/0!",
            "TEST",
            "Test",
            "?",
            "???",
            "-",
            "--",
            ".",
            "XXX",
            "xx",
            "Unbekannt",
            "INCONNU",
            "1.23E+10",
            "6,1E+10",
            "-5E-3",
            "6e+10",
            "* * *",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in [
            "",
            "Null-Meier",
            "Nan Li",
            "Na",
            "Nadia",
            "X",
            "Xu",
            "Testa",
            "12E4",
            "12E4A",
            "E+4",
            "1.2.E",
            "1E+",
            "#12",
            "# 4!",
            "61023456789",
            "A-1",
            "-1",
            "+61",
            "O'Neil",
            "Unknown Rd",
            "?x",
            "é",
            "—",
        ] {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn names_and_places_are_judged() {
        let found = |text: Value| {
            let person = json!({"given_name": text, "family_name": text});
            let street = json!({"street_name": text});
            let address = json!({"locality": text, "structured_street_address": street});
            let gas = json!({"suburb_or_place_or_locality": text, "street": [street]});
            let mut customer = person.clone();
            customer["address"] = address.clone();
            run(
                "QUA-01",
                json!({
                    "billing_name": text,
                    "customers": [customer],
                    "supply_addresses": [{
                        "supply_address": address,
                        "property_administrators": [person],
                        "meter_points": [{"supply_type": "GAS", "address": gas}],
                    }],
                }),
            )
        };
        let point = "supply_addresses.0.meter_points.0.address";
        let expected = [
            "billing_name".to_owned(),
            "customers.0.address.locality".into(),
            "customers.0.address.structured_street_address.street_name".into(),
            "customers.0.family_name".into(),
            "customers.0.given_name".into(),
            format!("{point}.street.0.street_name"),
            format!("{point}.suburb_or_place_or_locality"),
            "supply_addresses.0.property_administrators.0.family_name".into(),
            "supply_addresses.0.property_administrators.0.given_name".into(),
            "supply_addresses.0.supply_address.locality".into(),
            "supply_addresses.0.supply_address.structured_street_address.street_name".into(),
        ]
        .map(|place| format!("{place} placeholder_value (warning)"));
        assert_eq!(found(json!(" null ")), expected);
        for text in [json!("Nullarbor"), json!(7), json!("")] {
            assert_eq!(found(text), [""; 0]);
        }
        let business = json!({"business": {"company_name": "N/A"}});
        assert_eq!(
            run_business("QUA-01", business, facts()),
            ["business.company_name placeholder_value (warning)"]
        );
    }

    #[test]
    fn identifiers_that_a_spreadsheet_rounded_are_reported() {
        let rounded = "6.10235E+10";
        let body = json!({
            "external_account_number": rounded,
            "statements": [{"statement_id": rounded}],
            "payment_instructions": [{"reference": rounded, "bank_account": {"account_number": rounded}}],
            "supply_addresses": [{"meter_points": [{
                "supply_type": "EMBEDDED_ELECTRICITY", "mpxn": rounded, "parent_nmi": rounded,
                "agreements": [{"tariff_code": rounded}],
                "meters": [{"meter_serial_number": rounded, "registers": [{"register_id": "6.1E+10"}]}],
            }]}],
        });
        let prefix = "supply_addresses.0.meter_points.0";
        let expected = [
            "external_account_number".to_owned(),
            "payment_instructions.0.bank_account.account_number".into(),
            "payment_instructions.0.reference".into(),
            "statements.0.statement_id".into(),
            format!("{prefix}.agreements.0.tariff_code"),
            format!("{prefix}.meters.0.meter_serial_number"),
            format!("{prefix}.meters.0.registers.0.register_id"),
            format!("{prefix}.mpxn"),
            format!("{prefix}.parent_nmi"),
        ]
        .map(|place| format!("{place} placeholder_value (warning)"));
        assert_eq!(run("QUA-01", body), expected);
        let gas = json!({"supply_type": "UNMETERED_GAS", "parent_mirn": "#REF!"});
        assert_eq!(found("QUA-01", point(gas)), ["parent_mirn placeholder_value (warning)"]);
    }
}
