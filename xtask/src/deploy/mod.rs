//! Tests that `deploy/` and `docs/OPERATIONS.md` speak of what there is: settings, commands, flags, metrics and
//! routes by the names that the sources have, read as text, and containers that run as they should. No engine of
//! containers is needed.

mod manifests;
mod monitoring;
mod names;
mod program;
mod shell;

use std::path::{Path, PathBuf};

use crate::cargo;

const MANUAL: &str = "docs/OPERATIONS.md";

/// A file of the repository, by its path below the root.
fn read(path: impl AsRef<Path>) -> String {
    let path = cargo::root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file below a folder of the repository.
fn files_below(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![cargo::root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// What operators read and run: each with its path and its text.
fn texts() -> Vec<(String, String)> {
    let below_root = |path: &Path| path.strip_prefix(cargo::root()).unwrap().display().to_string();
    let paths = files_below("deploy").into_iter().map(|path| below_root(&path)).chain([MANUAL.to_owned()]);
    paths.map(|path| (path.clone(), read(path))).collect()
}

/// Every word of a text that begins like this and goes on with these.
fn words_like(text: &str, start: &str, goes_on: impl Fn(char) -> bool) -> Vec<String> {
    let ends = text.match_indices(start).map(|(at, _)| {
        let rest = &text[at + start.len()..];
        &rest[..rest.find(|c| !goes_on(c)).unwrap_or(rest.len())]
    });
    ends.filter(|rest| !rest.is_empty()).map(|rest| format!("{start}{rest}")).collect()
}
