use crate::instance::{Instance, Stop};
use crate::programs::{Programs, not_run};
use crate::{psql, tls};
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Settings of a cluster.
#[derive(Debug, Clone, Default)]
pub struct ClusterOptions {
    /// Turns off syncing to the disk. Commits then survive a crash of the server, but not of the machine. The data are
    /// in memory if there is room for them.
    pub without_fsync: bool,
    /// Accepts only connections with TLS, with a certificate of the cluster's own authority.
    pub tls: bool,
    /// Further lines of `postgresql.conf`.
    pub settings: Vec<String>,
}

impl ClusterOptions {
    /// Returns settings for tests that are not about durability.
    pub fn fast() -> Self {
        Self { without_fsync: true, ..Self::default() }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            "listen_addresses = '127.0.0.1'".to_owned(),
            "unix_socket_directories = ''".to_owned(),
            "max_connections = 800".to_owned(),
            "timezone = 'UTC'".to_owned(),
        ];
        let switches =
            [("fsync", !self.without_fsync), ("full_page_writes", !self.without_fsync), ("ssl", self.tls)];
        lines.extend(switches.map(|(name, on)| format!("{name} = {}", if on { "on" } else { "off" })));
        if self.without_fsync {
            // Old files are of no use, and may be in memory.
            lines.push("max_wal_size = '128MB'".to_owned());
            // Statistics, and plans by them, change when a test says so, and not with time.
            lines.push("autovacuum_naptime = '1d'".to_owned());
        }
        lines.extend(self.settings.iter().cloned());
        lines
    }
}

/// A temporary cluster on a port of its own. It is stopped and removed when it is dropped, and soon
/// after its process has ended.
#[derive(Debug)]
pub struct Cluster {
    instance: Instance,
}

impl Cluster {
    /// Starts a cluster for a test. Prints `NOT RUN` and returns `None` if there are no server programs; the
    /// test then passes.
    ///
    /// # Panics
    /// If there are programs and they fail: a test that could run must not pass without running.
    pub fn for_test(options: &ClusterOptions) -> Option<Self> {
        if Programs::find().is_none() {
            not_run("no PostgreSQL server programs");
            return None;
        }
        match Self::start(options) {
            Ok(cluster) => Some(cluster),
            Err(e) => panic!("PostgreSQL for tests does not start: {e}"),
        }
    }

    /// Creates and starts a cluster.
    ///
    /// # Errors
    /// If there are no server programs, or they fail.
    pub fn start(options: &ClusterOptions) -> io::Result<Self> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "there are no PostgreSQL server programs");
        let mut instance = Instance::new(Programs::find().ok_or_else(missing)?, options.without_fsync)?;
        instance.initialise()?;
        instance.configure(&options.lines())?;
        if options.tls {
            tls::prepare(&mut instance)?;
        }
        instance.start_first()?;
        Ok(Self { instance })
    }

    /// Returns the URL of one of its databases, which need not exist; `postgres` does. With TLS, the URL
    /// requires that the server's name is verified.
    pub fn url(&self, database: &str) -> String {
        self.instance.url(database)
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.instance.address()
    }

    /// Returns its data folder.
    pub fn data(&self) -> PathBuf {
        self.instance.data()
    }

    /// Stops it like a crash of the server: nothing more is written. Its data are kept.
    ///
    /// # Errors
    /// If it cannot be stopped.
    pub fn stop_at_once(&mut self) -> io::Result<()> {
        self.instance.stop(Stop::Immediate)
    }

    /// Starts it again on the same port.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_again(&mut self) -> io::Result<()> {
        self.instance.stop(Stop::Fast)?;
        self.instance.start()
    }

    /// Shuts it down, which closes connections, and starts it again on the same port.
    ///
    /// # Errors
    /// If it does not start.
    pub fn restart(&mut self) -> io::Result<()> {
        self.start_again()
    }

    /// Runs a statement with `psql`. Returns a line for each row, with `|` between columns.
    ///
    /// # Errors
    /// If it fails, with its output.
    pub fn sql(&self, database: &str, sql: &str) -> io::Result<String> {
        psql::sql(&self.url(database), sql)
    }

    pub(crate) fn programs(&self) -> Programs {
        self.instance.programs.clone()
    }

    pub(crate) fn authority(&self) -> Option<PathBuf> {
        self.instance.authority.clone()
    }
}
