use cutover_model::{Account, Encode, Zone, decode_account};
use cutover_testkit::payload::account_json;
use proptest::prelude::*;

pub(crate) fn plain(body: &[u8]) -> Account<'_> {
    let decoded = decode_account(body, Zone::UTC).unwrap();
    let errors: Vec<_> = decoded.findings.iter().map(|f| format!("{} {}", f.attr, f.check.code)).collect();
    decoded.draft.unwrap().into_valid().unwrap_or_else(|| panic!("{errors:?}")).0
}

/// JSON values with numbers as text, so that digits count.
fn tokens(json: &[u8]) -> serde_json::Value {
    let text = std::str::from_utf8(json).unwrap();
    let mut out = String::new();
    let (mut in_string, mut escaped, mut number) = (false, false, String::new());
    for c in text.chars().chain(" ".chars()) {
        if !in_string
            && (c.is_ascii_digit()
                || matches!(c, '-' | '.')
                || (!number.is_empty() && matches!(c, 'e' | '+')))
        {
            number.push(c);
            continue;
        }
        if !number.is_empty() {
            out.push_str(&format!("{{\"number\":\"{number}\"}}"));
            number.clear();
        }
        if in_string {
            (in_string, escaped) = (escaped || c != '"', !escaped && c == '\\');
        } else {
            in_string = c == '"';
        }
        out.push(c);
    }
    serde_json::from_str(&out).unwrap()
}

/// The JSON text with white space around every punctuation character outside strings.
fn spaced(json: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let spaced = json.chars().map(|c| {
        if in_string {
            (in_string, escaped) = (escaped || c != '"', !escaped && c == '\\');
        } else {
            in_string = c == '"';
        }
        if !in_string && ",:{}[]".contains(c) { format!(" \t{c}\r\n ") } else { c.to_string() }
    });
    spaced.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn encoding_gives_back_equal_json_with_the_digits_as_sent(seed: u64) {
        let sent = account_json(seed);
        let encoded = plain(sent.as_bytes()).to_json();
        prop_assert_eq!(tokens(&encoded), tokens(sent.as_bytes()));
    }

    #[test]
    fn white_space_between_tokens_has_no_effect(seed: u64) {
        let sent = account_json(seed);
        prop_assert_eq!(tokens(&plain(spaced(&sent).as_bytes()).to_json()), tokens(sent.as_bytes()));
    }

    #[test]
    fn decode_encode_decode_is_a_fixed_point(seed: u64) {
        let sent = account_json(seed);
        let account = plain(sent.as_bytes());
        let encoded = account.to_json();
        prop_assert_eq!(&plain(&encoded), &account);
        prop_assert_eq!(plain(&encoded).to_json(), encoded);
    }
}
