//! Licences and sources of every crate in the lock file, banned crates, and advisories if this machine has
//! `cargo-deny` and a copy of their database.

use std::env::home_dir;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use spdx::{Expression, ParseMode};

use super::{Outcome, of_faults};
use crate::cargo;
use crate::error::Error;

/// Permissive licences. A crate that is offered under several is taken under one of these.
const ALLOWED: [&str; 10] = [
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
];

/// Licences that one crate may have.
const EXCEPTIONS: [(&str, &str); 2] = [
    // Public certificates, for TLS on WebAssembly: in no build.
    ("webpki-root-certs", "CDLA-Permissive-2.0"),
    // LLVM's fuzzer, under the licence that LLVM had, which is like MIT's: in no release.
    ("libfuzzer-sys", "NCSA"),
];

/// Crates that must not be used, and the reason.
const BANNED: [(&str, &str); 2] =
    [("openssl-sys", "TLS is rustls"), ("pq-sys", "the store has a connection of its own")];

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// How to fix a fault.
const FIX: &str = "see xtask/src/steps/licences.rs";

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    /// `None` for crates of the workspace.
    source: Option<String>,
}

pub(super) fn run() -> Result<Outcome, Error> {
    // All features and all targets: what anybody might build.
    let mut command = cargo::cargo(["metadata", "--all-features", "--locked", "--format-version", "1"]);
    let output = command.output().map_err(|source| cargo::start_error(&command, source))?;
    if !output.status.success() {
        return Err(Error::Metadata(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let metadata: Metadata = serde_json::from_slice(&output.stdout)?;
    let faults: Vec<String> = metadata.packages.iter().filter_map(fault).collect();
    match of_faults(&faults, FIX) {
        Outcome::Ok(_) => advisories(&metadata, databases().as_deref()),
        failed => Ok(failed),
    }
}

fn fault(package: &Package) -> Option<String> {
    let Package { name, version, license, source } = package;
    let ban = BANNED.iter().find(|(banned, _)| banned == name);
    let fault = match (ban, source.as_deref()) {
        (Some((_, reason)), _) => format!("is banned: {reason}"),
        (None, Some(source)) if source != REGISTRY => format!("comes from {source}"),
        _ => unlicensed(name, license.as_deref())?,
    };
    Some(format!("{name} {version} {fault}"))
}

/// Returns the fault of a licence that is missing, illegible or not allowed.
fn unlicensed(name: &str, license: Option<&str>) -> Option<String> {
    let Some(license) = license else { return Some("states no licence".to_owned()) };
    let Ok(expression) = Expression::parse_mode(license, ParseMode::LAX) else {
        return Some(format!("has a licence that is no SPDX expression: {license}"));
    };
    let exception = EXCEPTIONS.iter().find(|(crate_name, _)| *crate_name == name).map(|(_, own)| *own);
    let is_allowed = expression.evaluate(|requirement| {
        let named = requirement.to_string();
        ALLOWED.iter().copied().chain(exception).any(|allowed| allowed == named)
    });
    (!is_allowed).then(|| format!("has a licence that is not allowed: {license}"))
}

/// Checks advisories against the local copy of the RustSec database. Nothing is fetched: the checks of this
/// project need only the crate registry from the network, so a machine without a copy passes with a remark.
fn advisories(metadata: &Metadata, databases: Option<&Path>) -> Result<Outcome, Error> {
    let checked = format!("{} crates", metadata.packages.len());
    if !databases.is_some_and(has_folders) {
        return Ok(Outcome::Ok(format!(
            "{checked}; advisories NOT RUN: no copy of the database here: cargo deny fetch db"
        )));
    }
    let mut command = cargo::cargo(["deny", "--offline", "--workspace", "check", "advisories"]);
    command.env("CARGO_TERM_QUIET", "true");
    if cargo::succeeds(command)? {
        return Ok(Outcome::Ok(format!("{checked}; advisories of the local copy")));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, license: Option<&str>, source: Option<&str>) -> Package {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Package { name: name.into(), version: "1.0.0".into(), license: owned(license), source: owned(source) }
    }

    fn fault_of(name: &str, license: &str) -> Option<String> {
        fault(&package(name, Some(license), Some(REGISTRY)))
    }

    #[test]
    fn one_permissive_licence_of_several_is_enough() {
        for license in ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "(MIT OR Apache-2.0) AND Unicode-3.0"] {
            assert_eq!(fault_of("a", license), None, "{license}");
        }
        for license in ["GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0 AND LGPL-2.1", "whatever I say", "NCSA"] {
            assert!(fault_of("a", license).is_some(), "{license}");
        }
        assert_eq!(fault_of("libfuzzer-sys", "(MIT OR Apache-2.0) AND NCSA"), None);
        let none = fault(&package("a", None, Some(REGISTRY)));
        assert_eq!(none.as_deref(), Some("a 1.0.0 states no licence"));
    }

    #[test]
    fn banned_crates_and_other_sources_are_faults() {
        assert!(fault_of("openssl-sys", "MIT").unwrap().contains("is banned"));
        let git = fault(&package("a", Some("MIT"), Some("git+https://example.org/a")));
        assert_eq!(git.as_deref(), Some("a 1.0.0 comes from git+https://example.org/a"));
        assert_eq!(fault(&package("cutover", Some("MIT OR Apache-2.0"), None)), None);
    }

    #[test]
    fn without_a_database_advisories_are_not_run_and_nothing_fails() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("db.lock"), "").unwrap();
        for databases in [None, Some(folder.path()), Some(Path::new("/broken"))] {
            let none = Metadata { packages: Vec::new() };
            let Outcome::Ok(remark) = advisories(&none, databases).unwrap() else { panic!("it fails") };
            assert!(remark.contains("advisories NOT RUN"), "{remark}");
        }
    }
}
