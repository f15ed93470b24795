use crate::bench::cpu;
use crate::bench::server::Server;
use crate::cargo;
use crate::error::Error;
use cutover_testkit_postgres::{Cluster, ClusterOptions};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// As the kit sets its own cluster; its programs come by a socket beside the data, as they do there.
const SETTINGS: [&str; 4] = [
    "shared_buffers = 1GB",
    "max_wal_size = 8GB",
    "checkpoint_timeout = 15min",
    "unix_socket_directories = '.'",
];

/// Its version, and how durable it is.
const SHOWN: &str = "SELECT 'PostgreSQL ' || current_setting('server_version') || (\
    SELECT string_agg(', ' || name || ' ' || current_setting(name), '' ORDER BY name) FROM unnest(ARRAY[\
    'fsync', 'full_page_writes', 'synchronous_commit', 'shared_buffers']) AS name)";

/// A throwaway cluster with durable settings.
pub(in crate::bench) struct Site {
    pub(super) cluster: Cluster,
    postmaster: u32,
}

/// What something cost.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub(super) seconds: f64,
    /// CPU seconds of the database and the servers.
    pub(super) cpu: f64,
    /// Of these, the database's.
    pub(super) database_cpu: f64,
    pub(super) wal_bytes: f64,
}

pub(super) fn failed(e: impl std::fmt::Display) -> Error {
    Error::Bench(format!("PostgreSQL: {e}"))
}

impl Site {
    /// Starts one, with further settings; says what it is and how durable.
    pub(in crate::bench) fn start(settings: &[&str]) -> Result<Self, Error> {
        let settings = SETTINGS.iter().chain(settings).map(|&line| line.to_owned()).collect();
        let options = ClusterOptions { settings, ..ClusterOptions::default() };
        let cluster = Cluster::start(&options).map_err(failed)?;
        let pid = std::fs::read_to_string(cluster.data().join("postmaster.pid")).map_err(failed)?;
        let postmaster = pid.lines().next().and_then(|pid| pid.parse().ok());
        let postmaster = postmaster.ok_or_else(|| failed("its process has no number"))?;
        println!("  {}", cluster.sql("postgres", SHOWN).map_err(failed)?);
        Ok(Self { cluster, postmaster })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.cluster.address()
    }

    pub(in crate::bench) fn url(&self, database: &str) -> String {
        self.cluster.url(database)
    }

    /// Runs a statement; what `psql` prints.
    pub(in crate::bench) fn sql(&self, database: &str, statement: &str) -> Result<String, Error> {
        self.cluster.sql(database, statement).map_err(failed)
    }

    /// Runs a statement that gives one number.
    pub(super) fn number(&self, database: &str, statement: &str) -> Result<f64, Error> {
        let answer = self.sql(database, statement)?;
        answer.parse().map_err(|_| failed(format!("{statement} gave {answer:?}")))
    }

    /// Makes a database anew, as a copy of another.
    pub(in crate::bench) fn copy(&self, template: &str, name: &str) -> Result<(), Error> {
        self.sql("postgres", &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))?;
        self.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE {template}")).map(drop)
    }

    /// Makes an empty database anew.
    pub(in crate::bench) fn create(&self, name: &str) -> Result<(), Error> {
        self.copy("template0", name)
    }

    /// Tidies up after processes were written, so that nothing of it falls into what is measured. Tables that
    /// are empty stay as no vacuum has seen them: to plan for none of their rows is what a new one is spared.
    pub(super) fn settle(&self, name: &str) -> Result<(), Error> {
        self.sql(name, "VACUUM (ANALYZE) suppliers, processes, payloads, process_history").map(drop)
    }

    /// A program of the server's own installation, to work on a database.
    pub(super) fn command(&self, program: &str, database: &str) -> Command {
        let server = std::fs::read_link(format!("/proc/{}/exe", self.postmaster)).unwrap_or_default();
        let near = server.with_file_name(program);
        let mut command = cargo::command(if near.is_file() { near } else { PathBuf::from(program) });
        self.lead(&mut command, database);
        command
    }

    /// Leads a program that uses libpq to a database.
    pub(super) fn lead(&self, command: &mut Command, database: &str) {
        command.env("PGHOST", self.cluster.data()).env("PGPORT", self.address().port().to_string());
        command.env("PGUSER", "cutover_test").env("PGDATABASE", database);
    }

    /// What some work costs the database and these servers. It begins after a checkpoint, as the kit's does.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(super) fn measure<T>(
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
    pub(in crate::bench) fn cpu(&self) -> f64 {
        cpu::of_family(self.postmaster)
    }
}

fn cpu_of(servers: &[Server]) -> f64 {
    servers.iter().map(|server| cpu::of_process(server.pid())).sum()
}

impl Cost {
    /// What of the CPU seconds was the database's, in hundredths.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(super) fn database_share(&self) -> f64 {
        self.database_cpu / self.cpu * 100.0
    }
}
