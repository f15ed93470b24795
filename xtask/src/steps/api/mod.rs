//! schemathesis: checks the running service against the description of the API, with generated requests.
//!
//! `xtask/schemathesis/schemathesis.toml` explains which checks are switched off.

mod tool;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::service::{self, Service};
use super::{Outcome, Tools};
use crate::cargo;
use crate::error::Error;

/// Folder of the tool's settings and hooks.
const SETTINGS: &str = "xtask/schemathesis";
/// The account that requests name.
const NUMBER: &str = "ELEC-1001";
/// The business that requests name.
const BUSINESS: &str = "B-HALLORAN";
/// The run that requests name.
const RUN: &str = "night";
/// Data that is created first: two accounts, so that a page of one has a next page, and a business with a
/// contract.
const CREATED: &[(&str, &str)] = &[
    ("/v2/data-import/accounts/", "accounts/valid/electricity"),
    ("/v2/data-import/accounts/", "accounts/valid/gas"),
    ("/v1/data-import/business/", "businesses/valid/cold_storage"),
];
/// Time limit: it takes two minutes on two idle cores.
const AT_MOST: Duration = Duration::from_secs(60 * 60);

pub(super) fn run(tools: Tools) -> Result<Outcome, Error> {
    let Some(program) = tool::find(tools) else { return Ok(Outcome::NotRun(tool::missing())) };
    // Built like the tests, so that nothing else is compiled.
    if !cargo::succeeds(cargo::cargo(["test", "--workspace", "--quiet", "--no-run"]))? {
        return Ok(Outcome::Failed("the service does not compile".to_owned()));
    }
    let folder = cargo::scratch().join("api");
    let (service, cursor) = match start(&folder) {
        Ok(started) => started,
        Err(e) => return Ok(Outcome::Failed(format!("the service cannot be set up: {e}"))),
    };
    let report = folder.join("report.json");
    let ended = cargo::succeeds_within(command(&program, &service, &cursor, &report), AT_MOST)?;
    service.stop();
    Ok(match ended {
        Some(true) => Outcome::Ok(summary(&report)?),
        Some(false) => Outcome::Failed(format!("see above, and {SETTINGS}")),
        None => Outcome::Failed(format!("it did not end within {} minutes", AT_MOST.as_secs() / 60)),
    })
}

fn command(program: &Path, service: &Service, cursor: &str, report: &Path) -> Command {
    let mut command = cargo::command(program);
    // Its cache of examples is not kept.
    command.current_dir(&service.folder);
    let settings = cargo::root().join(SETTINGS);
    command.arg("--config-file").arg(settings.join("schemathesis.toml"));
    command.env("SCHEMATHESIS_HOOKS", settings.join("hooks.py"));
    command.args(["--no-color", "run", &format!("http://{}/openapi.json", service.address)]);
    command.args(["--header", &format!("Authorization: Token {}", service.token)]);
    command.args(["--report", "json", "--report-json-path"]).arg(report);
    command.env("PYTHONUNBUFFERED", "1").env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("CUTOVER_SUPPLIER", service::SUPPLIER).env("CUTOVER_READER", &service.reader);
    command.env("CUTOVER_NUMBER", NUMBER).env("CUTOVER_CURSOR", cursor).env("CUTOVER_BUSINESS", BUSINESS);
    command.env("CUTOVER_RUN", RUN).env("CUTOVER_OPERATOR", &service.operator_key);
    command
}

/// Starts the service with its data. Returns it and the cursor of the second page of a list.
fn start(folder: &Path) -> std::io::Result<(Service, String)> {
    let service = Service::start(folder)?;
    service.create(CREATED)?;
    let runs = format!("/v2/data-import/import-suppliers/{}/runs/", service::SUPPLIER);
    let started = service.ask("POST", &runs, &format!(r#"{{"name":"{RUN}"}}"#))?;
    if !started.starts_with("HTTP/1.1 201") {
        return Err(std::io::Error::other(started));
    }
    let page =
        service.ask("GET", &format!("/v2/data-import/accounts/{}/?page_size=1", service::SUPPLIER), "")?;
    let cursor = cursor(&page).ok_or_else(|| std::io::Error::other(page.clone()))?.to_owned();
    Ok((service, cursor))
}

/// Returns the cursor in the `Link` header of a page.
fn cursor(page: &str) -> Option<&str> {
    let link = page.lines().find(|line| line.to_ascii_lowercase().starts_with("link:"))?;
    link.split_once("cursor=")?.1.split('>').next()
}

/// Summary of the tool's report.
fn summary(report: &Path) -> Result<String, Error> {
    let text = std::fs::read_to_string(report).map_err(Error::file("read", report))?;
    let report: Value =
        serde_json::from_str(&text).map_err(|source| Error::Json { path: report.to_owned(), source })?;
    Ok(counted(&report))
}

fn counted(report: &Value) -> String {
    let of = |part: &str, member: &str| report[part][member].as_u64().unwrap_or_default();
    format!(
        "{} of {} operations, {} cases, {} failures",
        of("operations", "tested"),
        of("operations", "total"),
        of("test_cases", "generated"),
        of("test_cases", "unique_failures")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts() {
        let report = serde_json::json!({
            "operations": {"total": 21, "tested": 20},
            "test_cases": {"generated": 900, "unique_failures": 0}
        });
        assert_eq!(counted(&report), "20 of 21 operations, 900 cases, 0 failures");
    }

    #[test]
    fn the_cursor_is_in_the_link() {
        let page = "HTTP/1.1 200 OK\r\nlink: </v2/?page_size=1&cursor=AAB>; rel=\"next\"\r\n\r\n[]";
        assert_eq!(cursor(page), Some("AAB"));
        assert_eq!(cursor("HTTP/1.1 200 OK\r\n\r\n[]"), None);
    }
}
