use crate::Target;
use crate::fixtures::contents;
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
