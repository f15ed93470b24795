//! Inputs of a run: found, opened, decompressed and cut into accounts, one chunk at a time.

mod chunk;
mod documents;
mod find;
mod identity;
mod open;
mod reader;
mod shape;
mod sniff;
mod values;

pub(crate) use chunk::{Chunk, InputEvent, Location};
pub(crate) use documents::find_documents;
pub(crate) use find::{Found, find, find_unclaimed, is_of_this_program, is_same, named, note};
pub(crate) use identity::FileIdentity;
pub(crate) use open::{BytesRead, first_line, open_file};
pub(crate) use reader::{Channels, Reader};
pub(crate) use shape::{decompressed_name, is_of_accounts};

use crate::origin::{AccountOrigins, Origin, Origins};
use shape::Shape;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum size of an account in an input, in bytes: the default limit of the service (contract D3).
pub(crate) const MAX_ACCOUNT: usize = 8 * 1024 * 1024;

/// An input of a run.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Name shown to people.
    pub(crate) name: String,
    content: Content,
    /// Layout of the accounts in it.
    shape: Shape,
    /// True if its name says that it is compressed.
    is_compressed: bool,
    /// Size in bytes before decompression, if known.
    pub(crate) bytes: Option<u64>,
}

/// Where the bytes of an input are.
#[derive(Debug, Clone)]
enum Content {
    StandardInput,
    File(PathBuf),
    Tables(Arc<TableAccounts>),
}

/// Accounts that were made of tables.
#[derive(Debug)]
pub(crate) struct TableAccounts {
    /// One account per line.
    pub(crate) file: File,
    pub(crate) origins: Origins,
}

impl Source {
    /// Path of the file, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.content {
            Content::File(path) => Some(path),
            Content::StandardInput | Content::Tables(_) => None,
        }
    }

    /// The accounts of tables.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub(crate) fn of_tables(accounts: TableAccounts) -> io::Result<Self> {
        let (name, bytes) = ("the tables".to_owned(), Some(accounts.file.metadata()?.len()));
        let content = Content::Tables(Arc::new(accounts));
        Ok(Self { name, content, shape: Shape::Lines, is_compressed: false, bytes })
    }

    /// True if it can be read again: it is neither standard input nor a pipe.
    pub(crate) fn is_file(&self) -> bool {
        !matches!(self.content, Content::StandardInput) && self.bytes.is_some()
    }

    /// True if its accounts were made of tables.
    pub(crate) fn is_of_tables(&self) -> bool {
        matches!(self.content, Content::Tables(_))
    }

    /// True if something was found about the rows of an account.
    pub(crate) fn has_findings(&self, line: u32) -> bool {
        matches!(&self.content, Content::Tables(accounts) if accounts.origins.has_findings(line))
    }

    /// Where the members of an account come from, if it was made of tables.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub(crate) fn origins(&self, line: u32) -> io::Result<Option<AccountOrigins<'_>>> {
        match &self.content {
            Content::Tables(accounts) => accounts.origins.account(line).map(Some),
            Content::StandardInput | Content::File(_) => Ok(None),
        }
    }

    /// The place of an account, for people: of its row if it was made of tables.
    pub(crate) fn place(&self, line: u32) -> Origin {
        let origins = self.origins(line).ok().flatten();
        let row = origins.and_then(|origins| origins.of(""));
        row.unwrap_or_else(|| Origin { file: self.name.clone(), line: Some(line.into()), column: None })
    }
}
