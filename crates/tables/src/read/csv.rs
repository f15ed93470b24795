//! Comma-separated values, strictly after RFC 4180.
//!
//! `csv-core` finds the ends of the cells; it never fails. Whether a cell is well-formed follows from its bytes: one
//! that begins with a quote must end with one, and consist of the text, two quotes around it, and one for each quote in
//! it. Any other cell has no quote.

use super::input::Input;
use super::{MAX_COLUMNS, MAX_NAMES, ReadError, ReadOptions, ReadRow};
use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};
use cutover_model::tables::Cell;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;

/// The cell that is `null`, unless it is in quotes.
const NULL: &str = r"\N";
/// The delimiters that are recognised.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// The largest row, in MiB.
const MAX_ROW: usize = 16;
/// The largest part of a file, in bytes, in which the delimiter is looked for.
const MAX_HEAD: usize = 1 << 20;

pub(super) struct CsvReader<R> {
    input: Input<R>,
    core: Reader,
    columns: Vec<String>,
    text: String,
    fields: Vec<Field>,
    /// What `csv-core` has written last.
    chunk: Box<[u8; 4 << 10]>,
}

/// A cell: where its text ends, and whether it was in quotes.
struct Field {
    end: usize,
    is_quoted: bool,
}

/// The bytes of a cell as they are in the file.
#[derive(Default)]
struct Raw {
    length: usize,
    quotes: usize,
    is_quoted: bool,
    /// The last two bytes.
    last: [u8; 2],
}

impl Raw {
    fn add(&mut self, bytes: &[u8]) {
        if self.length == 0 {
            self.is_quoted = bytes.first() == Some(&b'"');
        }
        self.length += bytes.len();
        self.quotes += memchr::memchr_iter(b'"', bytes).count();
        match *bytes {
            [] => {}
            [byte] => self.last = [self.last[1], byte],
            [.., one, other] => self.last = [one, other],
        }
    }
}

impl<R: Read> CsvReader<R> {
    pub(super) fn new(from: R, options: ReadOptions) -> Result<Self, ReadError> {
        let mut input = Input::new(from, options.encoding)?;
        skip_blank_lines(&mut input)?;
        let delimiter = match options.delimiter {
            Some(delimiter) => delimiter,
            None => delimiter_of(&mut input)?,
        };
        let mut core = ReaderBuilder::new().delimiter(delimiter).terminator(Terminator::Any(b'\n')).build();
        // It takes a byte order mark off where it begins, if the piece has it whole. After a blank line it begins no more.
        core.read_field(b"\n", &mut []);
        let (columns, text, fields) = Default::default();
        let mut reader = Self { input, core, columns, text, fields, chunk: Box::new([0; 4 << 10]) };
        reader.head()?;
        Ok(reader)
    }

    pub(super) fn columns(&self) -> &[String] {
        &self.columns
    }

    fn head(&mut self) -> Result<(), ReadError> {
        if !self.record()? {
            return Err(ReadError::NoHead);
        }
        if self.text.len() > MAX_NAMES << 20 {
            return Err(ReadError::TooManyColumns { line: 1 });
        }
        let mut seen: HashMap<String, String> = HashMap::new();
        for (index, (name, _)) in cells(&self.text, &self.fields).enumerate() {
            if name.contains('\r') {
                return Err(ReadError::CarriageReturn);
            }
            let name = name.trim();
            if name.is_empty() {
                return Err(ReadError::NamelessColumn(index + 1));
            }
            if let Some(earlier) = seen.insert(name.to_lowercase(), name.to_owned()) {
                return Err(ReadError::RepeatedColumn(earlier, name.to_owned()));
            }
            self.columns.push(name.to_owned());
        }
        Ok(())
    }

    /// Reads the next row.
    pub(super) fn read(&mut self, row: &mut ReadRow) -> Result<bool, ReadError> {
        skip_blank_lines(&mut self.input)?;
        row.line = self.input.line();
        if !self.record()? {
            return Ok(false);
        }
        let (found, expected) = (self.fields.len(), self.columns.len());
        if found != expected {
            return Err(ReadError::Cells { line: row.line, found, expected });
        }
        for (column, (text, is_quoted)) in cells(&self.text, &self.fields).enumerate() {
            match text {
                "" if !is_quoted => {}
                NULL if !is_quoted => row.cells.push((column, Cell::Null)),
                text => row.cells.push((column, Cell::Value(Cow::Owned(text.to_owned())))),
            }
        }
        Ok(true)
    }

    /// Reads the cells of a row. Returns false at the end.
    fn record(&mut self) -> Result<bool, ReadError> {
        let line = self.input.line();
        let mut text = std::mem::take(&mut self.text).into_bytes();
        text.clear();
        self.fields.clear();
        let mut is_open = !self.input.fill()?.is_empty();
        let is_row = is_open;
        while is_open {
            if self.fields.len() == MAX_COLUMNS {
                return Err(ReadError::TooManyColumns { line });
            }
            is_open = !self.field(line, &mut text)?;
        }
        // The input is UTF-8, and a delimiter or quote is ASCII, so this cannot fail.
        self.text = String::from_utf8(text).map_err(|_| ReadError::Quote { line })?;
        Ok(is_row)
    }

    /// Reads a cell of the row that begins on `row`. Returns true if it is the last one.
    fn field(&mut self, row: u64, text: &mut Vec<u8>) -> Result<bool, ReadError> {
        let (line, begin) = (self.input.line(), text.len());
        let mut raw = Raw::default();
        let (is_last, is_ended) = loop {
            let input = self.input.fill()?;
            let (result, read, written) = self.core.read_field(input, &mut *self.chunk);
            raw.add(&input[..read]);
            text.extend_from_slice(&self.chunk[..written]);
            self.input.consume(read);
            if text.len() > MAX_ROW << 20 {
                let is_inside = raw.is_quoted && raw.quotes % 2 == 1;
                return Err(match is_inside {
                    true => ReadError::Unclosed { line },
                    false => ReadError::TooLarge { line: row, limit: MAX_ROW },
                });
            }
            match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
                ReadFieldResult::Field { record_end } => break (record_end, read > 0),
                ReadFieldResult::End => break (true, false),
            }
        };
        raw.length -= usize::from(is_ended);
        let mut last = if is_ended { raw.last[0] } else { raw.last[1] };
        if is_last && is_ended && last == b'\r' && raw.length > 0 {
            raw.length -= 1;
            text.pop();
            last = if raw.is_quoted { b'"' } else { 0 };
        }
        if !is_well_formed(&raw, text.len() - begin, last) {
            let is_unclosed = raw.is_quoted && raw.quotes % 2 == 1 && !is_ended;
            return Err(if is_unclosed { ReadError::Unclosed { line } } else { ReadError::Quote { line } });
        }
        self.fields.push(Field { end: text.len(), is_quoted: raw.is_quoted });
        Ok(is_last)
    }
}

/// Skips lines without a character, which may end with CRLF. `csv-core` skips those that end with LF, but does not say
/// how many.
fn skip_blank_lines<R: Read>(input: &mut Input<R>) -> Result<(), ReadError> {
    loop {
        if input.fill()? == b"\r" {
            input.more()?;
        }
        match input.rest() {
            [b'\n', ..] => input.consume(1),
            [b'\r', b'\n', ..] => input.consume(2),
            _ => return Ok(()),
        }
    }
}

/// True if the quotes of a cell are around it or doubled inside.
fn is_well_formed(raw: &Raw, length: usize, last: u8) -> bool {
    if !raw.is_quoted {
        return raw.quotes == 0;
    }
    raw.quotes >= 2
        && raw.quotes.is_multiple_of(2)
        && last == b'"'
        && raw.length == length + 1 + raw.quotes / 2
}

/// The text of each cell, and whether it was in quotes.
fn cells<'c>(text: &'c str, fields: &'c [Field]) -> impl Iterator<Item = (&'c str, bool)> {
    let starts = std::iter::once(0).chain(fields.iter().map(|field| field.end));
    starts.zip(fields).map(|(start, field)| (&text[start..field.end], field.is_quoted))
}

/// The delimiter of the head line: the only one of the known ones that it has outside of quotes.
fn delimiter_of<R: Read>(input: &mut Input<R>) -> Result<u8, ReadError> {
    let (mut found, mut is_quoted, mut read) = (Vec::new(), false, 0);
    input.fill()?;
    // A quoted name may have the ends of lines, so the head line may end in a later piece.
    while read < input.rest().len() {
        for byte in &input.rest()[read..] {
            match byte {
                b'"' => is_quoted = !is_quoted,
                b'\n' if !is_quoted => return only(&found),
                byte if !is_quoted && DELIMITERS.contains(byte) && !found.contains(byte) => found.push(*byte),
                _ => {}
            }
        }
        read = input.rest().len();
        if read < MAX_HEAD {
            input.more()?;
        }
    }
    only(&found)
}

/// The only one of the delimiters.
fn only(found: &[u8]) -> Result<u8, ReadError> {
    match *found {
        // A table of one column.
        [] => Ok(b','),
        [delimiter] => Ok(delimiter),
        _ => {
            let names: Vec<String> = found.iter().map(|byte| format!("{:?}", char::from(*byte))).collect();
            Err(ReadError::AmbiguousDelimiter(names.join(" and ")))
        }
    }
}

#[cfg(test)]
mod tests;
