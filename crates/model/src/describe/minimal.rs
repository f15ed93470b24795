//! The smallest bodies of requests.

use super::{Json, Request};
use crate::decode::{FieldSpec, Kind};
use crate::{MeterPointCommon, ObjectSpec};

/// The day of every date and datetime. It is in the past.
const DAY: &str = "2026-01-01";

/// Optional members without which rules refuse an object: a note has a text or a document (rule NOT-01).
const DEMANDED: [(&str, &str); 1] = [("note", "body")];

/// The smallest body of a request that the decoder and the rules accept: its required members, each with the least value.
/// Texts have the names of their members.
pub fn minimal(request: &Request) -> Json {
    object(request.object)
}

fn object(spec: &'static ObjectSpec) -> Json {
    let is_needed = |field: &&FieldSpec| field.required || DEMANDED.contains(&(spec.name, field.name));
    spec.fields
        .iter()
        .filter(is_needed)
        .fold(Json::object(), |made, field| made.with(field.name, value(field, field.name)))
}

/// The least value of a member, or of the items of one.
fn value(field: &'static FieldSpec, name: &str) -> Json {
    match field.kind {
        _ if field.nullable => Json::Null,
        Kind::Text { max, .. } => text(name, max),
        Kind::TextOrInteger { max } => text(name, Some(max)),
        Kind::Digits { min, .. } => "0".repeat(min as usize).as_str().into(),
        Kind::Choice { words, .. } | Kind::Open { known: words, .. } => {
            words.first().copied().unwrap_or(name).into()
        }
        Kind::Date => DAY.into(),
        Kind::DateTime => format!("{DAY}T00:00:00Z").into(),
        Kind::Decimal { .. } => "0.00".into(),
        Kind::Integer { min, .. } => Json::Number(min.unwrap_or_default().to_string()),
        Kind::Boolean => Json::Boolean(false),
        Kind::Object(spec) => object(spec()),
        Kind::MeterPoint => object(&MeterPointCommon::SPEC),
        Kind::List { item, min, .. } => Json::List((0..min).map(|_| value(item, name)).collect()),
        Kind::FreeObject => Json::object(),
        Kind::FreeArray => Json::List(Vec::new()),
    }
}

fn text(name: &str, max: Option<u32>) -> Json {
    let length = max.map_or(usize::MAX, |max| max as usize);
    name.chars().take(length).collect::<String>().into()
}
