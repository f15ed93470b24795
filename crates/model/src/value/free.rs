use crate::json::{Cursor, MAX_DEPTH, Next};
use crate::payload::MASK;
use std::borrow::Cow;
use std::fmt;

/// Free content: any JSON of the documented outer type, kept exactly as sent (fields 6).
#[derive(Clone, PartialEq, Eq)]
pub struct Free<'j>(pub(crate) Cow<'j, str>);

/// Masked, because free content may be personal.
impl fmt::Debug for Free<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl<'j> Free<'j> {
    /// The JSON text as sent.
    pub fn json(&self) -> &str {
        &self.0
    }

    /// Free content from a JSON text; `None` if it is not JSON.
    pub fn from_json(json: impl Into<Cow<'j, str>>) -> Option<Self> {
        let json = json.into();
        let mut cursor = Cursor::new(json.as_bytes()).ok()?;
        cursor.skip().and_then(|()| cursor.finish()).ok()?;
        Some(Self(json))
    }

    /// A copy that borrows nothing.
    pub fn into_owned(self) -> Free<'static> {
        Free(Cow::Owned(self.0.into_owned()))
    }

    /// The content with sorted members and numbers by value, for comparison (contract D5).
    pub(crate) fn canonical(&self) -> String {
        let mut out = String::with_capacity(self.0.len());
        if let Ok(mut cursor) = Cursor::new(self.0.as_bytes()) {
            // Content comes from a checked payload, so this cannot fail; if it did, it would equal no other.
            if canonical(&mut cursor, &mut out, 0).is_none() {
                out.clone_from(&self.0.to_string());
            }
        }
        out
    }
}

fn canonical(cursor: &mut Cursor<'_>, out: &mut String, depth: u32) -> Option<()> {
    debug_assert!(depth <= MAX_DEPTH);
    let start = cursor.mark();
    match cursor.peek().ok()? {
        Next::Object => {
            let mut members = Vec::new();
            let mut more = cursor.open_object().ok()?;
            while more {
                let name = cursor.name().ok()?;
                let mut value = String::new();
                canonical(cursor, &mut value, depth + 1)?;
                members.push((name, value));
                more = cursor.more_members().ok()?;
            }
            members.sort_by(|a, b| a.0.cmp(&b.0));
            out.push('{');
            for (name, value) in members {
                quote(&name, out);
                out.push(':');
                out.push_str(&value);
                out.push(',');
            }
            out.push('}');
        }
        Next::Array => {
            out.push('[');
            let mut more = cursor.open_array().ok()?;
            while more {
                canonical(cursor, out, depth + 1)?;
                out.push(',');
                more = cursor.more_items().ok()?;
            }
            out.push(']');
        }
        Next::String => quote(&cursor.string().ok()?, out),
        Next::Number => super::number::canonical_number(cursor.number().ok()?, out),
        Next::True | Next::False | Next::Null => {
            cursor.skip().ok()?;
            out.push_str(cursor.since(start));
        }
    }
    Some(())
}

fn quote(text: &str, out: &mut String) {
    let mut writer = crate::json::Writer::new();
    writer.string(text);
    out.push_str(&String::from_utf8(writer.into_bytes()).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(json: &str) -> String {
        Free::from_json(json).unwrap().canonical()
    }

    #[test]
    fn equal_content_has_one_canonical_form() {
        assert_eq!(canonical(r#"{"b": 1.0, "a": [1e2, "x"]}"#), canonical(r#"{"a":[100,"\u0078"],"b":1}"#));
        assert_ne!(canonical(r#"{"a": 1}"#), canonical(r#"{"a": "1"}"#));
        assert_ne!(canonical("[1,2]"), canonical("[2,1]"));
        assert_ne!(canonical("[null]"), canonical("[]"));
    }

    #[test]
    fn numbers_beyond_every_type_stay_exact() {
        assert_eq!(canonical("[1e400]"), canonical("[10e399]"));
        assert_ne!(canonical("[1e400]"), canonical("[1e401]"));
        assert_eq!(canonical("[-0, 0.0, 0e9]"), canonical("[0,0,0]"));
    }
}
