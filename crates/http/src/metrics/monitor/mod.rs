//! Figures of the whole installation for `/metrics`: read from the database at a bounded rate, however often
//! they are scraped, and left out while it is unreachable.

use crate::limits::blocking::Blocking;
use cutover_app::App;
use cutover_app::operator::Backlog;
use cutover_app::port::ServerFigures;
use cutover_process::State;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeGaugeValue, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Duration for which other scrapes show the same figures.
const FRESH: Duration = Duration::from_secs(5);
/// Time that a scrape waits for the database: less than Prometheus waits for a scrape.
const PATIENCE: Duration = Duration::from_secs(2);

/// Reads figures of the installation, at most once at a time.
pub(crate) struct Monitor {
    app: Arc<App>,
    /// A separate thread: monitoring must report full slots, not wait for one.
    reads: Blocking,
    last: Arc<Mutex<Last>>,
}

/// The result of the last read.
#[derive(Default)]
struct Last {
    at: Option<Instant>,
    is_reading: bool,
    seen: Seen,
}

/// The figures read; `None` for those that could not be read.
#[derive(Default)]
struct Seen {
    backlog: Option<Backlog>,
    server: Option<ServerFigures>,
}

/// Marks the one read that is under way.
struct Reading(Arc<Mutex<Last>>);

impl Drop for Reading {
    fn drop(&mut self) {
        locked(&self.0).is_reading = false;
    }
}

fn locked(last: &Mutex<Last>) -> MutexGuard<'_, Last> {
    last.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Monitor {
    /// Creates a monitor that has read nothing yet.
    ///
    /// # Errors
    /// If no thread can be created.
    pub(crate) fn new(app: Arc<App>) -> io::Result<Self> {
        Ok(Self { app, reads: Blocking::new("monitor", 1, 1, PATIENCE)?, last: Arc::default() })
    }

    /// Returns a collector of the figures read last.
    pub(crate) fn collector(&self) -> Box<dyn Collector> {
        Box::new(Installation { app: self.app.clone(), last: self.last.clone() })
    }

    /// Reads the figures, unless they are fresh or another scrape is reading them. Late figures are left out:
    /// old ones would look current.
    pub(crate) async fn refresh(&self) {
        let Some(reading) = self.begin() else { return };
        let app = self.app.clone();
        let read = self.reads.run(None, move || {
            reading.keep(read(&app));
            Ok(())
        });
        if timeout(PATIENCE, read).await.is_err() {
            locked(&self.last).seen = Seen::default();
        }
    }

    fn begin(&self) -> Option<Reading> {
        let mut last = locked(&self.last);
        if last.is_reading || last.at.is_some_and(|at| at.elapsed() < FRESH) {
            return None;
        }
        last.is_reading = true;
        Some(Reading(self.last.clone()))
    }
}

impl Reading {
    fn keep(self, seen: Seen) {
        let mut last = locked(&self.0);
        (last.at, last.seen) = (Some(Instant::now()), seen);
    }
}

fn read(app: &App) -> Seen {
    let backlog = app.backlog().map_err(|error| tracing::warn!(%error, "metrics could not read the backlog"));
    // The second query would fail as well, and as slowly.
    let server = backlog.as_ref().ok().and_then(|_| {
        let figures = app.server_figures();
        figures
            .map_err(
                |error| tracing::warn!(%error, "metrics could not read the figures of the database server"),
            )
            .ok()
    });
    Seen { backlog: backlog.ok(), server: server.flatten() }
}

/// Collects the figures as they were read last.
struct Installation {
    app: Arc<App>,
    last: Arc<Mutex<Last>>,
}

impl fmt::Debug for Installation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Installation")
    }
}

impl Collector for Installation {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let last = locked(&self.last);
        let Seen { backlog, server } = &last.seen;
        let is_up = i64::from(backlog.is_some());
        show(
            &mut encoder,
            "database_up",
            "1 if the database answered when this process asked it last",
            is_up,
        )?;
        // Not read from the database: the disk may fill between two reads.
        show(
            &mut encoder,
            "database_writable",
            "0 if the database refused a write of this process within the last minute: its disk is full or fails, or it is \
             read-only",
            i64::from(self.app.refused_write().is_none()),
        )?;
        if let Some(backlog) = backlog {
            show_backlog(&mut encoder, backlog)?;
        }
        if let Some(server) = server {
            show_server(&mut encoder, server)?;
        }
        show(
            &mut encoder,
            "payment_vendors_left_alone",
            "Payment vendors that this process leaves alone since they failed too often",
            self.app.open_vendor_circuits() as i64,
        )
    }
}

fn show(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    value: impl EncodeGaugeValue,
) -> Result<(), fmt::Error> {
    ConstGauge::new(value).encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)
}

/// Encodes a gauge with a label.
fn show_each<V: EncodeGaugeValue>(
    encoder: &mut DescriptorEncoder<'_>,
    (name, help, label): (&str, &str, &str),
    values: impl Iterator<Item = (String, V)>,
) -> Result<(), fmt::Error> {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
    for (of, value) in values {
        ConstGauge::new(value).encode(family.encode_family(&[(label, of.as_str())])?)?;
    }
    Ok(())
}

fn show_backlog(encoder: &mut DescriptorEncoder<'_>, backlog: &Backlog) -> Result<(), fmt::Error> {
    let waiting = || backlog.waiting.iter();
    show_each(
        encoder,
        ("processes_pending", "Accounts that wait to be imported, by supplier", "supplier"),
        waiting().map(|waiting| (waiting.supplier.clone(), waiting.pending as i64)),
    )?;
    show_each(
        encoder,
        (
            "processes_oldest_due_seconds",
            "For how long the first account that waits has been due, by supplier; 0 while a supplier is paused or held",
            "supplier",
        ),
        waiting().map(|waiting| (waiting.supplier.clone(), waiting.oldest_due.as_secs_f64())),
    )?;
    show(encoder, "processes_running", "Accounts that are being imported", backlog.running as i64)?;
    show_each(
        encoder,
        ("processes_ended", "Accounts whose import has ended, by how it did", "outcome"),
        backlog.ended.iter().map(|(state, processes)| (word(*state), *processes as i64)),
    )?;
    show(encoder, "suppliers_held", "Suppliers whose imports are held", backlog.held as i64)?;
    let webhooks = &backlog.webhooks;
    let states = [("enabled", webhooks.enabled), ("disabled", webhooks.disabled)];
    show_each(
        encoder,
        ("webhooks", "Webhooks, by state", "state"),
        states.iter().map(|(state, count)| ((*state).to_owned(), *count as i64)),
    )?;
    show(
        encoder,
        "webhook_deliveries_open",
        "Deliveries of enabled webhooks that have not succeeded yet",
        webhooks.open as i64,
    )?;
    show(
        encoder,
        "webhook_oldest_undelivered_seconds",
        "The age of the oldest event of these deliveries; 0 without any",
        webhooks.oldest.as_secs_f64(),
    )
}

/// Returns a state as the value of a label.
fn word(state: State) -> String {
    state.as_str().to_ascii_lowercase()
}

fn show_server(encoder: &mut DescriptorEncoder<'_>, server: &ServerFigures) -> Result<(), fmt::Error> {
    show(
        encoder,
        "database_oldest_snapshot_seconds",
        "The age of the oldest transaction, standby or replication slot that keeps dead rows from being removed",
        server.oldest_snapshot.as_secs_f64(),
    )?;
    show(
        encoder,
        "database_sees_other_roles",
        "1 if this process may see the sessions of other roles, which other figures leave out otherwise",
        i64::from(server.sees_other_roles),
    )?;
    show(
        encoder,
        "database_retained_log_bytes",
        "Write-ahead log that is kept for the replication slot furthest behind",
        server.retained_log as i64,
    )?;
    if let Some(answers) = server.standby_answers {
        let help = "1 if the standby that this process reads from answered when it was asked last";
        show(encoder, "database_standby_up", help, i64::from(answers))?;
    }
    match server.replication_lag {
        Some(lag) => show(
            encoder,
            "database_replication_lag_seconds",
            "How far the standby that is furthest behind is",
            lag.as_secs_f64(),
        ),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
