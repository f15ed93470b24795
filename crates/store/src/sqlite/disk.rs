//! The file system of the database.

use cutover_app::port::StoreError;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Space that a disk must have to count as one with room: that of a few large accounts.
const ROOM: u64 = 1 << 20;
/// Size of what is written there to find out whether writes succeed. It is written every few seconds.
const PROBE: usize = 64 << 10;

/// The code of an error of the device, which has no kind of its own, on Unix.
const EIO: i32 = 5;

/// Returns the bytes that this process may still write to the file system of a file.
#[cfg(unix)]
pub(super) fn free_space(file: &Path) -> Result<Option<u64>, StoreError> {
    let system = rustix::fs::statvfs(file)
        .map_err(|error| StoreError::Unavailable(format!("its file system does not answer: {error}")))?;
    Ok(Some(system.f_bavail.saturating_mul(system.f_frsize)))
}

#[cfg(not(unix))]
pub(super) fn free_space(_: &Path) -> Result<Option<u64>, StoreError> {
    Ok(None)
}

/// Writes a file next to the database durably, and removes it. Commits alone do not show that a disk is full: the
/// write-ahead log uses its space again and again.
pub(super) fn check_room(database: &Path) -> Result<(), StoreError> {
    let path = probe_path(database);
    let written = write_probe(&path);
    let removed = fs::remove_file(&path);
    written.and(removed.or_else(gone)).map_err(refused)
}

/// Other errors are not about the disk: this process may have no file descriptor left, or may write to the database and to
/// no other file of its folder.
fn refused(error: io::Error) -> StoreError {
    use io::ErrorKind::{FileTooLarge, NotFound, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let text = format!("its disk takes no file: {error}");
    match error.kind() {
        StorageFull | QuotaExceeded | FileTooLarge | ReadOnlyFilesystem | NotFound => {
            StoreError::Unwritable(text)
        }
        _ if error.raw_os_error() == Some(EIO) => StoreError::Unwritable(text),
        _ => StoreError::Unavailable(text),
    }
}

fn write_probe(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    // A process that is killed leaves nothing then.
    #[cfg(unix)]
    fs::remove_file(path).or_else(gone)?;
    reserve(&file)?;
    file.write_all(&incompressible())?;
    file.sync_data()
}

/// Reserves the space without writing it, where the file system can.
#[cfg(target_os = "linux")]
fn reserve(file: &fs::File) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    match fallocate(file, FallocateFlags::empty(), 0, ROOM) {
        Ok(()) | Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve(file: &fs::File) -> io::Result<()> {
    file.set_len(ROOM)
}

/// Another process on the same file may have removed it: the file was written all the same.
fn gone(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn probe_path(database: &Path) -> PathBuf {
    let mut path = database.to_owned().into_os_string();
    path.push("-room");
    path.into()
}

/// Bytes that a file system which compresses cannot make smaller.
fn incompressible() -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    std::iter::repeat_with(next).take(PROBE / 8).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probe_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("cutover.db");
        // Another process does the same now.
        fs::write(probe_path(&database), "left").unwrap();
        assert_eq!(check_room(&database), Ok(()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn only_errors_of_the_disk_say_that_it_takes_nothing() {
        let is_of_disk = |error| matches!(refused(error), StoreError::Unwritable(_));
        let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];
        assert_eq!(kinds.map(|kind| is_of_disk(kind.into())), [true; 3]);
        assert!(is_of_disk(io::Error::from_raw_os_error(EIO)));
        assert!(!is_of_disk(io::ErrorKind::PermissionDenied.into()));
        // Too many open files.
        assert!(!is_of_disk(io::Error::from_raw_os_error(24)));
    }

    /// The folder is gone, like a disk that was taken away.
    #[test]
    fn a_disk_that_is_gone_takes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing").join("cutover.db");
        assert!(matches!(check_room(&missing), Err(StoreError::Unwritable(_))));
    }

    #[test]
    fn the_probe_is_as_large_as_it_should_be() {
        assert_eq!(incompressible().len(), PROBE);
    }
}
