//! Runs a step in a process of its own, so that its output does not mix with that of another step.

use std::fs::File;

use super::{Outcome, Step, Tools};
use crate::cargo;
use crate::error::Error;

/// The lowest priority: tests beside these processes drive servers that have deadlines.
const NICENESS: &str = "19";

/// Runs a step and prints its output when it has ended.
pub(super) fn run(step: &Step, tools: Tools) -> Result<Outcome, Error> {
    let folder = cargo::scratch().join("apart");
    std::fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
    let (answer, log) = (folder.join(format!("{}.json", step.name)), folder.join(step.name));
    std::fs::remove_file(&answer).ok();
    let output = File::create(&log).map_err(Error::file("create", &log))?;
    let errors = output.try_clone().map_err(Error::file("write", &log))?;
    let program = std::env::current_exe().map_err(Error::file("find", "this program".as_ref()))?;
    let mut command = cargo::command("nice");
    command.args(["-n", NICENESS]).arg(program).args(["test", "--only", step.name, "--outcome"]).arg(&answer);
    if tools == Tools::Install {
        command.arg("--install");
    }
    command.stdout(output).stderr(errors);
    let has_ended = cargo::succeeds(command);
    let text = std::fs::read(&log).map_err(Error::file("read", &log))?;
    print!("{}", String::from_utf8_lossy(&text));
    has_ended?;
    match std::fs::read(&answer) {
        Ok(answer) => Ok(serde_json::from_slice(&answer)?),
        Err(_) => Ok(Outcome::Failed("it ended without an outcome, see above".to_owned())),
    }
}
