//! Libraries of Python with which tests check ours: the official one of Standard Webhooks verifies signatures, and
//! pyarrow reads Parquet. They are in a virtual environment in `target/tools`.

use super::{Tools, python};
use crate::cargo;
use std::path::PathBuf;

/// Pinned versions of the libraries and their dependencies.
const REQUIREMENTS: &str = "xtask/python/requirements.txt";
/// Fails unless the libraries are there.
const IMPORT: &str = "import standardwebhooks, cryptography, pyarrow";

/// Returns true if the libraries are there; installs them if that is wanted.
pub(super) fn find(tools: Tools) -> bool {
    is_there() || (tools == Tools::Install && python::install(&folder(), REQUIREMENTS) && is_there())
}

/// Message about the tests that did not run.
pub(super) fn not_run() -> String {
    "NOT RUN the verification of webhooks and exports: no libraries standardwebhooks and pyarrow; they \
     need python3 and its venv"
        .to_owned()
}

fn folder() -> PathBuf {
    cargo::root().join("target/tools/python")
}

fn is_there() -> bool {
    let mut command = cargo::command(folder().join("bin/python3"));
    command.args(["-c", IMPORT]);
    cargo::output(command).is_some()
}
