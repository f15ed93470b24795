//! The place of an export: a folder or a bucket.

use crate::error::Error;
use cutover_outbound::{ExportBucket, Location, OutboundRuntime};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Held by the command that writes to a folder.
const LOCK: &str = ".lock";

/// The place of an export.
pub(super) enum Target {
    Folder(Folder),
    Bucket(ExportBucket),
}

/// A folder that only its owner can read.
pub(super) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Target {
    /// Opens a folder, which is created if there is none, or the bucket of a URL.
    pub(super) fn open(to: &str) -> Result<Self, Error> {
        if !to.contains("://") {
            return Folder::open(Path::new(to)).map(Self::Folder);
        }
        let location: Location = to.parse().map_err(|error| unusable(to, &error))?;
        let runtime = OutboundRuntime::start()?;
        match ExportBucket::open(&location, &runtime).map_err(|error| unusable(to, &error))? {
            Some(bucket) => Ok(Self::Bucket(bucket)),
            None => Err(unusable(to, &"a folder is named by its path")),
        }
    }

    /// Returns true if nothing is there.
    pub(super) fn is_empty(&self) -> Result<bool, Error> {
        match self {
            Self::Bucket(bucket) => bucket.is_empty().map_err(|error| Error::refused(error.to_string())),
            Self::Folder(folder) => {
                let mut names = fs::read_dir(&folder.path)?.map(|entry| Ok(entry?.file_name()));
                Ok(names.all(|name: io::Result<_>| name.is_ok_and(|name| name == LOCK)))
            }
        }
    }

    /// Returns a small file; `None` if there is none.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        match self {
            Self::Bucket(bucket) => bucket.read(name).map_err(|error| unwritable(name, &error)),
            Self::Folder(folder) => match fs::read(folder.path.join(name)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                read => read.map(Some).map_err(|error| unwritable(name, &error)),
            },
        }
    }

    /// Writes a small file durably, or replaces it as a whole.
    pub(super) fn write(&self, name: &str, content: &[u8]) -> Result<(), Error> {
        let mut part = self.create(name)?;
        part.write_all(content).map_err(|error| unwritable(name, &error))?;
        self.keep(name, part)
    }

    /// Creates a file that does not have its name yet.
    pub(super) fn create(&self, name: &str) -> Result<File, Error> {
        match self {
            Self::Bucket(_) => tempfile::tempfile(),
            Self::Folder(folder) => create(&folder.unfinished(name)),
        }
        .map_err(|error| unwritable(name, &error))
    }

    /// Makes a file durable under its name, in place of an earlier one.
    pub(super) fn keep(&self, name: &str, mut file: File) -> Result<(), Error> {
        match self {
            Self::Bucket(bucket) => {
                file.rewind().map_err(|error| unwritable(name, &error))?;
                bucket.write(name, &mut file as &mut dyn Read).map_err(|error| unwritable(name, &error))
            }
            Self::Folder(folder) => folder.keep(name, &file).map_err(|error| unwritable(name, &error)),
        }
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> Result<(), Error> {
        match self {
            Self::Bucket(bucket) => bucket.remove(name).map_err(|error| unwritable(name, &error)),
            Self::Folder(folder) => {
                fs::remove_file(folder.path.join(name)).map_err(|error| unwritable(name, &error))
            }
        }
    }
}

impl Folder {
    fn open(path: &Path) -> Result<Self, Error> {
        let shown = path.display().to_string();
        let unusable = |error: io::Error| unusable(&shown, &error);
        create_folder(path).map_err(unusable)?;
        let lock = owned().create(true).truncate(false).open(path.join(LOCK)).map_err(unusable)?;
        match lock.try_lock() {
            // Absolute, so that it has a parent whose names can be made durable.
            Ok(()) => Ok(Self { path: fs::canonicalize(path).map_err(unusable)?, _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(Error::refused(format!("another command exports to {shown}")))
            }
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    fn unfinished(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.unfinished"))
    }

    fn keep(&self, name: &str, file: &File) -> io::Result<()> {
        let path = self.path.join(name);
        file.sync_all()?;
        fs::rename(self.unfinished(name), &path)?;
        #[cfg(unix)]
        for folder in path.ancestors().skip(1).take(2) {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }
}

fn owned() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a file; removes what an earlier attempt left, which others might be able to read.
fn create(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    owned().create_new(true).open(path)
}

fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn unusable(to: &str, error: &dyn std::fmt::Display) -> Error {
    Error::refused(format!("{to} cannot be used for an export: {error}"))
}

fn unwritable(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::refused(format!("the file {name} of the export cannot be used: {error}"))
}
