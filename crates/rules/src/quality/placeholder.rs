use super::identifiers::{Fault, Identifiers};
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
        On::Customer(customer),
        On::Administrator(administrator),
        On::Address(place),
        On::Business(company),
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

    fn is_in(text: &str) -> bool {
        is_placeholder(text)
    }
}

fn billing(account: &Account<'_>, checker: &mut Checker<'_>) {
    check(&account.billing_name, "billing_name", &At::ROOT, checker);
}

fn customer(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&customer.given_name, "given_name", at, checker);
    check(&customer.family_name, "family_name", at, checker);
}

fn administrator(administrator: &PropertyAdministrator<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&administrator.given_name, "given_name", at, checker);
    check(&administrator.family_name, "family_name", at, checker);
}

fn place(address: Address<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    match address {
        Address::Postal(address) => {
            check(&address.locality, "locality", at, checker);
            if let Some(street) = address.structured_street_address.usable() {
                check(&street.street_name, "street_name", &at.member("structured_street_address"), checker);
            }
        }
        Address::Gas(address) => {
            check(&address.suburb_or_place_or_locality, "suburb_or_place_or_locality", at, checker);
            items(&address.street, "street", at, |street, at| {
                check(&street.street_name, "street_name", at, checker);
            });
        }
    }
}

fn company(business: &Business<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&business.company_name, "company_name", at, checker);
}

fn check(text: &Field<Text<'_>>, name: &'static str, at: &At<'_>, checker: &mut Checker<'_>) {
    if text.usable().is_some_and(|text| is_placeholder(text.trimmed())) {
        checker.report(at.member(name), Code::PlaceholderValue);
    }
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

const LONGEST: usize = 15;

/// Returns true if a trimmed text is a placeholder (rules 10.7).
fn is_placeholder(text: &str) -> bool {
    let bytes = text.as_bytes();
    match bytes {
        [] => false,
        [b'0'..=b'9' | b'+' | b'-', ..] if is_rounded_number(bytes) => true,
        [b'0'..=b'9', ..] => false,
        [b'#', b'A'..=b'Z' | b'a'..=b'z', .., b'!' | b'?'] => true,
        _ if bytes.iter().all(|byte| FILLERS.contains(byte)) => true,
        _ => is_word(text) || text.len() > 1 && bytes.iter().all(|byte| byte | 0x20 == b'x'),
    }
}

/// Characters of which a text says nothing.
const FILLERS: &[u8] = b"?-_.*/\\ ";

/// Returns true for what spreadsheets write for a long number: `1.23E+10`.
fn is_rounded_number(bytes: &[u8]) -> bool {
    let Some(place) = bytes.iter().position(|byte| byte | 0x20 == b'e') else { return false };
    let is_number = |part: &[u8]| {
        part.first().is_some_and(u8::is_ascii_digit)
            && part.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
    };
    let (number, exponent) = (&bytes[..place], &bytes[place + 1..]);
    is_number(number.strip_prefix(b"-").unwrap_or(number))
        && matches!(exponent, [b'+' | b'-', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

fn is_word(text: &str) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    let mut lower = [0; LONGEST];
    let lower = &mut lower[..text.len()];
    lower.copy_from_slice(text.as_bytes());
    lower.make_ascii_lowercase();
    WORDS.binary_search_by(|word| word.as_bytes().cmp(lower)).is_ok()
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
        let point = "supply_addresses.0.meter_points.0";
        let expected = [
            "external_account_number".to_owned(),
            "payment_instructions.0.bank_account.account_number".into(),
            "payment_instructions.0.reference".into(),
            "statements.0.statement_id".into(),
            format!("{point}.agreements.0.tariff_code"),
            format!("{point}.meters.0.meter_serial_number"),
            format!("{point}.meters.0.registers.0.register_id"),
            format!("{point}.mpxn"),
            format!("{point}.parent_nmi"),
        ]
        .map(|place| format!("{place} placeholder_value (warning)"));
        assert_eq!(run("QUA-01", body), expected);
        let gas = json!({"supply_type": "UNMETERED_GAS", "parent_mirn": "#REF!"});
        assert_eq!(found("QUA-01", point_of(gas)), ["parent_mirn placeholder_value (warning)"]);
    }

    fn point_of(body: Value) -> Value {
        crate::testing::point(body)
    }
}
