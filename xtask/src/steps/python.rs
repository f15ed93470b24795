//! Virtual environments of Python, for tools and libraries of other projects that tests use.

use crate::cargo;
use std::path::Path;

/// Makes an environment with the pinned versions of a file of the project. Returns true if it worked; errors are on
/// the terminal.
pub(super) fn install(folder: &Path, requirements: &str) -> bool {
    let mut make = cargo::command("python3");
    make.args(["-m", "venv", "--clear"]).arg(folder);
    let mut fill = cargo::command(folder.join("bin/python3"));
    fill.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]);
    fill.args(["--requirement", requirements]);
    [make, fill].into_iter().all(|command| cargo::succeeds(command).unwrap_or(false))
}
