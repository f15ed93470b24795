//! Tests that `deploy/`, `docs/OPERATIONS.md` and the program's own texts name only settings, commands, flags, metrics and
//! routes that exist, and that the containers are consistent. They need no container engine.

mod manifests;
mod monitoring;
mod names;
mod program;
mod shell;

use std::path::{Path, PathBuf};

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const MANUAL: &str = "docs/OPERATIONS.md";
/// The alert rules.
const RULES: &str = "deploy/monitoring/cutover.rules.yaml";

/// Reads a file of the repository by its path from the root.
fn read(path: impl AsRef<Path>) -> String {
    let path = Path::new(ROOT).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file below a folder of the repository.
fn files_below(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(ROOT).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The files that operators read and run: path and text.
fn texts() -> Vec<(String, String)> {
    let below_root = |path: &Path| path.strip_prefix(ROOT).unwrap().display().to_string();
    let paths = files_below("deploy").into_iter().map(|path| below_root(&path)).chain([MANUAL.to_owned()]);
    paths.map(|path| (path.clone(), read(path))).collect()
}

/// Every word of a text with this prefix, followed by these characters.
fn words_like(text: &str, start: &str, goes_on: impl Fn(char) -> bool) -> Vec<String> {
    let ends = text.match_indices(start).map(|(at, _)| {
        let rest = &text[at + start.len()..];
        &rest[..rest.find(|c| !goes_on(c)).unwrap_or(rest.len())]
    });
    ends.filter(|rest| !rest.is_empty()).map(|rest| format!("{start}{rest}")).collect()
}
