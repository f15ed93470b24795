use super::texts::{Fault, Identifiers};
use crate::prelude::*;

/// An identifier with a character that nobody sees.
pub(super) const QUA_05: Rule = Rule {
    id: RuleId("QUA-05"),
    codes: &[Code::InvisibleCharacterInIdentifier],
    place: "`external_account_number`, `statement_id`, `MP.mpxn`, `.parent_nmi`, `.parent_mirn`, `tariff_code`, \
        `meter_serial_number`, `register_id`, `TX.transaction_id`, `TX.product_code`, `reference` and `account_number` \
        of payment instructions",
    condition: "contains an [invisible character](#110-invisible-characters)",
    level: Level::Warning,
    on: On::Several(&[
        Identifiers::<Invisible>::OF_ACCOUNT,
        Identifiers::<Invisible>::OF_METER_POINT,
        Identifiers::<Invisible>::OF_AGREEMENT,
        Identifiers::<Invisible>::OF_METER,
        Identifiers::<Invisible>::OF_TRANSACTION,
        Identifiers::<Invisible>::OF_INSTRUCTION,
    ]),
    ..Rule::OF_PAYLOAD
};

struct Invisible;

impl Fault for Invisible {
    const CODE: Code = Code::InvisibleCharacterInIdentifier;

    fn is_in(text: &Text<'_>) -> bool {
        !is_plain(text.as_sent().as_bytes()) && text.trimmed().chars().any(is_invisible)
    }
}

/// Returns true if each byte is ASCII and no control character below U+0020. Nearly every identifier is, so that eight
/// bytes are looked at together, the last eight perhaps again.
fn is_plain(bytes: &[u8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const SPACES: u64 = ONES * b' ' as u64;
    // Sets the highest bit of each byte that is not plain, and perhaps of those above it.
    let odd = |chunk: &[u8; 8]| {
        let bytes = u64::from_le_bytes(*chunk);
        (bytes.wrapping_sub(SPACES) | bytes) & (ONES * 0x80)
    };
    let Some(last) = bytes.last_chunk() else {
        return bytes.iter().all(|byte| matches!(byte, b' '..=0x7f));
    };
    let (chunks, _) = bytes.as_chunks();
    chunks.iter().fold(odd(last), |all, chunk| all | odd(chunk)) == 0
}

/// White space other than the space, control characters, and characters that only join, part or turn others
/// (rules 1.10).
fn is_invisible(character: char) -> bool {
    let is_other_space = character != ' ' && character.is_whitespace();
    is_other_space
        || character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    #[test]
    fn only_printable_ascii_is_plain() {
        for text in ["", "A", "61023456", "6102345678", "A 1~", "ELEC-1001-SC-10-and-more"] {
            assert!(is_plain(text.as_bytes()), "{text}");
        }
        for odd in (0..b' ').chain(0x80..=0xff) {
            for place in 0..20 {
                let mut text = [b'~'; 20];
                text[place] = odd;
                assert!(!is_plain(&text), "{odd} at {place}");
                assert!(!is_plain(&text[..=place]), "{odd} at the end");
            }
        }
    }

    #[test]
    fn characters_that_cannot_be_seen() {
        for text in [
            "A\u{a0}1",
            "A\u{200b}1",
            "A\u{202e}1",
            "\u{feff}A1",
            "A1\u{200d}",
            "A\u{ad}1",
            "A\t1",
            "A\u{7}1",
            "A\u{2009}1",
            "A\u{3000}1",
            "A\u{2066}1",
            "é\u{7f}",
        ] {
            assert!(!is_plain(text.as_bytes()) && text.chars().any(is_invisible), "{text:?}");
        }
        for text in ["A 1", "", "Zoë", "Zoe\u{308}", "田中", "A—1", "~!@#$%^&*()"] {
            assert!(!text.chars().any(is_invisible), "{text:?}");
        }
    }

    #[test]
    fn identifiers_are_judged() {
        let odd = "6\u{200b}1";
        let transactions = json!([{"transaction_id": odd, "product_code": odd}]);
        let body = json!({
            "external_account_number": odd,
            "statements": [{"statement_id": odd}],
            "payment_instructions": [{"reference": odd, "bank_account": {"account_number": odd}}],
            "ledgers": [{"current_statement_transactions": transactions}],
            "supply_addresses": [{"meter_points": [{
                "supply_type": "ELECTRICITY", "mpxn": odd, "agreements": [{"tariff_code": odd}],
                "meters": [{"meter_serial_number": odd, "registers": [{"register_id": odd}]}],
            }]}],
        });
        let point = "supply_addresses.0.meter_points.0";
        let expected = [
            "external_account_number".to_owned(),
            "ledgers.0.current_statement_transactions.0.product_code".into(),
            "ledgers.0.current_statement_transactions.0.transaction_id".into(),
            "payment_instructions.0.bank_account.account_number".into(),
            "payment_instructions.0.reference".into(),
            "statements.0.statement_id".into(),
            format!("{point}.agreements.0.tariff_code"),
            format!("{point}.meters.0.meter_serial_number"),
            format!("{point}.meters.0.registers.0.register_id"),
            format!("{point}.mpxn"),
        ]
        .map(|place| format!("{place} invisible_character_in_identifier (warning)"));
        assert_eq!(run("QUA-05", &body), expected);
        assert_eq!(run("QUA-05", body.to_string().replace('\u{200b}', " ")), [""; 0]);
        assert_eq!(
            run("QUA-05", json!({"external_account_number": "\u{a0}A-1\u{2003}"})),
            [""; 0],
            "trimmed"
        );
        assert_eq!(request_finds("QUA-05", &transactions).len(), 2);
        let meters = ["GAS", "EMBEDDED_ELECTRICITY", "EMBEDDED_GAS", "EMBEDDED_WATER"];
        for kind in meters {
            let found = found("QUA-05", meter(kind, json!({"meter_serial_number": odd})));
            assert_eq!(found, ["meter_serial_number invisible_character_in_identifier (warning)"], "{kind}");
        }
    }
}
