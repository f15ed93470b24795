use crate::Target;
use std::io;
use std::path::{Path, PathBuf};

/// Folder of a target's hand-made seeds and of the inputs that once violated an invariant.
pub fn folder(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
}

/// Initial inputs of a target: those it builds from the fixtures, and those of its [`folder`].
///
/// # Errors
/// If the folder cannot be read.
pub fn seeds(target: &Target) -> io::Result<Vec<Vec<u8>>> {
    let mut seeds = (target.seeds)();
    let folder = folder(target);
    if folder.is_dir() {
        seeds.extend(contents(&folder)?);
    }
    Ok(seeds)
}

/// Contents of the files of a folder, in the order of their names.
fn contents(folder: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut paths =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    paths.iter().map(std::fs::read).collect()
}

/// Valid and faulty fixtures of a kind of request.
pub(crate) fn fixtures(kind: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(kind);
    let of = |folder: &str| contents(&root.join(folder)).unwrap_or_else(|e| panic!("{kind}/{folder}: {e}"));
    [of("valid"), of("faulty")].concat()
}
