//! The contents of a release: the programs, their version, the target and the date.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::graph::Metadata;
use super::{CLIENT, SERVICE, features};
use crate::cargo;
use crate::error::Error;

/// Variable for the date of all files, in seconds since 1970.
const DATE: &str = "SOURCE_DATE_EPOCH";

/// The files of the programs.
pub(crate) struct Programs {
    service: PathBuf,
    client: PathBuf,
    /// The cargo profile that they were built with.
    profile: String,
}

impl Programs {
    /// Builds them with a cargo profile, each by itself, so that it has the features of its own dependencies.
    pub(crate) fn build(profile: &str) -> Result<Self, Error> {
        let by_itself = |name: &str| -> Result<PathBuf, Error> {
            let mut build = cargo::cargo(["build", "--locked", "--package", name, "--profile", profile]);
            build.args(["--features", features(name)]);
            if let Some(commit) = commit() {
                build.env("BUILD_COMMIT", commit);
            }
            program(&messages(build), name)
        };
        Ok(Self { service: by_itself(SERVICE)?, client: by_itself(CLIENT)?, profile: profile.to_owned() })
    }

    /// Those that the tests run, which the step `tests` has built: their features are those of the workspace.
    pub(crate) fn of_tests() -> Result<Self, Error> {
        let messages = messages(cargo::cargo(["test", "--locked", "--workspace", "--no-run"]));
        let profile = "dev".to_owned();
        Ok(Self { service: program(&messages, SERVICE)?, client: program(&messages, CLIENT)?, profile })
    }
}

/// Returns the commit of the working tree, unless this is an unpacked archive.
fn commit() -> Option<String> {
    let output = Command::new("git").args(["rev-parse", "HEAD"]).stderr(Stdio::null()).output().ok()?;
    let commit = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    Some(commit.trim().to_owned())
}

/// Returns true if files of the working tree differ from the commit.
fn is_changed() -> bool {
    let mut git = cargo::command("git");
    git.args(["status", "--porcelain", "--untracked-files=no"]);
    cargo::output(git).is_some_and(|files| !files.trim().is_empty())
}

/// The programs of a release and what is known about them.
pub(super) struct Release {
    pub(super) version: String,
    /// Target triple of the programs, which is that of the build host.
    pub(super) triple: String,
    /// The processor as Debian and container images name it.
    pub(super) arch: &'static str,
    /// Date of all files in seconds since 1970.
    pub(super) date: u64,
    pub(super) metadata: Metadata,
    /// Cargo profile of the programs.
    pub(super) profile: String,
    /// Commit of the sources, unless they are an unpacked archive.
    pub(super) commit: Option<String>,
    /// True if the sources differ from the commit.
    pub(super) is_changed: bool,
    pub(super) service: PathBuf,
    pub(super) client: PathBuf,
}

impl Release {
    /// The release of these programs.
    pub(super) fn of(programs: Programs) -> Result<Self, Error> {
        let triple = cargo::host_triple()?;
        let metadata = Metadata::read(&triple)?;
        let version = metadata.package(SERVICE).map(|package| package.version.clone());
        Ok(Self {
            version: version.ok_or_else(|| Error::Package(format!("no package {SERVICE}")))?,
            arch: arch(&triple)?,
            triple,
            date: date()?,
            metadata,
            profile: programs.profile,
            commit: commit(),
            is_changed: is_changed(),
            service: programs.service,
            client: programs.client,
        })
    }

    /// Name of the top folder of a program's tarball.
    pub(super) fn top(&self, program: &str) -> String {
        format!("{program}-{}-{}", self.version, self.triple)
    }
}

/// The architecture of packages and images; only for Linux with glibc.
fn arch(triple: &str) -> Result<&'static str, Error> {
    match triple {
        "x86_64-unknown-linux-gnu" => Ok("amd64"),
        "aarch64-unknown-linux-gnu" => Ok("arm64"),
        _ => Err(Error::Package(format!("no packages are made on {triple}"))),
    }
}

/// The variable's date, or that of the commit.
fn date() -> Result<u64, Error> {
    let commit = || {
        let mut git = cargo::command("git");
        git.args(["log", "-1", "--format=%ct"]);
        cargo::output(git)
    };
    let date = std::env::var(DATE).ok().or_else(commit).unwrap_or_default();
    date.trim().parse().map_err(|_| Error::Package(format!("no commit to date the files: set {DATE}")))
}

/// Returns the messages of cargo about a build, one a line; an empty text if it fails.
fn messages(mut build: Command) -> String {
    build.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    cargo::output(build).unwrap_or_default()
}

/// The file of a program in cargo's messages.
fn program(messages: &str, name: &str) -> Result<PathBuf, Error> {
    executable(messages, name).ok_or_else(|| Error::Package(format!("{name} cannot be built")))
}

#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
}

/// The file of a program in cargo's messages, one a line.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    let mut files = messages.filter_map(|message| message.executable);
    files.find(|file| file.file_name() == Path::new(name).file_name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_in_the_messages() {
        let messages = "{\"executable\":null}\n{\"executable\":\"/t/debug/cutover\"}\n{\"success\":true}";
        assert_eq!(executable(messages, "cutover"), Some("/t/debug/cutover".into()));
        assert_eq!(executable(messages, "cutover-client"), None);
    }

    #[test]
    fn other_systems_are_refused() {
        assert_eq!(arch("aarch64-unknown-linux-gnu").unwrap(), "arm64");
        assert!(arch("x86_64-unknown-linux-musl").is_err());
    }
}
