//! cargo-deny: licences, sources, and the fence once more, over the resolved graph.

use std::path::Path;

use super::program::Program;
use super::{Outcome, Tools};
use crate::cargo;
use crate::error::Error;

/// What is installed. `deny.toml` needs its minor version at least.
const VERSION: &str = "0.20.2";
const MINOR: (u32, u32) = (0, 20);
const PROGRAM: Program =
    Program { name: "cargo-deny", is_good: is_recent, install: &["cargo-deny", "--version", VERSION] };

pub(super) fn run(tools: Tools) -> Result<Outcome, Error> {
    match PROGRAM.get(tools) {
        Some(program) => check(&program),
        None => Ok(Outcome::NotRun(format!(
            "no cargo-deny {}.{} or later: cargo install cargo-deny --locked --version {VERSION}, or --install",
            MINOR.0, MINOR.1
        ))),
    }
}

/// The arrows between our crates are those of builds: tests may look at more. Licences are those of tests too.
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
    Ok(Outcome::Ok(String::new()))
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
    fn what_is_installed_is_recent_enough() {
        assert!(is_recent(&format!("cargo-deny {VERSION}")));
    }
}
