//! `cutover-client runs` and `compare`: the runs of a supplier, such as rehearsals (contract D23).

use crate::error::Error;
use crate::exit::Exit;
use crate::output::{document, print};
use crate::service::{Backoff, Fault, Reply, Service, Target, block_on};
use clap::Args;
use cutover_core::plain;
use cutover_model::Others;
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// Options of `runs`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunsOptions {
    /// The import supplier's code
    supplier: String,
    /// Start a run of this name; the service must allow it
    #[arg(long, value_name = "NAME", conflicts_with = "end")]
    start: Option<String>,
    /// End the run of this name; the service must allow it
    #[arg(long, value_name = "NAME")]
    end: Option<String>,
    /// Print the answer of the service as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

/// Options of `compare`.
#[derive(Debug, Clone, Args)]
pub(crate) struct CompareOptions {
    /// The import supplier's code
    supplier: String,
    /// Name of the first run
    a: String,
    /// Name of the second run
    b: String,
    /// Print the answer of the service as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

/// Time to wait for a service that is away.
const PATIENCE: Duration = Duration::from_secs(5);

fn path<'p>(supplier: &'p str, rest: &[&'p str]) -> Vec<&'p str> {
    [&["v2", "data-import", "import-suppliers", supplier, "runs"], rest].concat()
}

/// Lists the runs of a supplier, or starts or ends one.
///
/// # Errors
/// [`Error`] if the service does not answer, or refuses.
pub(crate) fn list(options: &RunsOptions) -> Result<Exit, Error> {
    let service = options.target.service()?;
    let supplier = &options.supplier;
    let shown = match (&options.start, &options.end) {
        (Some(name), _) => block_on(post(&service, &path(supplier, &[]), Some(json!({"name": name}))))??,
        (None, Some(name)) => block_on(post(&service, &path(supplier, &[name, "end"]), None))??,
        (None, None) => block_on(all(&service, supplier))??,
    };
    let text = match &shown {
        Value::Array(runs) if runs.is_empty() => "No runs yet.\n".to_owned(),
        Value::Array(runs) => runs.iter().map(run_text).collect::<Vec<_>>().join("\n"),
        run => run_text(run),
    };
    print(&if options.json { document(&shown) } else { text })?;
    Ok(Exit::Success)
}

/// Compares two runs of a supplier.
///
/// # Errors
/// [`Error`] if the service does not answer, or there are no such runs.
pub(crate) fn compare(options: &CompareOptions) -> Result<Exit, Error> {
    let service = options.target.service()?;
    let CompareOptions { supplier, a, b, .. } = options;
    let url = service.url(&path(supplier, &[a, "diff", b]), "");
    let reply = block_on(async { Backoff::new(PATIENCE).run(async || service.get(&url).await).await })??;
    if reply.status == StatusCode::NOT_FOUND {
        return Err(Error::refused(format!("the service knows no runs {a} and {b} of {supplier}")));
    }
    let diff = reply.ok()?;
    print(&if options.json { document(&diff) } else { diff_text(&diff) })?;
    Ok(Exit::Success)
}

async fn all(service: &Service, supplier: &str) -> Result<Value, Error> {
    let mut runs = Vec::new();
    let is_there = service
        .pages(
            &path(supplier, &[]),
            String::new(),
            PATIENCE,
            || true,
            async |run: Value| {
                runs.push(run);
                Ok(())
            },
        )
        .await?;
    match is_there {
        true => Ok(Value::Array(runs)),
        false => Err(Error::refused(format!(
            "the service knows no import supplier {supplier}, or is of an older version"
        ))),
    }
}

/// Sends a request that changes something, once: a second one would be refused if the first was heard.
async fn post(service: &Service, path: &[&str], body: Option<Value>) -> Result<Value, Error> {
    let url = service.url(path, "");
    let make = |http: &reqwest::Client| match &body {
        Some(body) => http.post(url.clone()).header(CONTENT_TYPE, "application/json").body(body.to_string()),
        None => http.post(url.clone()),
    };
    let response = service.send(make).await?;
    let status = response.status();
    if status.is_server_error() {
        return Err(Fault::permanent(format!("the service answers {}", status.as_u16())).into());
    }
    let mut reply = Reply::read(response).await?;
    match reply.status {
        StatusCode::CREATED => reply.status = StatusCode::OK,
        StatusCode::FORBIDDEN => {
            let why = "the operator has not allowed this supplier to start and end runs";
            return Err(Error::refused(why));
        }
        StatusCode::NOT_FOUND => return Err(Error::refused("the service knows no such supplier or run")),
        _ => {}
    }
    Ok(reply.ok()?)
}

fn word(value: &Value) -> String {
    match value {
        Value::String(text) => plain(text),
        Value::Null => "-".to_owned(),
        other => plain(&other.to_string()),
    }
}

fn run_text(run: &Value) -> String {
    let counts = run["counts"].as_object().into_iter().flatten();
    let counts = counts.filter(|(_, count)| **count != 0);
    let counts: String =
        counts.map(|(status, count)| format!("  {:<20} {}\n", plain(status), word(count))).collect();
    let cause = |what: &str, cause: &Value| {
        format!(
            "  {what:<20} {} {} at {}\n",
            word(&cause["count"]),
            word(&cause["code"]),
            word(&cause["attr"])
        )
    };
    let list = |what: &'static str, of: &Value| -> String {
        let others = Others::deserialize(&of["other_errors"]).ok().and_then(|others| others.words());
        let others = others.map(|others| format!("  {what:<20} {others}\n"));
        let top = of["top_errors"].as_array().into_iter().flatten();
        top.map(|one| cause(what, one)).chain(others).collect()
    };
    let ended = if run["ended_at"].is_null() { "open".to_owned() } else { word(&run["ended_at"]) };
    format!(
        "{}\n  {:<20} {}\n  {:<20} {ended}\n{counts}  {:<20} {}\n  {:<20} {}\n{}{}",
        word(&run["name"]),
        "started",
        word(&run["started_at"]),
        "ended",
        "refused",
        word(&run["refused"]["accounts"]),
        "ledger balance",
        word(&run["totals"]["ledger_balance"]),
        list("error", run),
        list("refused for", &run["refused"]),
    )
}

fn diff_text(diff: &Value) -> String {
    let words = |values: &Value| {
        let words: Vec<String> = values.as_array().into_iter().flatten().map(word).collect();
        words.join(", ")
    };
    let group = |name: &str| {
        let group = &diff[name];
        let examples = group["examples"].as_array().map_or(0, Vec::len) as u64;
        let more = if group["count"].as_u64().is_some_and(|count| count > examples) { ", …" } else { "" };
        let examples = words(&group["examples"]);
        let examples = if examples.is_empty() { examples } else { format!(" ({examples}{more})") };
        format!("{name:<8} {}{examples}\n", word(&group["count"]))
    };
    let groups: String = ["new", "gone", "changed", "fixed", "broken"].into_iter().map(group).collect();
    let lines = |list: &Value, line: &dyn Fn(&Value) -> String| -> String {
        list.as_array().into_iter().flatten().map(line).collect()
    };
    let attrs = lines(&diff["changed_attrs"], &|one| {
        format!("changed at {}: {}\n", word(&one["attr"]), word(&one["count"]))
    });
    let accounts = lines(&diff["changed_accounts"], &|one| {
        let attrs = if one["attrs"].is_null() { "not known".to_owned() } else { words(&one["attrs"]) };
        format!("  {}: {attrs}\n", word(&one["external_account_number"]))
    });
    let codes = lines(&diff["codes"], &|one| {
        format!(
            "{} at {}: {} -> {}\n",
            word(&one["code"]),
            word(&one["attr"]),
            word(&one["a"]),
            word(&one["b"])
        )
    });
    let totals = diff["totals"].as_object().into_iter().flatten();
    let totals = totals.map(|(name, of)| {
        let name = plain(&name.replace('_', " "));
        format!("{name}: {} -> {} ({})\n", word(&of["a"]), word(&of["b"]), word(&of["difference"]))
    });
    format!("{groups}{attrs}{accounts}{codes}\ntotals of passed accounts\n{}", totals.collect::<String>())
}
