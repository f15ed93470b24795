//! The files of the repository.

use std::path::{Path, PathBuf};

use crate::cargo;
use crate::error::Error;

/// Paths from the root of all files with one of these extensions, sorted. Skips hidden files and folders,
/// symbolic links and `target`.
pub(crate) fn with_extension(extensions: &[&str]) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    collect(cargo::root(), extensions, &mut found)?;
    found.sort();
    Ok(found)
}

/// Reads a file by its path from the root.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    let file = cargo::root().join(path);
    std::fs::read_to_string(&file).map_err(Error::file("read", &file))
}

/// Creates a folder, without what was in it before.
pub(crate) fn empty_folder(folder: &Path) -> Result<(), Error> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(Error::file("empty", folder))?;
    }
    std::fs::create_dir_all(folder).map_err(Error::file("create", folder))
}

fn collect(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) -> Result<(), Error> {
    for entry in std::fs::read_dir(folder).map_err(Error::file("list", folder))? {
        let path = entry.map_err(Error::file("list", folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_symlink() || name.starts_with('.') || name == "target" {
            continue;
        }
        if path.is_dir() {
            collect(&path, extensions, found)?;
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known))
        {
            found.push(path.strip_prefix(cargo::root()).unwrap_or(&path).to_owned());
        }
    }
    Ok(())
}
