//! A JSON object per line.

use super::input::{Encoding, Input};
use super::{ReadError, ReadRow};
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
    line: Vec<u8>,
}

impl<R: Read> NdjsonReader<R> {
    pub(super) fn new(from: R, encoding: Option<Encoding>) -> Result<Self, ReadError> {
        let input = Input::new(from, encoding)?;
        Ok(Self { input, columns: Vec::new(), known: HashMap::new(), line: Vec::new() })
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
            let column = self.known.get(&*name).copied().unwrap_or_else(|| {
                self.columns.push(name.clone().into_owned());
                self.known.insert(name.clone().into_owned(), self.columns.len() - 1);
                self.columns.len() - 1
            });
            if row.cells.iter().any(|(known, _)| *known == column) {
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
    fn other_lines_are_refused() {
        let refused = |text| read(text).unwrap_err().to_string();
        assert_eq!(refused("{}\n[1]\n"), "line 2: this is no JSON object of one line");
        assert_eq!(refused("{\"a\":\n1}\n"), "line 1: this is no JSON object of one line");
        assert_eq!(refused("{} {}\n"), "line 1: this is no JSON object of one line");
        assert_eq!(refused("{\"a\":1,\"a\":1}"), "line 1: the member \"a\" occurs twice");
    }
}
