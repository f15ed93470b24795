use super::cluster::{PostgresCluster, failed};
use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::{Connection, create_all};
use crate::server::{Installation, Server};
use crate::stats::{in_thousands, percentile};
use chrono::{DateTime, Utc};
use cutover_testkit_postgres::Session;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

const ACCOUNTS: u64 = 100_000;
const DATABASE: &str = "feed";
const CONNECTIONS: usize = 16;
/// Number of servers that create accounts, and of those that import them.
const EACH: usize = 2;
/// Interval between kills of a worker.
const KILL_INTERVAL: Duration = Duration::from_secs(1);
/// Time for which a transaction of another program stays open after it has written.
const FOREIGN: Duration = Duration::from_secs(30);
/// Time before that transaction begins.
const LEAD: Duration = Duration::from_secs(5);
/// Longest time without a new event.
const TIMEOUT: Duration = Duration::from_secs(120);
const CREATED: &str = "account_import_process.created";
const PROCESSED: &str = "account_import_process.processed";

/// An event as the reader got it.
struct Seen {
    id: String,
    at: DateTime<Utc>,
    /// Time from what happened to the answer with the event.
    milliseconds: f64,
}

/// Events of a run, and from when to when the transaction of the other program was open.
type Run = (Vec<Seen>, Range<DateTime<Utc>>);

/// Two servers that create, two that import and of which one is killed every second, a transaction that has written
/// and stays open, and a reader that polls all the time. It must get the creation and the import of each account once,
/// in this order, and in the order in which they are read again from the beginning.
pub(crate) fn measure(args: &Args) -> Result<Vec<Figure>, Error> {
    let (mut longest, mut p99, mut held_up) = (Vec::new(), Vec::new(), Vec::new());
    let count = args.payloads(ACCOUNTS);
    for _ in 0..args.rounds {
        let (seen, open) = run(args, count)?;
        let (during, outside): (Vec<_>, Vec<_>) = seen.iter().partition(|event| open.contains(&event.at));
        let of = |events: &[&Seen]| events.iter().map(|event| event.milliseconds).collect::<Vec<_>>();
        let (during, outside) = (of(&during), of(&outside));
        longest.push(percentile(&outside, 100));
        p99.push(percentile(&outside, 99));
        held_up.push(percentile(&during, 100));
    }
    let what = format!(
        "events of {} accounts from four nodes, a worker of which is killed every second: longest delay",
        in_thousands(count)
    );
    Ok(vec![
        Figure::new("pg.feed.delay.longest", what, Unit::Milliseconds, &longest),
        Figure::new("pg.feed.delay.p99", "… p99", Unit::Milliseconds, &p99),
        Figure::new(
            "pg.feed.delay.held_up",
            "… the longest while a transaction that has written stays open for 30 s",
            Unit::Milliseconds,
            &held_up,
        ),
    ])
}

fn run(args: &Args, count: usize) -> Result<Run, Error> {
    let cluster = PostgresCluster::start(&[])?;
    cluster.create(DATABASE)?;
    cluster.sql(DATABASE, "CREATE TABLE foreign_rows (id bigint)")?;
    let installation = Installation::on(args, "bench-pg-feed", cluster.url(DATABASE))?;
    let issued =
        installation.command(&["api-key", "issue", "--organisation", "Bench", "--role", "reader"])?;
    let serve = |role: &str| installation.serve(false, &["--role", role]);
    let writers = (0..EACH).map(|_| serve("api")).collect::<Result<Vec<_>, _>>()?;
    let workers = (0..EACH).map(|_| serve("worker")).collect::<Result<Vec<_>, _>>()?;
    let reader = &writers[0];
    let token = reader.token(issued["api_key"].as_str().unwrap_or_default())?;
    let file = args.generator()?.accounts(count)?;
    let lines = BufReader::new(std::fs::File::open(&file).map_err(Error::file("open", &file))?).lines();
    let bodies = lines.collect::<Result<Vec<_>, _>>().map_err(Error::file("read", &file))?;
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let share = bodies.chunks(count.div_ceil(EACH));
    let create = |(writer, bodies): (&Server, &[&str])| {
        create_all(writer.address, &installation.token(writer)?, bodies, CONNECTIONS)
    };
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let creates: Vec<_> =
            writers.iter().zip(share).map(|work| scope.spawn(move || create(work))).collect();
        let killer = scope.spawn(|| kill(workers, &is_done, || serve("worker")));
        let foreign = scope.spawn(|| hold(&cluster));
        let seen = follow(reader.address, &token, count);
        is_done.store(true, Ordering::Relaxed);
        for create in creates {
            joined(create)?;
        }
        println!("  {} workers were killed", joined(killer)?);
        let open = joined(foreign)?;
        let seen = seen?;
        again(reader.address, &token, &seen)?;
        Ok((seen, open))
    })
}

fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, Error>>) -> Result<T, Error> {
    thread.join().unwrap_or_else(|_| Err(Error::Bench("a thread panicked".into())))
}

/// Kills a worker every second and starts another.
fn kill(
    mut workers: Vec<Server>,
    is_done: &AtomicBool,
    serve: impl Fn() -> Result<Server, Error>,
) -> Result<usize, Error> {
    let mut kills = 0;
    while !is_done.load(Ordering::Relaxed) {
        std::thread::park_timeout(KILL_INTERVAL);
        // Dropping a server kills it.
        drop(workers.remove(0));
        workers.push(serve()?);
        kills += 1;
    }
    Ok(kills)
}

/// Keeps a transaction open that has written. Returns from when to when.
fn hold(cluster: &PostgresCluster) -> Result<Range<DateTime<Utc>>, Error> {
    std::thread::park_timeout(LEAD);
    let mut session = Session::open(&cluster.url(DATABASE)).map_err(failed)?;
    session.run("BEGIN; INSERT INTO foreign_rows VALUES (1)").map_err(failed)?;
    let begin = now();
    std::thread::park_timeout(FOREIGN);
    let end = now();
    session.run("COMMIT").map_err(failed)?;
    Ok(begin..end)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the delay of an event is a difference of times of the same machine"
)]
fn now() -> DateTime<Utc> {
    Utc::now()
}

/// Reads events until every account is imported.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn follow(address: SocketAddr, token: &str, count: usize) -> Result<Vec<Seen>, Error> {
    let mut reader = Reader::open(address, token)?;
    let (mut seen, mut states) = (Vec::new(), HashMap::<String, bool>::new());
    let (mut imported, mut progress) = (0, Instant::now());
    while imported < count {
        if progress.elapsed() > TIMEOUT {
            return Err(failed(format!("no event for {TIMEOUT:?}; {imported} accounts are imported")));
        }
        let events = reader.page()?;
        let arrival = now();
        for event in &events {
            progress = Instant::now();
            let text = |name: &str| event[name].as_str().unwrap_or_default();
            let number = text("external_account_number").to_owned();
            match (text("type"), states.get(&number)) {
                (CREATED, None) => states.insert(number, false),
                (PROCESSED, Some(false)) => {
                    imported += 1;
                    states.insert(number, true)
                }
                _ => return Err(failed(format!("the event {event} is one too many, or too early"))),
            };
            let at: DateTime<Utc> = text("occurred_at").parse().map_err(failed)?;
            let milliseconds = (arrival - at).to_std().unwrap_or_default().as_secs_f64() * 1_000.0;
            seen.push(Seen { id: text("id").to_owned(), at, milliseconds });
        }
    }
    Ok(seen)
}

/// Reads all events once more, and compares their order.
fn again(address: SocketAddr, token: &str, seen: &[Seen]) -> Result<(), Error> {
    let mut reader = Reader::open(address, token)?;
    let mut expected = seen.iter();
    loop {
        let events = reader.page()?;
        if events.is_empty() {
            return match expected.next() {
                None => Ok(()),
                Some(missing) => Err(failed(format!("the event {} is missing when read again", missing.id))),
            };
        }
        for event in events {
            if expected.next().is_none_or(|expected| event["id"] != *expected.id) {
                return Err(failed(format!("the event {event} is at another place when read again")));
            }
        }
    }
}

/// A reader of the feed.
struct Reader<'t> {
    connection: Connection,
    token: &'t str,
    after: Option<String>,
}

impl<'t> Reader<'t> {
    fn open(address: SocketAddr, token: &'t str) -> Result<Self, Error> {
        Ok(Self { connection: Connection::open(address).map_err(failed)?, token, after: None })
    }

    /// Returns the events after those that it has read.
    fn page(&mut self) -> Result<Vec<Value>, Error> {
        let after = self.after.as_ref().map(|id| format!("&after={id}")).unwrap_or_default();
        let path = format!("/v2/data-import/events/?page_size=1000{after}");
        let (status, body) = self.connection.get(&path, self.token).map_err(failed)?;
        if status != 200 {
            return Err(failed(format!("the feed answered {status}: {body}")));
        }
        let events: Vec<Value> = serde_json::from_str(&body).map_err(failed)?;
        if let Some(last) = events.last() {
            self.after = last["id"].as_str().map(str::to_owned);
        }
        Ok(events)
    }
}
