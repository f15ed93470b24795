use crate::content;
use crate::json::Cursor;
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
    pub(crate) fn canonical(&self) -> Cow<'_, str> {
        let text = content::canonical(self.0.as_bytes()).ok().and_then(|text| String::from_utf8(text).ok());
        // Content comes from a checked payload, so this cannot fail; if it did, it would equal no other.
        text.map_or(Cow::Borrowed(&*self.0), Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(json: &str) -> String {
        Free::from_json(json).unwrap().canonical().into_owned()
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
