//! A normal form of an account's JSON in which the sent and the stored account are equal. Written without
//! the encoder's normal form, as a check of it.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use cutover_core::Zone;
use cutover_model::Encode;
use serde_json::Value;

/// Members that are stored trimmed (contract D1).
const IDENTITIES: &[&str] = &[
    "import_supplier",
    "external_account_number",
    "business_contract_identifier",
    "mpxn",
    "transaction_id",
    "statement_id",
];

const TIMES: &[&str] = &[
    "agreed_at",
    "occurred_at",
    "created_at",
    "unpin_at",
    "active_from",
    "active_to",
    "start_at",
    "end_at",
    "from_date",
    "to_date",
];

/// Returns an account, or a part of one, with numbers as strings of their digits, times as instants, trimmed
/// identities, and without nulls and empty values. `zone` is that of times without offset.
pub fn comparable(value: &impl Encode, zone: Zone) -> Value {
    comparable_json(&String::from_utf8(value.to_json()).unwrap(), zone)
}

/// The same of JSON text.
pub fn comparable_json(json: &str, zone: Zone) -> Value {
    let mut value = serde_json::from_str(&quoted_numbers(json)).unwrap();
    tidy(&mut value, zone);
    value
}

/// Returns the path of the first difference of two values, and the difference.
pub fn difference(a: &Value, b: &Value) -> Option<String> {
    let inside = |name: &str, a: &Value, b: &Value| Some(format!("{name}.{}", difference(a, b)?));
    match (a, b) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            (0..).zip(a.iter().zip(b)).find_map(|(i, (a, b)): (u32, _)| inside(&i.to_string(), a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let names = a.keys().chain(b.keys());
            names
                .into_iter()
                .find_map(|n| inside(n, a.get(n).unwrap_or(&Value::Null), b.get(n).unwrap_or(&Value::Null)))
        }
        _ => (a != b).then(|| format!(" {a} is not {b}")),
    }
}

fn tidy(value: &mut Value, zone: Zone) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| tidy(item, zone)),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                match member {
                    // Free content is stored as sent.
                    _ if name == "params" => {}
                    Value::String(text) if IDENTITIES.contains(&name.as_str()) => {
                        *text = cutover_core::trimmed(text).to_owned();
                    }
                    Value::String(text) if TIMES.contains(&name.as_str()) => {
                        *text = instant(text, zone).to_rfc3339();
                    }
                    _ => tidy(member, zone),
                }
            }
            members.retain(|name, member| match member {
                Value::Null => false,
                _ => name == "params" || !is_empty(member),
            });
        }
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Parses a datetime of a payload: day, any separator, time, optional offset.
fn instant(text: &str, zone: Zone) -> DateTime<Utc> {
    let (day, rest) = text.split_at(10);
    let rest = &rest[1..];
    let end = rest.find(['Z', '+', '-']).unwrap_or(rest.len());
    let (time, offset) = rest.split_at(end);
    let day: NaiveDate = day.parse().unwrap();
    let time = if time.len() == 5 { format!("{time}:00") } else { time.to_owned() };
    let local = day.and_time(NaiveTime::parse_from_str(&time, "%H:%M:%S%.f").unwrap());
    match offset {
        "" => zone.instant(local).unwrap(),
        "Z" => local.and_utc(),
        _ => {
            let (hours, minutes): (i64, i64) = (offset[1..3].parse().unwrap(), offset[4..].parse().unwrap());
            let sign = if offset.starts_with('-') { -1 } else { 1 };
            (local - chrono::Duration::minutes(sign * (hours * 60 + minutes))).and_utc()
        }
    }
}

/// Parses JSON with numbers as strings; an exponent of 0 is removed.
fn quoted_numbers(json: &str) -> String {
    let (mut out, mut number) = (String::new(), String::new());
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        let is_number = !in_string
            && (c.is_ascii_digit()
                || matches!(c, '-' | '.')
                || (!number.is_empty() && matches!(c, 'e' | '+')));
        if is_number {
            number.push(c);
            continue;
        }
        if !number.is_empty() {
            out.push_str(&format!("\"{}\"", written_out(&number)));
            number.clear();
        }
        if in_string {
            (in_string, escaped) = (escaped || c != '"', !escaped && c == '\\');
        } else {
            in_string = c == '"';
        }
        out.push(c);
    }
    out
}

fn written_out(number: &str) -> &str {
    match number.strip_suffix("e0") {
        Some(digits) if digits.contains('.') => digits.trim_end_matches('0').trim_end_matches('.'),
        Some(digits) => digits,
        None => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_accounts_become_equal() {
        assert_eq!(
            quoted_numbers(r#"{"a\"1":-1.50,"b":["2",12.50e0]}"#),
            r#"{"a\"1":"-1.50","b":["2","12.5"]}"#
        );
        let sydney = "Australia/Sydney".parse().unwrap();
        for text in ["2026-07-01:10:00", "2026-07-01T00:00:00.0Z", "2026-06-30 14:00:00-10:00"] {
            assert_eq!(instant(text, sydney).to_rfc3339(), "2026-07-01T00:00:00+00:00");
        }
        let mut value = json!({"mpxn": " 1 ", "a": [{"b": null}], "c": [], "params": {"d": null}});
        tidy(&mut value, Zone::UTC);
        assert_eq!(value, json!({"mpxn": "1", "a": [{}], "params": {"d": null}}));
    }

    #[test]
    fn differences_are_found() {
        let value = json!({"a": [1, {"b": "x"}]});
        assert_eq!(difference(&value, &value), None);
        let other = json!({"a": [1, {"b": "x", "c": 2}]});
        assert_eq!(difference(&value, &other).unwrap(), "a.1.c. null is not 2");
        assert_eq!(difference(&value, &json!({"a": [1]})).unwrap(), r#"a. [1,{"b":"x"}] is not [1]"#);
    }
}
