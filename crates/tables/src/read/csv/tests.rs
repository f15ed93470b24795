use super::*;
use crate::read::Encoding;

fn read_with(text: impl AsRef<[u8]>, options: ReadOptions) -> Result<Vec<String>, ReadError> {
    let mut reader = CsvReader::new(text.as_ref(), options)?;
    let (mut row, mut rows) = (ReadRow::default(), vec![reader.columns().join("|")]);
    while reader.read(&mut row)? {
        let cells = row.cells.iter().map(|(column, cell)| {
            let value = cell.value().map_or("null".to_owned(), |value| format!("{value:?}"));
            format!("{}={value}", reader.columns()[*column])
        });
        rows.push(format!("{}: {}", row.line, cells.collect::<Vec<_>>().join(" ")));
        row.cells.clear();
    }
    Ok(rows)
}

fn read(text: impl AsRef<[u8]>) -> Vec<String> {
    read_with(text, ReadOptions::default()).unwrap()
}

fn refused(text: impl AsRef<[u8]>) -> String {
    read_with(text, ReadOptions::default()).unwrap_err().to_string()
}

#[test]
fn absent_null_and_empty_cells_differ() {
    let rows = read("a,b,c,d,e\n,\\N,\"\",\"\\N\",x\n");
    assert_eq!(rows, ["a|b|c|d|e", r#"2: b=null c="" d="\\N" e="x""#]);
}

#[test]
fn quotes_are_around_cells_and_doubled_inside() {
    let rows = read("a,b\n\"x\"\"y\",\"1,\n2\"\n\"\"\"\",\" \"\n");
    assert_eq!(rows, ["a|b", r#"2: a="x\"y" b="1,\n2""#, r#"4: a="\"" b=" ""#]);
    for text in ["x\"y\",1", "\"x\" ,1", "\"x\"y,1", "\"x\"y\"z\",1", "5\" pipe,1", "\"\"x\"\",1"] {
        let error = refused(format!("a,b\n1,2\n{text}\n"));
        assert_eq!(
            error, "line 3: a quote is not around a whole cell, or not doubled inside of one",
            "{text}"
        );
    }
}

#[test]
fn the_delimiter_is_that_of_the_head_line_or_the_named_one() {
    for delimiter in [",", ";", "\t", "|"] {
        let text = "a~\"b,c\"\n1~2\n".replace('~', delimiter);
        assert_eq!(read(text).len(), 2, "{delimiter:?}");
    }
    assert_eq!(read("a\n1;2\n"), ["a", r#"2: a="1;2""#]);
    let several = "the head line has several delimiters (',' and ';'): name the one that counts";
    assert_eq!(refused("a,b;c\n"), several);
    assert_eq!(read("\n\r\n\na;b\n1;2\n"), ["a|b", r#"5: a="1" b="2""#]);
    let options = ReadOptions { delimiter: Some(b';'), ..ReadOptions::default() };
    assert_eq!(read_with("a,b;c\n1;2\n", options).unwrap()[1], r#"2: a,b="1" c="2""#);
}

#[test]
fn a_byte_order_mark_is_taken_off_also_before_a_quote() {
    for marks in ["\u{feff}", "\u{feff}\u{feff}\u{feff}"] {
        assert_eq!(read(format!("{marks}\"a\",b\n1,2\n")), ["a|b", r#"2: a="1" b="2""#]);
    }
}

#[test]
fn only_lf_and_crlf_end_a_line() {
    let rows = read("a,b\r\n1,\"2\"\r\n\r\n\n3\r4,5\u{2028}6\u{85}\r\n7,\"8\r\"\n9,10\r");
    let expected = [
        "a|b",
        r#"2: a="1" b="2""#,
        r#"5: a="3\r4" b="5\u{2028}6\u{85}""#,
        r#"6: a="7" b="8\r""#,
        r#"7: a="9" b="10\r""#,
    ];
    assert_eq!(rows, expected);
    assert_eq!(
        refused("a,b\r1,2\r"),
        "the head line has a carriage return inside: lines end with LF or CRLF"
    );
}

#[test]
fn lines_are_physical_ones() {
    let rows = read("a\n\n\"1\n2\r\n3\"\n\n4\n");
    assert_eq!(rows, ["a", r#"3: a="1\n2\r\n3""#, r#"7: a="4""#]);
}

#[test]
fn columns_have_names_of_their_own() {
    let error = "the columns \"Name\" and \"NAME\" have the same name but for case";
    assert_eq!(refused("Name,b,NAME\n1,2\n"), error);
    assert_eq!(refused("a,,b\n"), "column 2 has no name in the head line");
    assert_eq!(refused(""), "the file has no head line with the names of the columns");
    assert_eq!(refused("\n\n"), "the file has no head line with the names of the columns");
}

#[test]
fn an_unclosed_quote_is_named_where_it_opens() {
    assert_eq!(refused("a,b\n1,2\n3,\"4\n5,6\n"), "line 3: a quote opens here and is not closed");
    let endless = std::io::Read::chain(&b"a\n1\n\""[..], std::io::repeat(b'x'));
    let mut reader = CsvReader::new(endless, ReadOptions::default()).unwrap();
    let mut row = ReadRow::default();
    assert!(reader.read(&mut row).unwrap());
    assert!(matches!(reader.read(&mut row), Err(ReadError::Unclosed { line: 3 })));
}

/// Counts what is read of a text.
struct Counted<R>(R, std::rc::Rc<std::cell::Cell<usize>>);

impl<R: std::io::Read> std::io::Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.set(self.1.get() + count);
        Ok(count)
    }
}

#[test]
fn an_unclosed_quote_is_named_before_a_million_lines_are_read() {
    let lines = "1,a customer with a name and an address\n".repeat(1_000_000);
    let text = format!("a,b\n1,\"x\n{lines}");
    let read = std::rc::Rc::default();
    let mut reader =
        CsvReader::new(Counted(text.as_bytes(), std::rc::Rc::clone(&read)), ReadOptions::default()).unwrap();
    let error = reader.read(&mut ReadRow::default()).unwrap_err();
    assert!(matches!(error, ReadError::Unclosed { line: 2 }), "{error}");
    assert!(text.len() > 38_000_000 && read.get() < 17 << 20, "{} bytes", read.get());
}

#[test]
fn rows_are_of_bounded_size() {
    let endless = std::io::Read::chain(&b"a,b\n"[..], std::io::repeat(b'x'));
    let mut reader = CsvReader::new(endless, ReadOptions::default()).unwrap();
    let error = reader.read(&mut ReadRow::default()).unwrap_err();
    assert_eq!(error.to_string(), "line 2: the row that begins here is larger than 16 MiB");
    let endless = std::io::repeat(b'x');
    assert!(CsvReader::new(endless, ReadOptions::default()).is_err());
    let delimiters = |begin: &'static str| begin.as_bytes().chain(std::io::repeat(b',').take(1 << 20));
    let expected =
        |line| format!("line {line}: a table has at most 16384 columns, with names of 1 MiB in all");
    let mut reader = CsvReader::new(delimiters("a,b\n"), ReadOptions::default()).unwrap();
    let error = reader.read(&mut ReadRow::default()).unwrap_err();
    assert_eq!((error.to_string(), error.is_of_row()), (expected(2), false));
    let error = CsvReader::new(delimiters("a"), ReadOptions::default()).err().unwrap();
    assert_eq!(error.to_string(), expected(1));
    let names = |length| read_with("x".repeat(length) + ",b\n1,2\n", ReadOptions::default()).is_ok();
    assert_eq!((names(1 << 19), names(1 << 20)), (true, false));
}

#[test]
fn a_row_has_a_cell_for_each_column() {
    let mut reader = CsvReader::new(&b"a,b\n1\n1,2,3\n1,2\n"[..], ReadOptions::default()).unwrap();
    let mut row = ReadRow::default();
    let mut error = |row: &mut ReadRow| reader.read(row).unwrap_err();
    assert_eq!(error(&mut row).to_string(), "line 2: the row has 1 cells, but there are 2 columns");
    let more = error(&mut row);
    assert_eq!(more.to_string(), "line 3: the row has 3 cells, but there are 2 columns");
    assert!(more.is_of_row());
    assert!(reader.read(&mut row).unwrap());
    assert_eq!((row.line, row.cells.len()), (4, 2));
}

#[test]
fn a_byte_that_is_not_utf8_is_named() {
    let error = refused(b"a,b\n1,2\nM\xFCller,3\n");
    let expected = "line 3: byte 9 of the file (0xFC) is not UTF-8; if the file is in Windows-1252 or \
                    Windows-1250, name that encoding";
    assert_eq!(error, expected);
    assert!(refused(b"a\n\xE2\x82").starts_with("line 2: byte 2 of the file (0xE2)"));
    let late = [b"a\n".to_vec(), "é".repeat(100_000).into_bytes(), b"\n\xFF".to_vec()].concat();
    assert!(refused(late).starts_with("line 3: byte 200003 of the file (0xFF)"));
}

#[test]
fn an_encoding_can_be_named() {
    let named = |encoding: &str| {
        let encoding: Encoding = encoding.parse().unwrap();
        ReadOptions { encoding: Some(encoding), ..ReadOptions::default() }
    };
    let rows = read_with(b"a,b\nM\xFCller,\x80\n", named("windows-1252")).unwrap();
    assert_eq!(rows[1], r#"2: a="Müller" b="€""#);
    let utf16: Vec<u8> = "a,b\né,\"1\"\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read_with(&utf16, named("utf-16le")).unwrap()[1], r#"2: a="é" b="1""#);
    assert_eq!(
        refused(&utf16),
        "the file is in UTF-16: name the encoding utf-16le, or write the file in UTF-8"
    );
    assert!(refused(b"\xFE\xFF\0a").contains("utf-16be"));
    let slowly = CsvReader::new(Slow(&utf16), ReadOptions::default()).err().unwrap();
    assert_eq!(slowly.to_string(), refused(&utf16));
    assert!("latin-47".parse::<Encoding>().is_err());
    for byte in [0x81, 0x8D, 0x8F, 0x90, 0x9D] {
        let error =
            read_with([&b"a\n1\n\xFC"[..], &[byte], b"\n\n"].concat(), named("windows-1252")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 3: there are bytes that windows-1252 does not have",
            "{byte:02X}"
        );
    }
    // ISO 8859 has these control characters.
    assert_eq!(read_with(b"a\n\x81\n", named("iso-8859-2")).unwrap()[1], r#"2: a="\u{81}""#);
    let cut = read_with(b"a\n1\n\xD8", named("utf-16le")).unwrap_err();
    assert!(cut.to_string().contains("bytes that UTF-16LE does not have"), "{cut}");
}

/// Gives one byte at a time, so that each cell crosses the end of a piece.
struct Slow<'t>(&'t [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let end = buffer.len().min(1);
        self.0.read(&mut buffer[..end])
    }
}

#[test]
fn the_delimiter_is_that_of_the_whole_head_line_however_it_arrives() {
    let reader = CsvReader::new(Slow(b"\"a\nb\";c\n1;2\n"), ReadOptions::default()).unwrap();
    assert_eq!(reader.columns(), ["a\nb", "c"]);
}

proptest::proptest! {
    /// What the writer writes is read again, however the text is cut.
    #[test]
    fn cells_come_back(cells in proptest::collection::vec(proptest::option::of("[ab,;\"\\\\N\r\n é]{0,5}"), 2..20)) {
        let mut out = b"a,b\r\n".to_vec();
        let cell = |cell: &Option<String>| match cell {
            None => Cell::Absent,
            Some(text) => Cell::Value(Cow::Owned(text.clone())),
        };
        for pair in cells.chunks_exact(2) {
            crate::csv::line(pair.iter().map(cell), &mut out).unwrap();
        }
        let mut reader = CsvReader::new(Slow(&out), ReadOptions::default()).unwrap();
        let mut row = ReadRow::default();
        for pair in cells.chunks_exact(2) {
            proptest::prop_assert!(reader.read(&mut row).unwrap());
            let expected = pair.iter().enumerate().filter(|(_, cell)| cell.is_some());
            let expected: Vec<_> = expected.map(|(index, text)| (index, cell(text))).collect();
            proptest::prop_assert_eq!(&row.cells, &expected);
            row.cells.clear();
        }
        proptest::prop_assert!(!reader.read(&mut row).unwrap());
    }
}
