use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::create_all;
use crate::postgres::{PostgresCluster, Rows, Staged, unnest};
use crate::server::Installation;
use crate::stats::in_thousands;
use std::time::{Duration, Instant};

/// Accounts that are imported on SQLite.
const ACCOUNTS: u64 = 10_000;
/// Accounts that a round imports on PostgreSQL.
const POSTGRES_ACCOUNTS: u64 = 5_000;
/// Rows that the yardstick writes in a round; it has no more.
const ROWS: u64 = 100_000;

/// Creates accounts, then imports them with the workers of one process.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(crate) fn on_sqlite(args: &Args) -> Result<Vec<Figure>, Error> {
    let count = args.payloads(ACCOUNTS);
    let text = args.kit()?.read_accounts(count)?;
    let bodies: Vec<&str> = text.lines().collect();
    let installation = Installation::new(args, "bench-import")?;
    {
        let server = installation.serve(false, &["--role", "api"])?;
        let token = installation.token(&server)?;
        create_all(server.address, &token, &bodies, 32)?;
    }
    let start = Instant::now();
    let server = installation.serve(false, &["--role", "all"])?;
    while pending(&installation)? {
        if start.elapsed() > Duration::from_secs(600) {
            return Err(Error::Bench("the import did not end within ten minutes".into()));
        }
        std::thread::park_timeout(Duration::from_millis(250));
    }
    let seconds = start.elapsed().as_secs_f64();
    let written = server.written_bytes().map(|bytes| bytes as f64 / count as f64);
    let written = written
        .ok_or_else(|| Error::Bench("cannot read the number of bytes that the server wrote".into()))?;
    let peak = server.peak_megabytes().map(|mb| mb as f64);
    let peak = peak.ok_or_else(|| Error::Bench("cannot read the memory of the server".into()))?;
    Ok(vec![
        Figure::new(
            "import.sqlite",
            format!("import of {} M accounts on SQLite", in_thousands(count)),
            Unit::PerSecond,
            &[count as f64 / seconds],
        ),
        Figure::new("import.sqlite.memory", "… the server's memory at its peak", Unit::Megabytes, &[peak])
            .at_most(200.0),
        Figure::new(
            "import.sqlite.written",
            "… what it writes to the disk for an account, its write-ahead log included",
            Unit::Bytes,
            &[written],
        ),
    ])
}

/// Imports by one process, in turn with rows of one table from Python.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(crate) fn on_postgres(args: &Args) -> Result<Vec<Figure>, Error> {
    let (kit, cluster) = (args.kit()?, PostgresCluster::start(&[])?);
    let staged = Staged::prepare(args, &kit, &cluster, args.count(POSTGRES_ACCOUNTS))?;
    let (accounts, count) = (staged.accounts as f64, args.count(ROWS));
    let (mut ours, mut theirs) = (Rows::default(), Rows::default());
    let (mut rate, mut rows_each) = (Vec::new(), 0.0);
    for _ in 0..args.rounds {
        let imported = staged.import(1, None)?;
        rate.push(accounts / imported.cost.seconds);
        rows_each = imported.rows / accounts;
        ours.add((imported.rows, imported.cost));
        theirs.add((count as f64, unnest(&kit, &cluster, count)?));
    }
    let what = "import by one process, M accounts on PostgreSQL, rows of all tables";
    let mut figures = vec![
        ours.a_cpu_second("pg.import.rows", what),
        ours.ratio("pg.import.of_unnest", "… as a multiple of the kit's UNNEST of 40, one table", &theirs)
            .at_least(0.7),
        Figure::new("pg.import.accounts", "… accounts", Unit::PerSecond, &rate),
        Figure::new("pg.import.rows_each", "… rows an account", Unit::Count, &[rows_each]),
    ];
    figures.extend(ours.further("pg.import"));
    Ok(figures)
}

/// Returns true while anything is still to be imported.
fn pending(installation: &Installation) -> Result<bool, Error> {
    for status in ["PENDING", "IN_PROGRESS"] {
        let list = installation.command(&["process", "list", "ACME_ENERGY", "--status", status])?;
        if list.as_array().is_none_or(|list| !list.is_empty()) {
            return Ok(true);
        }
    }
    Ok(false)
}
