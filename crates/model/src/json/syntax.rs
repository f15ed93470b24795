use std::fmt;

/// The kind of a syntax error (rule STR-18).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// The bytes are not UTF-8.
    Encoding,
    /// The text starts with a byte order mark.
    ByteOrderMark,
    /// The text ends in the middle of a value.
    UnexpectedEnd,
    /// A value should start here.
    ExpectedValue,
    /// A member name should start here.
    ExpectedName,
    /// A colon should follow the name.
    ExpectedColon,
    /// A comma or the end of the array or object should follow.
    ExpectedCommaOrEnd,
    /// A number of an illegal form.
    Number,
    /// A control character in a string; it must be escaped.
    ControlCharacter,
    /// An illegal escape.
    Escape,
    /// Half of a surrogate pair.
    LoneSurrogate,
    /// Arrays and objects are nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
    TooDeep,
    /// Something follows the value.
    Trailing,
}

impl SyntaxErrorKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Encoding => "the text is not UTF-8",
            Self::ByteOrderMark => "a byte order mark is not allowed",
            Self::UnexpectedEnd => "unexpected end of the text",
            Self::ExpectedValue => "a value is expected",
            Self::ExpectedName => "a member name in quotes is expected",
            Self::ExpectedColon => "a colon is expected",
            Self::ExpectedCommaOrEnd => "a comma or the end of the array or object is expected",
            Self::Number => "a number of this form is not allowed",
            Self::ControlCharacter => "a control character in a string must be escaped",
            Self::Escape => "an escape of this form is not allowed",
            Self::LoneSurrogate => "an escape is half of a surrogate pair",
            Self::TooDeep => "arrays and objects are nested too deeply",
            Self::Trailing => "nothing may follow the value",
        }
    }
}

/// The first place where a text is not JSON. The only error that ends decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub struct SyntaxError {
    /// The kind of the error.
    pub kind: SyntaxErrorKind,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
}

impl SyntaxError {
    /// The error at a byte offset of a text.
    pub(crate) fn at(kind: SyntaxErrorKind, text: &[u8], offset: usize) -> Self {
        let before = &text[..offset.min(text.len())];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        Self { kind, line, column: before.len() - start + 1 }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.kind.as_str(), self.line, self.column)
    }
}
