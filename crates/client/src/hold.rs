//! `cutover-client hold` and `release`: a supplier holds its own imports, and ends that hold.

use crate::error::Error;
use crate::exit::Exit;
use crate::output::{document, print};
use crate::service::{Backoff, Fault, Reply, Service, Target, block_on};
use clap::Args;
use cutover_core::plain;
use reqwest::{StatusCode, Url};
use serde_json::Value;
use std::time::Duration;

/// Options of `hold` and `release`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The import supplier's code
    supplier: String,
    /// The reason, for the people at the service: nothing about a customer
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
    /// Print the settings of the supplier, with its hold, as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Hold,
    Release,
}

/// Time to wait for a service that is away.
const PATIENCE: Duration = Duration::from_secs(5);

/// Holds the imports of a supplier.
///
/// # Errors
/// [`Error`] if the service does not answer, or refuses.
pub(crate) fn hold(options: &Options) -> Result<Exit, Error> {
    run(options, Act::Hold)
}

/// Ends the hold that the supplier has placed itself. Imports that others hold stay held, which is no success.
///
/// # Errors
/// As [`hold`].
pub(crate) fn release(options: &Options) -> Result<Exit, Error> {
    run(options, Act::Release)
}

fn run(options: &Options, act: Act) -> Result<Exit, Error> {
    let service = options.target.service()?;
    let word = if act == Act::Hold { "hold" } else { "release" };
    let mut url = service.url(&["v2", "data-import", "import-suppliers", &options.supplier, word], "");
    if let Some(because) = &options.because {
        url.query_pairs_mut().append_pair("because", because);
    }
    let reply = block_on(post(&service, &url))??;
    if reply.status == StatusCode::NOT_FOUND {
        let text = format!(
            "the service knows no import supplier {}, or is of an older version",
            plain(&options.supplier)
        );
        return Err(Error::refused(text));
    }
    let settings = reply.ok()?;
    let is_held = settings["hold"].is_object();
    print(&if options.json { document(&settings) } else { text(&options.supplier, &settings["hold"], act) })?;
    Ok(if is_held == (act == Act::Hold) { Exit::Success } else { Exit::Faulty })
}

async fn post(service: &Service, url: &Url) -> Result<Reply, Error> {
    let once = async || {
        let response = service.send(|http| http.post(url.clone())).await?;
        match response.status() {
            status if status.is_server_error() => {
                Err(Fault::transient(format!("the service answers {}", status.as_u16())))
            }
            _ => Reply::read(response).await,
        }
    };
    Ok(Backoff::new(PATIENCE).run(once).await?)
}

/// Says what became of the imports.
fn text(supplier: &str, hold: &Value, act: Act) -> String {
    let supplier = plain(supplier);
    match (act, hold.is_object()) {
        (Act::Hold, _) => {
            format!("The imports of {supplier} are held. `cutover-client release {supplier}` ends that.\n")
        }
        (Act::Release, false) => format!("The imports of {supplier} go on.\n"),
        (Act::Release, true) => {
            let because = hold["because"].as_str().map(|because| format!(": {}", plain(because)));
            format!(
                "The imports of {supplier} are still held, by {}{}. Only the operator ends that.\n",
                plain(hold["by"].as_str().unwrap_or("–")),
                because.unwrap_or_default()
            )
        }
    }
}
