//! Inputs of a run: found, opened, decompressed and cut into accounts, one chunk at a time.

mod chunk;
mod documents;
mod find;
mod open;
mod reader;
mod shape;
mod sniff;
mod values;

pub(crate) use chunk::{Chunk, InputEvent, Location};
pub(crate) use documents::find_documents;
pub(crate) use find::{find, is_same};
pub(crate) use open::BytesRead;
pub(crate) use reader::{Channels, Reader};

use shape::Shape;
use std::path::{Path, PathBuf};

/// Maximum size of an account in an input, in bytes: the default limit of the service (contract D3).
pub(crate) const MAX_ACCOUNT: usize = 8 * 1024 * 1024;

/// An input of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// Name shown to people.
    pub(crate) name: String,
    /// Path of the file; `None` is standard input.
    path: Option<PathBuf>,
    /// Layout of the accounts in it.
    shape: Shape,
    /// True if its name says that it is compressed.
    is_compressed: bool,
    /// Size in bytes before decompression, if known.
    pub(crate) bytes: Option<u64>,
}

impl Source {
    /// Path of the file; `None` is standard input.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// True if it can be read again: it is neither standard input nor a pipe.
    pub(crate) fn is_file(&self) -> bool {
        self.path.is_some() && self.bytes.is_some()
    }
}
