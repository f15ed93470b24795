use super::site::{Cost, Site};
use crate::bench::Args;
use crate::bench::load::{Connection, post_all};
use crate::bench::server::{Installation, SUPPLIER, Server};
use crate::bench::yardstick::Kit;
use crate::error::Error;
use cutover_testkit_postgres::Proxy;
use std::time::{Duration, Instant};

const STAGED: &str = "staged";
const COPY: &str = "imports";

/// How long an import may take.
const DEADLINE: Duration = Duration::from_secs(900);

/// Accounts that wait in a database, their supplier paused: copies of it are imported.
pub(super) struct Staged<'a> {
    site: &'a Site,
    installation: Installation,
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
        let count = usize::try_from(accounts).unwrap_or(usize::MAX);
        let file = kit.accounts(count)?;
        let text = std::fs::read_to_string(&file).map_err(Error::file("read", &file))?;
        let bodies: Vec<&str> = text.lines().collect();
        site.create(STAGED)?;
        let installation = Installation::on(args, "bench-pg-import", site.url(STAGED))?;
        let server = installation.serve(false, &["--role", "api"])?;
        let token = installation.token(&server)?;
        post_all(server.address, "/v2/data-import/accounts/", &token, &bodies, 8, 201)?;
        drop(server);
        installation.command(&["supplier", "set", SUPPLIER, "--status", "paused"])?;
        site.settle(STAGED)?;
        Ok(Self { site, installation, accounts })
    }

    /// Imports a copy with so many processes, which reach the database through the proxy if there is one.
    pub(super) fn import(&self, processes: usize, proxy: Option<&Proxy>) -> Result<Imported, Error> {
        self.site.copy(STAGED, COPY)?;
        let url = self.site.url(COPY);
        let direct = self.installation.at(url.clone());
        let url = proxy.map_or(Ok(url.clone()), |proxy| proxy.url_through(&url));
        let nodes = self.installation.at(url.map_err(|e| Error::Bench(e.to_string()))?);
        let serve = |_| nodes.serve(false, &["--role", "worker"]);
        let servers = (0..processes).map(serve).collect::<Result<Vec<_>, _>>()?;
        let before = rows(self.site, COPY)?;
        let ((), cost) = self.site.measure(&servers, || {
            direct.command(&["supplier", "set", SUPPLIER, "--status", "ongoing"])?;
            wait(&servers, self.accounts)
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
        "SELECT string_agg(format('(SELECT count(*) FROM %I)', tablename), ' + ') FROM pg_tables \
         WHERE schemaname = 'public'",
    )?;
    site.number(database, &format!("SELECT {counts}"))
}

/// Waits until so many are imported. Asks the servers only: what the database is asked would count.
fn wait(servers: &[Server], accounts: u64) -> Result<(), Error> {
    let failed = |e: std::io::Error| Error::Bench(format!("the metrics could not be read: {e}"));
    let open = |server: &Server| Connection::open(server.address).map_err(failed);
    let mut connections = servers.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    loop {
        let (mut processed, mut errored) = (0, 0);
        for connection in &mut connections {
            let (_, metrics) = connection.get("/metrics", "none").map_err(failed)?;
            processed += counter(&metrics, "cutover_worker_accounts_processed_total")?;
            errored += counter(&metrics, "cutover_worker_processes_errored_total")?;
        }
        if processed == accounts {
            return Ok(());
        }
        if errored > 0 || start.elapsed() > DEADLINE {
            return Err(Error::Bench(format!("{processed} accounts were imported, {errored} failed")));
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

fn counter(metrics: &str, name: &str) -> Result<u64, Error> {
    let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    value.ok_or_else(|| Error::Bench(format!("there is no metric {name}")))
}
