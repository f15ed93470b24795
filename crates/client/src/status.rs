//! `cutover-client status`: the status of one account.

use crate::error::Error;
use crate::exit::Exit;
use crate::output::{document, print};
use crate::service::{Backoff, Reply, Service, Target, block_on};
use clap::Args;
use cutover_core::{Code, plain};
use reqwest::{StatusCode, Url};
use serde_json::Value;
use std::time::Duration;

/// Options of `status`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The import supplier's code
    supplier: String,
    /// The account's number at the supplier
    number: String,
    /// Print the answer of the service as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

/// Time to wait for a service that is away.
const PATIENCE: Duration = Duration::from_secs(5);

/// Fetches the status of an account and prints it.
///
/// # Errors
/// [`Error`] if the service does not answer.
pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let service = options.target.service()?;
    let Options { supplier, number, .. } = options;
    let path = ["v2", "data-import", "accounts", supplier, number];
    let reply = block_on(get(&service, service.url(&path, "")))??;
    if reply.status == StatusCode::NOT_FOUND {
        return match block_on(refused(&service, options))?? {
            Some(refused) => show(options, &refused, || refused_text(number, &refused), Exit::Faulty),
            None => unknown(options, &reply),
        };
    }
    let mut status = reply.ok()?;
    let mut exit = Exit::Success;
    if status["latest_error"].is_object() {
        exit = Exit::Faulty;
        let path = [&path[..], &["issues"]].concat();
        let issues = block_on(get(&service, service.url(&path, "")))??;
        // A service of an earlier version does not have them.
        if issues.status != StatusCode::NOT_FOUND {
            status["errors"] = issues.ok()?["errors"].take();
        }
    }
    show(options, &status, || text(number, &status), exit)
}

async fn get(service: &Service, url: Url) -> Result<Reply, Error> {
    Ok(Backoff::new(PATIENCE).run(async || service.get(&url).await).await?)
}

/// The refusal of an account that was never accepted; `None` if there is none.
async fn refused(service: &Service, options: &Options) -> Result<Option<Value>, Error> {
    let mut url = service.url(&["v2", "data-import", "import-suppliers", &options.supplier, "refused"], "");
    url.query_pairs_mut().append_pair("external_account_number", options.number.trim());
    let reply = get(service, url).await?;
    // An earlier version does not look for one account.
    Ok(if reply.status == StatusCode::OK { reply.body.get(0).cloned() } else { None })
}

fn show(options: &Options, value: &Value, text: impl FnOnce() -> String, exit: Exit) -> Result<Exit, Error> {
    print(&if options.json { document(value) } else { text() })?;
    Ok(exit)
}

fn unknown(options: &Options, reply: &Reply) -> Result<Exit, Error> {
    if options.json {
        print(&document(&reply.body))?;
    } else {
        let (number, supplier) = (&options.number, &options.supplier);
        crate::error::print_error(&format_args!("the service knows no account {number} of {supplier}"));
    }
    Ok(Exit::Faulty)
}

/// Formats the status for people.
fn text(number: &str, status: &Value) -> String {
    let said = |value: &Value| plain(value.as_str().unwrap_or("–"));
    let event = &status["latest_event"];
    let mut text = format!("Account   {}\nStatus    {}\n", plain(number), said(&status["status"]));
    if let Some(identifier) = status["service_identifier"].as_str() {
        text += &format!("Known as  {}\n", plain(identifier));
    }
    text +=
        &format!("Created   {}\nModified  {}\n", said(&status["created_at"]), said(&status["modified_at"]));
    text += &format!("Event     {}, {}\n", said(&event["event"]), said(&event["occurred_at"]));
    let error = &status["latest_error"];
    if error.is_object() {
        text += &format!("Error     {}: {}\n", said(&error["code"]), said(&error["detail"]));
    }
    text + &issues_text(&status["errors"])
}

/// Formats why an account was refused.
fn refused_text(number: &str, refused: &Value) -> String {
    let at = plain(refused["refused_at"].as_str().unwrap_or("–"));
    format!("Account   {}\nStatus    not accepted\nRefused   {at}\n", plain(number))
        + &issues_text(&refused["errors"])
}

/// Formats issues, each with its text: that of the service, or else the one of its code.
fn issues_text(issues: &Value) -> String {
    let line = |issue: &Value| {
        let (attr, code) = (issue["attr"].as_str().unwrap_or("–"), issue["code"].as_str().unwrap_or("–"));
        let known = || Code::from_word(code).map(Code::detail);
        let detail = issue["detail"].as_str().or_else(known).unwrap_or_default();
        format!("  {}  {}\n      {}\n", plain(attr), plain(code), plain(detail))
    };
    issues.as_array().into_iter().flatten().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::text;
    use serde_json::json;

    #[test]
    fn people_read_lines() {
        let mut status = json!({
            "status": "PROCESSED", "service_identifier": "A-7K2M9QX4",
            "created_at": "2026-11-21T12:00:00.000000+11:00", "modified_at": "2026-11-21T12:00:01.000000+11:00",
            "latest_event": {"event": "EVENT_ACCOUNT_IMPORT_PROCESS_PROCESSED",
                "occurred_at": "2026-11-21T12:00:01.000000+11:00", "data": null},
            "latest_error": null
        });
        insta::assert_snapshot!("imported", text("A-\u{1b}1", &status));
        status["status"] = "ERRORED".into();
        status["service_identifier"] = json!(null);
        status["latest_error"] = json!({"code": "import_process_failed_validation",
            "detail": "The account failed validation.", "domain": "import_process"});
        insta::assert_snapshot!("errored", text("A-1", &status));
    }
    #[test]
    fn line_breaks_in_texts_of_the_service_add_no_lines() {
        let text = text("A-1\nStatus    PROCESSED", &json!({"status": "ERRORED\nx"}));
        assert_eq!(text.lines().count(), 5, "{text}");
    }
}
