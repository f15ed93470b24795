use super::workers::Workers;
use super::{Ending, tls};
use crate::error::Error;
use crate::settings::{Role, ServeSettings};
use actix_web::dev::ServerHandle;
use cutover_app::App;
use cutover_http::{Config, Parts, Readiness, start};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Sender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A running service: the HTTP server and the workers, on threads of their own.
pub(crate) struct Service {
    scheme: &'static str,
    /// `None` if nothing listens: a worker without an admin address.
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
    readiness: Readiness,
    handle: ServerHandle,
}

impl Service {
    /// Starts it; when this returns, it listens where it is to. Tells `ending` if the HTTP server ends by itself.
    ///
    /// # Errors
    /// [`Error`] if it cannot listen, or a certificate cannot be used.
    pub(crate) fn start(
        app: Arc<App>,
        settings: &ServeSettings,
        ending: Sender<Ending>,
    ) -> Result<Self, Error> {
        let mut workers = Workers::new(app.clone());
        let parts = Parts { app, workers: workers.metrics() };
        let is_heard = settings.serves_api() || settings.admin_listen.is_some();
        let http = is_heard.then(|| listen(parts, config(settings)?, ending)).transpose()?;
        if settings.role != Role::Api {
            let started = workers.start(settings.workers);
            started.map_err(|error| Error::refused(format!("workers cannot be started: {error}")))?;
        }
        let scheme = if settings.tls.is_some() { "https" } else { "http" };
        Ok(Self { scheme, http, workers })
    }

    /// Where the API listens, as URLs.
    pub(crate) fn addresses(&self) -> Vec<String> {
        let addresses = self.http.iter().flat_map(|http| &http.listening.addresses);
        addresses.map(|address| format!("{}://{address}", self.scheme)).collect()
    }

    /// Where health, metrics and the console listen, as URLs, if not with the API.
    pub(crate) fn admin_addresses(&self) -> Vec<String> {
        let addresses = self.http.iter().flat_map(|http| &http.listening.admin_addresses);
        addresses.map(|address| format!("http://{address}")).collect()
    }

    /// Has load balancers send to other nodes, and serves on until they have heard it. Nothing new is imported.
    pub(crate) fn leave(&self, delay: Duration) {
        self.workers.tell_to_stop();
        if let Some(http) = &self.http {
            http.listening.readiness.withdraw();
        }
        thread::sleep(delay);
    }

    /// Stops it: what was accepted is finished, claimed work is given back, within the time.
    ///
    /// # Errors
    /// [`Error`] if something was not finished in time.
    pub(crate) fn stop(self, within: Duration) -> Result<(), Error> {
        // The HTTP server ends open connections by itself at the deadline; what it does then takes a moment.
        let deadline = Instant::now() + within + Duration::from_secs(1);
        self.workers.tell_to_stop();
        let http = self.http.map_or(Ok(true), Http::stop)?;
        if self.workers.wait(deadline) && http {
            Ok(())
        } else {
            Err(Error::refused("not everything was finished in time; the next start takes it up"))
        }
    }
}

impl Http {
    /// Stops it: what it has taken is finished. False if it panicked.
    fn stop(self) -> io::Result<bool> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        runtime.block_on(self.listening.handle.stop(true));
        Ok(self.thread.join().is_ok())
    }
}

/// The HTTP server runs on a thread of its own, with the event loop that its library wants.
fn listen(parts: Parts, config: Config, ending: Sender<Ending>) -> Result<Http, Error> {
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
            let (readiness, handle) = (running.readiness, running.handle);
            let _ = sender.send(Ok(Listening { addresses, admin_addresses, readiness, handle }));
            // Nobody waits for it any more after a signal.
            let _ = ending.send(Ending::Server(running.server.await));
        })
    };
    let thread = thread::Builder::new().name("http".into()).spawn(serve)?;
    match receiver.recv() {
        Ok(Ok(listening)) => Ok(Http { listening, thread }),
        Ok(Err(error)) => Err(Error::refused(format!("the server cannot listen on {addresses}: {error}"))),
        Err(_) => Err(Error::refused("the HTTP server could not be started")),
    }
}

fn config(settings: &ServeSettings) -> Result<Config, Error> {
    Ok(Config {
        listen: settings.listen,
        workers: settings.http_workers,
        body_limit: settings.body_limit,
        rate_limit: settings.rate_limit,
        head_timeout: settings.head_timeout,
        body_timeout: settings.body_timeout,
        // The server knows whole seconds.
        shutdown_timeout: Duration::from_secs(settings.shutdown_timeout.as_millis().div_ceil(1_000) as u64),
        trusted_proxies: settings.trusted_proxies.clone(),
        tls: settings.tls.as_ref().filter(|_| settings.serves_api()).map(tls::server_config).transpose()?,
        admin_listen: settings.admin_listen,
        serve_api: settings.serves_api(),
        console: settings.console,
        max_connections: settings.max_connections,
    })
}
