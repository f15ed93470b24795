use super::Target;
use cutover_model::tables::Cell;
use cutover_tables::Format;
use cutover_tables::read::{ReadError, ReadOptions, ReadRow, TableReader};
use cutover_testkit::payload::Dice;
use std::borrow::Cow;
use std::io::{self, Read};

/// Files of tables in CSV.
pub(crate) const TARGET: Target = Target {
    name: "csv",
    description: "tables in CSV of several encodings and delimiters: the same rows however the bytes arrive, in bounded memory",
    run,
    seeds,
    words: &["\"", "\"\"", ",", ";", "\t", "\n", "\r\n", "\\N", "\u{feff}", "\u{2028}", "a,b\n"],
    max: 16 << 10,
    executions: 10_000,
};

/// The options that an input may have.
const DELIMITERS: [Option<u8>; 3] = [None, Some(b','), Some(b';')];
const ENCODINGS: [Option<&str>; 4] = [None, Some("windows-1252"), Some("utf-16le"), Some("shift_jis")];

/// What was read of a file: the rows, how many could not be read, and what ended it.
#[derive(Default, PartialEq)]
struct Rows {
    rows: Vec<ReadRow>,
    faults: Vec<String>,
    end: Option<String>,
    /// True if the bytes are not of the encoding. Rows before the fault are read or not.
    is_of_bytes: bool,
}

fn run(input: &[u8]) {
    let [form, seed, file @ ..] = input else { return };
    let (options, mut dice) = (options(usize::from(*form)), Dice::new(u64::from(*seed)));
    let whole = read(file, usize::MAX, &mut dice, options);
    let largest = [1, 2, 7, 100, 5_000][dice.below(5) as usize];
    let cut = read(file, largest, &mut dice, options);
    if whole.is_of_bytes {
        assert!(cut.end.is_some(), "the fault of the bytes depends on the pieces");
        assert!(cut.rows.starts_with(&whole.rows), "the rows depend on the pieces");
    } else {
        assert!(whole == cut, "the rows depend on the pieces");
    }
    check(&whole, file);
    if let (None, Some(delimiter)) = (options.encoding, options.delimiter) {
        check_plain(&whole, file, delimiter);
    }
}

fn options(form: usize) -> ReadOptions {
    let encoding = ENCODINGS[form / DELIMITERS.len() % ENCODINGS.len()];
    let encoding = encoding.map(|name| name.parse().expect("an encoding"));
    ReadOptions { delimiter: DELIMITERS[form % DELIMITERS.len()], encoding }
}

/// Reads a file that arrives in pieces of random sizes.
fn read(file: &[u8], largest: usize, dice: &mut Dice, options: ReadOptions) -> Rows {
    let mut pieces = Vec::new();
    let mut rest = file;
    while !rest.is_empty() {
        let size = if largest == usize::MAX { rest.len() } else { 1 + dice.below(largest as u64) as usize };
        let (piece, after) = rest.split_at(size.min(rest.len()));
        pieces.push(piece.to_vec());
        rest = after;
    }
    pieces.reverse();
    rows(Pieces(pieces), options)
}

fn rows(file: Pieces, options: ReadOptions) -> Rows {
    let mut rows = Rows::default();
    let mut reader = match TableReader::of_text(Format::Csv, Box::new(file), options) {
        Ok(reader) => reader,
        Err(error) => return rows.ended(&error),
    };
    let mut row = ReadRow::default();
    loop {
        match reader.read(&mut row) {
            Ok(true) => rows.rows.push(row.clone()),
            Ok(false) => return rows,
            Err(error) if error.is_of_row() => rows.faults.push(error.to_string()),
            Err(error) => return rows.ended(&error),
        }
    }
}

impl Rows {
    fn ended(self, error: &ReadError) -> Self {
        let is_of_bytes = matches!(error, ReadError::NotUtf8 { .. } | ReadError::NotInEncoding { .. });
        Self { end: Some(error.to_string()), is_of_bytes, ..self }
    }
}

/// A file in pieces, the last one first.
struct Pieces(Vec<Vec<u8>>);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(mut piece) = self.0.pop() else { return Ok(0) };
        let count = piece.len().min(buffer.len());
        let rest = piece.split_off(count);
        buffer[..count].copy_from_slice(&piece);
        if !rest.is_empty() {
            self.0.push(rest);
        }
        Ok(count)
    }
}

/// Rows come in the order of their lines, and have no more text than the file.
fn check(rows: &Rows, file: &[u8]) {
    let lines = rows.rows.iter().map(|row| row.line);
    assert!(lines.is_sorted_by(|one, other| one < other), "lines out of order");
    let cells = rows.rows.iter().flat_map(|row| &row.cells);
    let size: usize = cells.filter_map(|(_, cell)| cell.value()).map(str::len).sum();
    // A byte of another encoding becomes three in UTF-8 at most.
    assert!(size <= 3 * file.len(), "more text than in the file");
    assert!(rows.rows.len() + rows.faults.len() <= file.len(), "more rows than in the file");
}

/// Without quotes and carriage returns, rows are lines and cells are what is between delimiters.
fn check_plain(rows: &Rows, file: &[u8], delimiter: u8) {
    let Ok(text) = std::str::from_utf8(file) else { return };
    if rows.end.is_some() || text.contains(['"', '\r', '\u{feff}']) {
        return;
    }
    let mut lines = (1..).zip(text.split('\n')).filter(|(_, line)| !line.is_empty());
    let cells = |line: &str| line.split(char::from(delimiter)).map(str::to_owned).collect::<Vec<_>>();
    let columns = lines.next().map_or(0, |(_, head)| cells(head).len());
    let cell = |(index, text): (usize, String)| match text.as_str() {
        "" => None,
        "\\N" => Some((index, Cell::Null)),
        _ => Some((index, Cell::Value(Cow::Owned(text)))),
    };
    let row = |(line, text): (u64, &str)| {
        let cells = cells(text);
        let is_whole = cells.len() == columns;
        let cells = cells.into_iter().enumerate().filter_map(cell).collect();
        is_whole.then(|| ReadRow { line, cells, typed: Vec::new() })
    };
    assert!(lines.filter_map(row).eq(rows.rows.iter().cloned()), "the rows are not the lines");
}

fn seeds() -> Vec<Vec<u8>> {
    let texts: [&[u8]; 9] = [
        b"",
        b"a,b\n1,2\n,\n\\N,\"\"\n",
        b"a;b\r\n\"x;\"\"y\"\"\";\"two\nlines\"\r\n\r\n1;2",
        b"\xef\xbb\xbf\"a\",\"b\"\n1,\"open\n2,3\n",
        b"a,A\n1,2\n",
        b"a,b\n1\n1,2,3\n4,5\n",
        b"a,b\nM\xfcller,\x80\n",
        b"a\0,\0b\0\n\x001\0,\x002\0\n\0",
        "a\tb\né\u{2028}\u{85}\t\"\u{1f4a1}\"\n".as_bytes(),
    ];
    let forms = 0..(DELIMITERS.len() * ENCODINGS.len()) as u8;
    forms.flat_map(|form| texts.map(|text| [&[form, 7 * form], text].concat())).collect()
}
