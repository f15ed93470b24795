//! Compares accounts by their digits: no number is read as one of floating point.

use cutover_core::{AttrPath, Segment};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The path of the first difference of two accounts, by name; `None` if they have the same members. A number and a string of
/// its digits count as equal.
///
/// # Errors
/// If one is not JSON.
pub(crate) fn difference(one: &[u8], other: &[u8]) -> Result<Option<AttrPath>, serde_json::Error> {
    let mut comparison = Comparison { path: Vec::new() };
    let is_equal = comparison.is_equal(serde_json::from_slice(one)?, serde_json::from_slice(other)?)?;
    Ok((!is_equal).then(|| AttrPath::from(comparison.path)))
}

type Members<'j> = BTreeMap<String, &'j RawValue>;

struct Comparison {
    /// Leads to the values that are compared, and in the end to the difference.
    path: Vec<Segment>,
}

impl Comparison {
    fn is_equal(&mut self, one: &RawValue, other: &RawValue) -> Result<bool, serde_json::Error> {
        let (one, other) = (one.get(), other.get());
        Ok(match (one.as_bytes().first(), other.as_bytes().first()) {
            (Some(b'{'), Some(b'{')) => {
                let (one, other) = (members(one)?, members(other)?);
                return self.are_members_equal(&one, &other);
            }
            (Some(b'['), Some(b'[')) => {
                let (one, other): (Vec<_>, Vec<_>) =
                    (serde_json::from_str(one)?, serde_json::from_str(other)?);
                return self.are_items_equal(&one, &other);
            }
            (Some(b'"'), Some(b'"')) => text(one)? == text(other)?,
            (Some(b'-' | b'0'..=b'9'), Some(b'"')) => one == text(other)?,
            _ => one == other,
        })
    }

    fn are_members_equal(
        &mut self,
        one: &Members<'_>,
        other: &Members<'_>,
    ) -> Result<bool, serde_json::Error> {
        for (name, value) in one {
            self.path.push(Segment::Name(name.clone().into()));
            if !other.get(name).map_or(Ok(false), |other| self.is_equal(value, other))? {
                return Ok(false);
            }
            self.path.pop();
        }
        let added = other.keys().find(|name| !one.contains_key(*name));
        self.path.extend(added.map(|name| Segment::Name(name.clone().into())));
        Ok(added.is_none())
    }

    fn are_items_equal(&mut self, one: &[&RawValue], other: &[&RawValue]) -> Result<bool, serde_json::Error> {
        for (index, (one, other)) in (0..).zip(one.iter().zip(other)) {
            self.path.push(Segment::Index(index));
            if !self.is_equal(one, other)? {
                return Ok(false);
            }
            self.path.pop();
        }
        Ok(one.len() == other.len())
    }
}

fn members(json: &str) -> Result<Members<'_>, serde_json::Error> {
    serde_json::from_str(json)
}

fn text(json: &str) -> Result<String, serde_json::Error> {
    serde_json::from_str(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let path = |one: &str, other: &str| {
            difference(one.as_bytes(), other.as_bytes()).unwrap().map(|path| path.to_string())
        };
        for (one, other) in [
            (r#"{"a": 1.10, "b": ["x"]}"#, r#"{"b":["\u0078"],"a":"1.10"}"#),
            ("{}", "{}"),
            ("[true, null]", "[true,null]"),
        ] {
            assert_eq!(path(one, other), None, "{one}");
        }
        for (one, other, expected) in [
            (r#"{"a":1.10}"#, r#"{"a":"1.1"}"#, "a"),
            (r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#, "a"),
            (r#"{"a":[{"b":null},{"b":1}]}"#, r#"{"a":[{"b":null},{}]}"#, "a.1.b"),
            (r#"{"a":{"b":1}}"#, r#"{"a":{"b":1,"c":null}}"#, "a.c"),
            (r#"{"a":[1]}"#, r#"{"a":[1,2]}"#, "a"),
            (r#"{"a":"1"}"#, r#"{"a":1}"#, "a"),
        ] {
            assert_eq!(path(one, other).as_deref(), Some(expected), "{one}");
        }
    }
}
