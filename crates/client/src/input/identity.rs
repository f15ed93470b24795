use std::path::Path;

/// What tells a file from others, whatever path leads to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FileIdentity(Identity);

#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = std::path::PathBuf;

impl FileIdentity {
    /// The identity of a regular file; `None` for anything else.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        identity(path, &metadata).map(Self)
    }
}

/// Its device and number there, which are the same for all links to it.
#[cfg(unix)]
fn identity(_: &Path, metadata: &std::fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &std::fs::Metadata) -> Option<Identity> {
    path.canonicalize().ok()
}
