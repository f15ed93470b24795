use super::MAX_ACCOUNT;
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;

/// Where an account stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The input, by its place among the inputs of the run.
    pub(crate) source: u32,
    /// The line, from 1; the first one of a file that is one account.
    pub(crate) line: u32,
}

/// What the reader met, in the order of the inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen<T> {
    /// An input, now open; its line is 0.
    Opened,
    /// An account: where its bytes are, or what became of it.
    Account(T),
    /// An account that is too large to be looked at.
    TooLarge,
    /// The input cannot be read, or not any further; in words.
    Unreadable(String),
}

/// So many bytes are read before accounts are handed on; one larger account makes a chunk grow.
pub(super) const CHUNK: usize = 256 * 1024;
/// With less room than this nothing is read into a chunk.
pub(super) const MIN_ROOM: usize = 16 * 1024;
/// No chunk grows beyond: a largest account, and room to see that it ends.
const MAX_CHUNK: usize = MAX_ACCOUNT + CHUNK;

/// Some accounts one after another, as they were read. Chunks go round: their memory is used again.
pub(crate) struct Chunk {
    /// Its place among all chunks of the run.
    pub(crate) number: u64,
    /// What was met, accounts as their place in the bytes.
    pub(crate) seen: Vec<(Place, Seen<Range<usize>>)>,
    /// All of it may be written to; the first `filled` were read.
    bytes: Vec<u8>,
    filled: usize,
}

/// Without the bytes: they are accounts.
impl fmt::Debug for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunk").field("number", &self.number).finish_non_exhaustive()
    }
}

impl Chunk {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self { number: 0, seen: Vec::new(), bytes: vec![0; CHUNK], filled: 0 }
    }

    /// The bytes of an account.
    pub(crate) fn account(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes[range.clone()]
    }

    /// Makes it empty; what a large account made it grow by is given back.
    pub(crate) fn clear(&mut self) {
        self.seen.clear();
        self.filled = 0;
        self.bytes.truncate(CHUNK);
        self.bytes.shrink_to(CHUNK);
    }

    /// How many bytes were read.
    pub(super) fn filled(&self) -> usize {
        self.filled
    }

    /// What was read from an offset on.
    pub(super) fn read_from(&self, offset: usize) -> &[u8] {
        &self.bytes[offset..self.filled]
    }

    /// Whether there is enough room to read into.
    pub(super) fn has_room(&self) -> bool {
        self.bytes.len() - self.filled >= MIN_ROOM
    }

    /// Reads once; 0 at the end.
    pub(super) fn read(&mut self, from: &mut dyn Read) -> io::Result<usize> {
        loop {
            match from.read(&mut self.bytes[self.filled..]) {
                Ok(count) => {
                    self.filled += count;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Forgets what was read behind an offset.
    pub(super) fn forget_from(&mut self, offset: usize) {
        self.filled = offset;
    }

    /// Takes the beginning of an account over from another chunk. This one is empty.
    pub(super) fn take_over(&mut self, beginning: &[u8]) {
        if self.bytes.len() < beginning.len() + MIN_ROOM {
            self.bytes.resize(beginning.len() + MIN_ROOM, 0);
        }
        self.bytes[..beginning.len()].copy_from_slice(beginning);
        self.filled = beginning.len();
    }

    /// Forgets what was read before an offset and moves the rest there; without anything to forget, grows.
    pub(super) fn move_to_front_or_grow(&mut self, offset: usize) {
        if offset > 0 {
            self.bytes.copy_within(offset..self.filled, 0);
            self.filled -= offset;
        } else {
            let larger = (2 * self.bytes.len()).min(MAX_CHUNK);
            self.bytes.resize(larger.max(self.filled + MIN_ROOM), 0);
        }
    }
}
