use crate::Args;
use crate::database::Database;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::Connection;
use crate::seed::{FAILURE, MIXED, processes_of};
use crate::server::{Installation, SUPPLIER};
use crate::stats::{in_thousands, percentile, ratios};
use std::time::Instant;

const FEW: u64 = 1_000;
const MANY: u64 = 1_000_000;
const HUGE: u64 = 5_000_000;
/// Requests for each route of the API in a round, and for each page of the console, which has a rate limit for
/// each key.
const ASKED: usize = 1_000;
const VISITS: usize = 25;

/// A page that is measured.
struct Page {
    id: &'static str,
    what: &'static str,
    path: String,
    is_in_console: bool,
}

/// The pages: progress first. Those of one code have few accounts, so that both suppliers fill them.
fn pages() -> [Page; 7] {
    let page = |id, what, path, is_in_console| Page { id, what, path, is_in_console };
    let list = format!("/v2/data-import/accounts/{SUPPLIER}/?page_size=2");
    let supplier = format!("/console/suppliers/{SUPPLIER}/");
    [
        page("", "progress", format!("/v2/data-import/import-suppliers/{SUPPLIER}/progress/"), false),
        page(".failed", "… two failed accounts of the list", format!("{list}&status=ERRORED"), false),
        page(".code", "… two accounts with one of 40 codes", format!("{list}&error_code={FAILURE}"), false),
        page(".suppliers", "… the console's page of all suppliers", "/console/".to_owned(), true),
        page(".supplier", "… the console's page of one supplier", supplier.clone(), true),
        page(".supplier.failed", "… with its failed accounts", format!("{supplier}?status=ERRORED"), true),
        page(".supplier.code", "… with those of one code", format!("{supplier}?error_code={FAILURE}"), true),
    ]
}

/// Median and 99th percentile of the times of each page, round by round.
#[derive(Default)]
struct Times([PageTimes; 7]);

#[derive(Default)]
struct PageTimes {
    p50: Vec<f64>,
    p99: Vec<f64>,
}

/// Reads progress, filtered lists and the console of a supplier with few processes and of one with many, in turn.
pub(crate) fn compare(args: &Args, database: &Database) -> Result<Vec<Figure>, Error> {
    let prepare = |name, count| {
        let prepared = database.install(args, name)?;
        processes_of(prepared.target(), SUPPLIER, MIXED, 1, count)?;
        Ok::<_, Error>(prepared)
    };
    let many = args.count(if args.huge { HUGE } else { MANY });
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
        let mut connection = Connection::open(server.address).map_err(unread)?;
        let token = format!("Authorization: Token {}", installation.token(&server)?);
        for (page, times) in pages().iter().zip(&mut self.0) {
            let (header, count) = if page.is_in_console {
                (signed_in(installation, &mut connection)?, VISITS)
            } else {
                (token.clone(), ASKED)
            };
            let answered = ask(&mut connection, &page.path, &header, count)?;
            times.p50.push(percentile(&answered, 50));
            times.p99.push(percentile(&answered, 99));
        }
        Ok(())
    }
}

/// The header of a visitor of the console with a key of its own.
fn signed_in(installation: &Installation, connection: &mut Connection) -> Result<String, Error> {
    let form = format!("api_key={}&next=", installation.operator_key()?);
    Ok(format!("Cookie: {}", connection.cookie("/console/sign-in/", &form).map_err(unread)?))
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
    let mut figures = Vec::new();
    for ((page, few), many) in pages().iter().zip(&few.0).zip(&many.0) {
        let figure = |name: &str, what: String, unit, values: &[f64]| {
            Figure::new(format!("{id}{}{name}", page.id), what, unit, values)
        };
        let of_many = match page.id {
            "" => format!("{} with {} processes, p50", page.what, in_thousands(processes)),
            _ => format!("{}, p50", page.what),
        };
        let of_few = "… as a multiple of that with 1,000".to_owned();
        figures.extend([
            figure(".p50", of_many, Unit::Milliseconds, &many.p50),
            figure(".p50.of_few", of_few, Unit::Ratio, &ratios(&many.p50, &few.p50)).at_most(2.0),
            figure(".p99.of_few", "… p99".to_owned(), Unit::Ratio, &ratios(&many.p99, &few.p99))
                .less_is_better(),
        ]);
    }
    figures
}
