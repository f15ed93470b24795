use super::connection::Target;
use crate::sealed::Sealer;
use cutover_postgres_client::shown;
use std::time::Duration;

/// Settings of a PostgreSQL database.
#[derive(Clone)]
pub struct PostgresOptions {
    /// Its URL in libpq's form, with parameters such as `sslmode` and `sslrootcert`.
    pub url: String,
    /// Its URL without the proxy, if `url` leads to a proxy that assigns a connection to each transaction. New
    /// accounts and notifications use it.
    pub direct_url: Option<String>,
    /// URL of a read-only standby, for reads that may be slightly outdated.
    pub replica_url: Option<String>,
    /// Maximum number of connections for jobs, and again for the standby. New accounts use another one.
    pub connections: u32,
    /// Maximum wait for a free connection.
    pub pool_timeout: Duration,
    /// Maximum duration of a statement.
    pub statement_timeout: Duration,
    /// If set, another connection listens for notifications of work. For processes that run workers or accept
    /// accounts.
    pub listens: bool,
    /// If set, pending migrations are applied; otherwise a database that lacks some is not opened.
    pub migrates: bool,
    /// Encrypts and decrypts sealed values.
    pub sealer: Sealer,
}

impl PostgresOptions {
    /// Returns the default settings for a URL.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            direct_url: None,
            replica_url: None,
            connections: 16,
            pool_timeout: Duration::from_secs(2),
            statement_timeout: Duration::from_secs(15),
            listens: false,
            migrates: false,
            sealer: Sealer::default(),
        }
    }

    pub(super) fn target(&self, url: &str, is_pooled: bool) -> Target {
        Target { url: url.to_owned(), statement_timeout: self.statement_timeout, is_pooled }
    }

    /// Returns the target of connections that no proxy may share.
    pub(super) fn direct(&self) -> Target {
        self.target(self.direct_url.as_ref().unwrap_or(&self.url), false)
    }
}

impl std::fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresOptions").field("url", &shown(&self.url)).finish_non_exhaustive()
    }
}
