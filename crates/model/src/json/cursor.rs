use super::number::PlainNumber;
use super::string::{find_special, starts_with, unescape};
use super::syntax::SyntaxErrorKind as Kind;
use super::{MAX_DEPTH, SyntaxError};
use std::borrow::Cow;

/// What kind of value comes next.
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

/// With the kind of an error alone: it fits a register, and [`Cursor::broken`] says where it is.
pub(crate) type Result<T> = std::result::Result<T, Kind>;

/// A pull parser over one JSON text: it moves over each byte once and copies nothing.
///
/// Strings are slices of the text; only those with escapes are made anew. It checks all of the
/// grammar, in skipped values too.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'j> {
    text: &'j str,
    at: usize,
    depth: u32,
}

impl<'j> Cursor<'j> {
    /// Starts at the text's first value; checks the encoding of the whole.
    ///
    /// # Errors
    /// If it is not UTF-8, or begins with a byte order mark.
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

    /// The error of this kind that ended the text: the cursor has not moved since.
    pub(crate) fn broken(&self, kind: Kind) -> SyntaxError {
        SyntaxError::at(kind, self.text.as_bytes(), self.at)
    }

    #[inline]
    fn byte(&self) -> u8 {
        // 0 is no legal byte anywhere outside strings, so it can stand for the end.
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// The byte that comes next; 0 at the end.
    #[inline]
    pub(crate) fn skip_space(&mut self) -> u8 {
        let byte = self.byte();
        // Most often there is none, and one comparison tells.
        if byte > b' ' { byte } else { self.skip_some_space() }
    }

    #[inline(never)]
    fn skip_some_space(&mut self) -> u8 {
        while matches!(self.byte(), b' ' | b'\n' | b'\t' | b'\r') {
            self.at += 1;
        }
        self.byte()
    }

    #[inline]
    fn rest(&self) -> Option<&'j [u8]> {
        self.text.as_bytes().get(self.at..)
    }

    #[inline]
    fn slice(&self, from: usize, to: usize) -> &'j str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// What kind of value comes next; the cursor stands on its first byte then.
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

    /// The end of the text.
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

    /// Enters the object that comes next; false if it is empty, and then already left.
    #[inline]
    pub(crate) fn open_object(&mut self) -> Result<bool> {
        self.open(b'}')
    }

    /// After a member: true if another follows, false if the object ended.
    #[inline]
    pub(crate) fn more_members(&mut self) -> Result<bool> {
        self.more(b'}')
    }

    /// Enters the array that comes next; false if it is empty, and then already left.
    #[inline]
    pub(crate) fn open_array(&mut self) -> Result<bool> {
        self.open(b']')
    }

    /// After an item: true if another follows, false if the array ended.
    #[inline]
    pub(crate) fn more_items(&mut self) -> Result<bool> {
        self.more(b']')
    }

    /// Takes the next name and its colon if the name is this one, given in quotes and with the colon right behind.
    #[inline]
    pub(crate) fn take_name(&mut self, quoted: &str) -> bool {
        let is_next = self.rest().is_some_and(|rest| starts_with(rest, quoted.as_bytes()));
        if is_next {
            self.at += quoted.len();
        }
        is_next
    }

    /// The next name, whatever it is, and its colon.
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

    /// The string that comes next if it has no escapes; if it has, or something else comes, nothing is moved over.
    #[inline]
    pub(crate) fn plain_string(&mut self) -> Option<&'j str> {
        self.plain_string_as(Some)
    }

    /// What `read` makes of the string that comes next, if it has no escapes; if it makes nothing of it, or something
    /// else comes, nothing is moved over.
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

    /// What `read` makes of the string that comes next, if it is of so many bytes; if it makes nothing of them, or
    /// something else comes, nothing is moved over. What it takes may hold no quote and no backslash.
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

    /// What `read` makes of the number that comes next, if it is of few plain digits, how it was sent and whether in
    /// quotes; if it makes nothing of it, or the number is of another form, or something else comes, nothing is moved over.
    #[inline]
    pub(crate) fn plain_number<T>(
        &mut self,
        read: impl FnOnce(PlainNumber) -> Option<T>,
    ) -> Option<(&'j str, bool, T)> {
        let quoted = self.byte() == b'"';
        let start = self.at + usize::from(quoted);
        let number = PlainNumber::at(self.text.as_bytes(), start)?;
        let next = self.text.as_bytes().get(number.end);
        let is_whole = match quoted {
            true => next == Some(&b'"'),
            false => !matches!(next, Some(b'e' | b'E')) && !self.is_padded(start, number),
        };
        let value = read(number).filter(|_| is_whole)?;
        let sent = self.text.get(start..number.end)?;
        self.at = number.end + usize::from(quoted);
        Some((sent, quoted, value))
    }

    /// Whether the number begins with a zero that says nothing, which JSON does not allow outside quotes.
    #[inline]
    fn is_padded(&self, start: usize, number: PlainNumber) -> bool {
        let first = self.text.as_bytes().get(start + usize::from(number.is_negative));
        number.before > 1 && first == Some(&b'0')
    }

    /// The string that comes next, without its quotes and escapes.
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

    /// The number that comes next, as written.
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

    /// The `true` or `false` that comes next; if something else comes, nothing is moved over.
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

    /// Moves over `true`, `false` or `null`, whichever [`Cursor::peek`] said.
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

    /// Moves over the value that comes next and checks its grammar.
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

    /// Where the cursor stands, to come back to or to slice from.
    pub(crate) fn mark(&mut self) -> usize {
        self.skip_space();
        self.at
    }

    /// How many arrays and objects lie around the cursor.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// About how many items as long as the one from the mark to here still come in this array, or a few more.
    pub(crate) fn alike_ahead(&self, mark: usize) -> usize {
        // Of an array in one of the items it is the end of that, which makes a small guess.
        let end = self.rest().and_then(|rest| memchr::memchr(b']', rest)).unwrap_or(0);
        let alike = end / self.since(mark).len().max(1);
        alike + alike / 8
    }

    /// Goes back to a mark and the depth it was made at.
    pub(crate) fn rewind(&mut self, mark: usize, depth: u32) {
        self.at = mark;
        self.depth = depth;
    }

    /// The text from a mark to here.
    pub(crate) fn since(&self, mark: usize) -> &'j str {
        self.slice(mark, self.at)
    }
}
