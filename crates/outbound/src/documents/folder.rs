//! Documents in a local folder. Handles on folders keep lookups inside, whatever is moved or linked
//! meanwhile: paths alone could not.

use super::PDF;
use cap_fs_ext::{DirExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use cutover_app::port::DocumentState;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Opens the folder of all documents. It is opened for each call, so that one that went away, came back or
/// was replaced is noticed.
pub(super) fn open(folder: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(folder, ambient_authority())
}

/// Opens a supplier's root in it; `None` if there is no such folder. A link is none: one that another
/// supplier may write to could lead into a third one's documents.
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

/// What a safe path names under a root. Links inside of it are followed, as long as they stay inside.
pub(super) fn state(root: &Dir, path: &str, must_be_pdf: bool) -> io::Result<DocumentState> {
    match look(root, path, must_be_pdf) {
        Err(error) if names_nothing(&error) => Ok(DocumentState::Missing),
        answer => answer,
    }
}

fn look(root: &Dir, path: &str, must_be_pdf: bool) -> io::Result<DocumentState> {
    if !root.metadata(path)?.is_file() {
        return Ok(DocumentState::Missing);
    }
    if !must_be_pdf {
        return Ok(DocumentState::Present);
    }
    // A pipe may have taken the place of the file: opening one waits for its writer.
    let file = root.open_with(path, OpenOptions::new().read(true).nonblock(true))?;
    if !file.metadata()?.is_file() {
        return Ok(DocumentState::Missing);
    }
    let mut start = Vec::with_capacity(PDF.len());
    file.take(PDF.len() as u64).read_to_end(&mut start)?;
    Ok(if start == PDF { DocumentState::Pdf } else { DocumentState::Present })
}

/// Whether an error says that there is nothing of that name, rather than that it cannot be looked at.
fn names_nothing(error: &io::Error) -> bool {
    let kinds = [ErrorKind::NotFound, ErrorKind::NotADirectory, ErrorKind::InvalidFilename];
    // The way out of a root is refused by the library, not by the system.
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
