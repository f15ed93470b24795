use crate::instance::{Instance, Stop};
use crate::programs::Programs;
use crate::server::not_run;
use crate::{psql, tls};
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// How a cluster is to be.
#[derive(Debug, Clone, Default)]
pub struct ClusterOptions {
    /// Leave out what makes commits outlive a crash of the machine; they still outlive one of the server.
    pub without_fsync: bool,
    /// Take only connections with TLS, and show a certificate of an authority of its own.
    pub tls: bool,
    /// Further lines of `postgresql.conf`.
    pub settings: Vec<String>,
}

impl ClusterOptions {
    /// For tests that are not about durability.
    pub fn fast() -> Self {
        Self { without_fsync: true, ..Self::default() }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            "listen_addresses = '127.0.0.1'".to_owned(),
            "unix_socket_directories = ''".to_owned(),
            "max_connections = 300".to_owned(),
            "timezone = 'UTC'".to_owned(),
        ];
        let switches =
            [("fsync", !self.without_fsync), ("full_page_writes", !self.without_fsync), ("ssl", self.tls)];
        lines.extend(switches.map(|(name, on)| format!("{name} = {}", if on { "on" } else { "off" })));
        lines.extend(self.settings.iter().cloned());
        lines
    }
}

/// A throwaway cluster on a free port of loopback. It ends, with all that is in it, when it goes out of scope,
/// and soon after its process has ended.
#[derive(Debug)]
pub struct Cluster {
    instance: Instance,
}

impl Cluster {
    /// Starts one for a test. None where there are no server programs: then `NOT RUN` is printed, and the test is
    /// to pass.
    ///
    /// # Panics
    /// If there are programs and they fail: a test that could run must not pass unrun.
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

    /// Makes it and starts it.
    ///
    /// # Errors
    /// If there are no server programs, or they fail.
    pub fn start(options: &ClusterOptions) -> io::Result<Self> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "there are no PostgreSQL server programs");
        let mut instance = Instance::new(Programs::find().ok_or_else(missing)?)?;
        instance.initialise()?;
        instance.configure(&options.lines())?;
        if options.tls {
            tls::prepare(&mut instance)?;
        }
        instance.start_somewhere()?;
        Ok(Self { instance })
    }

    /// The URL of a database of it, there or not; `postgres` always is. With TLS, the URL asks for the server's
    /// name to be verified.
    pub fn url(&self, database: &str) -> String {
        self.instance.url(database)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.instance.address()
    }

    /// The folder of its data.
    pub fn data(&self) -> PathBuf {
        self.instance.data()
    }

    /// Stops it as a crash of the server would: nothing is written any more. Its data stay.
    ///
    /// # Errors
    /// If it cannot be stopped.
    pub fn stop_at_once(&mut self) -> io::Result<()> {
        self.instance.stop(Stop::Immediate)
    }

    /// Starts it where it was, after it was stopped.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_again(&mut self) -> io::Result<()> {
        self.instance.stop(Stop::Fast)?;
        self.instance.start()
    }

    /// Stops it in an orderly way, breaking connections, and starts it where it was.
    ///
    /// # Errors
    /// If it does not start.
    pub fn restart(&mut self) -> io::Result<()> {
        self.start_again()
    }

    /// What `psql` prints for a statement in a database: a line a row, columns parted by `|`.
    ///
    /// # Errors
    /// If it fails: with what it says.
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
