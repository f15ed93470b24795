//! The official library of Standard Webhooks, with which tests verify signatures, in a virtual environment of Python in
//! `target/tools`.

use super::Tools;
use crate::cargo;
use std::path::PathBuf;

/// Pinned versions of the library and its dependencies.
const REQUIREMENTS: &str = "xtask/standardwebhooks/requirements.txt";
/// Fails unless the libraries are there.
const IMPORT: &str = "import standardwebhooks, cryptography";

/// Returns true if the library is there; installs it if that is wanted.
pub(super) fn find(tools: Tools) -> bool {
    is_there() || (tools == Tools::Install && install() && is_there())
}

/// Message about the tests that did not run.
pub(super) fn not_run() -> String {
    "NOT RUN the verification of webhooks: no library standardwebhooks; --install installs it, with python3 and its venv"
        .to_owned()
}

fn folder() -> PathBuf {
    cargo::root().join("target/tools/standardwebhooks")
}

fn is_there() -> bool {
    let mut command = cargo::command(folder().join("bin/python3"));
    command.args(["-c", IMPORT]);
    cargo::output(command).is_some()
}

/// Installs it. Returns true if it worked; errors are on the terminal.
fn install() -> bool {
    let mut make = cargo::command("python3");
    make.args(["-m", "venv", "--clear"]).arg(folder());
    let mut fill = cargo::command(folder().join("bin/python3"));
    fill.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]);
    fill.args(["--requirement", REQUIREMENTS]);
    [make, fill].into_iter().all(|command| cargo::succeeds(command).unwrap_or(false))
}
