use super::site::{Site, failed};
use super::staged::Staged;
use super::table;
use crate::bench::Args;
use crate::bench::stats::{median, ratios};
use crate::error::Error;
use cutover_testkit_postgres::Proxy;
use std::time::Duration;

/// How many accounts a run imports.
const ACCOUNTS: u64 = 3_000;
/// What the long line adds to each round trip.
const DELAY: Duration = Duration::from_millis(5);

/// Imports, round by round.
#[derive(Default)]
struct Rates {
    a_second: Vec<f64>,
    a_cpu_second: Vec<f64>,
    round_trips: Vec<f64>,
}

/// Imports by one process and by two, each on a short line to the database and on a long one.
pub(in crate::bench) fn compare(args: &Args) -> Result<(), Error> {
    let site = Site::start(&[])?;
    let staged = Staged::prepare(args, &args.kit()?, &site, args.count(ACCOUNTS))?;
    let lines = [(Duration::ZERO, "short line"), (DELAY, "5 ms more a round trip")];
    let mut all = lines.map(|_| [Rates::default(), Rates::default()]);
    for _ in 0..args.rounds {
        for ((delay, _), by_processes) in lines.iter().zip(&mut all) {
            for (processes, rates) in (1..).zip(by_processes) {
                rates.add(&site, &staged, processes, *delay)?;
            }
        }
    }
    println!("\nImport of {} accounts of size M by more processes, {} rounds", staged.accounts, args.rounds);
    println!("  {}", site.described()?);
    table::heads(&["accounts a second", "accounts a CPU second", "round trips an account"]);
    for ((_, name), by_processes) in lines.iter().zip(&all) {
        for (processes, rates) in ["one process", "two processes"].iter().zip(by_processes) {
            let columns: [&[f64]; 3] = [&rates.a_second, &rates.a_cpu_second, &rates.round_trips];
            table::line(&format!("{name}, {processes}"), &columns);
        }
    }
    let [[one, two], [far_one, far_two]] = &all;
    let cpu = median(&ratios(&two.a_cpu_second, &one.a_cpu_second));
    let (near, far) = (ratios(&two.a_second, &one.a_second), ratios(&far_two.a_second, &far_one.a_second));
    println!("  two to one, 5 ms more: a second {} (goal: at least 1.7)", median(&far));
    println!("  two to one, short: a CPU second {cpu} (goal: at least 0.9), a second {}", median(&near));
    Ok(())
}

impl Rates {
    /// Imports a copy. A short line is the database's own: a proxy would take time of the processors.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    fn add(
        &mut self,
        site: &Site,
        staged: &Staged<'_>,
        processes: usize,
        delay: Duration,
    ) -> Result<(), Error> {
        let accounts = staged.accounts as f64;
        let proxy = (!delay.is_zero()).then(|| Proxy::start(site.address())).transpose().map_err(failed)?;
        proxy.iter().for_each(|proxy| proxy.set_delay(delay));
        let imported = staged.import(processes, proxy.as_ref())?;
        self.a_second.push(accounts / imported.cost.seconds);
        self.a_cpu_second.push(accounts / imported.cost.cpu);
        self.round_trips.extend(proxy.map(|proxy| proxy.round_trips() as f64 / accounts));
        Ok(())
    }
}
