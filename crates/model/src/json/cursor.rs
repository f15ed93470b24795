use super::number::PlainNumber;
use super::string::{find_special, starts_with, unescape};
use super::syntax::SyntaxErrorKind as Kind;
use super::{MAX_DEPTH, SyntaxError};
use std::borrow::Cow;

/// The kind of the next value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// A result with only the kind of the error, which fits a register; [`Cursor::broken`] adds the position.
pub(crate) type Result<T> = std::result::Result<T, Kind>;

/// A pull parser over one JSON text that reads each byte once and copies nothing.
///
/// Strings are slices of the text; only strings with escapes are allocated. It checks the whole grammar, also
/// in skipped values.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'j> {
    text: &'j str,
    at: usize,
    depth: u32,
}

impl<'j> Cursor<'j> {
    /// Starts at the first value and checks the encoding of the whole text.
    ///
    /// # Errors
    /// If the text is not UTF-8 or begins with a byte order mark.
    pub(crate) fn new(bytes: &'j [u8]) -> std::result::Result<Self, SyntaxError> {
        if bytes.starts_with(b"\xEF\xBB\xBF") {
            return Err(SyntaxError::at(Kind::ByteOrderMark, bytes, 0));
        }
        match simdutf8::compat::from_utf8(bytes) {
            Ok(text) => Ok(Self { text, at: 0, depth: 0 }),
            Err(e) => Err(SyntaxError::at(Kind::Encoding, bytes, e.valid_up_to())),
        }
    }

    #[cold]
    #[inline(never)]
    fn error<T>(&self, kind: Kind) -> Result<T> {
        Err(if self.at >= self.text.len() { Kind::UnexpectedEnd } else { kind })
    }

    /// The error of this kind at the cursor, which must not have moved since.
    pub(crate) fn broken(&self, kind: Kind) -> SyntaxError {
        SyntaxError::at(kind, self.text.as_bytes(), self.at)
    }

    #[inline]
    fn byte(&self) -> u8 {
        // 0 is not legal outside strings, so it can mark the end.
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// Skips white space and returns the next byte; 0 at the end.
    #[inline]
    pub(crate) fn skip_space(&mut self) -> u8 {
        let byte = self.byte();
        // Usually there is none, which one comparison shows.
        if byte > b' ' { byte } else { self.skip_some_space() }
    }

    #[inline(never)]
    fn skip_some_space(&mut self) -> u8 {
        while matches!(self.byte(), b' ' | b'\n' | b'\t' | b'\r') {
            self.at += 1;
        }
        self.byte()
    }

    /// Returns the text from the cursor on.
    #[inline]
    pub(crate) fn rest(&self) -> Option<&'j [u8]> {
        self.text.as_bytes().get(self.at..)
    }

    #[inline]
    fn slice(&self, from: usize, to: usize) -> &'j str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// The kind of the next value. Moves the cursor to its first byte.
    #[inline]
    pub(crate) fn peek(&mut self) -> Result<Next> {
        match self.skip_space() {
            b'"' => Ok(Next::String),
            b'-' | b'0'..=b'9' => Ok(Next::Number),
            b'{' => Ok(Next::Object),
            b'[' => Ok(Next::Array),
            b't' => Ok(Next::True),
            b'f' => Ok(Next::False),
            b'n' => Ok(Next::Null),
            _ => self.error(Kind::ExpectedValue),
        }
    }

    /// Checks that the text ends here.
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.skip_space();
        if self.at == self.text.len() { Ok(()) } else { self.error(Kind::Trailing) }
    }

    fn open(&mut self, close: u8) -> Result<bool> {
        if self.depth == MAX_DEPTH {
            return self.error(Kind::TooDeep);
        }
        self.depth += 1;
        self.at += 1;
        if self.skip_space() == close {
            self.at += 1;
            self.depth -= 1;
            return Ok(false);
        }
        Ok(true)
    }

    #[inline]
    fn more(&mut self, close: u8) -> Result<bool> {
        match self.skip_space() {
            b',' => {
                self.at += 1;
                self.skip_space();
                Ok(true)
            }
            b if b == close => {
                self.at += 1;
                self.depth -= 1;
                Ok(false)
            }
            _ => self.error(Kind::ExpectedCommaOrEnd),
        }
    }

    /// Enters the next object. Returns false if it is empty, and leaves it.
    #[inline]
    pub(crate) fn open_object(&mut self) -> Result<bool> {
        self.open(b'}')
    }

    /// After a member: returns true if another follows, false if the object ended.
    #[inline]
    pub(crate) fn more_members(&mut self) -> Result<bool> {
        self.more(b'}')
    }

    /// Enters the next array. Returns false if it is empty, and leaves it.
    #[inline]
    pub(crate) fn open_array(&mut self) -> Result<bool> {
        self.open(b']')
    }

    /// After an item: returns true if another follows, false if the array ended.
    #[inline]
    pub(crate) fn more_items(&mut self) -> Result<bool> {
        self.more(b']')
    }

    /// Reads the next name and its colon if they are these bytes: the name in quotes, directly followed by
    /// the colon.
    #[inline]
    pub(crate) fn take_name(&mut self, quoted: &str) -> bool {
        let is_next = self.rest().is_some_and(|rest| starts_with(rest, quoted.as_bytes()));
        if is_next {
            self.at += quoted.len();
        }
        is_next
    }

    /// Reads any name and its colon.
    pub(crate) fn name(&mut self) -> Result<Cow<'j, str>> {
        if self.byte() != b'"' {
            return self.error(Kind::ExpectedName);
        }
        let name = self.string()?;
        self.colon()?;
        Ok(name)
    }

    #[inline]
    fn colon(&mut self) -> Result<()> {
        if self.skip_space() != b':' {
            return self.error(Kind::ExpectedColon);
        }
        self.at += 1;
        Ok(())
    }

    /// Reads the next string if it has no escapes. Otherwise the cursor does not move.
    #[inline]
    pub(crate) fn plain_string(&mut self) -> Option<&'j str> {
        self.plain_string_as(Some)
    }

    /// Reads the next string with `read` if it has no escapes. If there is no such string or `read` returns
    /// `None`, the cursor does not move.
    #[inline]
    pub(crate) fn plain_string_as<T>(&mut self, read: impl FnOnce(&'j str) -> Option<T>) -> Option<T> {
        let text = self.plain_ahead()?;
        let value = read(text)?;
        self.at += text.len() + 2;
        Some(value)
    }

    #[inline(never)]
    fn plain_ahead(&self) -> Option<&'j str> {
        let start = self.at + 1;
        if self.byte() != b'"' {
            return None;
        }
        let end = find_special(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) != Some(&b'"') {
            return None;
        }
        self.text.get(start..end)
    }

    /// Reads the next string with `read` if it has `N` bytes. If there is no such string or `read` returns
    /// `None`, the cursor does not move. `read` must refuse bytes with a quote or a backslash.
    #[inline]
    pub(crate) fn short_string<const N: usize, T>(
        &mut self,
        read: impl FnOnce(&[u8; N]) -> Option<T>,
    ) -> Option<T> {
        let (text, rest) = self.rest()?.strip_prefix(b"\"")?.split_first_chunk::<N>()?;
        let value = read(text).filter(|_| rest.first() == Some(&b'"'))?;
        self.at += N + 2;
        Some(value)
    }

    /// Reads the next number with `read` if it has few plain digits. Returns it as sent, true if it was in
    /// quotes, and the value. If there is no such number or `read` returns `None`, the cursor does not move.
    #[inline]
    pub(crate) fn plain_number<T>(
        &mut self,
        read: impl FnOnce(PlainNumber) -> Option<T>,
    ) -> Option<(&'j str, bool, T)> {
        let quoted = self.byte() == b'"';
        let start = self.at + usize::from(quoted);
        let number = PlainNumber::at(self.text.as_bytes(), start)?;
        let next = self.text.as_bytes().get(number.end);
        let is_complete = match quoted {
            true => next == Some(&b'"'),
            false => !matches!(next, Some(b'e' | b'E')) && !self.is_padded(start, number),
        };
        let value = read(number).filter(|_| is_complete)?;
        let sent = self.text.get(start..number.end)?;
        self.at = number.end + usize::from(quoted);
        Some((sent, quoted, value))
    }

    /// Returns true if the number has a leading zero, which JSON does not allow outside quotes.
    #[inline]
    fn is_padded(&self, start: usize, number: PlainNumber) -> bool {
        let first = self.text.as_bytes().get(start + usize::from(number.is_negative));
        number.before > 1 && first == Some(&b'0')
    }

    /// Reads the next string and resolves its escapes.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Cow<'j, str>> {
        match self.plain_string() {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => self.string_with_escapes().map(Cow::Owned),
        }
    }

    #[cold]
    #[inline(never)]
    fn string_with_escapes(&mut self) -> Result<String> {
        let bytes = self.text.as_bytes();
        let mut from = self.at + 1;
        let mut end = find_special(bytes, from);
        let mut text = String::with_capacity(2 * (end - from) + 16);
        loop {
            text.push_str(self.slice(from, end));
            self.at = end;
            match bytes.get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(text);
                }
                Some(b'\\') => match unescape(&bytes[end..]) {
                    Ok((character, len)) => {
                        text.push(character);
                        from = end + len;
                    }
                    Err(kind) => return Err(kind),
                },
                Some(_) => return Err(Kind::ControlCharacter),
                None => return self.error(Kind::UnexpectedEnd),
            }
            end = find_special(bytes, from);
        }
    }

    /// Reads the next number as written.
    #[inline]
    pub(crate) fn number(&mut self) -> Result<&'j str> {
        let start = self.at;
        if self.byte() == b'-' {
            self.at += 1;
        }
        match self.byte() {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.digits(),
            _ => return self.error(Kind::Number),
        }
        if self.byte() == b'.' {
            self.at += 1;
            self.some_digits()?;
        }
        if matches!(self.byte(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.byte(), b'+' | b'-') {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Ok(self.slice(start, self.at))
    }

    #[inline]
    fn digits(&mut self) {
        while self.byte().is_ascii_digit() {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Result<()> {
        if !self.byte().is_ascii_digit() {
            return self.error(Kind::Number);
        }
        self.digits();
        Ok(())
    }

    /// Reads the next `true` or `false`. Otherwise the cursor does not move.
    #[inline]
    pub(crate) fn boolean(&mut self) -> Option<bool> {
        let rest = self.rest()?;
        let (value, len) = if rest.starts_with(b"true") {
            (true, 4)
        } else if rest.starts_with(b"false") {
            (false, 5)
        } else {
            return None;
        };
        self.at += len;
        Some(value)
    }

    /// Skips `true`, `false` or `null`, as [`Cursor::peek`] returned it.
    #[inline]
    pub(crate) fn word(&mut self, next: Next) -> Result<()> {
        let word = match next {
            Next::True => "true",
            Next::False => "false",
            _ => "null",
        };
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return self.error(Kind::ExpectedValue);
        }
        self.at += word.len();
        Ok(())
    }

    /// Skips the next value and checks its grammar.
    pub(crate) fn skip(&mut self) -> Result<()> {
        let next = self.peek()?;
        match next {
            Next::String if self.plain_string().is_some() => Ok(()),
            Next::String => self.string_with_escapes().map(drop),
            Next::Number => self.number().map(drop),
            Next::True | Next::False | Next::Null => self.word(next),
            Next::Object => {
                let mut more = self.open_object()?;
                while more {
                    self.name()?;
                    self.skip()?;
                    more = self.more_members()?;
                }
                Ok(())
            }
            Next::Array => {
                let mut more = self.open_array()?;
                while more {
                    self.skip()?;
                    more = self.more_items()?;
                }
                Ok(())
            }
        }
    }

    /// The position of the next token, to rewind to or to slice from.
    pub(crate) fn mark(&mut self) -> usize {
        self.skip_space();
        self.at
    }

    /// Number of arrays and objects around the cursor.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// Estimates the number of items left in this array, from the length of the item between the mark and the
    /// cursor.
    pub(crate) fn items_left(&self, mark: usize) -> usize {
        // If an item contains an array, this finds its end, and the estimate is too small.
        let end = self.rest().and_then(|rest| memchr::memchr(b']', rest)).unwrap_or(0);
        let count = end / self.since(mark).len().max(1);
        count + count / 8
    }

    /// Moves back to a mark and its depth.
    pub(crate) fn rewind(&mut self, mark: usize, depth: u32) {
        self.at = mark;
        self.depth = depth;
    }

    /// The text from a mark to the cursor.
    pub(crate) fn since(&self, mark: usize) -> &'j str {
        self.slice(mark, self.at)
    }
}
