use super::error::SettingsError;
use super::read;
use super::sources::Given;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// What a process of the service does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Both.
    All,
    /// Takes accounts.
    Api,
    /// Imports them.
    Worker,
}

impl Role {
    /// Its word.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Api => "api",
            Self::Worker => "worker",
        }
    }
}

/// The files of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
}

/// What only a server needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServeSettings {
    pub(crate) role: Role,
    /// Whether pending migrations are applied first where they stop the start otherwise.
    pub(crate) migrate: bool,
    pub(crate) listen: SocketAddr,
    /// Whether `listen` was said, and is not the default.
    pub(crate) listen_given: bool,
    pub(crate) admin_listen: Option<SocketAddr>,
    /// Whether the operator's console is served with the API.
    pub(crate) console: bool,
    pub(crate) http_workers: usize,
    pub(crate) workers: usize,
    /// For how long an import is retried while outages make it fail.
    pub(crate) import_retry_time: Duration,
    pub(crate) max_connections: usize,
    /// Requests a second per organisation; 0 for no limit.
    pub(crate) rate_limit: u32,
    /// In bytes, unpacked.
    pub(crate) body_limit: usize,
    /// Notes, transactions or statements of a request after the import.
    pub(crate) batch_limit: u32,
    /// Items of any other array.
    pub(crate) list_limit: u32,
    pub(crate) head_timeout: Duration,
    pub(crate) body_timeout: Duration,
    /// How long it serves on once it is told to stop.
    pub(crate) shutdown_delay: Duration,
    pub(crate) shutdown_timeout: Duration,
    pub(crate) access_token_lifetime: Duration,
    pub(crate) refresh_token_lifetime: Duration,
    pub(crate) tls: Option<TlsFiles>,
    /// Whose word about the client's address counts.
    pub(crate) trusted_proxies: Vec<IpAddr>,
}

/// A staged payload unpacks to no more than this.
const MAX_BODY: usize = 64 << 20;
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

impl ServeSettings {
    pub(super) fn read(given: &Given) -> Result<Self, SettingsError> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let count = |name, most, default| {
            given.get(name, |text| read::number(text, 1, most)).map(|n| n.unwrap_or(default))
        };
        let limit = |name, most, default: u32| {
            let given = given.get(name, |text| read::number(text, 1, most))?;
            Ok(given.and_then(|n| n.try_into().ok()).unwrap_or(default))
        };
        let time = |name, most, default| time(given, name, most, default);
        let listen = given.get("listen", read::address)?;
        let rate = given.get("rate-limit", |text| read::number(text, 0, 1_000_000))?;
        let settings = Self {
            role: given.get("role", role)?.unwrap_or(Role::All),
            migrate: given.get("migrate", read::switch)?.unwrap_or_default(),
            listen: listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 8080))),
            listen_given: listen.is_some(),
            admin_listen: given.get("admin-listen", read::address)?,
            console: given.get("console", read::switch)?.unwrap_or(true),
            http_workers: count("http-workers", 1024, cores)?,
            workers: count("workers", 1024, cores)?,
            import_retry_time: time("import-retry-time", 30 * DAY, DAY)?,
            max_connections: count("max-connections", 1_000_000, 25_000)?,
            rate_limit: rate.and_then(|n| n.try_into().ok()).unwrap_or(1_000),
            body_limit: given.get("body-limit", body_limit)?.unwrap_or(8 << 20),
            batch_limit: limit("batch-limit", 10_000, 1_000)?,
            list_limit: limit("list-limit", 100_000, 10_000)?,
            head_timeout: time("head-timeout", HOUR, Duration::from_secs(10))?,
            body_timeout: time("body-timeout", HOUR, MINUTE)?,
            shutdown_delay: given.get("shutdown-delay", delay)?.unwrap_or_default(),
            shutdown_timeout: time("shutdown-timeout", HOUR, Duration::from_secs(30))?,
            access_token_lifetime: time("access-token-lifetime", DAY, HOUR)?,
            refresh_token_lifetime: time("refresh-token-lifetime", 365 * DAY, 7 * DAY)?,
            tls: tls(given)?,
            trusted_proxies: given.all("trusted-proxy", read::proxy)?,
        };
        settings.check(given)?;
        Ok(settings)
    }

    /// Whether this process has the API, and so binds `listen`.
    pub(crate) fn serves_api(&self) -> bool {
        self.role != Role::Worker
    }

    /// What settings are to each other.
    fn check(&self, given: &Given) -> Result<(), SettingsError> {
        if self.refresh_token_lifetime < self.access_token_lifetime {
            return Err(given.refuse("refresh-token-lifetime", "is shorter than access-token-lifetime"));
        }
        let is_listen = |admin: SocketAddr| admin.port() != 0 && admin == self.listen;
        if self.serves_api() && self.admin_listen.is_some_and(is_listen) {
            return Err(given.refuse("admin-listen", "is the address of listen: leave it out instead"));
        }
        Ok(())
    }
}

/// A time of at least something, and at most so much.
pub(super) fn time(
    given: &Given,
    name: &'static str,
    most: Duration,
    default: Duration,
) -> Result<Duration, SettingsError> {
    let bounded = |text: &str| match read::duration(text)? {
        Duration::ZERO => Err("is no time at all".to_owned()),
        time if time > most => Err(format!("is {text:?}, more than {} s", most.as_secs())),
        time => Ok(time),
    };
    Ok(given.get(name, bounded)?.unwrap_or(default))
}

/// A time that may be none at all.
fn delay(text: &str) -> Result<Duration, String> {
    match read::duration(text)? {
        time if time > HOUR => Err(format!("is {text:?}, more than {} s", HOUR.as_secs())),
        time => Ok(time),
    }
}

fn body_limit(text: &str) -> Result<usize, String> {
    let size = read::size(text)?;
    let legal = (1 << 10..=MAX_BODY).contains(&size);
    if legal { Ok(size) } else { Err(format!("is {text:?}, not from 1KiB to 64MiB")) }
}

fn role(text: &str) -> Result<Role, String> {
    match text {
        "all" => Ok(Role::All),
        "api" => Ok(Role::Api),
        "worker" => Ok(Role::Worker),
        _ => Err(format!("is {text:?}, not all, api or worker")),
    }
}

/// A certificate and its key come together.
fn tls(given: &Given) -> Result<Option<TlsFiles>, SettingsError> {
    let path = |text: &str| Ok(PathBuf::from(text));
    match (given.get("tls-cert", path)?, given.get("tls-key", path)?) {
        (None, None) => Ok(None),
        (Some(cert), Some(key)) => Ok(Some(TlsFiles { cert, key })),
        (Some(_), None) => Err(given.refuse("tls-cert", "needs tls-key beside it")),
        (None, Some(_)) => Err(given.refuse("tls-key", "needs tls-cert beside it")),
    }
}
