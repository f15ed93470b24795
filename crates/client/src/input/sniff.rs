//! Recognises inputs that are no accounts as JSON by their first bytes.

use std::io::{self, Cursor, Read};

/// The mark at the beginning of a UTF-8 text, which is left out.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// First bytes of formats that are often given by mistake, and their names.
const FORMATS: [(&[u8], &str); 7] = [
    (b"PK\x03\x04", "a ZIP archive or a workbook: extract it, or save its tables as CSV"),
    (b"7z\xbc\xaf", "a 7z archive: extract it first"),
    (b"Rar!", "a RAR archive: extract it first"),
    (b"BZh", "compressed with bzip2: compress it with gzip or Zstandard"),
    (b"\xfd7zXZ", "compressed with xz: compress it with gzip or Zstandard"),
    (b"PAR1", "a table in Parquet: `cutover-client assemble` makes accounts of tables"),
    (b"%PDF", "a PDF document, not accounts as JSON"),
];

/// Offset and content of the mark of tar archives.
const TAR: (usize, &[u8]) = (257, b"ustar");

/// Number of bytes that are looked at.
const LOOK: usize = 4_096;

/// Returns a reader without a byte order mark.
///
/// # Errors
/// If it cannot be read, or is recognised as something else than JSON; the text names what it is.
pub(super) fn recognised(mut from: Box<dyn Read>) -> io::Result<Box<dyn Read>> {
    let mut start = vec![0; LOOK];
    let mut filled = 0;
    // A pipe may give one line and wait before the next.
    while filled < LOOK && !start[..filled].contains(&b'\n') {
        match from.read(&mut start[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    start.truncate(filled);
    if let Some(what) = foreign(&start) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("it is {what}")));
    }
    let skipped = if start.starts_with(MARK) { MARK.len() } else { 0 };
    let mut start = Cursor::new(start);
    start.set_position(skipped as u64);
    Ok(Box::new(start.chain(from)))
}

/// Names the format of bytes that are no accounts.
fn foreign(start: &[u8]) -> Option<&'static str> {
    if let Some((_, what)) = FORMATS.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(what);
    }
    if start.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1)) {
        return Some("a tar archive: extract it first");
    }
    match start {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'{' | b'[', 0, ..] | [0, b'{' | b'[', ..] => {
            Some("text in UTF-16: save it as UTF-8")
        }
        text if is_csv(text) => Some("a table in CSV: `cutover-client assemble` makes accounts of tables"),
        _ => None,
    }
}

/// True if the first line looks like the head of a table: words between separators.
fn is_csv(text: &[u8]) -> bool {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    let line = text.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_ .-\"".contains(byte);
    [b',', b';', b'\t', b'|'].iter().any(|separator| {
        let cells = line.split(|byte| byte == separator);
        line.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'"')
            && cells.clone().count() > 1
            && cells.into_iter().all(|cell| cell.iter().all(is_word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        let from = recognised(Box::new(Cursor::new(bytes.to_vec()))).map_err(|e| e.to_string())?;
        { from }.read_to_end(&mut all).map_err(|e| e.to_string())?;
        Ok(all)
    }

    #[test]
    fn a_byte_order_mark_is_left_out() {
        assert_eq!(read(b"\xef\xbb\xbf{}").unwrap(), b"{}");
        for text in [&b""[..], b"{}", b"[1]", b"\n {\"a\": 1}", b"no json", b"\"a\""] {
            assert_eq!(read(text).unwrap(), text);
        }
    }

    #[test]
    fn other_formats_are_named() {
        let tar = [&[b'a'; 257][..], b"ustar\x00"].concat();
        for (bytes, part) in [
            (&b"PK\x03\x04rest"[..], "ZIP"),
            (b"BZh9", "bzip2"),
            (&tar, "tar"),
            (b"\xff\xfe{\0", "UTF-16"),
            (b"{\0\"\0", "UTF-16"),
            (b"\0{\0\"", "UTF-16"),
            (b"PAR1", "Parquet"),
            (b"import_supplier,external_account_number\r\nACME,1\r\n", "CSV"),
            (b"\xef\xbb\xbf\"number\";\"name\"\n", "CSV: `cutover-client assemble`"),
        ] {
            let error = read(bytes).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
