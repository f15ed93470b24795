//! `cutover-client hold` and `release`: a supplier holds its own imports, and ends that hold.

use crate::error::Error;
use crate::exit::Exit;
use crate::output::{document, print};
use crate::service::{Backoff, Fault, Reply, Service, Target, block_on};
use clap::Args;
use cutover_core::plain;
use reqwest::{Method, StatusCode, Url};
use serde_json::Value;
use std::time::Duration;

/// Options of `release`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReleaseOptions {
    /// When the supplier held its imports, as `release` without this option prints it; refused if it held them again since
    #[arg(long, value_name = "TIME")]
    held_since: Option<String>,
    #[command(flatten)]
    options: Options,
}

/// Options of `hold`.
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
    let service = options.target.service()?;
    let query = options.because.iter().map(|because| ("because", because.as_str()));
    let settings = options.settings(&service, Some("hold"), query)?;
    finish(options, Act::Hold, &settings)
}

/// Ends the hold that the supplier has placed itself, if it is the one with the given time; without a time shows it. Imports that others hold
/// stay held, which is no success.
///
/// # Errors
/// As [`hold`]; no time was given, or the supplier has held its imports again since.
pub(crate) fn release(release: &ReleaseOptions) -> Result<Exit, Error> {
    let ReleaseOptions { held_since, options } = release;
    let service = options.target.service()?;
    let Some(held_since) = held_since else {
        let settings = options.settings(&service, None, [])?;
        return match own(&settings["hold"]) {
            Some(own) => Err(Error::refused(shown(&options.supplier, own))),
            None => finish(options, Act::Release, &settings),
        };
    };
    let because = options.because.iter().map(|because| ("because", because.as_str()));
    let query = because.chain([("held_since", held_since.as_str())]);
    let settings = options.settings(&service, Some("release"), query)?;
    finish(options, Act::Release, &settings)
}

/// Returns the supplier's own reason of a hold.
fn own(hold: &Value) -> Option<&Value> {
    let also = hold["also"].as_array().into_iter().flatten();
    std::iter::once(hold).chain(also).find(|reason| reason["by"] == "supplier")
}

/// Describes the supplier's own hold, with the command that ends it.
fn shown(supplier: &str, own: &Value) -> String {
    let because = own["because"].as_str().map(|because| format!(": {}", plain(because)));
    let since = plain(own["since"].as_str().unwrap_or("–"));
    format!(
        "the supplier has held its imports since {since}{}. This ends it: cutover-client release {} --held-since {since}",
        because.unwrap_or_default(),
        plain(supplier)
    )
}

fn finish(options: &Options, act: Act, settings: &Value) -> Result<Exit, Error> {
    let hold = &settings["hold"];
    print(&if options.json { document(settings) } else { text(&options.supplier, hold, act) })?;
    Ok(if hold.is_object() == (act == Act::Hold) { Exit::Success } else { Exit::Faulty })
}

impl Options {
    /// Reads the settings of the supplier, or performs an action that answers with them.
    fn settings<'q>(
        &self,
        service: &Service,
        action: Option<&str>,
        query: impl IntoIterator<Item = (&'q str, &'q str)>,
    ) -> Result<Value, Error> {
        let supplier = ["v2", "data-import", "import-suppliers", &self.supplier];
        let segments: Vec<&str> = supplier.into_iter().chain(action).collect();
        let mut url = service.url(&segments, "");
        for (name, value) in query {
            url.query_pairs_mut().append_pair(name, value);
        }
        let method = if action.is_some() { Method::POST } else { Method::GET };
        let reply = block_on(reply(service, &method, &url))??;
        if reply.status == StatusCode::NOT_FOUND {
            let text = format!(
                "the service knows no import supplier {}, or is of an older version",
                plain(&self.supplier)
            );
            return Err(Error::refused(text));
        }
        Ok(reply.ok()?)
    }
}

async fn reply(service: &Service, method: &Method, url: &Url) -> Result<Reply, Error> {
    let once = async || {
        let response = service.send(|http| http.request(method.clone(), url.clone())).await?;
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
            let since = plain(own(hold).and_then(|own| own["since"].as_str()).unwrap_or("–"));
            format!(
                "The imports of {supplier} are held. `cutover-client release {supplier} --held-since {since}` ends that.\n"
            )
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
