//! Opens the database, and waits for one that is down or read-only (decision 0057).

use super::encryption_keys;
use super::heartbeat::Heartbeat;
use crate::error::Error;
use crate::open::{ExternalServices, OpenDatabase, Purpose, build_app};
use crate::server::StopReason;
use crate::settings::{Database, Settings};
use cutover_app::App;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

/// Pause between two attempts to open the database.
const PAUSE: Duration = Duration::from_secs(1);

/// An event that ends the wait of a starting server.
pub(super) enum Event {
    Stop(StopReason),
    /// The database is open, or the wait for it is over.
    Opened(Result<Opened, Error>),
}

impl From<StopReason> for Event {
    fn from(reason: StopReason) -> Self {
        Self::Stop(reason)
    }
}

/// The use cases over an open database in which this process is recorded.
pub(super) struct Opened {
    pub(super) app: Arc<App>,
    pub(super) heartbeat: Heartbeat,
}

/// Opens the database on a thread of its own, so that signals are noticed meanwhile, and sends the result.
///
/// # Errors
/// [`Error`] if no thread can be started.
pub(super) fn open_in_background(
    settings: Settings,
    services: ExternalServices,
    events: Sender<Event>,
) -> Result<(), Error> {
    let open = move || {
        let opened = catch_unwind(AssertUnwindSafe(|| open_patiently(&settings, &services)));
        let opened = opened.unwrap_or_else(|_| Err(Error::refused("the start panicked: see the log")));
        // The receiver is gone after a signal.
        let _ = events.send(Event::Opened(opened));
    };
    let started = thread::Builder::new().name("start".into()).spawn(open).map(drop);
    started.map_err(|error| Error::refused(format!("a thread cannot be started: {error}")))
}

fn open_patiently(settings: &Settings, services: &ExternalServices) -> Result<Opened, Error> {
    let wait = match settings.database {
        Database::Sqlite(_) => Duration::ZERO,
        Database::Postgres(_) => settings.values.database_wait,
    };
    let begun = Instant::now();
    let mut logged = String::new();
    loop {
        let error = match open(settings, services) {
            Err(error) if error.is_outage_of_database() => error,
            done => return done,
        };
        let left = wait.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Err(error);
        }
        let cause = error.to_string();
        if cause != logged {
            tracing::warn!(%cause, "waiting for the database");
            logged = cause;
        }
        thread::sleep(PAUSE.min(left));
    }
}

fn open(settings: &Settings, services: &ExternalServices) -> Result<Opened, Error> {
    let database = OpenDatabase::open(settings, Purpose::Serve)?;
    let app = Arc::new(build_app(&database, settings, services.clone()));
    // Recorded before the keys are checked: a concurrent `encryption-key reseal` either sees this process, or has begun
    // and its new key is seen by the check.
    let heartbeat = Heartbeat::start(app.clone(), settings, database.encryption_keys())?;
    encryption_keys::check(&database)?;
    tracing::info!(database = %settings.database, "the database is open");
    Ok(Opened { app, heartbeat })
}
