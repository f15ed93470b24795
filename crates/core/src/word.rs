use std::fmt;
use std::str::FromStr;

/// A stored word that this version knows, or one that a newer version wrote. An unknown word is shown
/// unchanged; no decision depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Word<T> {
    /// A word that this version knows.
    Known(T),
    /// Any other text, as stored.
    Other(Box<str>),
}

impl<T> Word<T> {
    /// The meaning of the word, if this version knows it.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(known) => Some(known),
            Self::Other(_) => None,
        }
    }
}

impl<T: FromStr> Word<T> {
    /// Reads a stored word; accepts any text.
    pub fn read(word: &str) -> Self {
        word.parse().map_or_else(|_| Self::Other(word.into()), Self::Known)
    }
}

impl<T: AsRef<str>> Word<T> {
    /// The word as text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(known) => known.as_ref(),
            Self::Other(word) => word,
        }
    }
}

impl<T: Default> Default for Word<T> {
    fn default() -> Self {
        Self::Known(T::default())
    }
}

impl<T> From<T> for Word<T> {
    fn from(known: T) -> Self {
        Self::Known(known)
    }
}

impl<T: PartialEq> PartialEq<T> for Word<T> {
    fn eq(&self, other: &T) -> bool {
        self.known() == Some(other)
    }
}

impl<T: fmt::Display> fmt::Display for Word<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(known) => known.fmt(f),
            Self::Other(word) => f.write_str(word),
        }
    }
}

impl<T: AsRef<str>> serde::Serialize for Word<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Word;
    use crate::Code;

    #[test]
    fn any_text_is_read_and_shown_unchanged() {
        for (text, known) in [("required", Some(Code::Required)), ("of_a_newer_version", None), ("", None)] {
            let word = Word::<Code>::read(text);
            assert_eq!(
                (word.as_str(), word.to_string().as_str(), word.known()),
                (text, text, known.as_ref())
            );
        }
        assert_eq!(Word::<Code>::read("required"), Code::Required);
    }
}
