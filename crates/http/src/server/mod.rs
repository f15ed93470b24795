use crate::answer_names::{AnswerName, AnswerNameError, AnswerNames};
use crate::config::Config;
use crate::connection::limit::{Connections, Permit};
use crate::connection::pace::Paced;
use crate::dispatch::route::described;
use crate::dispatch::{reject, serve};
use crate::openapi::{Description, document};
use crate::service::{Listener, Parts, Service};
use actix_http::error::DispatchError;
use actix_http::{HttpService, Protocol, Request, Response};
use actix_server::GracefulShutdownSignal;
use actix_service::{IntoServiceFactory, ServiceFactory, ServiceFactoryExt, map_config};
use actix_tls::accept::TlsError;
use actix_tls::accept::rustls_0_23::{Acceptor, TlsStream};
use actix_web::body::BoxBody;
use actix_web::dev::{AppConfig, Server, ServerHandle, ServiceResponse, fn_service};
use actix_web::rt::net::TcpStream;
use actix_web::{App as Site, web};
use socket2::{Domain, Socket, Type};
use std::future::ready;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

/// Time that an idle connection is kept for its next request.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// Time for which the rest of a request that was answered early is read and discarded.
const LINGER: Duration = Duration::from_secs(5);
/// actix takes times from a clock that it reads twice a second: a shorter deadline could pass before it is
/// set, and would never be noticed.
const SHORTEST: Duration = Duration::from_secs(1);
/// Maximum number of connections that wait to be accepted.
const BACKLOG: i32 = 1_024;
/// The limit of actix.
const MAX_WORKERS: usize = 512;

/// A bound server, which serves once [`server`](Self::server) is awaited.
pub struct Running {
    /// Addresses of the API; empty without it.
    pub addresses: Vec<SocketAddr>,
    /// Addresses of metrics and health, if they have their own.
    pub admin_addresses: Vec<SocketAddr>,
    /// Completes when the server has stopped. Must be awaited on a runtime of `actix_web::rt`.
    pub server: Server,
    /// Controls what it serves.
    pub service: ServiceHandle,
    /// Stops the server: `handle.stop(true)` accepts no new connections, lets requests under way finish
    /// within [`Config::shutdown_timeout`], and closes idle connections. Signals are not handled here.
    pub handle: ServerHandle,
}

/// The service behind a running server.
#[derive(Clone)]
pub struct ServiceHandle {
    current: Arc<RwLock<Arc<Service>>>,
    config: Arc<Config>,
    stopping: GracefulShutdownSignal,
}

impl ServiceHandle {
    fn new(parts: Parts, config: Config, stopping: GracefulShutdownSignal) -> io::Result<Self> {
        let service = new_service(parts, &config, &stopping)?;
        Ok(Self { current: Arc::new(RwLock::new(service)), config: Arc::new(config), stopping })
    }

    fn current(&self) -> Arc<Service> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Serves these parts from the next request on, on the same connections. For a server that waited for its
    /// database.
    ///
    /// # Errors
    /// If no thread can be created.
    pub fn replace(&self, parts: Parts) -> io::Result<()> {
        let service = new_service(parts, &self.config, &self.stopping)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = service;
        Ok(())
    }

    /// Reports from now on at `/readyz` that the server is not ready, and closes each connection after its next
    /// response. It still accepts and serves connections until it is stopped, for clients of load balancers that
    /// have not noticed yet.
    pub fn withdraw(&self) {
        self.current().begin_shutdown();
    }
}

fn new_service(parts: Parts, config: &Config, stopping: &GracefulShutdownSignal) -> io::Result<Arc<Service>> {
    let description = Description::new(described, AnswerNames::new(&config.answer_names));
    let service = Service::new(parts, config, description)?;
    service.set_stop_signal(stopping.clone());
    Ok(Arc::new(service))
}

/// Reads a further name of a member in answers, `MEMBER=NAME`.
///
/// # Errors
/// [`AnswerNameError`] if it has another form, or an answer with the member has a member of this name.
pub fn answer_name(text: &str) -> Result<AnswerName, AnswerNameError> {
    let name: AnswerName = text.parse()?;
    if name.is_taken(&document(&described())) { Err(AnswerNameError::Taken) } else { Ok(name) }
}

/// Binds the addresses and creates the server.
///
/// # Errors
/// If an address cannot be bound, or there is none: neither the API nor an admin address.
pub fn start(parts: Parts, config: Config) -> io::Result<Running> {
    start_with(parts, config, LINGER)
}

fn start_with(parts: Parts, config: Config, linger: Duration) -> io::Result<Running> {
    let public = config.serve_api.then(|| bind(config.listen)).transpose()?;
    let admin = config.admin_listen.map(bind).transpose()?;
    if public.is_none() && admin.is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no address to listen on"));
    }
    let bound = |listener: &Option<TcpListener>| listener.iter().map(TcpListener::local_addr).collect();
    let (addresses, admin_addresses): (io::Result<_>, io::Result<_>) = (bound(&public), bound(&admin));
    let (addresses, admin_addresses) = (addresses?, admin_addresses?);
    let workers = config.workers.clamp(1, MAX_WORKERS);
    let mut builder = Server::build()
        .workers(workers)
        .max_concurrent_connections(config.max_connections.div_ceil(workers).max(1))
        .shutdown_timeout(config.shutdown_timeout.as_secs())
        .disable_signals();
    let service = ServiceHandle::new(parts, config, builder.graceful_shutdown_signal())?;
    let config = service.config.clone();
    let context = ListenerContext {
        service: service.clone(),
        listener: Listener::Public,
        connections: Connections::new(config.max_connections, config.trusted_proxies.clone()),
        head_timeout: config.head_timeout.max(SHORTEST),
        linger,
        stopping: builder.graceful_shutdown_signal(),
    };
    if let Some(admin) = admin {
        // Monitoring must connect however many clients there are.
        let connections = Connections::new(usize::MAX, Vec::new());
        let context = ListenerContext { listener: Listener::Admin, connections, ..context.clone() };
        builder = builder.listen("admin", admin, move || plain(context.clone()))?;
    }
    builder = match (public, config.tls.clone()) {
        (None, _) => builder,
        (Some(public), None) => builder.listen("public", public, move || plain(context.clone()))?,
        (Some(public), Some(tls)) => {
            builder.listen("public", public, move || secure(context.clone(), tls.config.clone()))?
        }
    };
    let server = builder.run();
    Ok(Running { addresses, admin_addresses, service, handle: server.handle(), server })
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // On Windows this would let two servers bind the same address.
    #[cfg(not(windows))]
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Settings of a listener.
#[derive(Clone)]
struct ListenerContext {
    service: ServiceHandle,
    listener: Listener,
    connections: Arc<Connections>,
    head_timeout: Duration,
    linger: Duration,
    stopping: GracefulShutdownSignal,
}

impl ListenerContext {
    /// Wraps a connection with its permit and the writer of responses to requests that no endpoint sees.
    fn pace<S>(&self, stream: S, peer: Option<SocketAddr>, permit: Permit) -> Paced<S> {
        let service = self.service.clone();
        let reject = Rc::new(move |status| reject(&service.current(), peer, status));
        Paced::new(stream, self.head_timeout, self.linger, reject, permit)
    }
}

/// Serves HTTP over TCP.
fn plain(
    context: ListenerContext,
) -> impl ServiceFactory<TcpStream, Config = (), Response = (), InitError = ()> {
    let accepting = context.clone();
    let accept = fn_service(move |stream: TcpStream| {
        let entered = enter(&stream, &accepting.connections);
        let paced =
            entered.map(|(peer, permit)| (accepting.pace(stream, peer, permit), Protocol::Http1, peer));
        ready(paced)
    });
    accept.and_then(http(context))
}

/// Serves HTTP over TLS.
fn secure(
    context: ListenerContext,
    mut tls: rustls::ServerConfig,
) -> impl ServiceFactory<TcpStream, Config = (), Response = (), InitError = ()> {
    let accepting = context.clone();
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    let accept = Acceptor::new(tls).map_err(TlsError::into_service_error);
    let accept = accept.and_then(move |stream: TlsStream<TcpStream>| {
        let entered = enter(stream.get_ref().0, &accepting.connections).map_err(TlsError::Service);
        let paced =
            entered.map(|(peer, permit)| (accepting.pace(stream, peer, permit), Protocol::Http1, peer));
        ready(paced)
    });
    accept.and_then(http(context).map_err(TlsError::Service))
}

/// Sets `TCP_NODELAY` and returns the peer's address with a permit for the connection.
///
/// # Errors
/// If the peer has too many connections, which closes this one, or has gone already.
fn enter(
    stream: &TcpStream,
    connections: &Arc<Connections>,
) -> Result<(Option<SocketAddr>, Permit), DispatchError> {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection closed as it was accepted");
    }
    let peer = stream.peer_addr().map_err(DispatchError::Io)?;
    let permit = connections.permit(peer.ip());
    let permit = permit.ok_or_else(|| DispatchError::Io(io::ErrorKind::ConnectionRefused.into()))?;
    Ok((Some(peer), permit))
}

/// Serves HTTP over any stream.
fn http<S: AsyncRead + AsyncWrite + Unpin + 'static>(
    context: ListenerContext,
) -> impl ServiceFactory<
    (Paced<S>, Protocol, Option<SocketAddr>),
    Config = (),
    Response = (),
    Error = DispatchError,
    InitError = (),
> {
    let ListenerContext { service, listener, head_timeout, linger, stopping, .. } = context;
    let handler = move |http, payload| serve(service.current(), listener, http, payload);
    let site = || {
        let site = Site::new().default_service(web::to(handler.clone())).into_factory();
        map_config(site.map_err(Response::<BoxBody>::from), |()| AppConfig::default())
    };
    // Handles requests with `Expect: 100-continue`. actix would send `100 Continue` at once unless this
    // service fails. So it returns the response as the error, and the handler itself asks for the body once
    // it wants it.
    let expectant = site().and_then(fn_service(|answer: ServiceResponse| {
        ready(Err::<Request, _>(Response::<BoxBody>::from(answer)))
    }));
    HttpService::build()
        .graceful_shutdown_signal(move || {
            let stopping = stopping.clone();
            async move { stopping.notified().await }
        })
        .keep_alive(KEEP_ALIVE)
        .client_request_timeout(head_timeout)
        .client_disconnect_timeout(linger)
        .on_connect_ext(|connection: &Paced<S>, extensions| {
            extensions.insert(connection.pace().clone());
        })
        .expect(expectant)
        .finish(site())
}

#[cfg(test)]
mod tests;
