use super::cluster::{PostgresCluster, failed};
use super::staged::Staged;
use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::stats::ratios;
use cutover_testkit_postgres::Proxy;
use std::time::Duration;

/// Accounts of a run.
const ACCOUNTS: u64 = 3_000;
/// Delay that the slow line adds to each round trip.
const DELAY: Duration = Duration::from_millis(5);

/// Imports, round by round.
#[derive(Default)]
struct Rates {
    a_second: Vec<f64>,
    a_cpu_second: Vec<f64>,
    round_trips: Vec<f64>,
}

/// Imports by one process and by two, each on a fast line to the database and on a slow one.
pub(crate) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let cluster = PostgresCluster::start(&[])?;
    let staged = Staged::prepare(args, &args.kit()?, &cluster, args.count(ACCOUNTS))?;
    let lines = [Duration::ZERO, DELAY];
    let mut all = lines.map(|_| [Rates::default(), Rates::default()]);
    for _ in 0..args.rounds {
        for (delay, by_processes) in lines.iter().zip(&mut all) {
            for (processes, rates) in (1..).zip(by_processes) {
                rates.add(&cluster, &staged, processes, *delay)?;
            }
        }
    }
    let [[one, two], [far_one, far_two]] = &all;
    let ratio = |id: &str, what: &str, two: &[f64], one: &[f64]| {
        Figure::new(id, what, Unit::Ratio, &ratios(two, one))
    };
    let far = "accounts that one process imports with 5 ms more a round trip";
    Ok(vec![
        Figure::new("pg.nodes.far", far, Unit::PerSecond, &far_one.a_second),
        Figure::new("pg.nodes.far.trips", "… round trips an account", Unit::Count, &far_one.round_trips),
        ratio("pg.nodes.far.two", "… two processes, as a multiple", &far_two.a_second, &far_one.a_second)
            .at_least(1.7),
        ratio("pg.nodes.two", "… two processes without, as a multiple", &two.a_second, &one.a_second),
        ratio("pg.nodes.two.cpu", "… per CPU second", &two.a_cpu_second, &one.a_cpu_second).at_least(0.9),
    ])
}

impl Rates {
    /// Imports a copy. The fast line has no proxy, which would take CPU.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    fn add(
        &mut self,
        cluster: &PostgresCluster,
        staged: &Staged<'_>,
        processes: usize,
        delay: Duration,
    ) -> Result<(), Error> {
        let accounts = staged.accounts as f64;
        let proxy =
            (!delay.is_zero()).then(|| Proxy::start(cluster.address())).transpose().map_err(failed)?;
        proxy.iter().for_each(|proxy| proxy.set_delay(delay));
        let imported = staged.import(processes, proxy.as_ref())?;
        self.a_second.push(accounts / imported.cost.seconds);
        self.a_cpu_second.push(accounts / imported.cost.cpu);
        self.round_trips.extend(proxy.map(|proxy| proxy.round_trips() as f64 / accounts));
        Ok(())
    }
}
