use super::MAX_ACCOUNT;
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;

/// Position of an account in the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Location {
    /// Index of the input among the inputs of the run.
    pub(crate) source: u32,
    /// Line number from 1; for a file that is one account, its first line.
    pub(crate) line: u32,
}

/// Something that the reader met, in the order of the inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InputEvent<T> {
    /// A file was opened; its line is 0. There is none of accounts that were made of tables.
    Opened,
    /// An account: the range of its bytes, or what the worker made of it.
    Account(T),
    /// An account too large to be decoded.
    TooLarge,
    /// The input cannot be read, or not any further, for this reason.
    Unreadable(String),
}

/// Bytes that are read before accounts are handed on; one larger account makes a chunk grow.
pub(super) const CHUNK: usize = 256 * 1024;
/// Least free room in a chunk for a read.
pub(super) const MIN_ROOM: usize = 16 * 1024;
/// Size beyond which no chunk grows: a largest account, and room to see that it ends.
const MAX_CHUNK: usize = MAX_ACCOUNT + CHUNK;

/// Some accounts one after another, as they were read. Chunks are recycled, so their memory is used again.
pub(crate) struct Chunk {
    /// Sequence number among all chunks of the run.
    pub(crate) number: u64,
    /// Events of this chunk; accounts as ranges of its bytes.
    pub(crate) events: Vec<(Location, InputEvent<Range<usize>>)>,
    /// Buffer, of which the first `filled` bytes were read.
    bytes: Vec<u8>,
    filled: usize,
}

/// Leaves out the bytes, because they are accounts.
impl fmt::Debug for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunk").field("number", &self.number).finish_non_exhaustive()
    }
}

impl Chunk {
    /// An empty chunk.
    pub(crate) fn new() -> Self {
        Self { number: 0, events: Vec::new(), bytes: vec![0; CHUNK], filled: 0 }
    }

    /// Returns the bytes of an account.
    pub(crate) fn account(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes[range.clone()]
    }

    /// Returns the byte at an offset.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes[at]
    }

    /// Empties the chunk and releases the memory by which a large account made it grow.
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.filled = 0;
        self.bytes.truncate(CHUNK);
        self.bytes.shrink_to(CHUNK);
    }

    /// Number of bytes that were read.
    pub(super) fn filled(&self) -> usize {
        self.filled
    }

    /// Returns the bytes from an offset on.
    pub(super) fn read_from(&self, offset: usize) -> &[u8] {
        &self.bytes[offset..self.filled]
    }

    /// True if there is enough room for a read.
    pub(super) fn has_room(&self) -> bool {
        self.bytes.len() - self.filled >= MIN_ROOM
    }

    /// Reads once and returns the number of bytes; 0 at the end.
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

    /// Drops the bytes from an offset on.
    pub(super) fn forget_from(&mut self, offset: usize) {
        self.filled = offset;
    }

    /// Copies the beginning of an account from another chunk. This one is empty.
    pub(super) fn take_over(&mut self, beginning: &[u8]) {
        if self.bytes.len() < beginning.len() + MIN_ROOM {
            self.bytes.resize(beginning.len() + MIN_ROOM, 0);
        }
        self.bytes[..beginning.len()].copy_from_slice(beginning);
        self.filled = beginning.len();
    }

    /// Drops the bytes before an offset and moves the rest to the front. If there are none before it, grows.
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
