use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::Connection;
use crate::seed::{MIXED, Target, processes_of};
use crate::server::{Installation, SUPPLIER};
use crate::stats::{in_thousands, percentile, ratios};
use std::time::Instant;

const FEW: u64 = 1_000;
const MANY: u64 = 1_000_000;
/// Statuses that a round reads.
const READS: u64 = 20_000;

/// Status reads of a database with few and with many processes, in turn.
pub(crate) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let (rounds, many_processes) = (args.rounds, args.count(MANY));
    let few = installation(args, "bench-status-few", FEW)?;
    let many = installation(args, "bench-status-many", many_processes)?;
    let (mut with_few, mut with_many) = (Vec::new(), Vec::new());
    for round in 0..rounds as u64 {
        with_few.push(p99(&few, FEW, round)?);
        with_many.push(p99(&many, many_processes, round)?);
    }
    let ratio = ratios(&with_many, &with_few);
    Ok(vec![
        Figure::new(
            "status.p99",
            format!("status reads, p99 with {} processes", in_thousands(many_processes)),
            Unit::Milliseconds,
            &with_many,
        ),
        Figure::new("status.p99.of_few", "… as a multiple of that with 1,000", Unit::Ratio, &ratio)
            .at_most(2.0),
    ])
}

fn installation(args: &Args, name: &str, count: u64) -> Result<Installation, Error> {
    let installation = Installation::new(args, name)?;
    processes_of(Target::Sqlite(&installation), SUPPLIER, MIXED, 1, count)?;
    Ok(installation)
}

/// Reads statuses spread over the whole supplier, not only cached ones.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn p99(installation: &Installation, count: u64, round: u64) -> Result<f64, Error> {
    let server = installation.serve(false, &["--role", "api"])?;
    let token = installation.token(&server)?;
    let failed = |e: std::io::Error| Error::Bench(format!("a status could not be read: {e}"));
    let mut connection = Connection::open(server.address).map_err(failed)?;
    let mut times = Vec::new();
    for read in 0..READS {
        // A prime far from the counts, so that every read is of another account.
        let number = (read + round * READS) * 7_919 % count + 1;
        let path = format!("/v2/data-import/accounts/{SUPPLIER}/X-{number:08}/");
        let start = Instant::now();
        let (status, _) = connection.get(&path, &token).map_err(failed)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        if status != 200 {
            return Err(Error::Bench(format!("{path} was answered with {status}")));
        }
    }
    Ok(percentile(&times, 99))
}
