//! Builds a program of the workspace as its tests build it, and runs it: `cargo demo` and `cargo xtask`.
//!
//! Cargo chooses the features of a dependency by the packages that it is asked to build. Asked for one program, it
//! compiles most dependencies with other features than for the tests, and then again. So this asks for the
//! whole workspace and one program of it.

use std::env::{args_os, current_exe, var_os, vars_os};
use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

const INCREMENTAL: &str = "CARGO_INCREMENTAL";

fn main() -> ExitCode {
    let mut arguments = args_os().skip(1);
    let Some(name) = arguments.next() else { return failed("usage: cutover-launch PROGRAM [ARGUMENT …]") };
    // Cargo writes all programs of a profile into one folder.
    let program = match current_exe() {
        Ok(launcher) => launcher.with_file_name(&name),
        Err(error) => return failed(&format!("cannot find the folder of programs: {error}")),
    };
    match build(&name, &program).status() {
        Ok(status) if status.success() => {}
        // Cargo has said why.
        Ok(_) => return ExitCode::FAILURE,
        Err(error) => return failed(&format!("cannot run cargo: {error}")),
    }
    let error = command(&program).args(arguments).exec();
    failed(&format!("cannot run {}: {error}", program.display()))
}

/// The command that builds a program. The first build takes minutes, and shows its progress.
fn build(name: &OsStr, program: &Path) -> Command {
    let mut cargo = command(var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // With a test come the features that only tests need. This one is of the launcher: it needs no other crate.
    cargo.args(["build", "--workspace", "--test", "launcher", "--bin"]).arg(name);
    if program.exists() {
        cargo.arg("--quiet");
    }
    // Cargo has described this package in variables, some of which build scripts of dependencies watch.
    for (variable, _) in vars_os().filter(|(variable, _)| describes_a_package(variable)) {
        cargo.env_remove(variable);
    }
    cargo
}

/// A command whose builds, also those of the tests by `xtask`, write nothing for a later incremental one: most crates are
/// built once here, and then by other commands of cargo with other features.
fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    if var_os(INCREMENTAL).is_none() {
        command.env(INCREMENTAL, "0");
    }
    command
}

fn describes_a_package(variable: &OsStr) -> bool {
    let name = variable.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

fn failed(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}
