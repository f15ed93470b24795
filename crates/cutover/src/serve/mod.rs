//! `cutover serve`: the API and the import workers in one process, and their orderly end.

mod json_lines;
mod keys;
mod lock;
mod logs;
mod nodes;
mod service;
mod signals;
mod tls;
mod workers;

pub(crate) use lock::{Lock, Taken};
pub(crate) use logs::{LogTarget, start_logs};
pub(crate) use nodes::{running, shown, without_key};
pub(crate) use service::Service;
pub(crate) use signals::watch;
pub(crate) use tls::server_config as tls_config;

use crate::cli::Context;
use crate::error::Error;
use crate::open::{OpenDatabase, Outside, Purpose, app_over};
use crate::output::document;
use crate::settings::{ServeSettings, Settings};
use nodes::Heartbeat;
use serde::Serialize;
use std::sync::{Arc, mpsc};

pub(crate) const EXAMPLES: &str = "\
Examples:
  cutover serve                                         SQLite and documents in ./cutover-data
  cutover serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem
  cutover serve --documents-url s3://acme-documents/live
  cutover serve --config /etc/cutover.toml --log-format json
  CUTOVER_LISTEN=127.0.0.1:9000 cutover serve
  CUTOVER_DATABASE_URL='postgres://cutover:…@db.example.com/cutover' cutover serve --role worker

On PostgreSQL any number of processes serve one database, and none applies migrations unless --migrate says so:
`cutover migrate` does.

A TIME has a unit: 500ms, 60s, 5m, 24h or 7d.

Every setting is a variable too (CUTOVER_LISTEN for --listen) and a key of the file (listen = \"…\");
the flag wins over the variable, the variable over the file.

SIGTERM or Ctrl-C stops it: what was accepted is finished, claimed work is given back. A second one
ends it at once.";

/// Why the server is to end.
#[derive(Debug)]
pub(crate) enum Ending {
    /// It was told to.
    Signal(&'static str),
    /// The HTTP server ended by itself.
    Server(std::io::Result<()>),
}

/// Where a server listens.
#[derive(Serialize)]
struct Listening {
    addresses: Vec<String>,
    admin_addresses: Vec<String>,
}

/// Runs the service until it is told to stop.
///
/// # Errors
/// [`Error`] if it could not start, or did not end in order.
pub(crate) fn run(context: &Context) -> Result<(), Error> {
    let settings = &context.settings;
    start_logs(settings.log, LogTarget::StandardError)?;
    let (sender, ending) = mpsc::channel();
    signals::watch(sender.clone())?;
    // First of all that touches the database.
    let lock = Lock::of(settings)?;
    let database = OpenDatabase::open(settings, Purpose::Serve)?;
    tracing::info!(database = %settings.database, "the database is open");
    let app = Arc::new(app_over(&database, settings, Outside::open(settings)?));
    // Recorded before the look at the keys: whoever seals anew with another key either sees this process, or has begun
    // and is seen by it.
    let heartbeat = Heartbeat::start(app.clone(), settings, database.encryption_keys())?;
    keys::check(&database)?;
    // Under the lock no other worker can be alive. Elsewhere there may be some; their leases run out.
    let released = if lock.is_some() { app.release_all()? } else { 0 };
    let service = Service::start(app, &settings.serve, sender)?;
    announce(context, &service, released)?;
    let ending = ending.recv().unwrap_or(Ending::Signal("nobody to wait for"));
    let finished = finish(ending, service, settings);
    drop(heartbeat);
    finished
}

/// Says where it listens: to the log, and to programs that asked for JSON.
fn announce(context: &Context, service: &Service, released: usize) -> Result<(), Error> {
    let serve = &context.settings.serve;
    let listening = Listening { addresses: service.addresses(), admin_addresses: service.admin_addresses() };
    warn_of_plain_http(serve);
    if released > 0 {
        tracing::info!(released, "took up what another run had left in progress");
    }
    for address in &listening.admin_addresses {
        tracing::info!(target: logs::ALWAYS, "health and metrics on {address}");
    }
    if !serve.serves_api() {
        tracing::info!(target: logs::ALWAYS, version = env!("CARGO_PKG_VERSION"), "importing, without the API");
    }
    for address in &listening.addresses {
        tracing::info!(target: logs::ALWAYS, version = env!("CARGO_PKG_VERSION"), "listening on {address}");
    }
    if context.output.is_json() {
        println!("{}", document(&listening)?);
    }
    Ok(())
}

fn warn_of_plain_http(serve: &ServeSettings) {
    if serve.serves_api() && serve.tls.is_none() && !serve.listen.ip().is_loopback() {
        tracing::warn!(
            "the API is open to the network without TLS: set tls-cert and tls-key, or keep it behind a proxy that has them"
        );
    }
}

fn finish(ending: Ending, service: Service, settings: &Settings) -> Result<(), Error> {
    match ending {
        Ending::Signal(signal) => {
            let delay = settings.serve.shutdown_delay;
            if !delay.is_zero() {
                tracing::info!(target: logs::ALWAYS, signal, ?delay, "about to stop: not ready any more, still serving");
                service.leave(delay);
            }
            tracing::info!(target: logs::ALWAYS, signal, "stopping: finishing what was accepted");
            service.stop(settings.serve.shutdown_timeout)?;
            tracing::info!(target: logs::ALWAYS, "stopped");
            Ok(())
        }
        Ending::Server(result) => {
            service.stop(settings.serve.shutdown_timeout)?;
            let cause = result.err().map_or_else(|| "it ended".to_owned(), |e| e.to_string());
            Err(Error::refused(format!("the HTTP server ended by itself: {cause}")))
        }
    }
}
