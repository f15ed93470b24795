//! Runs cargo and other programs from the root of the repository.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::error::Error;

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// Folder for generated files: ignored by git, removed by `cargo clean`.
pub(crate) fn scratch() -> PathBuf {
    root().join("target/xtask")
}

/// The cargo that runs us, at the root.
pub(crate) fn cargo<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = command(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.args(args);
    command
}

/// The target triple of this machine.
pub(crate) fn host_triple() -> Result<String, Error> {
    let answer = output(cargo(["--version", "--verbose"])).unwrap_or_default();
    let triple = answer.lines().find_map(|line| line.strip_prefix("host: "));
    triple.map(str::to_owned).ok_or(Error::NoHost)
}

/// Any program, at the root.
///
/// `cargo run` describes this package in variables, some of which build scripts watch. Passed on, they would
/// recompile dependencies at each switch between `cargo test` and `cargo xtask test`.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    for (name, _) in std::env::vars_os().filter(|(name, _)| describes_this_package(name)) {
        command.env_remove(name);
    }
    command
}

fn describes_this_package(variable: &OsStr) -> bool {
    let name = variable.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

/// Runs a program with its output on the terminal. Returns true if it succeeded.
pub(crate) fn succeeds(mut command: Command) -> Result<bool, Error> {
    let status = command.status().map_err(|source| start_error(&command, source))?;
    Ok(status.success())
}

/// Runs a program with its output on the terminal. Returns whether it succeeded; `None` if it ran out of
/// time.
pub(crate) fn succeeds_within(mut command: Command, at_most: Duration) -> Result<Option<bool>, Error> {
    let mut child = command.spawn().map_err(|source| start_error(&command, source))?;
    let began = Instant::now();
    loop {
        let ended = child.try_wait().map_err(|source| start_error(&command, source))?;
        if let Some(status) = ended {
            return Ok(Some(status.success()));
        }
        if began.elapsed() > at_most {
            // Fails if it has just ended by itself.
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Returns the standard output of a program; `None` if it cannot be started or fails.
pub(crate) fn output(mut command: Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// For `map_err`: names the program that could not be started.
pub(crate) fn start_error(command: &Command, source: std::io::Error) -> Error {
    Error::Run { command: command.get_program().to_string_lossy().into_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_do_not_inherit_variables_of_this_package() {
        let command = command("true");
        let removed: Vec<_> =
            command.get_envs().filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
        assert!(removed.contains(&OsStr::new("CARGO_MANIFEST_DIR")), "{removed:?}");
        assert!(removed.contains(&OsStr::new("CARGO_PKG_NAME")), "{removed:?}");
        assert!(!removed.contains(&OsStr::new("PATH")));
    }

    #[test]
    fn a_program_that_does_not_end_is_stopped() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        assert_eq!(succeeds_within(shell("exit 0"), Duration::from_secs(60)).unwrap(), Some(true));
        assert_eq!(succeeds_within(shell("exit 1"), Duration::from_secs(60)).unwrap(), Some(false));
        assert_eq!(succeeds_within(shell("exec sleep 60"), Duration::ZERO).unwrap(), None);
    }
}
