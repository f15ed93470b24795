//! Programs that the bench starts, and the folders they work in.

use crate::error::Error;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package)
}

/// Folder for everything that the bench writes.
pub(crate) fn folder() -> PathBuf {
    root().join("target/bench")
}

/// Builds a package and returns its program, which has the same name.
pub(crate) fn built(package: &str) -> Result<PathBuf, Error> {
    succeeds(cargo(["build", "--quiet", "--release", "--package", package]))?;
    Ok(root().join("target/release").join(package))
}

/// This program, to measure in a process of its own.
pub(crate) fn this() -> Result<PathBuf, Error> {
    std::env::current_exe().map_err(|source| Error::Run { command: "this program".into(), source })
}

/// Cargo, at the root.
pub(crate) fn cargo<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = command(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.args(args);
    command
}

/// Any program, at the root.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// A program on the first core only.
pub(crate) fn on_first_core(program: impl AsRef<OsStr>) -> Command {
    on_core(0, program)
}

/// A program on the last core only.
pub(crate) fn on_last_core(program: impl AsRef<OsStr>) -> Command {
    on_core(std::thread::available_parallelism().map_or(0, |cores| cores.get() - 1), program)
}

fn on_core(core: usize, program: impl AsRef<OsStr>) -> Command {
    let mut command = command("taskset");
    command.args(["-c", &core.to_string()]).arg(program);
    command
}

/// Fails with the package to install if a program is not there.
pub(crate) fn require(program: &str, package: &str) -> Result<(), Error> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&folders).any(|folder| folder.join(program).is_file());
    let missing = || Error::Missing(format!("{program} is missing: apt-get install {package}"));
    if is_there { Ok(()) } else { Err(missing()) }
}

/// Runs a program to its end, with its output on the terminal.
pub(crate) fn succeeds(mut command: Command) -> Result<(), Error> {
    let status = command.status().map_err(|source| start_error(&command, source))?;
    if status.success() { Ok(()) } else { Err(Error::Bench(format!("{} failed", shown(&command)))) }
}

/// The standard output of a program that succeeds.
pub(crate) fn output(mut command: Command) -> Result<String, Error> {
    let output = command.output().map_err(|source| start_error(&command, source))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    Err(Error::Bench(format!("{} failed: {}", shown(&command), reason.trim())))
}

/// For `map_err`: names the program that could not be started.
pub(crate) fn start_error(command: &Command, source: std::io::Error) -> Error {
    Error::Run { command: shown(command), source }
}

/// A program with its first arguments.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args().take(4));
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_not_run_and_its_package_is_named() {
        require("sh", "dash").unwrap();
        let error = require("no-such-program", "some-package").unwrap_err().to_string();
        assert_eq!(error, "NOT RUN: no-such-program is missing: apt-get install some-package");
    }
}
