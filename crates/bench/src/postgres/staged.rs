use super::cluster::{Cost, PostgresCluster};
use crate::Args;
use crate::error::Error;
use crate::load::create_all;
use crate::server::{Installation, SUPPLIER};
use crate::workers;
use crate::yardstick::Kit;
use cutover_testkit_postgres::Proxy;

const COPY: &str = "imports";

/// A database with pending accounts of a paused supplier, copies of which are imported.
pub(crate) struct Staged<'a> {
    cluster: &'a PostgresCluster,
    installation: Installation,
    database: &'static str,
    pub(crate) accounts: u64,
}

/// Result of an import.
pub(crate) struct Imported {
    pub(crate) cost: Cost,
    /// New rows of all tables.
    pub(crate) rows: f64,
}

impl<'a> Staged<'a> {
    /// Creates the accounts over HTTP.
    pub(crate) fn prepare(
        args: &Args,
        kit: &Kit,
        cluster: &'a PostgresCluster,
        accounts: u64,
    ) -> Result<Self, Error> {
        Self::prepare_as(args, kit, cluster, accounts, false)
    }

    /// The same for a supplier whose imports are all dry runs.
    pub(crate) fn prepare_dry_runs(
        args: &Args,
        kit: &Kit,
        cluster: &'a PostgresCluster,
        accounts: u64,
    ) -> Result<Self, Error> {
        Self::prepare_as(args, kit, cluster, accounts, true)
    }

    fn prepare_as(
        args: &Args,
        kit: &Kit,
        cluster: &'a PostgresCluster,
        accounts: u64,
        is_dry_run: bool,
    ) -> Result<Self, Error> {
        let text = kit.read_accounts(usize::try_from(accounts).unwrap_or(usize::MAX))?;
        let bodies: Vec<&str> = text.lines().collect();
        let database = if is_dry_run { "staged_dry_runs" } else { "staged" };
        cluster.create(database)?;
        let installation = Installation::on(args, &format!("bench-pg-{database}"), cluster.url(database))?;
        installation.command(&["supplier", "set", SUPPLIER, "--dry-run", &is_dry_run.to_string()])?;
        let server = installation.serve(false, &["--role", "api"])?;
        let token = installation.token(&server)?;
        create_all(server.address, &token, &bodies, 8)?;
        drop(server);
        installation.command(&["supplier", "set", SUPPLIER, "--status", "paused"])?;
        cluster.settle(database)?;
        Ok(Self { cluster, installation, database, accounts })
    }

    /// Imports a copy by a number of worker processes, which use the proxy if there is one.
    pub(crate) fn import(&self, processes: usize, proxy: Option<&Proxy>) -> Result<Imported, Error> {
        self.cluster.copy(self.database, COPY)?;
        let url = self.cluster.url(COPY);
        let direct = self.installation.at(url.clone());
        let url = proxy.map_or(Ok(url.clone()), |proxy| proxy.url_through(&url));
        let nodes = self.installation.at(url.map_err(|e| Error::Bench(e.to_string()))?);
        let serve = |_| nodes.serve(false, &["--role", "worker"]);
        let servers = (0..processes).map(serve).collect::<Result<Vec<_>, _>>()?;
        let before = rows(self.cluster, COPY)?;
        let ((), cost) = self.cluster.measure(&servers, || {
            direct.command(&["supplier", "set", SUPPLIER, "--status", "ongoing"])?;
            workers::wait(&servers, self.accounts)
        })?;
        Ok(Imported { cost, rows: new_rows(self.cluster, before)? })
    }
}

#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn new_rows(cluster: &PostgresCluster, before: f64) -> Result<f64, Error> {
    Ok(rows(cluster, COPY)? - before)
}

/// Counts the rows of all tables.
fn rows(cluster: &PostgresCluster, database: &str) -> Result<f64, Error> {
    let counts = cluster.sql(
        database,
        "SELECT string_agg(format('(SELECT count(*) FROM %I)', relname), ' + ') FROM pg_class \
         WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
    )?;
    cluster.number(database, &format!("SELECT {counts}"))
}
