//! The PostgreSQL server for tests: the one that the environment names, else a throwaway cluster.

use cutover_testkit_postgres::{Cluster, ClusterOptions, DATABASE_URL, PgBouncer, Programs};

use super::Tools;
use crate::cargo;

/// Script that installs what is missing, without starting anything.
const INSTALL: &str = ".ci/install-postgresql";

/// A server to run tests on, if there is one.
pub(super) struct Database {
    /// The throwaway cluster; stopped on drop.
    cluster: Option<Cluster>,
    found: Available,
}

/// Availability of each program.
#[derive(Debug, Clone, Copy)]
struct Available {
    /// True if the environment names a server.
    server: bool,
    programs: bool,
    pgbouncer: bool,
}

impl Database {
    /// Starts a cluster, unless the environment names a server or there are no programs.
    pub(super) fn start(tools: Tools) -> std::io::Result<Self> {
        let mut found = Available::now();
        if tools == Tools::Install && found.not_run().is_some() {
            // The script prints why it fails, and the summary names what is missing.
            cargo::succeeds(cargo::command(cargo::root().join(INSTALL))).ok();
            found = Available::now();
        }
        let wanted = found.programs && !found.server;
        let cluster = wanted.then(|| Cluster::start(&ClusterOptions::fast())).transpose()?;
        Ok(Self { cluster, found })
    }

    /// Returns true if there is a server to run tests on.
    pub(super) fn is_there(&self) -> bool {
        self.cluster.is_some() || self.found.server
    }

    /// The variable that names the cluster to tests, and its value.
    pub(super) fn variable(&self) -> Option<(&'static str, String)> {
        self.cluster.as_ref().map(|cluster| (DATABASE_URL, cluster.url("postgres")))
    }

    /// Message about the tests that did not run; `None` if all did.
    pub(super) fn not_run(&self) -> Option<String> {
        self.found.not_run()
    }
}

impl Available {
    fn now() -> Self {
        Self {
            server: std::env::var_os(DATABASE_URL).is_some_and(|url| !url.is_empty()),
            programs: Programs::find().is_some(),
            pgbouncer: PgBouncer::is_installed(),
        }
    }

    fn not_run(self) -> Option<String> {
        let (what, missing) = match self {
            Self { programs: false, server: false, .. } => ("on PostgreSQL", "no server programs"),
            Self { programs: false, .. } => ("on a PostgreSQL that crashes", "no server programs"),
            Self { pgbouncer: false, .. } => ("through PgBouncer", "no pgbouncer"),
            _ => return None,
        };
        Some(format!("NOT RUN {what}: {missing}; install postgresql and pgbouncer"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_run(server: bool, programs: bool, pgbouncer: bool) -> String {
        Available { server, programs, pgbouncer }.not_run().unwrap_or_default()
    }

    #[test]
    fn missing_programs_are_reported() {
        assert_eq!(not_run(false, true, true), "");
        assert_eq!(not_run(true, true, true), "");
        let told = not_run(false, false, true);
        assert!(told.starts_with("NOT RUN on PostgreSQL: no server programs; install"), "{told}");
        assert!(not_run(true, false, true).starts_with("NOT RUN on a PostgreSQL that crashes: "));
        assert!(not_run(true, true, false).starts_with("NOT RUN through PgBouncer: no pgbouncer; "));
    }

    #[test]
    fn the_installer_is_there() {
        assert!(cargo::root().join(INSTALL).is_file());
    }
}
