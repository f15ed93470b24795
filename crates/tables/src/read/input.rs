//! The bytes of a file as UTF-8, in pieces.

use super::ReadError;
use std::io::{self, Read};
use std::str::FromStr;

/// Size of the pieces in which a file is read.
const PIECE: usize = 64 << 10;
/// The byte order mark in UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// An encoding of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

/// The text names no encoding.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is no encoding, such as utf-8, windows-1252, windows-1250 or utf-16le")]
pub struct UnknownEncoding;

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        encoding_rs::Encoding::for_label(text.as_bytes()).map(Self).ok_or(UnknownEncoding)
    }
}

/// A file whose bytes are UTF-8, or are made UTF-8.
pub(super) struct Input<R> {
    from: R,
    decoder: Option<(encoding_rs::Decoder, &'static str)>,
    /// What was read, UTF-8 up to `valid`. Bytes before `start` are done with.
    text: Vec<u8>,
    start: usize,
    valid: usize,
    /// Offset in the file of the first byte of `text`; counted in UTF-8 files only.
    offset: u64,
    /// The number of line feeds before `start`.
    lines: u64,
    is_end: bool,
}

impl<R: Read> Input<R> {
    /// Reads the first piece and takes byte order marks off: a tool may add one to a file that has one.
    pub(super) fn new(from: R, encoding: Option<Encoding>) -> Result<Self, ReadError> {
        let other = encoding.map(|encoding| encoding.0).filter(|named| *named != encoding_rs::UTF_8);
        let decoder = other.map(|named| (named.new_decoder_with_bom_removal(), named.name()));
        let (text, start, valid) = (Vec::new(), 0, 0);
        let mut input = Self { from, decoder, text, start, valid, offset: 0, lines: 0, is_end: false };
        input.fill()?;
        loop {
            while input.rest().len() < MARK.len() && !input.is_end {
                input.more()?;
            }
            if !input.rest().starts_with(MARK) {
                return Ok(input);
            }
            input.consume(MARK.len());
        }
    }

    /// The text that is not consumed yet; empty only at the end.
    pub(super) fn fill(&mut self) -> Result<&[u8], ReadError> {
        if self.start == self.valid && !self.is_end {
            self.more()?;
        }
        Ok(self.rest())
    }

    /// The text that was read and is not consumed yet.
    pub(super) fn rest(&self) -> &[u8] {
        &self.text[self.start..self.valid]
    }

    pub(super) fn consume(&mut self, count: usize) {
        self.lines += memchr::memchr_iter(b'\n', &self.text[self.start..self.start + count]).count() as u64;
        self.start += count;
    }

    /// The line of the next byte, from 1 on.
    pub(super) fn line(&self) -> u64 {
        self.lines + 1
    }

    /// Reads until there is more text, or the end.
    pub(super) fn more(&mut self) -> Result<(), ReadError> {
        self.offset += self.start as u64;
        self.text.drain(..self.start);
        self.valid -= self.start;
        self.start = 0;
        let before = self.valid;
        while self.valid == before && !self.is_end {
            if self.decoder.is_some() { self.decode()? } else { self.check()? }
        }
        Ok(())
    }

    /// Reads UTF-8. A character that the piece cuts stays for the next one.
    fn check(&mut self) -> Result<(), ReadError> {
        let filled = self.text.len();
        self.text.resize(filled + PIECE, 0);
        let count = read(&mut self.from, &mut self.text[filled..])?;
        self.text.truncate(filled + count);
        self.is_end = count == 0;
        if self.offset == 0 && self.valid == 0 {
            // The first bytes tell UTF-16, and a pipe may give fewer.
            if self.text.len() < 4 && !self.is_end {
                return Ok(());
            }
            self.refuse_utf16()?;
        }
        let Err(error) = std::str::from_utf8(&self.text[self.valid..]) else {
            self.valid = self.text.len();
            return Ok(());
        };
        self.valid += error.valid_up_to();
        if error.error_len().is_none() && !self.is_end {
            return Ok(());
        }
        let before = memchr::memchr_iter(b'\n', &self.text[self.start..self.valid]).count() as u64;
        let (line, offset) = (self.line() + before, self.offset + self.valid as u64);
        Err(ReadError::NotUtf8 { line, offset, byte: self.text[self.valid] })
    }

    /// UTF-16 has a byte order mark, or a zero in each of its first characters.
    fn refuse_utf16(&self) -> Result<(), ReadError> {
        match *self.text {
            [0xFF, 0xFE, ..] | [_, 0, _, 0, ..] => Err(ReadError::Utf16("utf-16le")),
            [0xFE, 0xFF, ..] | [0, _, 0, _, ..] => Err(ReadError::Utf16("utf-16be")),
            _ => Ok(()),
        }
    }

    fn decode(&mut self) -> Result<(), ReadError> {
        let mut piece = vec![0; PIECE];
        let count = read(&mut self.from, &mut piece)?;
        self.is_end = count == 0;
        let Some((decoder, encoding)) = &mut self.decoder else { return Ok(()) };
        let size = decoder.max_utf8_buffer_length_without_replacement(count).unwrap_or(4 * PIECE);
        let filled = self.text.len();
        self.text.resize(filled + size, 0);
        let (result, _, written) = decoder.decode_to_utf8_without_replacement(
            &piece[..count],
            &mut self.text[filled..],
            self.is_end,
        );
        self.text.truncate(filled + written);
        self.valid = self.text.len();
        let unassigned = if encoding.starts_with("windows-") { control(&self.text[filled..]) } else { None };
        let is_malformed = matches!(result, encoding_rs::DecoderResult::Malformed(..));
        let end = unassigned.map(|at| filled + at).or(is_malformed.then_some(self.valid));
        if let Some(end) = end {
            let before = memchr::memchr_iter(b'\n', &self.text[self.start..end]).count() as u64;
            return Err(ReadError::NotInEncoding { line: self.lines + 1 + before, encoding });
        }
        Ok(())
    }
}

/// Where the first of the control characters U+0080 to U+009F is. No Windows code page has them, but the decoder, made
/// for browsers, gives them for bytes to which the code page assigns nothing.
fn control(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(0xC2, text).find(|at| matches!(text.get(at + 1), Some(0x80..=0x9F)))
}

fn read(from: &mut impl Read, piece: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
