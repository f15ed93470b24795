use super::{Content, Source};
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of bytes read from all inputs, before decompression.
#[derive(Debug, Clone, Default)]
pub(crate) struct BytesRead(Arc<AtomicU64>);

impl BytesRead {
    /// Returns the number.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds bytes that were read otherwise.
    pub(crate) fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Counts the bytes that are read through it.
struct Counted<R>(R, BytesRead);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.add(count as u64);
        Ok(count)
    }
}

/// Magic numbers of compressed data; no JSON begins with these.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Smaller than any read, so that reads bypass the buffer.
const BUFFER: usize = super::chunk::MIN_ROOM;

/// Opens an input and decompresses it if it begins as gzip or Zstandard does, whatever its name.
///
/// # Errors
/// If it cannot be opened, its first bytes cannot be read, or its name says compressed and it is not.
pub(super) fn open(source: &Source, read: &BytesRead) -> io::Result<Box<dyn Read>> {
    match &source.content {
        Content::File(path) => open_file(path, source.is_compressed, read),
        Content::StandardInput => {
            decompressed(Counted(io::stdin().lock(), read.clone()), source.is_compressed)
        }
        Content::Tables(accounts) => {
            // One run reads it after another, so that the position can be shared.
            let mut file = accounts.file.try_clone()?;
            file.rewind()?;
            Ok(Box::new(Counted(file, read.clone())))
        }
    }
}

/// Opens a file and decompresses it if it begins as gzip or Zstandard does, whatever its name.
///
/// # Errors
/// If it cannot be opened, its first bytes cannot be read, or its name says compressed and it is not.
pub(crate) fn open_file(path: &Path, is_compressed: bool, read: &BytesRead) -> io::Result<Box<dyn Read>> {
    decompressed(Counted(File::open(path)?, read.clone()), is_compressed)
}

fn decompressed(mut from: impl Read + 'static, is_compressed: bool) -> io::Result<Box<dyn Read>> {
    let mut start = Vec::with_capacity(ZSTD.len());
    (&mut from).take(ZSTD.len() as u64).read_to_end(&mut start)?;
    let kind = (start.starts_with(GZIP), start.starts_with(ZSTD));
    let all = Cursor::new(start).chain(BufReader::with_capacity(BUFFER, from));
    Ok(match kind {
        (true, _) => Box::new(MultiGzDecoder::new(all)),
        (_, true) => Box::new(zstd::Decoder::with_buffer(all)?),
        _ if is_compressed => return Err(io::Error::new(io::ErrorKind::InvalidData, NOT_COMPRESSED)),
        _ => Box::new(all),
    })
}

const NOT_COMPRESSED: &str = "its name says compressed, but it is neither gzip nor Zstandard";

/// Reads up to the end of the first line that is not blank, or `at_most` bytes, and returns these and a
/// reader of everything from the beginning.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn first_line(from: Box<dyn Read>, at_most: usize) -> io::Result<(Vec<u8>, Box<dyn Read>)> {
    let mut from = BufReader::with_capacity(BUFFER, from);
    let mut line = Vec::new();
    while line.trim_ascii().is_empty() && line.len() < at_most {
        let left = (at_most - line.len()) as u64;
        if (&mut from).take(left).read_until(b'\n', &mut line)? == 0 {
            break;
        }
    }
    let all = Cursor::new(line.clone()).chain(from);
    Ok((line, Box::new(all)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const TEXT: &[u8] = b"\n \n{\"a\": 1}\n{\"b\": 2}\n";

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// Yields one byte at a time, as a slow pipe may.
    struct Slow(Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let end = buffer.len().min(1);
            self.0.read(&mut buffer[..end])
        }
    }

    fn read(bytes: Vec<u8>, is_compressed: bool) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        decompressed(Slow(Cursor::new(bytes)), is_compressed)?.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn compressed_inputs_are_decompressed_with_all_their_parts() {
        let (front, back) = TEXT.split_at(9);
        assert_eq!(read([gzip(front), gzip(back)].concat(), true).unwrap(), TEXT);
        let zstd = |part| zstd::encode_all(part, 1).unwrap();
        assert_eq!(read([zstd(front), zstd(back)].concat(), false).unwrap(), TEXT);
        assert_eq!(read(TEXT.to_vec(), false).unwrap(), TEXT);
        assert_eq!(read(b"{}".to_vec(), false).unwrap(), b"{}");
        assert_eq!(read(Vec::new(), false).unwrap(), b"");
    }

    #[test]
    fn truncated_or_uncompressed_inputs_are_refused() {
        let packed = gzip(TEXT);
        let cut = read(packed[..packed.len() - 4].to_vec(), true).unwrap_err();
        assert_eq!(cut.kind(), io::ErrorKind::UnexpectedEof);
        let packed = zstd::encode_all(TEXT, 1).unwrap();
        assert!(read(packed[..packed.len() - 1].to_vec(), true).is_err());
        for text in [TEXT, b""] {
            assert_eq!(read(text.to_vec(), true).unwrap_err().to_string(), NOT_COMPRESSED);
        }
    }

    #[test]
    fn the_first_line_can_be_read_again() {
        for (at_most, expected) in [(100, &TEXT[..12]), (5, &TEXT[..5])] {
            let (line, mut all) = first_line(Box::new(TEXT), at_most).unwrap();
            assert_eq!(line, expected);
            let mut text = Vec::new();
            all.read_to_end(&mut text).unwrap();
            assert_eq!(text, TEXT);
        }
    }
}
