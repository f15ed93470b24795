use super::cluster::{PostgresCluster, failed};
use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::program;
use crate::seed::{self, PENDING, Target};
use crate::server::Installation;
use crate::stats::{in_thousands, ratios};
use serde_json::Value;
use std::process::Stdio;

const FEW: u64 = 1_000;
const MANY: u64 = 1_000_000;
const SUPPLIERS: u64 = 200;
/// Claims of a round.
const CLAIMS: u64 = 500;

/// Times of claims, round by round.
#[derive(Default)]
struct Times {
    p50: Vec<f64>,
    p99: Vec<f64>,
}

/// Claims with few and with many pending processes, in turn, made by a bench of the store.
pub(crate) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let (cluster, many) = (PostgresCluster::start(&[])?, args.count(MANY));
    let seeded = [("few", FEW), ("many", many)];
    seeded.iter().try_for_each(|(name, count)| prepare(args, &cluster, name, *count))?;
    let mut times = [Times::default(), Times::default()];
    for _ in 0..args.rounds {
        for ((name, _), times) in seeded.iter().zip(&mut times) {
            times.add(&cluster.url(name))?;
        }
    }
    let [few, with_many] = &times;
    Ok(vec![
        Figure::new(
            "pg.claim.p99",
            format!("claim of 16, p99, {} pending over {SUPPLIERS} suppliers", in_thousands(many)),
            Unit::Milliseconds,
            &with_many.p99,
        ),
        Figure::new("pg.claim.p50", "… p50", Unit::Milliseconds, &with_many.p50),
        Figure::new(
            "pg.claim.p99.of_few",
            "… p99 as a multiple of that with 1,000 pending",
            Unit::Ratio,
            &ratios(&with_many.p99, &few.p99),
        )
        .at_most(3.0),
    ])
}

fn prepare(args: &Args, cluster: &PostgresCluster, name: &str, count: u64) -> Result<(), Error> {
    cluster.create(name)?;
    Installation::on(args, "bench-pg-claim", cluster.url(name))?;
    seed::suppliers(Target::Postgres(cluster, name), SUPPLIERS)?;
    seed::processes(Target::Postgres(cluster, name), SUPPLIERS, PENDING, count)
}

impl Times {
    fn add(&mut self, url: &str) -> Result<(), Error> {
        let claims = CLAIMS.to_string();
        let bench =
            ["bench", "--quiet", "--package", "cutover-store", "--bench", "claim", "--", url, &claims];
        let mut command = program::cargo(bench);
        command.stderr(Stdio::inherit());
        let output = program::output(command).ok_or_else(|| failed("no claims were timed"))?;
        let figures = output.lines().find_map(|line| serde_json::from_str::<Value>(line).ok());
        let figure = |name: &str| figures.as_ref().and_then(|figures| figures[name].as_f64());
        let (Some(p50), Some(p99)) = (figure("p50_ms"), figure("p99_ms")) else {
            return Err(failed(format!("the bench of claims gave no figures: {output}")));
        };
        self.p50.push(p50);
        self.p99.push(p99);
        Ok(())
    }
}
