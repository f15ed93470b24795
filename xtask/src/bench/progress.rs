use super::Args;
use super::figure::{Figure, Unit};
use super::load::Connection;
use super::seed::processes;
use super::server::{Installation, SUPPLIER};
use super::stats::{in_thousands, percentile, ratios};
use crate::error::Error;
use std::time::Instant;

pub(super) const FEW: u64 = 1_000;
pub(super) const MANY: u64 = 1_000_000;
/// How often a round asks for progress, and for each page of the console, which are bounded for each key.
const ASKED: usize = 1_000;
const VISITS: usize = 25;

/// Times of answers, round by round.
#[derive(Default)]
pub(super) struct Times {
    p50: Vec<f64>,
    p99: Vec<f64>,
    /// Of the console: all suppliers, and one.
    suppliers: Vec<f64>,
    supplier: Vec<f64>,
}

/// How far a supplier has come that has few processes and one that has many, in turn.
pub(super) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let installation = |name, count| {
        let installation = Installation::new(args, name)?;
        processes(&installation, SUPPLIER, 1, count)?;
        Ok::<_, Error>(installation)
    };
    let many = args.count(MANY);
    let all = [installation("bench-progress-few", FEW)?, installation("bench-progress-many", many)?];
    let mut times = [Times::default(), Times::default()];
    for _ in 0..args.rounds {
        all.iter().zip(&mut times).try_for_each(|(installation, times)| times.add(installation))?;
    }
    Ok(figures("progress.sqlite", many, &times))
}

impl Times {
    /// A round of an installation.
    pub(super) fn add(&mut self, installation: &Installation) -> Result<(), Error> {
        let server = installation.serve(false, &["--role", "api"])?;
        let header = format!("Authorization: Token {}", installation.token(&server)?);
        let mut connection = Connection::open(server.address).map_err(unread)?;
        let path = format!("/v2/data-import/import-suppliers/{SUPPLIER}/progress/");
        let times = ask(&mut connection, &path, &header, ASKED)?;
        self.p50.push(percentile(&times, 50));
        self.p99.push(percentile(&times, 99));
        let form = format!("api_key={}&next=", installation.operator_key()?);
        let cookie = connection.cookie("/console/sign-in/", &form).map_err(unread)?;
        let header = format!("Cookie: {cookie}");
        let mut page =
            |path: &str| Ok::<_, Error>(percentile(&ask(&mut connection, path, &header, VISITS)?, 50));
        self.suppliers.push(page("/console/")?);
        self.supplier.push(page(&format!("/console/suppliers/{SUPPLIER}/"))?);
        Ok(())
    }
}

fn unread(error: std::io::Error) -> Error {
    Error::Bench(format!("progress could not be read: {error}"))
}

/// How long answers take, in ms.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn ask(connection: &mut Connection, path: &str, header: &str, count: usize) -> Result<Vec<f64>, Error> {
    let mut times = Vec::new();
    for _ in 0..count {
        let start = Instant::now();
        let (status, _) = connection.get_with(path, header).map_err(unread)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        if status != 200 {
            return Err(Error::Bench(format!("{path} was answered with {status}")));
        }
    }
    Ok(times)
}

/// Of few and of many.
pub(super) fn figures(id: &str, processes: u64, [few, many]: &[Times; 2]) -> Vec<Figure> {
    let of_few = |name: &str, what: &str, few: &[f64], many: &[f64]| {
        Figure::new(format!("{id}{name}"), what, Unit::Ratio, &ratios(many, few))
    };
    let now = |name: &str, what: &str, times: &[f64]| {
        Figure::new(format!("{id}{name}"), what, Unit::Milliseconds, times)
    };
    vec![
        now(".p50", &format!("progress with {} processes, p50", in_thousands(processes)), &many.p50),
        of_few(".p50.of_few", "… as a multiple of that with 1,000", &few.p50, &many.p50).at_most(2.0),
        of_few(".p99.of_few", "… p99", &few.p99, &many.p99).less_is_better(),
        now(".suppliers", "… the console's page of all suppliers, p50", &many.suppliers),
        of_few(".suppliers.of_few", "… as a multiple", &few.suppliers, &many.suppliers).at_most(2.0),
        now(".supplier", "… the console's page of one supplier, p50", &many.supplier),
        of_few(".supplier.of_few", "… as a multiple", &few.supplier, &many.supplier).at_most(2.0),
    ]
}
