//! `cutover doctor`: checks everything that a server needs.

mod checks;
mod finding;

use crate::error::Error;
use crate::output::{Answer, Output};
use crate::settings::{Settings, SettingsError};
use finding::{Finding, Health};
use serde::Serialize;
use std::process::ExitCode;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover doctor
  cutover doctor --config /etc/cutover.toml --json

It exits with 1 if a check fails.";

#[derive(Debug, Serialize)]
struct Diagnosis {
    healthy: bool,
    checks: Vec<Finding>,
}

impl Answer for Diagnosis {
    fn text(&self) -> String {
        let mut lines: Vec<String> = self.checks.iter().map(Finding::line).collect();
        lines.push(String::new());
        let warns = self.checks.iter().any(|finding| finding.result == Health::Warn);
        let verdict = match (self.healthy, warns) {
            (true, false) => "All checks passed.",
            (true, true) => "No check failed.",
            (false, _) => "Fix the checks that say FAIL.",
        };
        lines.push(verdict.to_owned());
        lines.join("\n")
    }
}

/// Runs all checks; a failed check does not stop the others.
///
/// # Errors
/// [`Error`] if the findings cannot be printed.
pub(super) fn run(settings: Result<Settings, SettingsError>, output: Output) -> Result<ExitCode, Error> {
    let checks = match settings {
        Err(error) => vec![Finding::fail("settings", error, "correct or remove the setting")],
        Ok(settings) => checks::all(&settings),
    };
    let healthy = checks.iter().all(|finding| finding.result != Health::Fail);
    output.answer(&Diagnosis { healthy, checks })?;
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
