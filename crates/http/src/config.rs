use crate::answer_names::AnswerName;
use crate::limits::memory::Memory;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

const BODY_LIMIT: usize = 8 << 20;
const DOCUMENT_LIMIT: usize = 64 << 20;
const CONNECTIONS: usize = 25_000;

/// Settings of the HTTP server (contract D3, D11).
#[derive(Debug, Clone)]
pub struct Config {
    /// Address of the API, bound if [`serve_api`](Self::serve_api) is set. Port 0 selects a free one.
    pub listen: SocketAddr,
    /// Threads that serve connections; at least 1.
    pub workers: usize,
    /// The largest uncompressed body in bytes; 413 beyond.
    pub body_limit: usize,
    /// The largest document that may be uploaded, in bytes; 413 beyond. 0 takes none.
    pub document_limit: usize,
    /// Memory for what requests hold at a time; 503 beyond.
    pub memory: Memory,
    /// Requests per second of an organisation, with bursts of twice as many; 429 beyond. 0 sets no limit.
    pub rate_limit: u32,
    /// Time limit for the head of a request, at least 1 s; 408 beyond.
    pub head_timeout: Duration,
    /// Time limit for a whole body; 408 beyond.
    pub body_timeout: Duration,
    /// Time that requests under way have to finish during shutdown, in whole seconds.
    pub shutdown_timeout: Duration,
    /// Peers whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpAddr>,
    /// Serve [`listen`](Self::listen) with TLS.
    pub tls: Option<Tls>,
    /// Address of metrics, health, the console and the API's description, in plain HTTP. Without it they are
    /// on [`listen`](Self::listen); with it, metrics and the console are no longer there. Port 0 selects a
    /// free one.
    pub admin_listen: Option<SocketAddr>,
    /// Serves the API. If false (`serve --role worker`), [`listen`](Self::listen) is not bound, and
    /// [`admin_listen`](Self::admin_listen) has only health and metrics.
    pub serve_api: bool,
    /// Serves the operator's console with the API.
    pub console: bool,
    /// Maximum number of connections over all workers. Further ones wait to be accepted. One address has at
    /// most half of them, unless it is a trusted proxy; further ones are closed.
    pub max_connections: usize,
    /// Further names of members in the answers of the API, and in its description.
    pub answer_names: Vec<AnswerName>,
}

/// TLS of the API.
#[derive(Debug, Clone)]
pub struct Tls {
    /// Its versions and its certificate.
    pub config: rustls::ServerConfig,
    /// When the certificate in use expires, in seconds since 1970, for `/metrics`.
    pub expiry: Arc<AtomicI64>,
}

impl Default for Config {
    /// 127.0.0.1:8080, one worker per core, 8 MiB, documents of 64 MiB, 1,000 requests per second, 10 s for heads, 60 s for
    /// bodies, 30 s for shutdown, 25,000 connections, the API with the console, no TLS, no admin address, no further names.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            workers: std::thread::available_parallelism().map_or(2, NonZeroUsize::get),
            body_limit: BODY_LIMIT,
            document_limit: DOCUMENT_LIMIT,
            memory: Memory::unlimited(BODY_LIMIT, CONNECTIONS),
            rate_limit: 1_000,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(60),
            shutdown_timeout: Duration::from_secs(30),
            trusted_proxies: Vec::new(),
            tls: None,
            admin_listen: None,
            serve_api: true,
            console: true,
            max_connections: CONNECTIONS,
            answer_names: Vec::new(),
        }
    }
}
