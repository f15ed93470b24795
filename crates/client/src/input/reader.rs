use super::open::{BytesRead, first_line, open};
use super::shape::Shape;
use super::sniff::recognised;
use super::values::{Splitter, Step};
use super::{Chunk, InputEvent, Location, MAX_ACCOUNT, Source};
use crate::interrupt::StopFlag;
use crossbeam_channel::{Receiver, Sender};
use cutover_model::{SyntaxErrorKind, Zone, decode_account};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads the inputs one after another into chunks and hands these on. Runs on its own thread.
pub(crate) struct Reader {
    sources: Vec<Source>,
    channels: Channels,
    /// The chunk that is being filled, and the offset of the unfinished account in it.
    chunk: Chunk,
    start: usize,
}

/// Channels and counters that a reader shares with other threads.
pub(crate) struct Channels {
    /// Source of empty chunks; it bounds how many exist.
    pub(crate) empty: Receiver<Chunk>,
    /// Destination of filled chunks.
    pub(crate) full: Sender<Chunk>,
    /// Number of chunks sent to `full`.
    pub(crate) sent: Arc<AtomicU64>,
    /// Number of bytes read.
    pub(crate) read: BytesRead,
    /// Set when reading is to stop.
    pub(crate) stop: StopFlag,
}

/// Reason why reading an input ended early.
enum ReadError {
    /// Nobody wants more.
    Stopped,
    /// The input cannot be read any further.
    Failed(io::Error),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Longest first line that is looked at if the name of the input tells its layout.
const SHORT_LINE: usize = 4_096;

impl Reader {
    /// A reader of inputs that has read nothing.
    pub(crate) fn new(sources: Vec<Source>, channels: Channels) -> Self {
        Self { sources, channels, chunk: Chunk::new(), start: 0 }
    }

    /// Reads all inputs, or until the run is stopped.
    pub(crate) fn run(mut self) {
        for (index, source) in (0..).zip(std::mem::take(&mut self.sources)) {
            match self.source(index, &source) {
                Ok(()) => {}
                Err(ReadError::Failed(error)) => {
                    self.chunk.forget_from(self.start);
                    self.push(index, 0, InputEvent::Unreadable(error.to_string()));
                }
                Err(ReadError::Stopped) => return,
            }
        }
        if !self.chunk.events.is_empty() {
            // If nobody receives any more, the rest is not needed.
            let _ = self.pass_on();
        }
    }

    fn source(&mut self, index: u32, source: &Source) -> Result<(), ReadError> {
        self.start = self.chunk.filled();
        if source.shape == Shape::Document {
            return self.document(index, source);
        }
        let from = open(source, &self.channels.read)?;
        if !source.is_of_tables() {
            self.push(index, 0, InputEvent::Opened);
        }
        let from = recognised(from)?;
        // For names that tell the layout the beginning of the line is enough.
        let at_most = if source.shape == Shape::ByContent { MAX_ACCOUNT } else { SHORT_LINE };
        let (line, mut from) = first_line(from, at_most)?;
        match shape_of(source.shape, &line) {
            Shape::Whole => self.whole(index, &mut *from),
            Shape::Values => self.values(index, &mut *from),
            Shape::Lines | Shape::ByContent | Shape::Document => self.lines(index, &mut *from),
        }
    }

    /// Hands a document on, each in a chunk of its own, so that the workers read several at a time.
    fn document(&mut self, index: u32, source: &Source) -> Result<(), ReadError> {
        if self.channels.stop.is_set() {
            return Err(ReadError::Stopped);
        }
        self.channels.read.add(source.bytes.unwrap_or_default());
        self.push(index, 0, InputEvent::Opened);
        self.push(index, 1, InputEvent::Account(self.start..self.start));
        self.pass_on()
    }

    /// Reads one account per line; blank lines are skipped.
    fn lines(&mut self, source: u32, from: &mut dyn io::Read) -> Result<(), ReadError> {
        let mut line: u32 = 1;
        let mut is_skipping = false;
        loop {
            self.make_room()?;
            let mut searched = self.chunk.filled();
            if self.chunk.read(from)? == 0 {
                break;
            }
            while let Some(length) = memchr::memchr(b'\n', self.chunk.read_from(searched)) {
                searched += length;
                if !std::mem::take(&mut is_skipping) {
                    self.line(source, line, self.start..searched);
                }
                searched += 1;
                self.start = searched;
                line = line.saturating_add(1);
            }
            if !is_skipping && self.unfinished() > MAX_ACCOUNT {
                self.push(source, line, InputEvent::TooLarge);
                is_skipping = true;
            }
            if is_skipping {
                self.chunk.forget_from(self.start);
            }
        }
        self.line(source, line, self.start..self.chunk.filled());
        self.start = self.chunk.filled();
        Ok(())
    }

    fn line(&mut self, source: u32, line: u32, range: Range<usize>) {
        if range.len() > MAX_ACCOUNT {
            self.push(source, line, InputEvent::TooLarge);
        } else if !self.chunk.account(&range).trim_ascii_start().is_empty() {
            self.push(source, line, InputEvent::Account(range));
        }
    }

    /// Reads the whole input as one account.
    fn whole(&mut self, source: u32, from: &mut dyn io::Read) -> Result<(), ReadError> {
        loop {
            self.make_room()?;
            let is_end = self.chunk.read(from)? == 0;
            if self.unfinished() > MAX_ACCOUNT {
                self.chunk.forget_from(self.start);
                self.push(source, 1, InputEvent::TooLarge);
                return Ok(());
            }
            if is_end {
                break;
            }
        }
        self.push(source, 1, InputEvent::Account(self.start..self.chunk.filled()));
        self.start = self.chunk.filled();
        Ok(())
    }

    /// Reads the accounts of an array, or accounts one after another, over any number of lines. Text between
    /// them is an account that is not JSON.
    fn values(&mut self, source: u32, from: &mut dyn io::Read) -> Result<(), ReadError> {
        let mut splitter = Splitter::new();
        loop {
            self.make_room()?;
            let searched = self.chunk.filled();
            let is_end = self.chunk.read(from)? == 0;
            for at in searched..self.chunk.filled() {
                let byte = self.chunk.byte(at);
                match splitter.next(byte) {
                    Step::Inside => {}
                    Step::Between => self.start = at + 1,
                    Step::Ends => {
                        self.line(source, splitter.line_of_value, self.start..at + 1);
                        self.start = at + 1;
                    }
                    Step::EndsBefore => {
                        self.line(source, splitter.line_of_value, self.start..at);
                        self.start = at + 1;
                    }
                }
            }
            if self.unfinished() > MAX_ACCOUNT {
                if !splitter.is_skipping {
                    self.push(source, splitter.line_of_value, InputEvent::TooLarge);
                }
                splitter.is_skipping = true;
                self.chunk.forget_from(self.start);
            }
            if is_end {
                break;
            }
        }
        if !splitter.is_skipping {
            self.line(source, splitter.line_of_value, self.start..self.chunk.filled());
        }
        self.start = self.chunk.filled();
        Ok(())
    }

    fn push(&mut self, source: u32, line: u32, event: InputEvent<Range<usize>>) {
        self.chunk.events.push((Location { source, line }, event));
    }

    fn unfinished(&self) -> usize {
        self.chunk.filled() - self.start
    }

    /// Makes room for a read: hands on finished accounts, or lets the chunk grow.
    fn make_room(&mut self) -> Result<(), ReadError> {
        if self.channels.stop.is_set() {
            return Err(ReadError::Stopped);
        }
        while !self.chunk.has_room() {
            if self.chunk.events.is_empty() {
                self.chunk.move_to_front_or_grow(self.start);
                self.start = 0;
            } else {
                self.pass_on()?;
            }
        }
        Ok(())
    }

    /// Hands the chunk on; the unfinished account moves to the next chunk.
    fn pass_on(&mut self) -> Result<(), ReadError> {
        let mut next = self.channels.empty.recv().map_err(|_| ReadError::Stopped)?;
        next.take_over(self.chunk.read_from(self.start));
        self.start = 0;
        let mut full = std::mem::replace(&mut self.chunk, next);
        full.number = self.channels.sent.fetch_add(1, Ordering::SeqCst);
        self.channels.full.send(full).map_err(|_| ReadError::Stopped)
    }
}

/// The layout of an input by its name and its first line. Arrays and accounts over several lines are read
/// whatever the name says; a torn line of NDJSON is not taken for the latter.
fn shape_of(named: Shape, first_line: &[u8]) -> Shape {
    let line = first_line.trim_ascii();
    let is_array = line.first() == Some(&b'[');
    let is_open = first_line.ends_with(b"\n")
        && line.first() == Some(&b'{')
        && matches!(line.last(), Some(b'{' | b'[' | b','));
    match named {
        // An array without accounts is not taken for an export without accounts.
        _ if line == b"[]" => Shape::Whole,
        Shape::Lines if is_array || is_open => Shape::Values,
        Shape::Whole if is_array => Shape::Values,
        Shape::ByContent if is_array => Shape::Values,
        Shape::ByContent => detect_shape(first_line),
        named => named,
    }
}

/// A first line that ends in the middle of a value begins a single account; any other is a line of NDJSON.
fn detect_shape(first_line: &[u8]) -> Shape {
    match decode_account(first_line, Zone::UTC) {
        Err(error) if error.kind == SyntaxErrorKind::UnexpectedEnd => Shape::Whole,
        _ => Shape::Lines,
    }
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;
    use crossbeam_channel::unbounded;

    /// Events that a reader sends for files with these names and contents: file, line, and the account or a
    /// word.
    fn seen(files: &[(&str, &[u8])]) -> Vec<(u32, u32, Vec<u8>)> {
        let folder = tempfile::tempdir().unwrap();
        let paths = files.iter().map(|(name, content)| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            path
        });
        let sources = find(&paths.collect::<Vec<_>>(), &[]).unwrap();
        let ((give_back, empty), (full, chunks)) = (unbounded(), unbounded());
        for _ in 0..1_000 {
            give_back.send(Chunk::new()).unwrap();
        }
        let channels = Channels {
            empty,
            full,
            sent: Arc::default(),
            read: BytesRead::default(),
            stop: StopFlag::default(),
        };
        Reader::new(sources, channels).run();
        let mut all = Vec::new();
        for (number, chunk) in chunks.iter().enumerate() {
            assert_eq!(chunk.number, number as u64);
            all.extend(
                chunk
                    .events
                    .iter()
                    .map(|(location, event)| (location.source, location.line, bytes(&chunk, event))),
            );
        }
        all
    }

    fn bytes(chunk: &Chunk, event: &InputEvent<Range<usize>>) -> Vec<u8> {
        match event {
            InputEvent::Opened => b"opened".to_vec(),
            InputEvent::Account(range) => chunk.account(range).to_vec(),
            InputEvent::TooLarge => b"too large".to_vec(),
            InputEvent::Unreadable(reason) => format!("unreadable: {reason}").into_bytes(),
        }
    }

    fn words(files: &[(&str, &[u8])]) -> Vec<String> {
        let word = |(source, line, bytes): &(u32, u32, Vec<u8>)| {
            format!("{source}:{line} {}", String::from_utf8_lossy(bytes))
        };
        seen(files).iter().map(word).collect()
    }

    #[test]
    fn lines_and_files_are_accounts() {
        let found = words(&[
            ("a.ndjson", b"{1}\n\n \t\r\n{2}\r\n{3}"),
            ("b.json", b"{\n1}\n"),
            ("empty.jsonl", b""),
            ("empty.json", b""),
            ("c.txt", b"\n{\n\"a\": 1}\n"),
            ("d.txt", b"{\"a\": 1}\n{\"b\": 2}\n"),
            ("e.ndjson", b"{4}\n"),
        ]);
        let expected = [
            "0:0 opened",
            "0:1 {1}",
            "0:4 {2}\r",
            "0:5 {3}",
            "1:0 opened",
            "1:1 {\n1}\n",
            "2:0 opened",
            "3:0 opened",
            "3:1 ",
            "4:0 opened",
            "4:1 \n{\n\"a\": 1}\n",
            "5:0 opened",
            "5:1 {\"a\": 1}",
            "5:2 {\"b\": 2}",
            "6:0 opened",
            "6:1 {4}",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn inputs_after_an_unreadable_one_are_read() {
        let whole = zstd::encode_all(&b"{1}\n{2"[..], 1).unwrap();
        let cut = &whole[..whole.len() - 2];
        let found = words(&[("a.ndjson.zst", cut), ("b.gz", b"{}"), ("c.ndjson", b"{3}\n")]);
        assert_eq!(found[0], "0:0 opened");
        assert!(found[found.len() - 4].starts_with("0:0 unreadable: "), "{found:?}");
        assert!(found[found.len() - 3].starts_with("1:0 unreadable: its name says"), "{found:?}");
        assert_eq!(found[found.len() - 2..], ["2:0 opened", "2:1 {3}"]);
    }

    #[test]
    fn a_line_that_is_too_long_does_not_affect_others() {
        for (length, expected) in [(MAX_ACCOUNT, MAX_ACCOUNT), (MAX_ACCOUNT + 1, 9), (3 * MAX_ACCOUNT, 9)] {
            let long = vec![b'x'; length];
            let text = [b"{1}\n", &long[..], b"\n{2}\n", &long[..]].concat();
            let found = seen(&[("a.ndjson", &text), ("b.json", &long), ("c.json", b"{3}")]);
            let sizes: Vec<_> =
                found.iter().map(|(source, line, seen)| (*source, *line, seen.len())).collect();
            let a = [(0, 0, 6), (0, 1, 3), (0, 2, expected), (0, 3, 3), (0, 4, expected)];
            assert_eq!(sizes, [&a[..], &[(1, 0, 6), (1, 1, expected), (2, 0, 6), (2, 1, 3)]].concat());
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { cases: 32, ..Default::default() })]
        /// Each line comes out as it went in, with its number.
        #[test]
        fn no_line_is_lost_or_cut(sizes in proptest::collection::vec(0..700_000_usize, 1..12)) {
            let lines: Vec<Vec<u8>> = (b'a'..).zip(&sizes).map(|(c, size)| vec![c; *size]).collect();
            let found = seen(&[("a.ndjson", &lines.join(&b'\n'))]);
            let expected = (1..).zip(&lines).filter(|(_, line)| !line.is_empty());
            proptest::prop_assert!(found[1..].iter().map(|(_, n, line)| (*n, line)).eq(expected));
        }
    }
}
