use crate::cpu;
use crate::error::Error;
use crate::program;
use crate::server::Server;
use cutover_testkit_postgres::{Cluster, ClusterOptions};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// The settings of the kit's own cluster, whose programs also connect by a socket in the data folder.
const SETTINGS: [&str; 4] = [
    "shared_buffers = 1GB",
    "max_wal_size = 8GB",
    "checkpoint_timeout = 15min",
    "unix_socket_directories = '.'",
];

/// Query for the version and the durability settings.
const SHOWN: &str = "SELECT 'PostgreSQL ' || current_setting('server_version') || (\
    SELECT string_agg(', ' || name || ' ' || current_setting(name), '' ORDER BY name) FROM unnest(ARRAY[\
    'fsync', 'full_page_writes', 'synchronous_commit', 'shared_buffers']) AS name)";

/// A throwaway cluster with durable settings.
pub(crate) struct PostgresCluster {
    pub(crate) cluster: Cluster,
    postmaster: u32,
}

/// Cost of some work.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) seconds: f64,
    /// CPU seconds of the database and the servers.
    pub(crate) cpu: f64,
    /// CPU seconds of the database alone.
    pub(crate) database_cpu: f64,
    pub(crate) wal_bytes: f64,
}

pub(crate) fn failed(e: impl std::fmt::Display) -> Error {
    Error::Bench(format!("PostgreSQL: {e}"))
}

impl PostgresCluster {
    /// Starts a cluster with further settings, and prints its version and durability.
    pub(crate) fn start(settings: &[&str]) -> Result<Self, Error> {
        let settings = SETTINGS.iter().chain(settings).map(|&line| line.to_owned()).collect();
        let options = ClusterOptions { settings, ..ClusterOptions::default() };
        let cluster = Cluster::start(&options).map_err(failed)?;
        let pid = std::fs::read_to_string(cluster.data().join("postmaster.pid")).map_err(failed)?;
        let postmaster = pid.lines().next().and_then(|pid| pid.parse().ok());
        let postmaster = postmaster.ok_or_else(|| failed("cannot read the process id"))?;
        println!("  {}", cluster.sql("postgres", SHOWN).map_err(failed)?);
        Ok(Self { cluster, postmaster })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.cluster.address()
    }

    pub(crate) fn url(&self, database: &str) -> String {
        self.cluster.url(database)
    }

    /// Runs a statement and returns the output of `psql`.
    pub(crate) fn sql(&self, database: &str, statement: &str) -> Result<String, Error> {
        self.cluster.sql(database, statement).map_err(failed)
    }

    /// Runs a statement that returns one number.
    pub(crate) fn number(&self, database: &str, statement: &str) -> Result<f64, Error> {
        let answer = self.sql(database, statement)?;
        answer.parse().map_err(|_| failed(format!("{statement} gave {answer:?}")))
    }

    /// Replaces a database by a copy of another.
    pub(crate) fn copy(&self, template: &str, name: &str) -> Result<(), Error> {
        self.sql("postgres", &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))?;
        self.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE {template}")).map(drop)
    }

    /// Replaces a database by an empty one.
    pub(crate) fn create(&self, name: &str) -> Result<(), Error> {
        self.copy("template0", name)
    }

    /// Vacuums the tables with seeds, so that it does not happen during a measurement. Empty tables are left
    /// alone: after a vacuum, queries would be planned for no rows.
    pub(crate) fn settle(&self, name: &str) -> Result<(), Error> {
        self.sql(name, "VACUUM (ANALYZE) suppliers, processes, payloads, process_history").map(drop)
    }

    /// A program of the server's installation, connected to a database.
    pub(crate) fn command(&self, program: &str, database: &str) -> Command {
        let server = std::fs::read_link(format!("/proc/{}/exe", self.postmaster)).unwrap_or_default();
        let near = server.with_file_name(program);
        let mut command = program::command(if near.is_file() { near } else { PathBuf::from(program) });
        self.lead(&mut command, database);
        command
    }

    /// Sets the variables by which a libpq program finds a database.
    pub(crate) fn lead(&self, command: &mut Command, database: &str) {
        command.env("PGHOST", self.cluster.data()).env("PGPORT", self.address().port().to_string());
        command.env("PGUSER", "cutover_test").env("PGDATABASE", database);
    }

    /// Measures the cost of some work for the database and these servers. Starts with a checkpoint, like the
    /// kit.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(crate) fn measure<T>(
        &self,
        servers: &[Server],
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<(T, Cost), Error> {
        let wal = || self.number("postgres", "SELECT pg_current_wal_lsn() - '0/0'");
        self.sql("postgres", "CHECKPOINT")?;
        let wal_before = wal()?;
        let (database, client, start) = (self.cpu(), cpu_of(servers), Instant::now());
        let done = work()?;
        let (seconds, database_cpu) = (start.elapsed().as_secs_f64(), self.cpu() - database);
        let cpu = database_cpu + cpu_of(servers) - client;
        Ok((done, Cost { seconds, cpu, database_cpu, wal_bytes: wal()? - wal_before }))
    }

    /// CPU seconds of the database so far.
    pub(crate) fn cpu(&self) -> f64 {
        cpu::of_family(self.postmaster)
    }
}

fn cpu_of(servers: &[Server]) -> f64 {
    servers.iter().map(|server| cpu::of_process(server.pid())).sum()
}

impl Cost {
    /// The database's share of the CPU seconds, in per cent.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(crate) fn database_share(&self) -> f64 {
        self.database_cpu / self.cpu * 100.0
    }
}
