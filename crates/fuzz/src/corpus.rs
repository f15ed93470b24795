use crate::Target;
use std::io;
use std::path::{Path, PathBuf};

/// Where the seeds of a target lie that were made by hand, and the inputs that broke a law once.
pub fn folder(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
}

/// What fuzzing of a target begins with: what it makes of the fixtures, and its [`folder`].
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

/// The files of a folder, by name.
fn contents(folder: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut paths =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    paths.iter().map(std::fs::read).collect()
}

/// The fixtures of a kind of request, valid and faulty ones.
pub(crate) fn fixtures(kind: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(kind);
    let of = |folder: &str| contents(&root.join(folder)).unwrap_or_else(|e| panic!("{kind}/{folder}: {e}"));
    [of("valid"), of("faulty")].concat()
}
