//! The client in Python.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::{DESCRIPTION, Fault, migrate};
use crate::cargo;
use crate::error::Error;
use crate::steps::{Tools, python};

/// Folder of the program and the settings of the generator.
const SOURCES: &str = "xtask/clients/python";
/// Pinned versions of the generator and its dependencies.
const REQUIREMENTS: &str = "xtask/clients/python/requirements.txt";
/// The type of body that the generator cannot read; it leaves out the operations that have one.
const UNKNOWN_TYPE: &str = "application/x-ndjson";

/// Returns the virtual environment with the generator; it is installed if allowed and needed.
pub(super) fn find(tools: Tools) -> Option<PathBuf> {
    let there = || Some(folder()).filter(|folder| is_there(folder));
    there().or_else(|| {
        let installed = tools == Tools::Install && python::install(&folder(), REQUIREMENTS);
        there().filter(|_| installed)
    })
}

/// Message if the generator is missing.
pub(super) fn missing() -> String {
    format!("no openapi-python-client {}: --install installs it, with python3 and its venv", version())
}

/// Generates the client and runs its program.
pub(super) fn check(environment: &Path) -> Result<Result<(), Fault>, Error> {
    let folder = cargo::scratch().join("clients/Python");
    let package = folder.join("cutover_generated");
    let mut generator = cargo::command(environment.join("bin/openapi-python-client"));
    generator.args(["generate", "--meta", "none", "--overwrite", "--path", DESCRIPTION, "--output-path"]);
    generator.arg(&package).arg("--config").arg(Path::new(SOURCES).join("generator.yml"));
    generator.env("COLUMNS", "200");
    std::fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
    let output = generator.stdin(Stdio::null()).output();
    let output = output.map_err(|source| cargo::start_error(&generator, source))?;
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    let faults = warnings(&said);
    if !output.status.success() || !faults.is_empty() {
        return Ok(Err(format!("openapi-python-client cannot read {DESCRIPTION}: {said}")));
    }
    let mut program = cargo::command(environment.join("bin/python3"));
    program.arg(Path::new(SOURCES).join("check.py"));
    program
        .env("PYTHONPATH", &folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("CUTOVER_FIXTURES", "fixtures");
    migrate("Python", program)
}

/// The generator's warnings, except those about the type of body that it does not know.
fn warnings(said: &str) -> Vec<&str> {
    let parts = said.split("WARNING ").skip(1);
    parts.filter(|warning| !warning.contains(UNKNOWN_TYPE)).collect()
}

fn folder() -> PathBuf {
    cargo::root().join("target/tools/openapi-python-client")
}

fn is_there(folder: &Path) -> bool {
    let mut command = cargo::command(folder.join("bin/openapi-python-client"));
    command.arg("--version");
    cargo::output(command).is_some_and(|answer| is_version(&answer, &version()))
}

fn is_version(answer: &str, wanted: &str) -> bool {
    answer.split_whitespace().last() == Some(wanted)
}

fn version() -> String {
    let text = std::fs::read_to_string(cargo::root().join(REQUIREMENTS)).unwrap_or_default();
    text.lines().find_map(|line| line.strip_prefix("openapi-python-client==")).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_wanted_version_counts() {
        assert!(is_version("openapi-python-client version: 0.29.1\n", "0.29.1"));
        assert!(!is_version("openapi-python-client version: 0.29.10\n", "0.29.1"));
        assert!(!is_version("", "0.29.1"));
        assert!(version().split('.').all(|part| part.parse::<u32>().is_ok()), "{}", version());
    }

    #[test]
    fn only_bodies_of_lines_may_be_left_out() {
        let bulk = "WARNING parsing POST /bulk/. Endpoint will not be generated.\n\n\
                    Unsupported content type application/x-ndjson\n";
        assert!(warnings(bulk).is_empty());
        let dropped =
            "WARNING parsing POST /business/. Endpoint will not be generated.\n\nAn array without items\n";
        assert_eq!(warnings(&format!("{bulk}{dropped}")).len(), 1);
    }
}
