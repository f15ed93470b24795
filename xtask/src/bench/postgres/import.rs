use super::peers::unnest;
use super::rows::Rows;
use super::site::Site;
use super::staged::Staged;
use crate::bench::Args;
use crate::bench::figure::{Figure, Unit};
use crate::error::Error;

/// How many accounts a round imports.
const ACCOUNTS: u64 = 5_000;
/// How many rows the yardstick writes in a round; it has no more.
const ROWS: u64 = 100_000;

/// Imports by one process, in turn with rows of one table from Python.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(in crate::bench) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let (kit, site) = (args.kit()?, Site::start(&[])?);
    let staged = Staged::prepare(args, &kit, &site, args.count(ACCOUNTS))?;
    let (accounts, count) = (staged.accounts as f64, args.count(ROWS));
    let (mut ours, mut theirs) = (Rows::default(), Rows::default());
    let (mut rate, mut rows_each) = (Vec::new(), 0.0);
    for _ in 0..args.rounds {
        let imported = staged.import(1, None)?;
        rate.push(accounts / imported.cost.seconds);
        rows_each = imported.rows / accounts;
        ours.add((imported.rows, imported.cost));
        theirs.add((count as f64, unnest(&kit, &site, count)?));
    }
    let what = "import by one process, M accounts on PostgreSQL, rows of all tables";
    let mut figures = vec![
        ours.a_cpu_second("pg.import.rows", what),
        ours.ratio("pg.import.of_unnest", "… as a multiple of the kit's UNNEST of 40, one table", &theirs)
            .at_least(0.7),
        Figure::new("pg.import.accounts", "… accounts", Unit::PerSecond, &rate),
        Figure::new("pg.import.rows_each", "… rows an account", Unit::Count, &[rows_each]),
    ];
    figures.extend(ours.further("pg.import"));
    Ok(figures)
}
