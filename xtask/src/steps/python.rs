//! Virtual environments of Python, for tools and libraries of other projects that tests use.

use crate::cargo;
use std::ffi::OsStr;
use std::path::Path;

/// Makes an environment with the pinned versions of a file of the project. Returns true if it worked; errors are on
/// the terminal.
pub(super) fn install(folder: &Path, requirements: &str) -> bool {
    make(folder) && add(folder, requirements)
}

/// Makes an empty environment.
pub(super) fn make(folder: &Path) -> bool {
    let mut make = cargo::command("python3");
    make.args(["-m", "venv", "--clear"]).arg(folder);
    cargo::succeeds(make).unwrap_or(false)
}

/// Adds the pinned versions of a file of the project to an environment.
pub(super) fn add(folder: &Path, requirements: &str) -> bool {
    pip(folder, &["--only-binary", ":all:", "--requirement"], requirements)
}

/// Adds a wheel, and nothing else, to an environment.
pub(super) fn add_wheel(folder: &Path, wheel: &Path) -> bool {
    pip(folder, &["--no-index"], wheel)
}

fn pip(folder: &Path, arguments: &[&str], what: impl AsRef<OsStr>) -> bool {
    let mut fill = cargo::command(folder.join("bin/python3"));
    fill.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(arguments).arg(what);
    cargo::succeeds(fill).unwrap_or(false)
}
