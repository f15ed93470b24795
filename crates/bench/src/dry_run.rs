use crate::args::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::kept;
use crate::load::create_all;
use crate::postgres::{PostgresCluster, Staged};
use crate::server::{Installation, SUPPLIER};
use crate::stats::{in_thousands, ratios};
use crate::workers;
use std::time::Instant;

/// Accounts that a round imports, and again as dry runs.
const ACCOUNTS: u64 = 6_000;
const CONNECTIONS: usize = 32;

/// Dry runs of accounts on SQLite, in turn with imports of the same.
pub(crate) fn on_sqlite(args: &Args) -> Result<Vec<Figure>, Error> {
    let count = args.payloads(ACCOUNTS);
    let text = args.generator()?.read_accounts(count)?;
    let bodies: Vec<&str> = text.lines().collect();
    let imports = prepare(args, "bench-dry-run-imports", &bodies, false)?;
    let dry_runs = prepare(args, "bench-dry-run", &bodies, true)?;
    let (mut imported, mut rehearsed) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        imported.push(rate(&imports, count)?);
        rehearsed.push(rate(&dry_runs, count)?);
    }
    Ok(rates("dry_run.sqlite", "SQLite", count as u64, &rehearsed, &imported).into())
}

/// The same on PostgreSQL.
pub(crate) fn on_postgres(args: &Args) -> Result<Vec<Figure>, Error> {
    let (kit, cluster, count) = (args.generator()?, PostgresCluster::start(&[])?, args.count(ACCOUNTS));
    let imports = Staged::prepare(args, &kit, &cluster, count)?;
    let dry_runs = Staged::prepare_dry_runs(args, &kit, &cluster, count)?;
    let (mut imported, mut rehearsed) = (Imports::default(), Imports::default());
    for _ in 0..args.rounds {
        imported.add(&imports)?;
        rehearsed.add(&dry_runs)?;
    }
    let mut figures =
        rates("pg.dry_run", "PostgreSQL", count, &rehearsed.a_second, &imported.a_second).to_vec();
    figures.extend([
        Figure::new("pg.dry_run.wal", "… bytes of WAL each", Unit::Bytes, &rehearsed.wal).at_most(3_000.0),
        Figure::new("pg.dry_run.import.wal", "… bytes of WAL an import", Unit::Bytes, &imported.wal),
    ]);
    Ok(figures)
}

fn rates(id: &str, database: &str, count: u64, dry_runs: &[f64], imports: &[f64]) -> [Figure; 2] {
    let what = format!("dry runs of {} M accounts on {database}", in_thousands(count));
    let ratio = ratios(dry_runs, imports);
    [
        Figure::new(id, what, Unit::PerSecond, dry_runs),
        Figure::new(format!("{id}.of_import"), "… as a multiple of imports of the same", Unit::Ratio, &ratio)
            .at_least(1.0),
    ]
}

/// An installation with pending accounts, whose database is kept for every round.
fn prepare(args: &Args, name: &str, bodies: &[&str], is_dry_run: bool) -> Result<Installation, Error> {
    let installation = Installation::new(args, name)?;
    installation.command(&["supplier", "set", SUPPLIER, "--dry-run", &is_dry_run.to_string()])?;
    let server = installation.serve(false, &["--role", "api"])?;
    create_all(server.address, &installation.token(&server)?, bodies, CONNECTIONS)?;
    drop(server);
    kept::keep(&installation)?;
    Ok(installation)
}

/// Accounts per second by the workers of one process, its start included.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn rate(installation: &Installation, count: usize) -> Result<f64, Error> {
    kept::restore(installation)?;
    let start = Instant::now();
    let servers = [installation.serve(false, &["--role", "worker"])?];
    workers::wait(&servers, count as u64)?;
    Ok(count as f64 / start.elapsed().as_secs_f64())
}

/// Imports on PostgreSQL, round by round.
#[derive(Default)]
struct Imports {
    a_second: Vec<f64>,
    wal: Vec<f64>,
}

impl Imports {
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    fn add(&mut self, staged: &Staged<'_>) -> Result<(), Error> {
        let (cost, accounts) = (staged.import(1, None)?.cost, staged.accounts as f64);
        self.a_second.push(accounts / cost.seconds);
        self.wal.push(cost.wal_bytes / accounts);
        Ok(())
    }
}
