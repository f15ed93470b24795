use super::Args;
use super::load::Connection;
use super::seed::processes;
use super::server::{Installation, SUPPLIER};
use super::stats::{median, percentile, ratios};
use crate::error::Error;
use std::time::Instant;

pub(super) const FEW: u64 = 1_000;
pub(super) const MANY: u64 = 1_000_000;
/// How often a round asks.
const ASKED: usize = 1_000;

/// Times of answers, round by round.
#[derive(Default)]
pub(super) struct Times {
    p50: Vec<f64>,
    p99: Vec<f64>,
}

/// How far a supplier has come that has few processes and one that has many, in turn.
pub(super) fn compare(args: &Args) -> Result<(), Error> {
    let installation = |name, count| {
        let installation = Installation::new(args, name)?;
        processes(&installation, SUPPLIER, 1, count)?;
        Ok::<_, Error>(installation)
    };
    let all = [installation("bench-progress-few", FEW)?, installation("bench-progress-many", MANY)?];
    let mut times = [Times::default(), Times::default()];
    for _ in 0..args.rounds {
        all.iter().zip(&mut times).try_for_each(|(installation, times)| times.add(installation))?;
    }
    print("SQLite", MANY, args.rounds, &times);
    Ok(())
}

impl Times {
    /// A round of an installation.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(super) fn add(&mut self, installation: &Installation) -> Result<(), Error> {
        let server = installation.serve(false, &["--role", "api"])?;
        let token = installation.token(&server)?;
        let failed = |e: std::io::Error| Error::Bench(format!("progress could not be read: {e}"));
        let mut connection = Connection::open(server.address).map_err(failed)?;
        let path = format!("/v2/data-import/import-suppliers/{SUPPLIER}/progress/");
        let mut times = Vec::new();
        for _ in 0..ASKED {
            let start = Instant::now();
            let (status, _) = connection.get(&path, &token).map_err(failed)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            if status != 200 {
                return Err(Error::Bench(format!("{path} was answered with {status}")));
            }
        }
        self.p50.push(percentile(&times, 50));
        self.p99.push(percentile(&times, 99));
        Ok(())
    }
}

/// Of few and of many.
pub(super) fn print(database: &str, many: u64, rounds: usize, [with_few, with_many]: &[Times; 2]) {
    println!(
        "\nProgress on {database}, asked {ASKED} times a round over one connection, ms, {rounds} rounds in turn"
    );
    for (count, times) in [(FEW, with_few), (many, with_many)] {
        println!("  with {count:>7} processes: p50 {}, p99 {}", median(&times.p50), median(&times.p99));
    }
    let (p50, p99) = (ratios(&with_many.p50, &with_few.p50), ratios(&with_many.p99, &with_few.p99));
    println!("  ratio: p50 {}, p99 {}  (goal: at most 2)", median(&p50), median(&p99));
}
