//! Steps that are one call of cargo, with components that some distributions of Rust lack.

use std::process::Command;

use super::Outcome;
use crate::cargo;
use crate::error::Error;

pub(super) fn fmt() -> Result<Outcome, Error> {
    component("rustfmt", "fmt", cargo::cargo(["fmt", "--all", "--", "--check"]), "fix with: cargo fmt --all")
}

pub(super) fn clippy() -> Result<Outcome, Error> {
    let mut command = cargo::cargo(["clippy", "--workspace", "--all-targets"]);
    command.args(["--features", "cutover-bench/criterion", "--", "--deny", "warnings"]);
    component("clippy", "clippy", command, "see above")
}

/// The programs of a release.
const RELEASED: [&str; 2] = ["cutover", "cutover-client"];

/// All other steps compile the workspace together, where a crate has what crates for tests turn on in a dependency.
pub(super) fn alone() -> Result<Outcome, Error> {
    let mut command = cargo::cargo(["check", "--locked"]);
    RELEASED.iter().for_each(|name| {
        command.args(["--package", name]);
    });
    ran(command, "a program needs what only tests turn on: see above")
}

/// Programs without a library of the same name.
const PROGRAMS: [&str; 3] = ["cutover", "cutover-launch", "xtask"];

/// There are no examples. But with this option dependencies have the features that tests need, as in the step
/// `clippy`, and 66 of them are not checked again.
pub(super) fn docs() -> Result<Outcome, Error> {
    let mut command = cargo::cargo(["doc", "--workspace", "--no-deps", "--examples", "--lib"]);
    PROGRAMS.iter().for_each(|name| {
        command.args(["--bin", name]);
    });
    command.env("RUSTDOCFLAGS", "--deny warnings");
    ran(command, "see above")
}

fn component(component: &str, subcommand: &str, command: Command, fix: &str) -> Result<Outcome, Error> {
    match cargo::output(cargo::cargo([subcommand, "--version"])) {
        Some(_) => ran(command, fix),
        None => Ok(Outcome::NotRun(format!("{component} is missing: rustup component add {component}"))),
    }
}

fn ran(command: Command, fix: &str) -> Result<Outcome, Error> {
    Ok(if cargo::succeeds(command)? { Outcome::Ok(String::new()) } else { Outcome::Failed(fix.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_program_is_left_without_its_documentation() {
        let crates = cargo::root().join("crates").read_dir().unwrap();
        let folders = crates.map(|entry| entry.unwrap().path()).chain([cargo::root().join("xtask")]);
        let has = |folder: &std::path::Path, file: &str| folder.join("src").join(file).exists();
        let programs = folders.filter(|folder| has(folder, "main.rs") && !has(folder, "lib.rs")).count();
        assert_eq!(programs, PROGRAMS.len());
    }

    #[test]
    fn a_missing_component_is_not_run() {
        let outcome = component("no-such", "no-such-subcommand", Command::new("true"), "").unwrap();
        assert_eq!(outcome, Outcome::NotRun("no-such is missing: rustup component add no-such".to_owned()));
    }
}
