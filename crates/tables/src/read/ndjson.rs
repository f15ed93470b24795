//! A JSON object per line.

use super::input::{Encoding, Input};
use super::{MAX_COLUMNS, ReadError, ReadRow};
use cutover_model::tables::Cell;
use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::Read;

/// The largest line, in MiB.
const MAX_LINE: usize = 16;

pub(super) struct NdjsonReader<R> {
    input: Input<R>,
    columns: Vec<String>,
    known: HashMap<String, usize>,
    /// For each column the last line that has it.
    lines: Vec<u64>,
    line: Vec<u8>,
}

impl<R: Read> NdjsonReader<R> {
    pub(super) fn new(from: R, encoding: Option<Encoding>) -> Result<Self, ReadError> {
        let input = Input::new(from, encoding)?;
        let (columns, known, lines, line) = Default::default();
        Ok(Self { input, columns, known, lines, line })
    }

    pub(super) fn columns(&self) -> &[String] {
        &self.columns
    }

    pub(super) fn read(&mut self, row: &mut ReadRow) -> Result<bool, ReadError> {
        loop {
            row.line = self.input.line();
            if !self.next_line()? {
                return Ok(false);
            }
            if !self.line.trim_ascii().is_empty() {
                break;
            }
        }
        let line = row.line;
        let members = Members::of(&self.line).ok_or(ReadError::NoObject { line })?;
        for (name, value) in members.0 {
            let column = match self.known.get(&*name) {
                Some(known) => *known,
                None if self.columns.len() == MAX_COLUMNS => {
                    return Err(ReadError::TooManyColumns(MAX_COLUMNS));
                }
                None => {
                    self.columns.push(name.clone().into_owned());
                    self.lines.push(0);
                    self.known.insert(name.clone().into_owned(), self.columns.len() - 1);
                    self.columns.len() - 1
                }
            };
            if std::mem::replace(&mut self.lines[column], line) == line {
                return Err(ReadError::RepeatedMember { line, name: name.into_owned() });
            }
            row.cells.push((column, cell(value).ok_or(ReadError::NoObject { line })?));
        }
        Ok(true)
    }

    /// Reads a line without its end. Returns false at the end of the file.
    fn next_line(&mut self) -> Result<bool, ReadError> {
        self.line.clear();
        let line = self.input.line();
        loop {
            let text = self.input.fill()?;
            if text.is_empty() {
                return Ok(!self.line.is_empty());
            }
            let end = memchr::memchr(b'\n', text);
            self.line.extend_from_slice(&text[..end.unwrap_or(text.len())]);
            let read = end.map_or(text.len(), |end| end + 1);
            self.input.consume(read);
            if self.line.len() > MAX_LINE << 20 {
                return Err(ReadError::TooLarge { line, limit: MAX_LINE });
            }
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

/// A string without quotes and escapes; the digits of a number, or other JSON, as they are.
fn cell(value: &RawValue) -> Option<Cell<'static>> {
    let json = value.get();
    Some(match json.as_bytes().first()? {
        b'n' => Cell::Null,
        b'"' => Cell::Value(Cow::Owned(serde_json::from_str(json).ok()?)),
        _ => Cell::Value(Cow::Owned(json.to_owned())),
    })
}

/// The members of an object in their order, also those whose name occurs twice.
struct Members<'j>(Vec<(Cow<'j, str>, &'j RawValue)>);

impl<'j> Members<'j> {
    fn of(line: &'j [u8]) -> Option<Self> {
        let mut json = serde_json::Deserializer::from_slice(line);
        let members = json.deserialize_map(MembersVisitor).ok()?;
        json.end().ok()?;
        Some(members)
    }
}

struct MembersVisitor;

impl<'j> Visitor<'j> for MembersVisitor {
    type Value = Members<'j>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'j>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            members.push((Cow::Owned(name), map.next_value()?));
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Result<Vec<String>, ReadError> {
        let mut reader = NdjsonReader::new(text.as_bytes(), None)?;
        let (mut row, mut rows) = (ReadRow::default(), Vec::new());
        while reader.read(&mut row)? {
            let cells = row.cells.iter().map(|(column, cell)| {
                format!("{}={}", reader.columns()[*column], cell.value().unwrap_or("null"))
            });
            rows.push(format!("{}: {}", row.line, cells.collect::<Vec<_>>().join(" ")));
            row.cells.clear();
        }
        Ok(rows)
    }

    #[test]
    fn values_are_text_with_the_digits_as_sent() {
        let rows =
            read("\u{feff}{\"a\":1.50,\"b\":\"x\\n\"}\r\n\n{\"b\":null,\"c\":[1, 2],\"a\":true}\n").unwrap();
        assert_eq!(rows, ["1: a=1.50 b=x\n", "3: b=null c=[1, 2] a=true"]);
    }

    #[test]
    fn columns_and_lines_are_bounded() {
        let members = |range: std::ops::Range<usize>| {
            let members: Vec<String> = range.map(|n| format!("\"c{n}\":1")).collect();
            format!("{{{}}}\n", members.join(","))
        };
        let read = |text: &str| {
            let mut reader = NdjsonReader::new(text.as_bytes(), None).unwrap();
            let mut row = ReadRow::default();
            while reader.read(&mut row)? {
                row.cells.clear();
            }
            Ok::<_, ReadError>(reader.columns().len())
        };
        assert_eq!(read(&(members(0..MAX_COLUMNS) + &members(1..2))).unwrap(), MAX_COLUMNS);
        for text in [members(0..1_000_000), members(0..6_000) + &members(5_000..11_000)] {
            assert_eq!(read(&text).unwrap_err().to_string(), "the file has more than 10000 columns");
        }
        let endless = std::io::Read::chain(&b"{\"a\":\""[..], std::io::repeat(b'x'));
        let error = NdjsonReader::new(endless, None).unwrap().read(&mut ReadRow::default()).unwrap_err();
        assert_eq!(error.to_string(), "line 1: the row that begins here is larger than 16 MiB");
    }

    #[test]
    fn other_lines_are_refused() {
        let refused = |text| read(text).unwrap_err().to_string();
        assert_eq!(refused("{}\n[1]\n"), "line 2: this is no JSON object of one line");
        assert_eq!(refused("{\"a\":\n1}\n"), "line 1: this is no JSON object of one line");
        assert_eq!(refused("{} {}\n"), "line 1: this is no JSON object of one line");
        assert_eq!(refused("{\"a\":1,\"a\":1}"), "line 1: the member \"a\" occurs twice");
    }
}
