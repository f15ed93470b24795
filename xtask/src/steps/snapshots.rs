//! Finds snapshots that no test uses.
//!
//! insta writes the path of each compared snapshot into the file named by a variable; any other snapshot in
//! the tree belongs to a removed test.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Variable that names the file to insta.
pub(super) const VARIABLE: &str = "INSTA_SNAPSHOT_REFERENCES_FILE";

/// Folders that are skipped.
const SKIPPED: &[&str] = &["target", ".git", "node_modules"];

/// Returns the snapshots below `root` that are not referenced, sorted. `references` has one path per line.
pub(super) fn unreferenced(root: &Path, references: &str) -> Result<Vec<PathBuf>, Error> {
    let referenced: BTreeSet<PathBuf> = references.lines().map(|line| canonical(Path::new(line))).collect();
    let mut snapshots = Vec::new();
    collect(root, &mut snapshots)?;
    snapshots.retain(|snapshot| !referenced.contains(&canonical(snapshot)));
    snapshots.sort();
    Ok(snapshots)
}

/// Resolves `..` in a path, so that a file has one name.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn collect(folder: &Path, snapshots: &mut Vec<PathBuf>) -> Result<(), Error> {
    for entry in folder.read_dir().map_err(Error::file("list", folder))? {
        let entry = entry.map_err(Error::file("list", folder))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(Error::file("look at", &path))?;
        if kind.is_dir() && !SKIPPED.iter().any(|name| entry.file_name() == *name) {
            collect(&path, snapshots)?;
        } else if kind.is_file() && path.extension() == Some(OsStr::new("snap")) {
            snapshots.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreferenced_snapshots_are_found() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("crates/one/snapshots");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::create_dir_all(root.path().join("target")).unwrap();
        for name in ["crates/one/snapshots/used.snap", "crates/one/snapshots/old.snap", "target/built.snap"] {
            std::fs::write(root.path().join(name), "").unwrap();
        }
        let references = format!("{}/../snapshots/used.snap\n/gone/elsewhere.snap\n", folder.display());
        assert_eq!(unreferenced(root.path(), &references).unwrap(), [folder.join("old.snap")]);
    }
}
