use super::peers::unnest;
use super::site::Site;
use super::staged::Staged;
use super::table;
use crate::bench::Args;
use crate::bench::stats::{median, ratios};
use crate::error::Error;

/// How many accounts a round imports.
const ACCOUNTS: u64 = 5_000;
/// How many rows the yardstick writes in a round; it has no more.
const ROWS: u64 = 100_000;

/// Imports by one process, in turn with rows of one table from Python.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(in crate::bench) fn compare(args: &Args) -> Result<(), Error> {
    let (kit, site) = (args.kit()?, Site::start(&[])?);
    let staged = Staged::prepare(args, &site, args.count(ACCOUNTS))?;
    let (accounts, count) = (staged.accounts as f64, args.count(ROWS));
    let (mut ours, mut ours_wall) = (Vec::new(), Vec::new());
    let (mut theirs, mut theirs_wall) = (Vec::new(), Vec::new());
    let (mut rate, mut wal, mut rows_each) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..args.rounds {
        let imported = staged.import(1, None)?;
        ours.push(imported.rows / imported.cost.cpu);
        ours_wall.push(imported.rows / imported.cost.seconds);
        rate.push(accounts / imported.cost.seconds);
        wal.push(imported.cost.wal_bytes / imported.rows);
        rows_each = imported.rows / accounts;
        let cost = unnest(&kit, &site, count)?;
        theirs.push(count as f64 / cost.cpu);
        theirs_wall.push(count as f64 / cost.seconds);
    }
    println!("\nImport of {accounts} accounts of size M by one process, {} rounds", args.rounds);
    println!("  {}", site.described()?);
    table::heads(&["rows a CPU second", "rows a second", "WAL bytes a row", "accounts a second"]);
    table::line(&format!("ours: {rows_each:.1} rows each, all tables"), &[&ours, &ours_wall, &wal, &rate]);
    table::line("the kit's UNNEST of 40, one table", &[&theirs, &theirs_wall]);
    let (cpu, wall) = (median(&ratios(&ours, &theirs)), median(&ratios(&ours_wall, &theirs_wall)));
    println!("  ratio: a CPU second {cpu} (goal: at least 0.5), a second {wall}");
    Ok(())
}
