//! `cutover serve`: runs the API and the import workers until a signal stops them.

mod encryption_keys;
mod heartbeat;

use crate::context::Context;
use crate::error::Error;
use crate::lock::Lock;
use crate::open::{ExternalServices, OpenDatabase, Purpose, build_app};
use crate::output::document;
use crate::server::{ALWAYS, Hangups, LogTarget, Service, StopReason, start_logs, watch};
use crate::settings::Settings;
use crate::system::SystemClock;
use crate::tls::CertificateRenewal;
use cutover_app::port::Clock;
use heartbeat::Heartbeat;
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

Any number of processes can serve one PostgreSQL database. They apply no migrations unless --migrate is set;
run `cutover migrate` first.

A TIME has a unit: 500ms, 60s, 5m, 24h or 7d.

Every setting is also a variable (CUTOVER_LISTEN for --listen) and a key of the file (listen = \"…\").
A flag takes precedence over the variable, the variable over the file.

SIGTERM or Ctrl-C stops the server: accepted requests are finished, claimed work is released. A second
signal ends it at once. SIGHUP reads the TLS certificate again at once.";

/// The addresses of a server, as JSON prints them.
#[derive(Serialize)]
struct Listening {
    addresses: Vec<String>,
    admin_addresses: Vec<String>,
}

/// Runs the service until it is stopped.
///
/// # Errors
/// [`Error`] if it could not start, or did not stop in order.
pub(crate) fn run(context: &Context) -> Result<(), Error> {
    let settings = &context.settings;
    start_logs(&settings.values, LogTarget::StandardError)?;
    let (sender, stopped) = mpsc::channel();
    watch(sender.clone())?;
    let hangups = Hangups::new()?;
    let certificate = settings.tls.as_ref().filter(|_| settings.serves_api());
    let certificate =
        certificate.map(|files| CertificateRenewal::open(files, SystemClock.now())).transpose()?;
    // Before anything else touches the database.
    let lock = Lock::of(settings)?;
    let database = OpenDatabase::open(settings, Purpose::Serve)?;
    tracing::info!(database = %settings.database, "the database is open");
    let app = Arc::new(build_app(&database, settings, ExternalServices::open(settings)?));
    // Recorded before the keys are checked: a concurrent `encryption-key reseal` either sees this process, or has begun
    // and its new key is seen by the check.
    let heartbeat = Heartbeat::start(app.clone(), settings, database.encryption_keys())?;
    encryption_keys::check(&database)?;
    // Under the lock no other worker is alive. On PostgreSQL there may be some; their leases expire.
    let released = if lock.is_some() { app.release_all()? } else { 0 };
    let tls = certificate.as_ref().map(CertificateRenewal::tls).transpose()?;
    let service = Service::start(app, settings, tls, sender)?;
    if let Some(certificate) = certificate {
        certificate.start(hangups)?;
    }
    announce(context, &service, released)?;
    let reason = stopped.recv().unwrap_or(StopReason::Signal("none"));
    let finished = finish(reason, service, settings);
    drop(heartbeat);
    finished
}

/// Logs the addresses, and prints them if the output is JSON.
fn announce(context: &Context, service: &Service, released: usize) -> Result<(), Error> {
    let settings = &context.settings;
    let listening = Listening { addresses: service.addresses(), admin_addresses: service.admin_addresses() };
    warn_of_plain_http(settings);
    if released > 0 {
        tracing::info!(released, "released what an earlier run had left in progress");
    }
    for address in &listening.admin_addresses {
        tracing::info!(target: ALWAYS, "health and metrics on {address}");
    }
    if !settings.serves_api() {
        tracing::info!(target: ALWAYS, version = env!("CARGO_PKG_VERSION"), "importing, without the API");
    }
    for address in &listening.addresses {
        tracing::info!(target: ALWAYS, version = env!("CARGO_PKG_VERSION"), "listening on {address}");
    }
    if context.output.is_json() {
        println!("{}", document(&listening)?);
    }
    Ok(())
}

fn warn_of_plain_http(settings: &Settings) {
    if settings.serves_api() && settings.tls.is_none() && !settings.values.listen.ip().is_loopback() {
        tracing::warn!(
            "the API is open to the network without TLS: set tls-cert and tls-key, or keep it behind a proxy with TLS"
        );
    }
}

fn finish(reason: StopReason, service: Service, settings: &Settings) -> Result<(), Error> {
    let timeout = settings.values.shutdown_timeout;
    match reason {
        StopReason::Signal(signal) => {
            let delay = settings.values.shutdown_delay;
            if !delay.is_zero() {
                tracing::info!(target: ALWAYS, signal, ?delay, "stopping soon: not ready any more, still serving");
                service.drain(delay);
            }
            tracing::info!(target: ALWAYS, signal, "stopping: finishing accepted work");
            service.stop(timeout)?;
            tracing::info!(target: ALWAYS, "stopped");
            Ok(())
        }
        StopReason::HttpServer(result) => {
            service.stop(timeout)?;
            let cause = result.err().map_or_else(|| "it ended".to_owned(), |e| e.to_string());
            Err(Error::refused(format!("the HTTP server ended by itself: {cause}")))
        }
    }
}
