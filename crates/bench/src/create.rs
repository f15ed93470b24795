use crate::Args;
use crate::error::Error;
use crate::figure::{A_CPU_SECOND, A_SECOND, Figure, RATIO, ratios};
use crate::load::{Load, bulk, numbered, templates};
use crate::server::Installation;
use crate::store::{Cost, Store};
use crate::{peers, pgbench, program};
use cutover_bench::accounts::Size;
use std::path::PathBuf;

const CONNECTIONS: usize = 32;
const PATH: &str = "/v2/data-import/accounts/";
/// Different accounts of the load.
const ACCOUNTS: usize = 200;
/// Accounts that each of two connections creates in bulk.
const BULK: usize = 10_000;

/// Rows that were written durably, round by round.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) a_second: Vec<f64>,
    pub(crate) a_cpu_second: Vec<f64>,
    pub(crate) written: Vec<f64>,
}

impl Rows {
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(crate) fn add(&mut self, rows: f64, cost: &Cost) {
        self.a_second.push(rows / cost.seconds);
        self.a_cpu_second.push(rows / cost.cpu);
        self.written.push(cost.written / rows);
    }
}

/// Durable creates over HTTP, single and in bulk, next to plain inserts into the same database.
pub(crate) fn measure(args: &Args, store: &Store) -> Result<Vec<Figure>, Error> {
    if let Store::Sqlite = store {
        // Known before minutes are spent on our own figures.
        peers::python("python3")?;
    }
    let file = templates(Size::M, ACCOUNTS, false)?;
    let count = args.count(BULK);
    let files = [numbered("bulk-1", 0, count)?, numbered("bulk-2", count, count)?];
    let (mut single, mut in_bulk, mut stored) = (Rows::default(), Rows::default(), Vec::new());
    let (mut limit, mut jsonb) = (Rows::default(), Rows::default());
    for _ in args.rounds() {
        let (rows, cost) = singly(args, store, &file)?;
        single.add(rows, &cost);
        let (rows, cost, bytes) = at_once(args, store, &files, count)?;
        in_bulk.add(rows, &cost);
        stored.push(bytes);
        match store {
            Store::Sqlite => limit.a_second.push(hundred_a_commit(args)?),
            Store::Postgres { .. } => {
                for (rows, kind) in [(&mut limit, "bytea"), (&mut jsonb, "jsonb")] {
                    let (count, cost) = pgbench::creates(store, kind, CONNECTIONS, args.seconds(5))?;
                    rows.add(count, &cost);
                }
            }
        }
    }
    let (name, counted) = (store.name(), store.counted());
    let what =
        format!("durable creates on {name}, {CONNECTIONS} connections, M accounts, checked and compressed");
    let mut figures = vec![
        Figure::new(what, A_SECOND, &single.a_second),
        Figure::new(format!("… of {counted}"), A_CPU_SECOND, &single.a_cpu_second),
    ];
    let ratio = |what: &str, ours: &[f64], theirs: &[f64]| Figure::new(what, RATIO, &ratios(ours, theirs));
    if let Store::Sqlite = store {
        let what = "… a second, as a multiple of plain inserts with 100 rows a commit";
        figures.push(ratio(what, &single.a_second, &limit.a_second).at_least(0.6));
    } else {
        let what = "… a CPU second, as a multiple of pgbench with compressed payloads, as many clients";
        figures.push(ratio(what, &single.a_cpu_second, &limit.a_cpu_second).at_least(0.8));
        let what = "… of pgbench with jsonb";
        figures.push(ratio(what, &single.a_cpu_second, &jsonb.a_cpu_second).at_least(1.0));
    }
    let written = match store {
        Store::Sqlite => "… written to the disk for each",
        Store::Postgres { .. } => "… write-ahead log for each",
    };
    figures.extend([
        Figure::new(written, " bytes", &single.written),
        Figure::new("the same in bulk over 2 connections", A_SECOND, &in_bulk.a_second),
        Figure::new(format!("… of {counted}"), A_CPU_SECOND, &in_bulk.a_cpu_second),
        Figure::new("growth of the database for each", " bytes", &stored),
    ]);
    Ok(figures)
}

/// Single creates for some seconds. Returns their number and cost.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn singly(args: &Args, store: &Store, file: &PathBuf) -> Result<(f64, Cost), Error> {
    let installation = store.install(args)?;
    let server = installation.serve(&["--role", "api"])?;
    let token = installation.token(&server)?;
    let load = Load {
        address: server.address,
        paths: &[PATH],
        token: Some(&token),
        file,
        connections: CONNECTIONS,
        seconds: args.seconds(5),
        is_pinned: false,
    };
    let (answers, mut cost) = store.cost_of(Some(&server), || load.run())?;
    cost.seconds = answers.seconds;
    drop(server);
    // The last requests were not waited for.
    let stored = count(store, &installation)?;
    if answers.refused > 0.0 || (stored - answers.answered).abs() > CONNECTIONS as f64 {
        return Err(Error::Bench(format!("{stored} accounts are stored: {answers:?}")));
    }
    Ok((answers.answered, cost))
}

/// Creates in bulk. Returns their number, cost, and the bytes that each adds to the database.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn at_once(args: &Args, store: &Store, files: &[PathBuf], lines: usize) -> Result<(f64, Cost, f64), Error> {
    let installation = store.install(args)?;
    let before = size(store, &installation)?;
    let server = installation.serve(&["--role", "api"])?;
    let token = installation.token(&server)?;
    let ((), cost) = store.cost_of(Some(&server), || bulk(server.address, &token, files, lines))?;
    drop(server);
    let stored = count(store, &installation)?;
    Ok((stored, cost, (size(store, &installation)? - before) / stored))
}

fn count(store: &Store, installation: &Installation) -> Result<f64, Error> {
    store.number(installation, "SELECT count(*) FROM payloads JOIN processes ON id = process_id")
}

/// Bytes of the database.
fn size(store: &Store, installation: &Installation) -> Result<f64, Error> {
    store.number(
        installation,
        match store {
            Store::Sqlite => "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
            Store::Postgres { .. } => "SELECT pg_database_size(current_database())",
        },
    )
}

/// Rows a second of the limit on SQLite.
fn hundred_a_commit(args: &Args) -> Result<f64, Error> {
    let file = numbered("limit", 0, ACCOUNTS)?;
    let mut command = program::command(peers::python("python3")?);
    command.arg("bench/limits/sqlite.py").arg(file).arg(program::folder()).arg(args.seconds(3).to_string());
    program::output(command)?.trim().parse().map_err(Error::of)
}
