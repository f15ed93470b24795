//! cargo-deny: licences, sources and the fence over the resolved graph, and advisories if this machine has a
//! copy of their database.

use std::env::home_dir;
use std::path::{Path, PathBuf};

use super::program::Program;
use super::{Outcome, Tools};
use crate::cargo;
use crate::error::Error;

/// Version that is installed, whose minor version `deny.toml` needs at least.
const VERSION: &str = "0.20.2";
const MINOR: (u32, u32) = (0, 20);
/// A debug build takes six seconds longer to check, and a quarter of the time to compile.
const PROGRAM: Program = Program {
    name: "cargo-deny",
    is_good: is_recent,
    install: &["cargo-deny", "--version", VERSION, "--debug"],
};

pub(super) fn run(tools: Tools) -> Result<Outcome, Error> {
    match PROGRAM.get(tools) {
        Some(program) => check(&program),
        None => Ok(Outcome::NotRun(format!(
            "no cargo-deny {}.{} or later: cargo install cargo-deny --locked --version {VERSION}, or --install",
            MINOR.0, MINOR.1
        ))),
    }
}

/// Dependencies are checked without those of tests, licences with them.
fn check(program: &Path) -> Result<Outcome, Error> {
    let bans = ["--workspace", "--exclude-dev", "check", "--allow", "unused-wrapper", "bans"];
    let rest = ["--workspace", "check", "licenses", "sources"];
    for args in [bans.as_slice(), rest.as_slice()] {
        let mut command = cargo::command(program);
        command.args(args);
        if !cargo::succeeds(command)? {
            return Ok(Outcome::Failed("see above and deny.toml".to_owned()));
        }
    }
    advisories(program, databases().as_deref())
}

/// Checks advisories against the local copy of the RustSec database. Nothing is fetched: the checks of this
/// project need only the crate registry from the network, so a machine without a copy passes with a remark.
fn advisories(program: &Path, databases: Option<&Path>) -> Result<Outcome, Error> {
    if !databases.is_some_and(has_folders) {
        return Ok(Outcome::Ok(
            "advisories NOT RUN: no copy of the database here: cargo deny fetch db".to_owned(),
        ));
    }
    let mut command = cargo::command(program);
    command.args(["--offline", "--workspace", "check", "advisories"]);
    if cargo::succeeds(command)? {
        return Ok(Outcome::Ok("advisories of the local copy".to_owned()));
    }
    Ok(Outcome::Failed("see above; an older copy is updated with: cargo deny fetch db".to_owned()))
}

/// Returns true if a folder has a database: there may be lock files as well.
fn has_folders(folder: &Path) -> bool {
    folder.read_dir().is_ok_and(|entries| entries.flatten().any(|entry| entry.path().is_dir()))
}

/// Folder of cargo-deny's databases of advisories.
fn databases() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    Some(home.or_else(|| Some(home_dir()?.join(".cargo")))?.join("advisory-dbs"))
}

fn is_recent(answer: &str) -> bool {
    let version = answer.trim().strip_prefix("cargo-deny ").unwrap_or_default();
    let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
    parts.next().zip(parts.next()).is_some_and(|found| found >= MINOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_unknown_versions_do_not_count() {
        assert!(is_recent("cargo-deny 0.20.2\n"));
        assert!(is_recent("cargo-deny 1.0.0"));
        for answer in ["cargo-deny 0.19.9", "cargo-deny", "", "0.20.2", "cargo-deny x.20.2"] {
            assert!(!is_recent(answer), "{answer}");
        }
    }

    #[test]
    fn without_a_database_advisories_are_not_run_and_nothing_fails() {
        let folder = tempfile::tempdir().unwrap();
        let nobody = Path::new("/broken/cargo-deny");
        std::fs::write(folder.path().join("db.lock"), "").unwrap();
        for databases in [None, Some(folder.path()), Some(Path::new("/broken"))] {
            let Outcome::Ok(remark) = advisories(nobody, databases).unwrap() else { panic!("it fails") };
            assert!(remark.starts_with("advisories NOT RUN"), "{remark}");
        }
        std::fs::create_dir(folder.path().join("advisory-db-1")).unwrap();
        assert!(advisories(nobody, Some(folder.path())).is_err(), "with one it is called");
    }

    #[test]
    fn the_installed_version_is_recent_enough() {
        assert!(is_recent(&format!("cargo-deny {VERSION}")));
    }
}
