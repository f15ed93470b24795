use super::MASK;
use cutover_core::trimmed;
use std::borrow::Cow;
use std::fmt;

/// A text as sent.
///
/// Rules and identities use [`Text::trimmed`]; the text as sent is stored (fields 1.5).
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Text<'j>(pub(crate) Cow<'j, str>);

/// Masked, because most texts are personal.
impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl<'j> Text<'j> {
    /// The text as sent, including white space at both ends.
    pub fn as_sent(&self) -> &str {
        &self.0
    }

    /// The text without white space at both ends (fields 1.4).
    pub fn trimmed(&self) -> &str {
        trimmed(&self.0)
    }

    /// Returns true if only white space was sent: such a text counts as absent (fields 1.4).
    pub fn is_blank(&self) -> bool {
        self.trimmed().is_empty()
    }

    /// Trims the text: identities are stored and returned trimmed (contract D1).
    pub fn trim(&mut self) {
        let trimmed = match &self.0 {
            Cow::Borrowed(text) => Cow::Borrowed(trimmed(text)),
            Cow::Owned(text) => Cow::Owned(trimmed(text).to_owned()),
        };
        self.0 = trimmed;
    }

    /// A copy that borrows nothing.
    pub fn into_owned(self) -> Text<'static> {
        Text(Cow::Owned(self.0.into_owned()))
    }
}

impl<'j> From<&'j str> for Text<'j> {
    fn from(text: &'j str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

/// A text, or a whole number kept as its decimal digits (fields 1.5): house numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextOrInteger<'j> {
    /// The text, or the digits.
    pub text: Text<'j>,
    /// If set, it was sent as a number.
    pub is_number: bool,
}

impl TextOrInteger<'_> {
    /// A copy that borrows nothing.
    pub fn into_owned(self) -> TextOrInteger<'static> {
        TextOrInteger { text: self.text.into_owned(), is_number: self.is_number }
    }
}
