//! Snapshots that no test looks at any more.
//!
//! insta writes the path of each snapshot it compares into the file named by a variable; what lies in the tree
//! and is not among them belongs to a test that is gone.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Names the file to insta.
pub(super) const VARIABLE: &str = "INSTA_SNAPSHOT_REFERENCES_FILE";

/// Folders that hold nothing of ours.
const SKIPPED: &[&str] = &["target", ".git", "node_modules"];

/// The snapshots below `root` that are not among the referenced ones, a path a line; sorted.
pub(super) fn unreferenced(root: &Path, references: &str) -> Result<Vec<PathBuf>, Error> {
    let referenced: BTreeSet<PathBuf> = references.lines().map(|line| canonical(Path::new(line))).collect();
    let mut snapshots = Vec::new();
    collect(root, &mut snapshots)?;
    snapshots.retain(|snapshot| !referenced.contains(&canonical(snapshot)));
    snapshots.sort();
    Ok(snapshots)
}

/// The same file has one name, whatever `..` a test went through.
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
    fn a_snapshot_nobody_names_is_found() {
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
