use super::figure::{Figure, Unit};
use super::load::post_all;
use super::server::{Installation, SUPPLIER};
use super::stats::{in_thousands, ratios};
use super::{Args, kept, workers};
use crate::error::Error;
use std::time::Instant;

/// How many accounts a round imports, and how many it imports as dry runs.
pub(super) const ACCOUNTS: u64 = 6_000;
const CONNECTIONS: usize = 32;

/// Dry runs of accounts on SQLite, in turn with imports of the same.
pub(super) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let count = usize::try_from(args.count(ACCOUNTS)).unwrap_or(usize::MAX);
    let file = args.generator()?.accounts(count)?;
    let text = std::fs::read_to_string(&file).map_err(Error::file("read", &file))?;
    let bodies: Vec<&str> = text.lines().collect();
    let imports = prepare(args, "bench-dry-run-imports", &bodies, false)?;
    let dry_runs = prepare(args, "bench-dry-run", &bodies, true)?;
    let (mut imported, mut rehearsed) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        imported.push(rate(&imports, count)?);
        rehearsed.push(rate(&dry_runs, count)?);
    }
    let what = format!("dry runs of {} M accounts on SQLite", in_thousands(count));
    let ratio = ratios(&rehearsed, &imported);
    Ok(vec![
        Figure::new("dry_run.sqlite", what, Unit::PerSecond, &rehearsed),
        Figure::new(
            "dry_run.sqlite.of_import",
            "… as a multiple of imports of the same",
            Unit::Ratio,
            &ratio,
        )
        .at_least(1.0),
    ])
}

/// Accounts that are pending, kept for every round.
fn prepare(args: &Args, name: &str, bodies: &[&str], is_dry_run: bool) -> Result<Installation, Error> {
    let installation = Installation::new(args, name)?;
    installation.command(&["supplier", "set", SUPPLIER, "--dry-run", &is_dry_run.to_string()])?;
    let server = installation.serve(false, &["--role", "api"])?;
    let token = installation.token(&server)?;
    let path = "/v2/data-import/accounts/";
    let done = post_all(server.address, path, &token, bodies, CONNECTIONS, 201)?;
    if done.others > 0 {
        return Err(Error::Bench(format!("{} creates were refused", done.others)));
    }
    drop(server);
    kept::keep(&installation)?;
    Ok(installation)
}

/// Accounts a second by the workers of one process, its start included.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn rate(installation: &Installation, count: usize) -> Result<f64, Error> {
    kept::restore(installation)?;
    let start = Instant::now();
    let servers = [installation.serve(false, &["--role", "worker"])?];
    workers::wait(&servers, count as u64)?;
    Ok(count as f64 / start.elapsed().as_secs_f64())
}
