//! Unpacks the tarballs and runs the programs.

use std::path::PathBuf;
use std::process::Command;

use super::trial::{Checked, Trial, ensure, has_files};
use crate::cargo;
use crate::package::{CLIENT, Made, SERVICE};

/// An account without a fault.
const ACCOUNT: &str = "fixtures/accounts/valid/electricity.json";

pub(super) fn service(trial: &Trial, made: &Made) -> Checked {
    let top = top(trial, made, &made.service_tarball)?;
    let deploy =
        ["deploy/systemd/cutover.service", "deploy/systemd/cutover.sysusers", "deploy/systemd/cutover.toml"];
    has_files(&top, &deploy)?;
    has_files(&top, &["LICENSE-APACHE", "LICENSE-MIT", "README.md", "deploy/monitoring/cutover.rules.yaml"])?;
    let program = top.join(SERVICE);
    let run = |args: &[&str]| with(trial.command(&program), args);
    trial.prints(run(&["--version"]), &format!("{SERVICE} {}", made.version))?;
    // Serves, takes in accounts over HTTP and imports them.
    trial
        .prints(run(&["demo", "--exit", "--accounts", "20", "--data-dir", "data"]), "listening on http://")?;
    Ok(None)
}

pub(super) fn client(trial: &Trial, made: &Made) -> Checked {
    let top = top(trial, made, &made.client_tarball)?;
    has_files(&top, &["LICENSE-APACHE", "LICENSE-MIT", "client.md"])?;
    has_files(&top, &["man/cutover-client.1", "man/cutover-client-validate.1"])?;
    has_files(&top, &["completions/_cutover-client", "completions/cutover-client.bash"])?;
    let program = top.join(CLIENT);
    let run = |args: &[&str]| with(trial.command(&program), args);
    trial.prints(run(&["--version"]), &format!("{CLIENT} {}", made.version))?;
    let account = cargo::root().join(ACCOUNT).display().to_string();
    trial.output(run(&["validate", &account]))?;
    Ok(None)
}

/// Unpacks a tarball and returns its only folder, which has the tarball's name.
fn top(trial: &Trial, made: &Made, tarball: &str) -> Result<PathBuf, String> {
    let folder = trial.unpacked(&made.folder.join(tarball), "unpacked")?;
    let entries = std::fs::read_dir(&folder).map_err(|e| e.to_string())?.count();
    let top = folder.join(tarball.trim_end_matches(".tar.gz"));
    ensure(entries == 1 && top.is_dir(), || format!("{} is not the only top folder", top.display()))?;
    Ok(top)
}

fn with(mut command: Command, args: &[&str]) -> Command {
    command.args(args);
    command
}
