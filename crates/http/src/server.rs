use crate::config::Config;
use crate::service::{BLOCKING, PROBES, Service, serve};
use actix_web::dev::{Server, ServerHandle};
use actix_web::{App as Site, HttpServer, web};
use cutover_app::App;
use cutover_app::port::Documents;
use cutover_app::worker::WorkerMetrics;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

/// How long an idle connection is kept for its next request.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// How long the rest of a request that was answered early is read and thrown away.
const LINGER: Duration = Duration::from_secs(5);

/// What is served.
pub struct Parts {
    /// The use cases.
    pub app: Arc<App>,
    /// Asked whether it is ready.
    pub documents: Arc<dyn Documents>,
    /// What the import workers of this process count, for `/metrics`.
    pub workers: Arc<WorkerMetrics>,
}

/// A server that is bound, and serves once [`server`](Self::server) is awaited.
pub struct Running {
    /// Where the service is.
    pub addresses: Vec<SocketAddr>,
    /// Where metrics and health are, if they have an address of their own.
    pub admin_addresses: Vec<SocketAddr>,
    /// Ends when the server has stopped. To be awaited on a runtime of `actix_web::rt`.
    pub server: Server,
    /// Stops the server: `handle.stop(true)` takes no new connections, lets requests under way finish within
    /// [`Config::shutdown_timeout`], and closes idle connections. No signal is handled here.
    pub handle: ServerHandle,
}

/// Binds the addresses and makes the server.
///
/// # Errors
/// If an address cannot be bound.
pub fn start(parts: Parts, config: Config) -> io::Result<Running> {
    let admin = config.admin_listen.map(TcpListener::bind).transpose()?;
    let admin_address = admin.as_ref().map(TcpListener::local_addr).transpose()?;
    let service = Arc::new(Service::new(parts, &config, admin_address));
    let workers = config.workers.max(1);
    let mut server = HttpServer::new(move || {
        let service = service.clone();
        Site::new().default_service(web::to(move |http, payload| serve(service.clone(), http, payload)))
    })
    .workers(workers)
    .worker_max_blocking_threads(BLOCKING + PROBES)
    .max_connections(config.max_connections.div_ceil(workers).max(1))
    .keep_alive(KEEP_ALIVE)
    .tcp_nodelay(true)
    .client_request_timeout(config.head_timeout)
    .client_disconnect_timeout(LINGER)
    .shutdown_timeout(config.shutdown_timeout.as_secs())
    .disable_signals();
    server = match config.tls {
        Some(tls) => server.bind_rustls_0_23(config.listen, tls)?,
        None => server.bind(config.listen)?,
    };
    let addresses = server.addrs();
    if let Some(admin) = admin {
        server = server.listen(admin)?;
    }
    let server = server.run();
    let admin_addresses = admin_address.into_iter().collect();
    Ok(Running { addresses, admin_addresses, handle: server.handle(), server })
}
