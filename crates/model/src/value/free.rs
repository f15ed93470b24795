use super::MASK;
use crate::json::Cursor;
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
}
