use crate::create::Rows;
use crate::error::Error;
use crate::figure::{A_CPU_SECOND, A_SECOND, Figure, RATIO, in_thousands, ratios};
use crate::load::{bulk, curl, numbered};
use crate::server::{Installation, Server};
use crate::store::{Cost, Store};
use crate::{Args, pgbench, program};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Accounts that a round imports.
const ACCOUNTS: usize = 10_000;
/// Interval between reads of the workers' progress.
const POLL: Duration = Duration::from_millis(50);
/// Time without an import after which the measurement fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Imports by the workers of one process.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(crate) fn measure(args: &Args, store: &Store) -> Result<Vec<Figure>, Error> {
    let count = args.count(ACCOUNTS);
    let files = [numbered("import", 0, count)?];
    let (mut accounts, mut rows, mut limit) = (Rows::default(), Rows::default(), Rows::default());
    let (mut peaks, mut rows_each) = (Vec::new(), Vec::new());
    for _ in args.rounds() {
        let (added, cost, peak) = import(args, store, &files, count)?;
        accounts.add(count as f64, &cost);
        rows.add(added, &cost);
        rows_each.push(added / count as f64);
        peaks.push(peak);
        if let Store::Postgres { .. } = store {
            let (readings, cost) = pgbench::readings(store, 1, args.seconds(5))?;
            limit.add(readings, &cost);
        }
    }
    let (name, counted) = (store.name(), store.counted());
    let what = format!("import of {} M accounts on {name} by one process", in_thousands(count));
    let mut figures = vec![
        Figure::new(what, A_SECOND, &accounts.a_second),
        Figure::new(format!("… of {counted}"), A_CPU_SECOND, &accounts.a_cpu_second),
        Figure::new("… rows for each", "", &rows_each),
        Figure::new("… the server's memory at its peak", " MB", &peaks).at_most(200.0),
    ];
    let written = match store {
        Store::Sqlite => "… written to the disk for each",
        Store::Postgres { .. } => {
            let ratio = ratios(&rows.a_cpu_second, &limit.a_cpu_second);
            let what = "… rows a CPU second, as a multiple of pgbench's in one table, 40 a commit";
            figures.push(Figure::new(what, RATIO, &ratio));
            "… write-ahead log for each"
        }
    };
    figures.push(Figure::new(written, " bytes", &accounts.written));
    Ok(figures)
}

/// Creates accounts, then imports them. Returns the rows that were added, the cost, and the peak of the memory in MB.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn import(args: &Args, store: &Store, files: &[PathBuf], count: usize) -> Result<(f64, Cost, f64), Error> {
    let installation = store.install(args)?;
    {
        let server = installation.serve(&["--role", "api"])?;
        bulk(server.address, &installation.token(&server)?, files, count)?;
    }
    if let Store::Postgres { .. } = store {
        // Filled tables are vacuumed at some time: here, so that it does not happen during the test.
        store.sql(&installation, "VACUUM (ANALYZE) processes, payloads, process_history")?;
    }
    let before = rows(store, &installation)?;
    let server = installation.serve(&["--role", "all"])?;
    let ((), cost) = store.cost_of(Some(&server), || wait(&server, count as u64))?;
    let peak = server.peak_memory()?;
    drop(server);
    Ok((rows(store, &installation)? - before, cost, peak))
}

/// Waits until a server has imported so many accounts.
fn wait(server: &Server, accounts: u64) -> Result<(), Error> {
    let (mut processed, mut moved) = (0, Instant::now());
    while processed < accounts {
        std::thread::park_timeout(POLL);
        let metrics = program::output(curl(server.address, "/metrics", None))?;
        let now = counter(&metrics, "cutover_worker_accounts_processed_total")?;
        let errored = counter(&metrics, "cutover_worker_processes_errored_total")?;
        if now > processed {
            (processed, moved) = (now, Instant::now());
        }
        if errored > 0 || moved.elapsed() > PATIENCE {
            return Err(Error::Bench(format!("{processed} accounts were imported, {errored} failed")));
        }
    }
    Ok(())
}

fn counter(metrics: &str, name: &str) -> Result<u64, Error> {
    let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    value.ok_or_else(|| Error::Bench(format!("there is no metric {name}")))
}

/// Counts the rows of all tables.
fn rows(store: &Store, installation: &Installation) -> Result<f64, Error> {
    let tables = match store {
        Store::Sqlite => {
            "SELECT group_concat('(SELECT count(*) FROM \"' || name || '\")', ' + ') FROM sqlite_schema \
             WHERE type = 'table'"
        }
        Store::Postgres { .. } => {
            "SELECT string_agg(format('(SELECT count(*) FROM %I)', relname), ' + ') FROM pg_class \
             WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        }
    };
    let counts = store.sql(installation, tables)?;
    // The shell of SQLite puts a text with quotes into quotes.
    let counts = counts.trim().trim_matches('"').replace("\"\"", "\"");
    store.number(installation, &format!("SELECT {counts}"))
}
