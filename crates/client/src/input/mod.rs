//! The inputs of a run: found, opened, unpacked, cut into accounts, a chunk of them at a time.

mod chunk;
mod find;
mod open;
mod reader;
mod shape;

pub(crate) use chunk::{Chunk, Place, Seen};
pub(crate) use find::{find, is_same};
pub(crate) use open::BytesRead;
pub(crate) use reader::{Ends, Reader};

use shape::Shape;
use std::path::PathBuf;

/// An account, as it stands in an input, has at most so many bytes: what the service takes by default
/// (contract D3).
pub(crate) const MAX_ACCOUNT: usize = 8 * 1024 * 1024;

/// An input of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// What people know it by.
    pub(crate) name: String,
    /// Where it is; `None` is standard input.
    path: Option<PathBuf>,
    /// How accounts lie in it.
    shape: Shape,
    /// Whether its name promises that it is packed.
    is_packed: bool,
    /// Its size in bytes as it lies there, where that is known.
    pub(crate) bytes: Option<u64>,
}
