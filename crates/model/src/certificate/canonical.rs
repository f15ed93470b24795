//! The canonical form of JSON (RFC 8785), for documents whose numbers are whole.
//!
//! Strings and whole numbers of `serde_json` are in that form already; only members have to be sorted. The libraries for it
//! switch on a feature of `serde_json` for floating point, in every crate of a build.

use serde_json::{Map, Value};

/// The largest number that every reader of JSON has exactly.
const LARGEST: u64 = 1 << 53;

/// Returns the text of a value; `None` if it has a number that is not whole, or too large.
pub(super) fn canonical(value: Value) -> Option<Vec<u8>> {
    serde_json::to_vec(&sorted(value)?).ok()
}

fn sorted(value: Value) -> Option<Value> {
    Some(match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> = members.into_iter().collect();
            members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            let members = members.into_iter().map(|(name, value)| Some((name, sorted(value)?)));
            Value::Object(members.collect::<Option<Map<_, _>>>()?)
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect::<Option<_>>()?),
        Value::Number(number) => {
            let is_whole = number.as_u64().or(number.as_i64().map(i64::unsigned_abs));
            return is_whole.filter(|n| *n <= LARGEST).map(|_| Value::Number(number));
        }
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> Option<String> {
        canonical(serde_json::from_str(json).unwrap()).map(|text| String::from_utf8(text).unwrap())
    }

    /// The examples of RFC 8785, 3.2.2 and 3.2.3, without floating point.
    #[test]
    fn the_examples_of_the_rfc_have_their_form() {
        let string =
            r#"{"string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"#;
        let expected = "{\"literals\":[null,true,false],\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(text(string).unwrap(), expected);
        let members =
            r#"{"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7}"#;
        let expected = "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}";
        assert_eq!(text(members).unwrap(), expected);
        assert_eq!(
            text("[\"\\b\\f\\t\\u007f\", -0, 9007199254740992, -7]"),
            None,
            "-0 is no whole number here"
        );
        assert_eq!(
            text("[\"\\b\\f\\t\\u007f\", 9007199254740992, -7]").unwrap(),
            "[\"\\b\\f\\t\u{7f}\",9007199254740992,-7]"
        );
    }

    #[test]
    fn other_numbers_have_no_form() {
        for json in ["1.5", "1e2", "9007199254740993", "-9007199254740993", "{\"a\":[0.0]}"] {
            assert_eq!(text(json), None, "{json}");
        }
    }
}
