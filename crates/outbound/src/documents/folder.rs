//! Documents in a local folder. Lookups use directory handles, so that they stay inside whatever is moved or
//! linked meanwhile; paths could not guarantee this.

use super::PDF;
use cap_fs_ext::{DirExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use cutover_app::port::{DocumentDigest, DocumentState};
use sha2::{Digest, Sha256};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

/// Opens the folder of all documents. Each call opens it again, to notice that it vanished, came back or was
/// replaced.
pub(super) fn open(folder: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(folder, ambient_authority())
}

/// Opens a supplier's root in it; `None` if there is no such folder. A link does not count: one that another
/// supplier can write could lead into a third one's documents.
pub(super) fn root(documents: &Dir, root: &str) -> io::Result<Option<Dir>> {
    let mut dir = documents.try_clone()?;
    for name in root.split('/') {
        dir = match dir.open_dir_nofollow(name) {
            Err(error) if names_nothing(&error) => return Ok(None),
            opened => opened?,
        };
    }
    Ok(Some(dir))
}

/// Looks up a safe path under a root. Links are followed if they stay inside the root.
pub(super) fn state(root: &Dir, path: &str, must_be_pdf: bool) -> io::Result<DocumentState> {
    match look(root, path, must_be_pdf) {
        Err(error) if names_nothing(&error) => Ok(DocumentState::Missing),
        answer => answer,
    }
}

/// Returns true if a safe path under a root has this content.
pub(super) fn has_content(root: &Dir, path: &str, content: DocumentDigest) -> io::Result<bool> {
    let opened = root.open_with(path, OpenOptions::new().read(true).nonblock(true));
    let file = match opened {
        Err(error) if names_nothing(&error) => return Ok(false),
        opened => opened?,
    };
    let found = file.metadata()?;
    if !found.is_file() || found.len() != content.size {
        return Ok(false);
    }
    let mut hash = Sha256::new();
    let mut reader = BufReader::with_capacity(64 << 10, file);
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(<[u8; 32]>::from(hash.finalize()) == content.sha256);
        }
        hash.update(bytes);
        let read = bytes.len();
        reader.consume(read);
    }
}

fn look(root: &Dir, path: &str, must_be_pdf: bool) -> io::Result<DocumentState> {
    if !root.metadata(path)?.is_file() {
        return Ok(DocumentState::Missing);
    }
    if !must_be_pdf {
        return Ok(DocumentState::Present);
    }
    // The file may have been replaced by a pipe; opening one blocks until a writer opens it.
    let file = root.open_with(path, OpenOptions::new().read(true).nonblock(true))?;
    if !file.metadata()?.is_file() {
        return Ok(DocumentState::Missing);
    }
    let mut start = Vec::with_capacity(PDF.len());
    file.take(PDF.len() as u64).read_to_end(&mut start)?;
    Ok(if start == PDF { DocumentState::Pdf } else { DocumentState::Present })
}

/// True if an error says that nothing has that name, rather than that it cannot be looked up.
fn names_nothing(error: &io::Error) -> bool {
    let kinds = [ErrorKind::NotFound, ErrorKind::NotADirectory, ErrorKind::InvalidFilename];
    // Leaving the root is refused by the library, not by the system.
    let leads_out = error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none();
    kinds.contains(&error.kind()) || leads_out || is_link_loop(error)
}

#[cfg(unix)]
fn is_link_loop(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP)
}

#[cfg(not(unix))]
fn is_link_loop(_: &io::Error) -> bool {
    false
}
