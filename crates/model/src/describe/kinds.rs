//! JSON Schemas of the kinds of members. Only the decoder checks what a schema cannot express: that a day
//! exists, the digits of a number after the point, and repeated members.

use super::Json;
use crate::decode::{FieldSpec, Kind};

/// A text without U+0000 (rule STR-16).
const ANY_TEXT: &str = r"^[^\u0000]*$";
/// The same with at least one character that is not white space (fields 1.4).
const FILLED_TEXT: &str = r"^[^\u0000]*[^\u0000 \t\r\n][^\u0000]*$";
const DATE: &str = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])";
const TIME: &str = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?";
const OFFSET: &str = "(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])?";
/// Below 10^18 (fields 1.5).
const LARGEST_INTEGER: i64 = 999_999_999_999_999_999;

/// The schema of a member whose kind refers to no other schema; `None` for objects, meter points and arrays.
pub(super) fn leaf(field: &FieldSpec) -> Option<Json> {
    Some(match field.kind {
        Kind::Text { min, max, .. } => text(field, min, max),
        Kind::Digits { min, max } => string().with("pattern", format!("^[0-9]{{{min},{max}}}$")),
        Kind::Choice { words, .. } => string().with("enum", Json::list(words.iter().copied())),
        Kind::Open { max, known } => {
            text(field, 0, max).with("x-known-values", Json::list(known.iter().copied()))
        }
        Kind::TextOrInteger { max } => text(field, 0, Some(max)).with("type", either("string", "integer")),
        Kind::Date => string().with("format", "date").with("pattern", format!("^{DATE}$")),
        Kind::DateTime => string().with("pattern", format!("^{DATE}[T :]{TIME}{OFFSET}$")),
        Kind::Decimal { before, after, positive } => decimal(before, after, positive),
        Kind::Integer { min, max } => integer(min, max),
        Kind::Boolean => of_type("boolean"),
        Kind::FreeObject => free_object(),
        // Generators of clients refuse an array without items.
        Kind::FreeArray => of_type("array").with("items", Json::object()),
        Kind::Object(_) | Kind::MeterPoint | Kind::List { .. } => return None,
    })
}

/// A schema of this type without further conditions.
pub(super) fn of_type(name: &str) -> Json {
    Json::object().with("type", name)
}

fn string() -> Json {
    of_type("string")
}

fn either(one: &str, other: &str) -> Json {
    Json::list([one, other])
}

fn text(field: &FieldSpec, min: u32, max: Option<u32>) -> Json {
    let schema = string().with_some("maxLength", max);
    if field.refuses_blank() {
        return schema.with("pattern", FILLED_TEXT).with_some("minLength", (min > 1).then_some(min));
    }
    // A blank text counts as absent, however short it is.
    match min {
        0 => schema.with("pattern", ANY_TEXT),
        _ => schema.with("pattern", format!(r"^([ \t\r\n]*|[^\u0000]{{{min},}})$")),
    }
}

/// Leading zeros before and trailing zeros after the point do not count (fields 1.5).
fn decimal(before: u32, after: u32, positive: bool) -> Json {
    let whole = if before == 0 { "0+".to_owned() } else { format!("0*[0-9]{{1,{before}}}") };
    let part = if after == 0 { r"(\.0+)?".to_owned() } else { format!(r"(\.[0-9]{{1,{after}}}0*)?") };
    let schema = Json::object().with("type", either("string", "number"));
    let bound = format!("1{}", "0".repeat(before as usize));
    let schema = if positive {
        let pattern = format!(r"^(-0+(\.0+)?|{whole}{part})$");
        schema.with("pattern", pattern).with("minimum", 0_u32)
    } else {
        let below = Json::Number(format!("-{bound}"));
        schema.with("pattern", format!("^-?{whole}{part}$")).with("exclusiveMinimum", below)
    };
    schema.with("exclusiveMaximum", Json::Number(bound))
}

fn integer(min: Option<i64>, max: Option<i64>) -> Json {
    Json::object()
        .with("type", either("integer", "string"))
        .with("minimum", min.unwrap_or(-LARGEST_INTEGER))
        .with("maximum", max.unwrap_or(LARGEST_INTEGER))
        .with("pattern", "^-?[0-9]{1,18}$")
}

/// The schema of an object with any members. Without `additionalProperties`, generated clients give it none.
fn free_object() -> Json {
    of_type("object").with("additionalProperties", true)
}

/// The schema that also allows `null`. For a list of words `null` is an alternative of its own: as one of the
/// words, generators of clients make several types of the list.
pub(super) fn nullable(schema: Json) -> Json {
    match (schema.get("type").cloned(), schema.get("enum")) {
        (Some(Json::List(kinds)), None) => {
            schema.with("type", Json::List(kinds.into_iter().chain(["null".into()]).collect()))
        }
        (Some(kind), None) => schema.with("type", Json::List(vec![kind, "null".into()])),
        _ => Json::object().with("anyOf", vec![schema, of_type("null")]),
    }
}
