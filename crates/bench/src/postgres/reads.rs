use super::cluster::{PostgresCluster, failed};
use crate::Args;
use crate::accounts::{numbered, with_readings};
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::Connection;
use crate::seed::{self, REHEARSED, Target};
use crate::server::{Installation, SUPPLIER};
use crate::stats::{in_thousands, percentile, ratios};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const PROCESSES: u64 = 2_000_000;
const DATABASE: &str = "reads";
/// Number of connections that read, each one request after the other.
const READERS: usize = 64;
/// Queries of the readers, alternating: both scan all or nearly all processes of the supplier.
const QUERIES: [&str; 2] = ["modified_after=9000-01-01T00:00:00", "status=PENDING"];

/// The organisation that creates accounts meanwhile, and its supplier.
const OTHER: &str = "Other";
const OTHER_SUPPLIER: &str = "OTHER_ENERGY";
const WRITERS: usize = 4;
/// Interval between creates.
const INTERVAL: Duration = Duration::from_millis(20);
/// Duration of the creates of a round, once without and once with the readers.
const LONG: Duration = Duration::from_secs(20);
/// Time for which the readers run before the first create.
const LEAD: Duration = Duration::from_secs(1);
/// About the number of readings of an account of size M.
const READINGS: usize = 40;

/// Creates of an organisation.
#[derive(Default)]
struct Creates {
    /// Time of each create from when it was due to its answer.
    milliseconds: Vec<f64>,
    /// Number of creates answered with 5xx or not at all.
    failed: usize,
}

/// Reads of the other organisation.
#[derive(Default)]
struct Reads {
    answered: usize,
    /// Number of answers with 5xx.
    failed: usize,
}

/// Figures, round by round.
#[derive(Default)]
struct Rounds {
    p50: Vec<f64>,
    p99: Vec<f64>,
    failed: Vec<f64>,
}

/// Creates of an organisation alone, in turn with creates while another organisation reads slow pages.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(crate) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let (cluster, count) = (PostgresCluster::start(&[])?, args.count(PROCESSES));
    cluster.create(DATABASE)?;
    let installation = Installation::on(args, "bench-pg-reads", cluster.url(DATABASE))?;
    seed::processes_of(Target::Postgres(&cluster, DATABASE), SUPPLIER, REHEARSED, 1, count)?;
    let key = other(&installation)?;
    let server = installation.serve(false, &["--role", "api"])?;
    let (reader, writer) = (installation.token(&server)?, server.token(&key)?);
    let mut accounts = Accounts::new()?;
    let (mut quiet, mut attacked) = (Rounds::default(), Rounds::default());
    let (mut reads_a_second, mut reads_failed) = (Vec::new(), Vec::new());
    // The first creates of a server take longer.
    creates(server.address, &writer, &accounts.next(WRITERS * 10))?;
    for _ in 0..args.rounds {
        let bodies = accounts.next(LONG.div_duration_f64(INTERVAL) as usize);
        quiet.add(&creates(server.address, &writer, &bodies)?);
        let bodies = accounts.next(bodies.len());
        let (creates, reads, seconds) =
            among_reads(server.address, &reader, || creates(server.address, &writer, &bodies))?;
        attacked.add(&creates);
        reads_a_second.push(reads.answered as f64 / seconds);
        reads_failed.push(reads.failed as f64 / reads.answered.max(1) as f64 * 100.0);
    }
    let what = format!(
        "create, p99, while {READERS} connections of another organisation ask for pages of {} processes",
        in_thousands(count)
    );
    Ok(vec![
        Figure::new("pg.reads.create.p99", what, Unit::Milliseconds, &attacked.p99),
        Figure::new("pg.reads.create.p50", "… p50", Unit::Milliseconds, &attacked.p50),
        Figure::new("pg.reads.create.quiet.p99", "… p99 without them", Unit::Milliseconds, &quiet.p99),
        Figure::new("pg.reads.create.quiet.p50", "… p50 without them", Unit::Milliseconds, &quiet.p50),
        Figure::new(
            "pg.reads.create.of_quiet",
            "… p99 as a multiple of that without them",
            Unit::Ratio,
            &ratios(&attacked.p99, &quiet.p99),
        )
        .at_most(2.0),
        Figure::new(
            "pg.reads.create.failed",
            "… creates that were answered with 5xx",
            Unit::Count,
            &attacked.failed,
        )
        .at_most(0.0),
        Figure::new("pg.reads.answers", "… pages that were answered", Unit::PerSecond, &reads_a_second),
        Figure::new(
            "pg.reads.answers.failed",
            "… of these with 5xx, in hundredths",
            Unit::Count,
            &reads_failed,
        ),
    ])
}

/// Adds the other organisation and its supplier, and returns its key.
fn other(installation: &Installation) -> Result<String, Error> {
    installation.command(&["organisation", "add", OTHER])?;
    installation.command(&["supplier", "add", OTHER_SUPPLIER, "--organisation", OTHER])?;
    let issued = installation.command(&["api-key", "issue", "--organisation", OTHER])?;
    Ok(issued["api_key"].as_str().unwrap_or_default().to_owned())
}

/// Accounts that have not been created yet.
struct Accounts {
    account: Value,
    made: usize,
}

impl Accounts {
    fn new() -> Result<Self, Error> {
        let mut account = with_readings(READINGS)?;
        account["import_supplier"] = json!(OTHER_SUPPLIER);
        Ok(Self { account, made: 0 })
    }

    fn next(&mut self, count: usize) -> Vec<String> {
        let first = self.made;
        self.made += count;
        (first..self.made).map(|n| numbered(self.account.clone(), n).to_string()).collect()
    }
}

/// Creates accounts at a fixed rate over a few connections. A late create is timed from when it was due.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn creates(address: SocketAddr, token: &str, bodies: &[String]) -> Result<Creates, Error> {
    let head = format!(
        "POST /v2/data-import/accounts/ HTTP/1.1\r\nHost: {address}\r\nAuthorization: Token {token}\r\n\
         Content-Type: application/json\r\n"
    );
    let start = Instant::now();
    let writer = |place: usize| -> Result<Creates, Error> {
        let mut connection = Connection::open(address).map_err(failed)?;
        let mut creates = Creates::default();
        for (n, body) in (0..).zip(bodies).skip(place).step_by(WRITERS) {
            let due = start + INTERVAL * n;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            match connection.post(&head, body) {
                Ok((201, _)) => {}
                Ok((500.., _)) => creates.failed += 1,
                Ok((status, answer)) => {
                    return Err(Error::Bench(format!("a create was answered with {status}: {answer}")));
                }
                Err(_) => {
                    creates.failed += 1;
                    connection = Connection::open(address).map_err(failed)?;
                }
            }
            creates.milliseconds.push(due.elapsed().as_secs_f64() * 1e3);
        }
        Ok(creates)
    };
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS).map(|place| scope.spawn(move || writer(place))).collect();
        let mut all = Creates::default();
        for writer in writers {
            let creates = writer.join().map_err(|_| failed("a writer ended in a panic"))??;
            all.milliseconds.extend(creates.milliseconds);
            all.failed += creates.failed;
        }
        Ok(all)
    })
}

/// Does some work while pages are read. Returns its result, the reads and their duration in seconds.
fn among_reads<T>(
    address: SocketAddr,
    token: &str,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<(T, Reads, f64), Error> {
    let (is_over, start) = (&AtomicBool::new(false), Instant::now());
    std::thread::scope(|scope| {
        let reader = |first| move || read_pages(address, token, first, is_over);
        let readers: Vec<_> = (0..READERS).map(|first| scope.spawn(reader(first))).collect();
        std::thread::sleep(LEAD);
        let done = work();
        is_over.store(true, Ordering::Relaxed);
        let mut all = Reads::default();
        for reader in readers {
            let reads = reader.join().map_err(|_| failed("a reader ended in a panic"))??;
            all.answered += reads.answered;
            all.failed += reads.failed;
        }
        Ok((done?, all, start.elapsed().as_secs_f64()))
    })
}

/// Requests one page after the other, and connects again if the connection is closed.
fn read_pages(address: SocketAddr, token: &str, first: usize, is_over: &AtomicBool) -> Result<Reads, Error> {
    let mut reads = Reads::default();
    let mut connection = Connection::open(address).map_err(failed)?;
    for query in QUERIES.iter().cycle().skip(first % QUERIES.len()) {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let path = format!("/v2/data-import/accounts/{SUPPLIER}/?{query}");
        match connection.get(&path, token) {
            Ok((400, answer)) => return Err(Error::Bench(format!("{path} was refused: {answer}"))),
            Ok((status, _)) => {
                reads.answered += 1;
                reads.failed += usize::from(status >= 500);
            }
            Err(_) => connection = Connection::open(address).map_err(failed)?,
        }
    }
    Ok(reads)
}

impl Rounds {
    fn add(&mut self, creates: &Creates) {
        self.p50.push(percentile(&creates.milliseconds, 50));
        self.p99.push(percentile(&creates.milliseconds, 99));
        self.failed.push(creates.failed as f64);
    }
}
