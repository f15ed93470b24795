//! Programs that benches start, and the folders they work in.

use crate::error::Error;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package)
}

/// Folder for generated files, inside cargo's target folder.
pub(crate) fn scratch() -> PathBuf {
    root().join("target/xtask")
}

/// Builds a package for deployment and returns its program, which has the same name.
pub(crate) fn built(package: &str) -> Result<PathBuf, Error> {
    if !succeeds(cargo(["build", "--quiet", "--release", "--package", package]))? {
        return Err(Error::Bench("the program cannot be built".into()));
    }
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

/// Runs a program to its end, with its output on the terminal. Returns true if it succeeded.
pub(crate) fn succeeds(mut command: Command) -> Result<bool, Error> {
    let status = command.status().map_err(|source| start_error(&command, source))?;
    Ok(status.success())
}

/// The standard output of a program; `None` if it cannot be started or fails.
pub(crate) fn output(mut command: Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// For `map_err`: names the program that could not be started.
pub(crate) fn start_error(command: &Command, source: std::io::Error) -> Error {
    Error::Run { command: command.get_program().to_string_lossy().into_owned(), source }
}
