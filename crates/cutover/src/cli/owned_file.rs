//! New files that only their owner can read, for personal data.

use std::fs::{File, OpenOptions, remove_file};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A new file, which is removed on drop unless it is kept.
#[derive(Debug)]
pub(super) struct OwnedFile {
    path: PathBuf,
    file: File,
    is_kept: bool,
}

/// Creates a file.
///
/// # Errors
/// If it exists, or cannot be created.
pub(super) fn create(path: &Path) -> io::Result<OwnedFile> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    Ok(OwnedFile { file: options.open(path)?, path: path.to_owned(), is_kept: false })
}

impl OwnedFile {
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Makes it durable under its name; returns its length in bytes.
    pub(super) fn keep(mut self) -> io::Result<u64> {
        let bytes = self.make_durable()?;
        sync_folder(&self.path)?;
        self.is_kept = true;
        Ok(bytes)
    }

    /// Makes it durable under a name that no file has; returns its length in bytes.
    pub(super) fn keep_as(mut self, name: &Path) -> io::Result<u64> {
        let bytes = self.make_durable()?;
        if name.symlink_metadata().is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        std::fs::rename(&self.path, name)?;
        self.is_kept = true;
        sync_folder(name)?;
        Ok(bytes)
    }

    fn make_durable(&self) -> io::Result<u64> {
        self.file.sync_all()?;
        Ok(self.file.metadata()?.len())
    }
}

impl Drop for OwnedFile {
    fn drop(&mut self) {
        if !self.is_kept {
            // A remainder is readable by its owner only.
            let _ = remove_file(&self.path);
        }
    }
}

/// Makes the name of a file durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_file_is_removed_and_an_existing_one_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        drop(create(&path).unwrap());
        assert!(!path.exists());
        let mut file = create(&path).unwrap();
        file.write(b"mine").unwrap();
        assert_eq!(file.keep().unwrap(), 4);
        assert_eq!(create(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert!(create(&other).unwrap().keep_as(&path).is_err());
        assert!(!other.exists());
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
        create(&folder.path().join("c")).unwrap().keep_as(&other).unwrap();
        assert!(other.exists() && !folder.path().join("c").exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        create(&path).unwrap().keep().unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
