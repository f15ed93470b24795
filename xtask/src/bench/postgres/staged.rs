use super::site::{Cost, Site};
use crate::bench::Args;
use crate::bench::load::post_all;
use crate::bench::server::{Installation, SUPPLIER};
use crate::bench::workers;
use crate::bench::yardstick::Kit;
use crate::error::Error;
use cutover_testkit_postgres::Proxy;

const COPY: &str = "imports";

/// Accounts that wait in a database, their supplier paused: copies of it are imported.
pub(super) struct Staged<'a> {
    site: &'a Site,
    installation: Installation,
    database: &'static str,
    pub(super) accounts: u64,
}

/// What an import came to.
pub(super) struct Imported {
    pub(super) cost: Cost,
    /// New rows of all tables.
    pub(super) rows: f64,
}

impl<'a> Staged<'a> {
    /// Creates them over HTTP.
    pub(super) fn prepare(args: &Args, kit: &Kit, site: &'a Site, accounts: u64) -> Result<Self, Error> {
        Self::prepare_as(args, kit, site, accounts, false)
    }

    /// The same of a supplier whose imports are all dry runs.
    pub(super) fn prepare_dry_runs(
        args: &Args,
        kit: &Kit,
        site: &'a Site,
        accounts: u64,
    ) -> Result<Self, Error> {
        Self::prepare_as(args, kit, site, accounts, true)
    }

    fn prepare_as(
        args: &Args,
        kit: &Kit,
        site: &'a Site,
        accounts: u64,
        is_dry_run: bool,
    ) -> Result<Self, Error> {
        let count = usize::try_from(accounts).unwrap_or(usize::MAX);
        let file = kit.accounts(count)?;
        let text = std::fs::read_to_string(&file).map_err(Error::file("read", &file))?;
        let bodies: Vec<&str> = text.lines().collect();
        let database = if is_dry_run { "staged_dry_runs" } else { "staged" };
        site.create(database)?;
        let installation = Installation::on(args, &format!("bench-pg-{database}"), site.url(database))?;
        installation.command(&["supplier", "set", SUPPLIER, "--dry-run", &is_dry_run.to_string()])?;
        let server = installation.serve(false, &["--role", "api"])?;
        let token = installation.token(&server)?;
        post_all(server.address, "/v2/data-import/accounts/", &token, &bodies, 8, 201)?;
        drop(server);
        installation.command(&["supplier", "set", SUPPLIER, "--status", "paused"])?;
        site.settle(database)?;
        Ok(Self { site, installation, database, accounts })
    }

    /// Imports a copy with so many processes, which reach the database through the proxy if there is one.
    pub(super) fn import(&self, processes: usize, proxy: Option<&Proxy>) -> Result<Imported, Error> {
        self.site.copy(self.database, COPY)?;
        let url = self.site.url(COPY);
        let direct = self.installation.at(url.clone());
        let url = proxy.map_or(Ok(url.clone()), |proxy| proxy.url_through(&url));
        let nodes = self.installation.at(url.map_err(|e| Error::Bench(e.to_string()))?);
        let serve = |_| nodes.serve(false, &["--role", "worker"]);
        let servers = (0..processes).map(serve).collect::<Result<Vec<_>, _>>()?;
        let before = rows(self.site, COPY)?;
        let ((), cost) = self.site.measure(&servers, || {
            direct.command(&["supplier", "set", SUPPLIER, "--status", "ongoing"])?;
            workers::wait(&servers, self.accounts)
        })?;
        Ok(Imported { cost, rows: new_rows(self.site, before)? })
    }
}

#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn new_rows(site: &Site, before: f64) -> Result<f64, Error> {
    Ok(rows(site, COPY)? - before)
}

/// The rows of all tables.
fn rows(site: &Site, database: &str) -> Result<f64, Error> {
    let counts = site.sql(
        database,
        "SELECT string_agg(format('(SELECT count(*) FROM %I)', relname), ' + ') FROM pg_class \
         WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
    )?;
    site.number(database, &format!("SELECT {counts}"))
}
