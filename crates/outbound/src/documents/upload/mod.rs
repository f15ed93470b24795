//! Documents that are written (contract D10). A document appears under its path as a whole, and nothing is replaced.

mod bucket;
mod folder;

pub(super) use bucket::BucketUpload;
pub(super) use folder::FolderUpload;

use super::Lookups;
use cutover_app::port::{DocumentsUnavailable, NotStored};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Maximum number of threads that write or compare documents in a folder.
pub(super) const MAX_WRITES: usize = 8;
/// Time limit of one of their calls; a piece is written in it.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// Works on files on a blocking thread. Its slot is held until the system has answered.
async fn blocking<T: Send + 'static>(
    shared: Arc<Lookups>,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, NotStored> {
    let done = async {
        let slot = shared.writes.clone().acquire_owned().await.map_err(io::Error::other)?;
        let work = move || {
            let _slot = slot;
            work()
        };
        spawn_blocking(work).await.map_err(io::Error::other)?
    };
    let done = timeout(WRITE_TIMEOUT, done).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()));
    done.map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => NotStored::Refused(error.to_string()),
        ErrorKind::InvalidFilename => NotStored::Unnameable,
        _ => shared.unavailable(&error.to_string()).into(),
    })
}

impl Lookups {
    fn unavailable(&self, cause: &str) -> DocumentsUnavailable {
        DocumentsUnavailable(format!("{}: {cause}", self.location))
    }
}
