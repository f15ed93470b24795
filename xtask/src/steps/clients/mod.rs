//! Generates clients from `docs/openapi.json` and lets each migrate the fixtures through a running service.
//!
//! The generators are openapi-python-client and openapi-typescript, their programs `xtask/clients/python/check.py`
//! and `xtask/clients/typescript/check.ts`.

mod python;
mod typescript;

use std::process::Command;
use std::time::Duration;

use super::service::{self, Service};
use super::{Outcome, Tools};
use crate::cargo;
use crate::error::Error;

/// The description of the API.
const DESCRIPTION: &str = "docs/openapi.json";
/// Time limit of a program: it takes some seconds.
const AT_MOST: Duration = Duration::from_secs(30 * 60);

/// A fault of a client, or how to repair what could not be run.
type Fault = String;

pub(super) fn run(tools: Tools) -> Result<Outcome, Error> {
    let (python, typescript) = (python::find(tools), typescript::find(tools));
    if python.is_none() && typescript.is_none() {
        return Ok(Outcome::NotRun(format!("{}; {}", python::missing(), typescript::missing())));
    }
    // Built like the tests, so that nothing else is compiled.
    if !cargo::succeeds(cargo::cargo(["test", "--workspace", "--quiet", "--no-run"]))? {
        return Ok(Outcome::Failed("the service does not compile".to_owned()));
    }
    let mut missing = Vec::new();
    match &python {
        Some(python) => {
            if let Err(fault) = python::check(python)? {
                return Ok(Outcome::Failed(fault));
            }
        }
        None => missing.push(python::missing()),
    }
    match &typescript {
        Some(modules) => {
            if let Err(fault) = typescript::check(modules)? {
                return Ok(Outcome::Failed(fault));
            }
        }
        None => missing.push(typescript::missing()),
    }
    Ok(match missing.as_slice() {
        [] => Outcome::Ok("Python and TypeScript".to_owned()),
        missing => Outcome::NotRun(missing.join("; ")),
    })
}

/// Runs a program against an empty service of its own.
fn migrate(language: &str, mut program: Command) -> Result<Result<(), Fault>, Error> {
    let service = match Service::start(&cargo::scratch().join("clients").join(language).join("service")) {
        Ok(service) => service,
        Err(e) => return Ok(Err(format!("the service cannot be set up: {e}"))),
    };
    program.env("CUTOVER_URL", format!("http://{}", service.address));
    program.env("CUTOVER_KEY", &service.key).env("CUTOVER_READER_KEY", &service.reader_key);
    program.env("CUTOVER_SUPPLIER", service::SUPPLIER);
    let ended = cargo::succeeds_within(program, AT_MOST)?;
    service.stop();
    Ok(match ended {
        Some(true) => Ok(()),
        Some(false) => Err(format!("the generated client in {language} does not work, see above")),
        None => {
            Err(format!("the client in {language} did not end within {} minutes", AT_MOST.as_secs() / 60))
        }
    })
}
