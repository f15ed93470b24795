//! The file system of the database.

use cutover_app::port::StoreError;
use std::path::Path;

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
