use super::site::Site;
use super::staged::Staged;
use crate::bench::Args;
use crate::bench::dry_run::ACCOUNTS;
use crate::bench::figure::{Figure, Unit};
use crate::bench::stats::{in_thousands, ratios};
use crate::error::Error;

/// What imports came to, round by round.
#[derive(Default)]
struct Imports {
    a_second: Vec<f64>,
    wal: Vec<f64>,
}

/// Dry runs of accounts, in turn with imports of the same.
pub(in crate::bench) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let (kit, site, count) = (args.generator()?, Site::start(&[])?, args.count(ACCOUNTS));
    let imports = Staged::prepare(args, &kit, &site, count)?;
    let dry_runs = Staged::prepare_dry_runs(args, &kit, &site, count)?;
    let (mut imported, mut rehearsed) = (Imports::default(), Imports::default());
    for _ in 0..args.rounds {
        imported.add(&imports)?;
        rehearsed.add(&dry_runs)?;
    }
    let what = format!("dry runs of {} M accounts on PostgreSQL", in_thousands(count));
    let ratio = ratios(&rehearsed.a_second, &imported.a_second);
    Ok(vec![
        Figure::new("pg.dry_run", what, Unit::PerSecond, &rehearsed.a_second),
        Figure::new("pg.dry_run.of_import", "… as a multiple of imports of the same", Unit::Ratio, &ratio)
            .at_least(1.0),
        Figure::new("pg.dry_run.wal", "… bytes of WAL each", Unit::Bytes, &rehearsed.wal).at_most(3_000.0),
        Figure::new("pg.dry_run.import.wal", "… bytes of WAL an import", Unit::Bytes, &imported.wal),
    ])
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
