use crate::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that is written under a hidden name and moved to its path when complete. If dropped, it is removed.
pub(super) struct AtomicFile {
    to: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl AtomicFile {
    /// Creates the hidden file in the folder of `path`.
    ///
    /// # Errors
    /// [`Error`] if the folder cannot be written to.
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = builder().tempfile_in(folder.unwrap_or(Path::new("."))).map_err(unwritable(path))?;
        Ok(Self { to: BufWriter::with_capacity(64 * 1024, file), path: path.to_owned() })
    }

    /// Writes more content.
    ///
    /// # Errors
    /// [`Error`] if it cannot be written.
    pub(super) fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        write(&mut self.to).map_err(unwritable(&self.path))
    }

    /// Moves the file to its path, replacing a file there.
    ///
    /// # Errors
    /// [`Error`] if it cannot be written.
    pub(super) fn finish(self) -> Result<(), Error> {
        let Self { to, path } = self;
        let file = to.into_inner().map_err(|e| unwritable(&path)(e.into_error()))?;
        file.persist(&path).map_err(|e| unwritable(&path)(e.error))?;
        Ok(())
    }
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Error {
    Error::file("written", path)
}

/// Gives the file the mode of any new file, restricted by the umask.
#[cfg(unix)]
fn builder() -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cutover-client-").permissions(std::fs::Permissions::from_mode(0o666));
    builder
}

#[cfg(not(unix))]
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cutover-client-");
    builder
}
