use super::stop::StopReason;
use super::workers::Workers;
use crate::error::Error;
use crate::settings::{Role, Settings};
use actix_web::dev::ServerHandle;
use cutover_app::App;
use cutover_http::{Config, Parts, ServiceHandle, Tls, start};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Sender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A running service: the threads of the HTTP server and of the workers.
pub(crate) struct Service {
    scheme: &'static str,
    /// `None` for a worker without an admin address.
    http: Option<Http>,
    workers: Workers,
}

struct Http {
    listening: Listening,
    thread: JoinHandle<()>,
}

struct Listening {
    addresses: Vec<SocketAddr>,
    admin_addresses: Vec<SocketAddr>,
    service: ServiceHandle,
    handle: ServerHandle,
}

impl Service {
    /// Starts the service; it listens when this returns. Sends to `stopped` if the HTTP server ends by itself.
    ///
    /// # Errors
    /// [`Error`] if it cannot listen.
    pub(crate) fn start(
        app: Arc<App>,
        settings: &Settings,
        tls: Option<Tls>,
        stopped: Sender<impl From<StopReason> + Send + 'static>,
    ) -> Result<Self, Error> {
        let mut service = Self::listen(app, settings, tls, stopped)?;
        service.start_workers(settings)?;
        Ok(service)
    }

    /// Starts the service without its workers, for use cases whose database is not open yet.
    ///
    /// # Errors
    /// [`Error`] as of [`start`](Self::start).
    pub(crate) fn listen(
        app: Arc<App>,
        settings: &Settings,
        tls: Option<Tls>,
        stopped: Sender<impl From<StopReason> + Send + 'static>,
    ) -> Result<Self, Error> {
        let workers = Workers::new(app.clone());
        let scheme = if tls.is_some() { "https" } else { "http" };
        let listens = settings.serves_api() || settings.values.admin_listen.is_some();
        let http =
            listens.then(|| listen(parts(app, &workers), config(settings, tls), stopped)).transpose()?;
        Ok(Self { scheme, http, workers })
    }

    /// Goes on with these use cases, on the same connections, and starts the workers.
    ///
    /// # Errors
    /// [`Error`] if a thread cannot be started.
    pub(crate) fn go_on(mut self, app: Arc<App>, settings: &Settings) -> Result<Self, Error> {
        self.workers = Workers::new(app.clone());
        if let Some(http) = &self.http {
            let replaced = http.listening.service.replace(parts(app, &self.workers));
            replaced.map_err(|error| Error::refused(format!("a thread cannot be started: {error}")))?;
        }
        self.start_workers(settings)?;
        Ok(self)
    }

    fn start_workers(&mut self, settings: &Settings) -> Result<(), Error> {
        if settings.values.role == Role::Api {
            return Ok(());
        }
        let started = self.workers.start(settings.values.workers);
        started.map_err(|error| Error::refused(format!("workers cannot be started: {error}")))
    }

    /// The URLs of the API.
    pub(crate) fn addresses(&self) -> Vec<String> {
        let addresses = self.http.iter().flat_map(|http| &http.listening.addresses);
        addresses.map(|address| format!("{}://{address}", self.scheme)).collect()
    }

    /// The URLs of health, metrics and the console, if they are not the API's.
    pub(crate) fn admin_addresses(&self) -> Vec<String> {
        let addresses = self.http.iter().flat_map(|http| &http.listening.admin_addresses);
        addresses.map(|address| format!("http://{address}")).collect()
    }

    /// Reports itself as not ready and serves on for `delay`, so that load balancers choose other nodes. No new import
    /// begins.
    pub(crate) fn drain(&self, delay: Duration) {
        self.workers.request_stop();
        if let Some(http) = &self.http {
            http.listening.service.withdraw();
        }
        thread::sleep(delay);
    }

    /// Stops the service: accepted requests are finished and claims are released within the time.
    ///
    /// # Errors
    /// [`Error`] if something was not finished in time.
    pub(crate) fn stop(self, within: Duration) -> Result<(), Error> {
        // The HTTP server closes open connections by itself at the deadline; the extra second is for that.
        let deadline = Instant::now() + within + Duration::from_secs(1);
        self.workers.request_stop();
        let http = self.http.map_or(Ok(true), Http::stop)?;
        if self.workers.wait(deadline) && http {
            Ok(())
        } else {
            Err(Error::refused("not all work was finished in time; the next start continues it"))
        }
    }
}

impl Http {
    /// Stops the HTTP server after it has finished accepted requests; returns false if it panicked.
    fn stop(self) -> io::Result<bool> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        runtime.block_on(self.listening.handle.stop(true));
        Ok(self.thread.join().is_ok())
    }
}

fn parts(app: Arc<App>, workers: &Workers) -> Parts {
    Parts { app, workers: workers.metrics(), webhooks: workers.webhook_metrics() }
}

/// Starts the HTTP server on a thread with its own event loop.
fn listen(
    parts: Parts,
    config: Config,
    stopped: Sender<impl From<StopReason> + Send + 'static>,
) -> Result<Http, Error> {
    let (sender, receiver) = sync_channel(1);
    let addresses = config.serve_api.then_some(config.listen).into_iter().chain(config.admin_listen);
    let addresses = addresses.map(|address| address.to_string()).collect::<Vec<_>>().join(" or ");
    let serve = move || {
        actix_web::rt::System::new().block_on(async move {
            let running = match start(parts, config) {
                Ok(running) => running,
                // The receiver waits for one message or the other.
                Err(error) => return drop(sender.send(Err(error))),
            };
            let (addresses, admin_addresses) = (running.addresses, running.admin_addresses);
            let (service, handle) = (running.service, running.handle);
            let _ = sender.send(Ok(Listening { addresses, admin_addresses, service, handle }));
            // The receiver is gone after a signal.
            let _ = stopped.send(StopReason::HttpServer(running.server.await).into());
        })
    };
    let thread = thread::Builder::new().name("http".into()).spawn(serve)?;
    match receiver.recv() {
        Ok(Ok(listening)) => Ok(Http { listening, thread }),
        Ok(Err(error)) => Err(Error::refused(format!("the server cannot listen on {addresses}: {error}"))),
        Err(_) => Err(Error::refused("the HTTP server could not be started")),
    }
}

fn config(settings: &Settings, tls: Option<Tls>) -> Config {
    let (values, memory) = (&settings.values, &settings.memory);
    Config {
        listen: values.listen,
        workers: values.http_workers,
        body_limit: memory.lower_body_limit.unwrap_or(values.body_limit),
        document_limit: values.document_limit,
        memory: memory.requests,
        rate_limit: values.rate_limit,
        head_timeout: values.head_timeout,
        body_timeout: values.body_timeout,
        // actix takes whole seconds.
        shutdown_timeout: Duration::from_secs(values.shutdown_timeout.as_millis().div_ceil(1_000) as u64),
        trusted_proxies: values.trusted_proxies.clone(),
        answer_names: values.answer_names.clone(),
        tls,
        admin_listen: values.admin_listen,
        serve_api: settings.serves_api(),
        console: values.console,
        max_connections: memory.lower_connections.unwrap_or(values.max_connections),
    }
}
