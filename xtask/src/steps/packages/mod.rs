//! Makes the files of a release with the programs that the tests run, installs each into an empty folder and
//! runs it there.

mod contents;
mod debian;
mod tarballs;
mod trial;

use std::path::Path;

use super::Outcome;
use super::summary::Counts;
use crate::cargo;
use crate::error::Error;
use crate::package::{self, Made, Programs};
use trial::{Checked, Trial};

/// True where packages are made.
const IS_SUPPORTED: bool =
    cfg!(all(target_os = "linux", target_env = "gnu", any(target_arch = "aarch64", target_arch = "x86_64")));

/// A check of a file of the release.
struct Check {
    what: &'static str,
    run: fn(&Trial, &Made) -> Checked,
}

const CHECKS: &[Check] = &[
    Check { what: "checksums", run: contents::sums },
    Check { what: "signature", run: contents::signature },
    Check { what: "provenance", run: contents::provenance },
    Check { what: "bills of materials", run: contents::bills },
    Check { what: "tarball of the service", run: tarballs::service },
    Check { what: "tarball of the client", run: tarballs::client },
    Check { what: "files of the Debian package", run: debian::files },
    Check { what: "installed Debian package", run: debian::installed },
];

pub(super) fn run() -> Result<Outcome, Error> {
    if !IS_SUPPORTED {
        return Ok(Outcome::NotRun("packages are made on Linux with glibc, for amd64 and arm64".to_owned()));
    }
    let folder = cargo::scratch().join("packages");
    let made = Programs::of_tests().and_then(|programs| package::make(programs, &folder.join("made")));
    match made {
        Ok(made) => check(&made, &folder),
        Err(error) => Ok(Outcome::Failed(error.to_string())),
    }
}

/// Runs the checks, each in a folder of its own, until one fails.
fn check(made: &Made, folder: &Path) -> Result<Outcome, Error> {
    let mut missing = Vec::new();
    for Check { what, run } in CHECKS {
        let trial = Trial::new(&folder.join(what.replace(' ', "-")))?;
        match run(&trial, made) {
            Ok(not_run) => missing.extend(not_run.map(|why| format!("NOT RUN {what}: {why}"))),
            Err(fault) => {
                println!("{what}: {fault}");
                return Ok(Outcome::Failed(format!("{what}, see above")));
            }
        }
    }
    Ok(match missing.as_slice() {
        [] => Outcome::Ok(format!("{} checks", CHECKS.len())),
        missing => Outcome::Partly(Counts::default(), missing.join("; ")),
    })
}
