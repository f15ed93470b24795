use crate::Args;
use crate::database::Database;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::Connection;
use crate::seed::{MIXED, processes_of};
use crate::server::{Installation, SUPPLIER};
use crate::stats::{in_thousands, percentile, ratios};
use std::time::Instant;

const FEW: u64 = 1_000;
const MANY: u64 = 1_000_000;
/// Requests for progress in a round, and for each page of the console, which has a rate limit for each key.
const ASKED: usize = 1_000;
const VISITS: usize = 25;

/// Times of answers, round by round.
#[derive(Default)]
struct Times {
    p50: Vec<f64>,
    p99: Vec<f64>,
    /// Times of the console's pages of all suppliers and of one.
    suppliers: Vec<f64>,
    supplier: Vec<f64>,
}

/// Reads the progress of a supplier with few processes and of one with many, in turn.
pub(crate) fn compare(args: &Args, database: &Database) -> Result<Vec<Figure>, Error> {
    let prepare = |name, count| {
        let prepared = database.install(args, name)?;
        processes_of(prepared.target(), SUPPLIER, MIXED, 1, count)?;
        Ok::<_, Error>(prepared)
    };
    let many = args.count(MANY);
    let all = [prepare("progress-few", FEW)?, prepare("progress-many", many)?];
    let mut times = [Times::default(), Times::default()];
    for _ in 0..args.rounds {
        all.iter().zip(&mut times).try_for_each(|(prepared, times)| times.add(prepared.installation()))?;
    }
    Ok(figures(&format!("progress.{}", database.id()), many, &times))
}

impl Times {
    /// Measures a round.
    fn add(&mut self, installation: &Installation) -> Result<(), Error> {
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

/// Requests a page repeatedly and returns the response times in ms.
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

/// Figures of the installations with few and with many processes.
fn figures(id: &str, processes: u64, [few, many]: &[Times; 2]) -> Vec<Figure> {
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
