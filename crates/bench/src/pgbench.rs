//! The limit on PostgreSQL: rows by pgbench, one statement a transaction, with their values as literals.

use crate::cpu;
use crate::error::Error;
use crate::program;
use crate::store::{Cost, Store};
use cutover_bench::accounts::{self, Size};
use std::fmt::Write;

/// Tables of the limits.
const TABLES: &str = include_str!("../../../bench/limits/tables.sql");
/// Number of different accounts, each a script.
const SCRIPTS: usize = 10;
/// Level at which payloads are compressed.
const LEVEL: i32 = 3;
/// Readings that are inserted together: as many as an account of size M has.
const READINGS: usize = 40;

/// Inserts a payload and a row of its process in each commit. `kind` is `bytea`, compressed, or `jsonb`.
pub(crate) fn creates(store: &Store, kind: &str, clients: usize, seconds: u64) -> Result<(f64, Cost), Error> {
    let scripts = accounts::templates(Size::M, SCRIPTS).into_iter().map(|account| {
        let literal = match kind {
            "bytea" => hex(&zstd::bulk::compress(account.as_bytes(), LEVEL).map_err(Error::of)?),
            _ => account.replace('\'', "''"),
        };
        Ok(format!(
            "WITH p AS (INSERT INTO limit_payloads_{kind} (body) VALUES ('{literal}') RETURNING id) \
             INSERT INTO limit_processes (number, state, payload) SELECT gen_random_uuid()::text, 'PENDING', id FROM p;\n"
        ))
    });
    run(store, &scripts.collect::<Result<Vec<_>, Error>>()?, clients, seconds)
}

/// Inserts the readings of an account into one table in each commit. Returns the number of rows.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(crate) fn readings(store: &Store, clients: usize, seconds: u64) -> Result<(f64, Cost), Error> {
    let array = |value: fn(usize) -> String| (0..READINGS).map(value).collect::<Vec<_>>().join(",");
    let script = format!(
        "INSERT INTO limit_readings (meter, day, value, kind) SELECT * FROM unnest(\
         '{{{}}}'::bigint[], '{{{}}}'::date[], '{{{}}}'::numeric[], '{{{}}}'::text[]);\n",
        array(|n| (n % 10 + 1).to_string()),
        array(|n| format!("2026-{:02}-{:02}", n % 12 + 1, n % 28 + 1)),
        array(|n| format!("{}.125", 1_000 + n)),
        array(|_| "ROUTINE".into()),
    );
    let (commits, cost) = run(store, &[script], clients, seconds)?;
    Ok((commits * READINGS as f64, cost))
}

/// Runs scripts against new tables. Returns the number of commits and their cost, with pgbench's own CPU seconds.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn run(store: &Store, scripts: &[String], clients: usize, seconds: u64) -> Result<(f64, Cost), Error> {
    let Store::Postgres { cluster, .. } = store else {
        return Err(Error::Bench("pgbench needs PostgreSQL".into()));
    };
    cluster.sql(crate::store::DATABASE, TABLES).map_err(Error::of)?;
    let mut command = store.postgres_program("pgbench")?;
    command.args(["--no-vacuum", "--protocol", "simple", "--jobs", "2"]);
    command.args(["--client", &clients.to_string(), "--time", &seconds.to_string()]);
    for (place, script) in scripts.iter().enumerate() {
        let file = program::folder().join(format!("pgbench-{place}.sql"));
        std::fs::write(&file, script).map_err(Error::file("write", &file))?;
        command.arg("--file").arg(file);
    }
    let (report, mut cost) = store.cost_of(None, || {
        let before = cpu::of_ended();
        let report = program::output(command)?;
        Ok((report, cpu::of_ended() - before))
    })?;
    let (report, own) = report;
    let commits = figure(&report, "actually processed: ")?;
    cost.cpu += own;
    cost.seconds = commits / figure(&report, "tps = ")?;
    Ok((commits, cost))
}

/// Returns the number after some words of a report.
fn figure(report: &str, words: &str) -> Result<f64, Error> {
    let number = report.split_once(words).and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| Error::Bench(format!("pgbench does not say {words:?}: {report}")))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("\\x".to_owned(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
