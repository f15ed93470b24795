//! A JSON object per line.

use super::input::{Encoding, Input};
use super::{MAX_COLUMNS, MAX_NAMES, ReadError, ReadRow};
use cutover_model::tables::Cell;
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::Read;

/// The largest line, in MiB.
const MAX_LINE: usize = 16;

pub(super) struct NdjsonReader<R> {
    input: Input<R>,
    columns: Columns,
    line: Vec<u8>,
}

/// The columns that lines have had so far.
#[derive(Default)]
struct Columns {
    names: Vec<String>,
    /// The size of the names.
    size: usize,
    indexes: HashMap<String, usize>,
    /// For each column the last line that has it.
    last_lines: Vec<u64>,
}

impl Columns {
    /// The index of a column that a line has, and whether the line has it already.
    fn see(&mut self, name: &str, line: u64) -> Result<(usize, bool), ReadError> {
        let column = match self.indexes.get(name) {
            Some(known) => *known,
            None => self.add(name, line)?,
        };
        Ok((column, std::mem::replace(&mut self.last_lines[column], line) == line))
    }

    fn add(&mut self, name: &str, line: u64) -> Result<usize, ReadError> {
        let column = self.names.len();
        self.size += name.len();
        if column == MAX_COLUMNS || self.size > MAX_NAMES << 20 {
            return Err(ReadError::TooManyColumns { line });
        }
        self.names.push(name.to_owned());
        self.indexes.insert(name.to_owned(), column);
        // Lines are counted from 1 on.
        self.last_lines.push(0);
        Ok(column)
    }
}

impl<R: Read> NdjsonReader<R> {
    pub(super) fn new(from: R, encoding: Option<Encoding>) -> Result<Self, ReadError> {
        let input = Input::new(from, encoding)?;
        Ok(Self { input, columns: Columns::default(), line: Vec::new() })
    }

    pub(super) fn columns(&self) -> &[String] {
        &self.columns.names
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
            let (column, is_repeated) = self.columns.see(&name, line)?;
            if is_repeated {
                return Err(ReadError::RepeatedMember { line, name });
            }
            if value.get().starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
                row.typed.push(column);
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

/// The members of an object in their order, also those whose name occurs twice. If there are more than a table may have
/// columns, one of those beyond is kept.
struct Members<'j>(Vec<(String, &'j RawValue)>);

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
            members.push((name, map.next_value()?));
            if members.len() > MAX_COLUMNS {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            }
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
        assert_eq!(refused("{\"a\":1}\n{\"b\":1,\"a\":2,\"b\":1}"), "line 2: the member \"b\" occurs twice");
    }

    #[test]
    fn lines_are_of_bounded_size() {
        let endless = std::io::Read::chain(&b"{\"a\":\""[..], std::io::repeat(b'x'));
        let error = NdjsonReader::new(endless, None).unwrap().read(&mut ReadRow::default()).unwrap_err();
        assert_eq!(error.to_string(), "line 1: the row that begins here is larger than 16 MiB");
    }

    #[test]
    fn columns_are_of_bounded_number_and_size() {
        let error = |text: String| {
            let mut reader = NdjsonReader::new(text.as_bytes(), None).unwrap();
            let mut row = ReadRow::default();
            loop {
                match reader.read(&mut row) {
                    Ok(true) => row.cells.clear(),
                    Ok(false) => return None,
                    Err(error) => return Some((error.to_string(), error.is_of_row())),
                }
            }
        };
        let members = |names: std::ops::Range<usize>| {
            let members: Vec<_> = names.map(|n| format!("\"{n}\":1")).collect();
            format!("{{{}}}\n", members.join(","))
        };
        let too_many = "a table has at most 16384 columns, with names of 1 MiB in all";
        assert_eq!(error(members(0..16_384) + &members(1..16_384)), None);
        assert_eq!(error(members(0..16_385)), Some((format!("line 1: {too_many}"), false)));
        assert_eq!(
            error(members(0..9_000) + &members(9_000..18_000)).unwrap().0,
            format!("line 2: {too_many}")
        );
        let long = |n: u32| format!("{{\"{n}{}\":1}}\n", "x".repeat(1 << 19));
        assert_eq!(error(long(1) + &long(1)), None);
        assert_eq!(error(long(1) + &long(2)).unwrap().0, format!("line 2: {too_many}"));
    }
}
