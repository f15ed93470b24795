//! Builds the wheel for Python, installs it into an empty environment, and runs its tests there.
//!
//! It is built with the profile of the tests: a release takes many minutes.

mod build;

use std::path::Path;
use std::time::{Duration, Instant};

use super::{Outcome, Tools, python};
use crate::cargo;
use crate::error::Error;
use build::Maturin;

/// Pinned versions of the libraries with which the tests make tables in memory.
const LIBRARIES: &str = "xtask/wheel/tests.txt";
/// The tests of the package.
const TESTS: &str = "crates/python/tests";
/// What somebody does first who has installed the package.
const FIRST_FINDING: &str = "import cutover; print(cutover.validate('{}')[0])";

pub(super) fn run(tools: Tools) -> Result<Outcome, Error> {
    let Some(maturin) = Maturin::find(tools) else { return Ok(Outcome::NotRun(Maturin::missing())) };
    let folder = cargo::scratch().join("wheel");
    let made = maturin.build(&folder.join("made"))?;
    let tried = made.and_then(|wheel| {
        maturin.audit(&wheel)?;
        let first = first_finding(&folder.join("environment"), &wheel)?;
        tests(&folder.join("environment")).map(|()| (wheel, first))
    });
    Ok(match tried {
        Ok((wheel, first)) => Outcome::Ok(format!(
            "{}, the first finding {:.1} s after its installation began",
            wheel.file_name().unwrap_or_default().display(),
            first.as_secs_f64()
        )),
        Err(fault) => Outcome::Failed(format!("{fault}, see above")),
    })
}

/// What is wrong, in a few words.
type Fault = &'static str;

/// Installs the wheel into an empty environment. Returns the time until the first finding.
fn first_finding(environment: &Path, wheel: &Path) -> Result<Duration, Fault> {
    let made = python::make(environment);
    let begun = Instant::now();
    let works =
        made && python::add_wheel(environment, wheel) && succeeds(environment, &["-c", FIRST_FINDING]);
    if works { Ok(begun.elapsed()) } else { Err("the wheel cannot be used in an empty environment") }
}

fn tests(environment: &Path) -> Result<(), Fault> {
    if !python::add(environment, LIBRARIES) {
        return Err("the libraries for its tests cannot be installed");
    }
    let passed = succeeds(environment, &["-m", "unittest", "discover", "--start-directory", TESTS]);
    if passed { Ok(()) } else { Err("its tests failed") }
}

/// Runs the Python of an environment.
fn succeeds(environment: &Path, arguments: &[&str]) -> bool {
    let mut command = cargo::command(environment.join("bin/python3"));
    command.args(arguments).env("PYTHONDONTWRITEBYTECODE", "1");
    cargo::succeeds(command).unwrap_or(false)
}
