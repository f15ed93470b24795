use cutover_app::App;
use cutover_app::job::JobRunner;
use cutover_app::webhook::{WebhookDispatcher, WebhookMetrics};
use cutover_app::worker::{Worker, WorkerMetrics};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Pause of a worker that panicked outside an import.
const PANIC_PAUSE: Duration = Duration::from_secs(1);

/// The threads of the import workers, of the sweeper, of the dispatcher of webhooks and of the runner of jobs.
pub(super) struct Workers {
    app: Arc<App>,
    stop: Arc<AtomicBool>,
    metrics: Arc<WorkerMetrics>,
    webhooks: Arc<WebhookMetrics>,
    count: usize,
    done: (Sender<()>, Receiver<()>),
}

impl Workers {
    pub(super) fn new(app: Arc<App>) -> Self {
        let (stop, metrics, webhooks) = Default::default();
        Self { app, stop, metrics, webhooks, count: 0, done: channel() }
    }

    pub(super) fn metrics(&self) -> Arc<WorkerMetrics> {
        self.metrics.clone()
    }

    pub(super) fn webhook_metrics(&self) -> Arc<WebhookMetrics> {
        self.webhooks.clone()
    }

    /// Starts `count` workers, the sweeper, the dispatcher of webhooks and the runner of jobs.
    pub(super) fn start(&mut self, count: usize) -> io::Result<()> {
        let host = host();
        for n in 1..=count {
            self.spawn(format!("{host}-{}-{n}", std::process::id()), Worker::run)?;
        }
        self.spawn(format!("{host}-{}-sweeper", std::process::id()), Worker::run_sweeper)?;
        let mut dispatcher =
            WebhookDispatcher::new(self.app.clone(), self.webhooks.clone(), self.stop.clone());
        self.spawn_loop("webhooks".to_owned(), move || dispatcher.run())?;
        let jobs = JobRunner::new(self.app.clone(), self.stop.clone());
        self.spawn_loop("jobs".to_owned(), move || jobs.run())
    }

    fn spawn(&mut self, name: String, run: fn(&Worker)) -> io::Result<()> {
        let worker = Worker::new(self.app.clone(), name.clone(), self.metrics.clone(), self.stop.clone());
        self.spawn_loop(name, move || run(&worker))
    }

    /// Starts a thread that runs a loop, again after a panic.
    fn spawn_loop(&mut self, name: String, mut run: impl FnMut() + Send + 'static) -> io::Result<()> {
        let (stop, app, done) = (self.stop.clone(), self.app.clone(), self.done.0.clone());
        let work = move || {
            while !stop.load(Ordering::Acquire) {
                if catch_unwind(AssertUnwindSafe(&mut run)).is_err() {
                    app.wake().wait(app.wake().notifications(), PANIC_PAUSE);
                }
            }
            // The receiver is gone after the deadline.
            let _ = done.send(());
        };
        thread::Builder::new().name(name).spawn(work)?;
        self.count += 1;
        Ok(())
    }

    /// Requests the stop: each worker finishes its current account and releases its other claims.
    pub(super) fn request_stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.app.wake().notify_all();
    }

    /// Waits until all threads have stopped; returns false at the deadline.
    pub(super) fn wait(self, deadline: Instant) -> bool {
        let left = || deadline.saturating_duration_since(Instant::now());
        (0..self.count).all(|_| self.done.1.recv_timeout(left()).is_ok())
    }
}

/// The name of this machine, for the names of workers.
fn host() -> String {
    let found = std::env::var("HOSTNAME").ok().or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    let name: String =
        found.unwrap_or_default().trim().chars().filter(|c| !c.is_control()).take(64).collect();
    if name.is_empty() { "host".to_owned() } else { name }
}
