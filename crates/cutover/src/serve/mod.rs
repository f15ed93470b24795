//! `cutover serve`: runs the API and the import workers until a signal stops them.

mod encryption_keys;
mod heartbeat;
mod start;

use crate::context::Context;
use crate::error::Error;
use crate::lock::Lock;
use crate::open::{ExternalServices, build_waiting_app};
use crate::output::document;
use crate::server::{ALWAYS, Hangups, LogTarget, Service, StopReason, start_logs, watch};
use crate::settings::{Database, Settings};
use crate::system::SystemClock;
use crate::tls::CertificateRenewal;
use cutover_app::port::Clock;
use cutover_http::Tls;
use serde::Serialize;
use start::{Event, Opened, open_in_background};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

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

A process that finds PostgreSQL down or read-only waits for it, up to --database-wait; /healthz answers meanwhile.

A TIME has a unit: 500ms, 60s, 5m, 24h or 7d.

Every setting is also a variable (CUTOVER_LISTEN for --listen) and a key of the file (listen = \"…\").
A flag takes precedence over the variable, the variable over the file.

SIGTERM or Ctrl-C stops the server: accepted requests are finished, claimed work is released. A second
signal ends it at once. SIGHUP reads the TLS certificate again at once.";

/// Time after which a server listens although its database is not open.
const LISTEN_AFTER: Duration = Duration::from_secs(1);

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
    settings.check_memory()?;
    if let (Some(limit), Some(lowered)) = (settings.memory.limit, settings.memory.lowered()) {
        tracing::warn!(limit, "the memory limit lowers settings: {lowered}");
    }
    let (sender, events) = mpsc::channel();
    watch(sender.clone())?;
    let hangups = Hangups::new()?;
    let certificate = settings.tls.as_ref().filter(|_| settings.serves_api());
    let certificate =
        certificate.map(|files| CertificateRenewal::open(files, SystemClock.now())).transpose()?;
    // Before anything else touches the database.
    let lock = Lock::of(settings)?;
    let services = ExternalServices::open(settings)?;
    let tls = certificate.as_ref().map(CertificateRenewal::tls).transpose()?;
    if let Some(certificate) = certificate {
        certificate.start(hangups)?;
    }
    open_in_background(settings.clone(), services.clone(), sender.clone())?;
    let (waiting, event) = wait(settings, services, tls.clone(), &sender, &events)?;
    let Opened { app, heartbeat } = match event {
        Event::Opened(Ok(opened)) => opened,
        Event::Opened(Err(error)) => {
            // The error that ends the wait matters more than one of the end.
            let _ = waiting.map(|service| service.stop(settings.values.shutdown_timeout));
            return Err(error);
        }
        // It was never ready, so no load balancer has to notice.
        Event::Stop(reason) => {
            return waiting.map_or(Ok(()), |it| finish(reason, it, Duration::ZERO, settings));
        }
    };
    // Under the lock no other worker is alive. On PostgreSQL there may be some; their leases expire.
    let released = if lock.is_some() { app.release_all()? } else { 0 };
    let service = match waiting {
        Some(service) => service.go_on(app, settings)?,
        None => Service::start(app, settings, tls, sender)?,
    };
    announce(context, &service, released)?;
    let reason = match events.recv() {
        Ok(Event::Stop(reason)) => reason,
        _ => StopReason::Signal("none"),
    };
    let finished = finish(reason, service, settings.values.shutdown_delay, settings);
    drop(heartbeat);
    finished
}

/// Waits until the database is open or the start ends. If that takes long, it listens meanwhile and answers as during
/// an outage of the database; the service that does so is returned.
fn wait(
    settings: &Settings,
    services: ExternalServices,
    tls: Option<Tls>,
    sender: &Sender<Event>,
    events: &Receiver<Event>,
) -> Result<(Option<Service>, Event), Error> {
    let first = match settings.database {
        // A file is not waited for.
        Database::Sqlite(_) => events.recv().map_err(RecvTimeoutError::from),
        Database::Postgres(_) => events.recv_timeout(LISTEN_AFTER),
    };
    let (service, event) = match first {
        Err(RecvTimeoutError::Timeout) => {
            let app = Arc::new(build_waiting_app(settings, services));
            let service = Service::listen(app, settings, tls, sender.clone())?;
            for address in service.admin_addresses().iter().chain(&service.addresses()) {
                tracing::info!(target: ALWAYS, "waiting for the database, with health on {address}");
            }
            (Some(service), events.recv().ok())
        }
        event => (None, event.ok()),
    };
    // This thread holds a sender, so there is one.
    Ok((service, event.unwrap_or(Event::Stop(StopReason::Signal("none")))))
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

fn finish(reason: StopReason, service: Service, delay: Duration, settings: &Settings) -> Result<(), Error> {
    let timeout = settings.values.shutdown_timeout;
    match reason {
        StopReason::Signal(signal) => {
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
