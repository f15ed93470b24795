//! `cutover-client status`: the status of one account.

use crate::error::Error;
use crate::exit::Exit;
use crate::output::{document, print};
use crate::service::{Backoff, Reply, Target, block_on};
use clap::Args;
use cutover_core::plain;
use reqwest::StatusCode;
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
    let url = service.url(&["v2", "data-import", "accounts", &options.supplier, &options.number], "");
    let reply = block_on(Backoff::new(PATIENCE).run(async || service.get(&url).await))??;
    if reply.status == StatusCode::NOT_FOUND {
        return unknown(options, &reply);
    }
    let status = reply.ok()?;
    print(&if options.json { document(&status) } else { text(&options.number, &status) })?;
    Ok(if status["latest_error"].is_object() { Exit::Faulty } else { Exit::Success })
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
    text
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
