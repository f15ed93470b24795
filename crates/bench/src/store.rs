//! The databases that the service is measured on.

use crate::error::Error;
use crate::server::{Installation, Server};
use crate::{Args, cpu, program};
use cutover_testkit_postgres::{Cluster, ClusterOptions};
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// SQLite, or a throwaway PostgreSQL cluster that keeps what it commits.
pub(crate) enum Store {
    Sqlite,
    Postgres { cluster: Cluster, postmaster: u32 },
}

/// Settings of the cluster, whose programs also connect by a socket in the data folder.
const SETTINGS: [&str; 4] = [
    "shared_buffers = 1GB",
    "max_wal_size = 8GB",
    "checkpoint_timeout = 15min",
    "unix_socket_directories = '.'",
];
/// The database of the service on PostgreSQL.
pub(crate) const DATABASE: &str = "bench";

/// Cost of some work.
pub(crate) struct Cost {
    pub(crate) seconds: f64,
    /// CPU seconds of the server, and of PostgreSQL.
    pub(crate) cpu: f64,
    /// Bytes that the server wrote on SQLite; of PostgreSQL its write-ahead log.
    pub(crate) written: f64,
}

impl Store {
    /// A new PostgreSQL cluster.
    pub(crate) fn postgres() -> Result<Self, Error> {
        let settings = SETTINGS.map(str::to_owned).to_vec();
        let cluster = Cluster::start(&ClusterOptions { settings, ..ClusterOptions::default() });
        let cluster = cluster.map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => Error::Missing(format!("{e}: apt-get install postgresql")),
            _ => Error::of(e),
        })?;
        let pid = std::fs::read_to_string(cluster.data().join("postmaster.pid")).map_err(Error::of)?;
        let postmaster = pid.lines().next().and_then(|pid| pid.parse().ok());
        let postmaster = postmaster.ok_or_else(|| Error::Bench("PostgreSQL has no process id".into()))?;
        Ok(Self::Postgres { cluster, postmaster })
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres { .. } => "PostgreSQL",
        }
    }

    /// Processes whose CPU seconds are counted.
    pub(crate) fn counted(&self) -> &'static str {
        match self {
            Self::Sqlite => "the server",
            Self::Postgres { .. } => "server and database",
        }
    }

    /// A new installation on an empty database.
    pub(crate) fn install(&self, args: &Args) -> Result<Installation, Error> {
        match self {
            Self::Sqlite => {
                program::require("sqlite3", "sqlite3")?;
                Installation::new(args, None)
            }
            Self::Postgres { cluster, .. } => {
                for statement in ["DROP DATABASE IF EXISTS bench WITH (FORCE)", "CREATE DATABASE bench"] {
                    cluster.sql("postgres", statement).map_err(Error::of)?;
                }
                Installation::new(args, Some(cluster.url(DATABASE)))
            }
        }
    }

    /// Runs statements and returns the output of the database's shell.
    pub(crate) fn sql(&self, installation: &Installation, statements: &str) -> Result<String, Error> {
        match self {
            Self::Sqlite => {
                let mut command = program::command("sqlite3");
                command
                    .args(["-batch", "-csv", "-cmd", ".timeout 10000"])
                    .arg(installation.database())
                    .arg(statements);
                program::output(command)
            }
            Self::Postgres { cluster, .. } => cluster.sql(DATABASE, statements).map_err(Error::of),
        }
    }

    /// Runs a statement that returns one number.
    pub(crate) fn number(&self, installation: &Installation, statement: &str) -> Result<f64, Error> {
        let answer = self.sql(installation, statement)?;
        answer.trim().parse().map_err(|_| Error::Bench(format!("{statement} gave {answer:?}")))
    }

    /// Measures what some work costs a server, and PostgreSQL, which starts with a checkpoint.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(crate) fn cost_of<T>(
        &self,
        server: Option<&Server>,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<(T, Cost), Error> {
        if let Self::Postgres { cluster, .. } = self {
            cluster.sql("postgres", "CHECKPOINT").map_err(Error::of)?;
        }
        let (written, cpu, start) = (self.written(server)?, self.cpu(server), Instant::now());
        let done = work()?;
        let (seconds, cpu) = (start.elapsed().as_secs_f64(), self.cpu(server) - cpu);
        Ok((done, Cost { seconds, cpu, written: self.written(server)? - written }))
    }

    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    fn cpu(&self, server: Option<&Server>) -> f64 {
        let database = match self {
            Self::Sqlite => 0.0,
            Self::Postgres { postmaster, .. } => cpu::of_family(*postmaster),
        };
        database + server.map_or(0.0, Server::cpu)
    }

    fn written(&self, server: Option<&Server>) -> Result<f64, Error> {
        match self {
            Self::Sqlite => server.map_or(Ok(0.0), Server::written_bytes),
            Self::Postgres { cluster, .. } => {
                let position = cluster.sql("postgres", "SELECT pg_current_wal_lsn() - '0/0'");
                position.map_err(Error::of)?.trim().parse().map_err(Error::of)
            }
        }
    }

    /// A program of PostgreSQL, connected to the database of the service.
    pub(crate) fn postgres_program(&self, name: &str) -> Result<Command, Error> {
        let Self::Postgres { cluster, postmaster } = self else {
            return Err(Error::Bench(format!("SQLite has no {name}")));
        };
        let server = std::fs::read_link(format!("/proc/{postmaster}/exe")).unwrap_or_default();
        let near = server.with_file_name(name);
        let mut command = program::command(if near.is_file() { near } else { PathBuf::from(name) });
        command.env("PGHOST", cluster.data()).env("PGPORT", cluster.address().port().to_string());
        command.env("PGUSER", "cutover_test").env("PGDATABASE", DATABASE);
        Ok(command)
    }
}
