use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::time::Duration;

/// How the service is served (contract D3, D11).
#[derive(Debug, Clone)]
pub struct Config {
    /// Where clients connect, if [`serve_api`](Self::serve_api). Port 0 takes a free one.
    pub listen: SocketAddr,
    /// Threads that serve connections; at least 1.
    pub workers: usize,
    /// The largest body in bytes, unpacked; 413 beyond. All bodies in memory together take at most
    /// 32 times as much; 503 beyond.
    pub body_limit: usize,
    /// Requests a second of an organisation, twice as many at once; 429 beyond. 0 sets no limit.
    pub rate_limit: u32,
    /// How long the head of a request may take, at least 1 s; 408 beyond.
    pub head_timeout: Duration,
    /// How long a whole body may take; 408 beyond.
    pub body_timeout: Duration,
    /// How long requests under way may take once the server is told to stop, in whole seconds.
    pub shutdown_timeout: Duration,
    /// Peers whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// Serve [`listen`](Self::listen) with TLS.
    pub tls: Option<rustls::ServerConfig>,
    /// Where metrics, health, the console and the API's description are served, in plain HTTP. Without it they are
    /// on [`listen`](Self::listen); with it that one loses metrics and the console. Port 0 takes a free one.
    pub admin_listen: Option<SocketAddr>,
    /// Whether the API is served. If not (`serve --role worker`), [`listen`](Self::listen) is not bound, and
    /// [`admin_listen`](Self::admin_listen) has health and metrics.
    pub serve_api: bool,
    /// Whether the operator's console is served with the API.
    pub console: bool,
    /// Connections at the same time, over all workers. Further ones wait to be accepted. From one address, unless it
    /// is a trusted proxy, at most half as many: further ones are closed.
    pub max_connections: usize,
}

impl Default for Config {
    /// 127.0.0.1:8080, a worker a core, 8 MiB, 1,000 requests a second, heads in 10 s, bodies in 60 s,
    /// stopping in 30 s, 25,000 connections, the API with the console, no TLS, no admin address.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            workers: std::thread::available_parallelism().map_or(2, NonZeroUsize::get),
            body_limit: 8 << 20,
            rate_limit: 1_000,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(60),
            shutdown_timeout: Duration::from_secs(30),
            trusted_proxies: Vec::new(),
            tls: None,
            admin_listen: None,
            serve_api: true,
            console: true,
            max_connections: 25_000,
        }
    }
}
