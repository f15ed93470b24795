//! Suppliers and processes written straight into a database, which no server may be using.

use crate::error::Error;
use crate::postgres::PostgresCluster;
use crate::program;
use crate::server::Installation;

/// Code of the second supplier of a bench, which has few accounts.
pub(crate) const SMALL: &str = "SMALL";

/// A database to write into.
#[derive(Clone, Copy)]
pub(crate) enum Target<'a> {
    Sqlite(&'a Installation),
    /// A database of a cluster, by its name.
    Postgres(&'a PostgresCluster, &'a str),
}

/// States as a migration that has come far leaves them: 70% imported, 15% waiting, 10% failed, 5% cancelled.
/// All states are SQL expressions of the process's number `i`.
pub(crate) const MIXED: &str = "CASE WHEN i % 20 < 14 THEN 'PROCESSED' WHEN i % 20 < 17 THEN 'PENDING' \
    WHEN i % 20 < 19 THEN 'ERRORED' ELSE 'CANCELLED' END";
/// States of processes that have all ended.
pub(crate) const ENDED: &str =
    "CASE WHEN i % 20 < 18 THEN 'PROCESSED' WHEN i % 20 = 18 THEN 'ERRORED' ELSE 'CANCELLED' END";
/// States after a rehearsal of all accounts.
pub(crate) const REHEARSED: &str = "'DRY_RUN_SUCCEEDED'";
/// States of processes that have been due since yesterday.
pub(crate) const PENDING: &str = "'PENDING'";

/// Code of failed processes. Failures are spread evenly over 40 codes, `bench_0` to `bench_39`.
pub(crate) const FAILURE: &str = "bench_7";
/// Number of the code of a failed process `i`.
const CAUSE: &str = "(i / 20 % 40)";

/// 1 November 2026, in microseconds since 1970.
const START: u64 = 1_793_491_200_000_000;

/// Adds suppliers to the first organisation, named `BENCH_1` and so on.
pub(crate) fn suppliers(target: Target<'_>, count: u64) -> Result<(), Error> {
    let (numbers, no, now) = match target {
        Target::Sqlite(_) => {
            let numbers =
                format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})");
            (numbers, "0", START.to_string())
        }
        Target::Postgres(..) => {
            (format!("WITH n AS (SELECT i FROM generate_series(1, {count}) AS i)"), "false", "now()".into())
        }
    };
    let statement = format!(
        "{numbers} INSERT INTO suppliers (organisation_id, code, status, document_root, verify_documents, \
           send_customer_emails, dry_run, time_zone, created_at) \
         SELECT (SELECT min(id) FROM organisations), 'BENCH_' || i, 'Ongoing', '/BENCH_' || i, {no}, {no}, {no}, \
           'Australia/Melbourne', {now} FROM n;"
    );
    match target {
        Target::Sqlite(installation) => sqlite3(installation, &[&statement]).map(drop),
        Target::Postgres(cluster, database) => cluster.sql(database, &statement).map(drop),
    }
}

/// Adds processes of one supplier, a millisecond apart, numbered from `first`.
pub(crate) fn processes_of(
    target: Target<'_>,
    supplier: &str,
    state: &str,
    first: u64,
    count: u64,
) -> Result<(), Error> {
    write(target, &format!("'{supplier}'"), state, first, count)
}

/// Adds processes of these suppliers in rotation: the one of the number `i` belongs to `BENCH_(i % suppliers
/// + 1)`.
pub(crate) fn processes(target: Target<'_>, suppliers: u64, state: &str, count: u64) -> Result<(), Error> {
    write(target, &format!("'BENCH_' || (i % {suppliers} + 1)"), state, 1, count)
}

/// Adds processes by SQL expressions for the code of their supplier and for their state.
fn write(target: Target<'_>, supplier: &str, state: &str, first: u64, count: u64) -> Result<(), Error> {
    let last = first + count - 1;
    match target {
        Target::Sqlite(installation) => {
            let statement = sqlite_statement(supplier, state, first, last);
            let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;";
            sqlite3(installation, &[settings, &statement, "ANALYZE;"]).map(drop)
        }
        Target::Postgres(cluster, database) => {
            cluster.sql(database, &postgres_statement(supplier, state, first, last))?;
            cluster.settle(database)
        }
    }
}

fn sqlite_statement(supplier: &str, state: &str, first: u64, last: u64) -> String {
    format!(
        "WITH RECURSIVE n(i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {last}), \
         p AS (SELECT i, {START} + i * 1000 AS t, {state} AS s FROM n) \
         INSERT INTO processes (id, supplier_id, external_account_number, state, attempt, tries, version, \
           is_dry_run, due_at, created_at, modified_at, latest_event_at, error_code, error_detail, \
           error_causes, service_account_number, fingerprint) \
         SELECT i, (SELECT id FROM suppliers WHERE code = {supplier}), printf('X-%08d', i), s, 1, 1, 2, 0, \
           t, t, t + 5000, t + 5000, iif(s = 'ERRORED', 'import_process_failed_validation', NULL), \
           iif(s = 'ERRORED', 'The account failed validation.', NULL), \
           iif(s = 'ERRORED', '[[\"bench_' || {CAUSE} || '\",\"customers.#.mobile\",0]]', NULL), \
           iif(s = 'PROCESSED', printf('A-%08d', i), NULL), zeroblob(32) FROM p;"
    )
}

/// Writes the first entry of each process's history as well.
fn postgres_statement(supplier: &str, state: &str, first: u64, last: u64) -> String {
    let start = if state == PENDING {
        "now() - interval '1 day'".to_owned()
    } else {
        format!("to_timestamp({START} / 1000000)")
    };
    format!(
        "WITH p AS MATERIALIZED (\
         SELECT nextval('process_ids') AS id, s.id AS supplier, 'X-' || lpad(i::text, 8, '0') AS number, \
           {state} AS state, {start} + i * interval '1 ms' AS at, {CAUSE} AS cause \
           FROM generate_series({first}, {last}) AS i JOIN suppliers AS s ON s.code = {supplier}), made AS (\
         INSERT INTO processes (id, supplier_id, external_account_number, state, attempt, tries, version, \
           is_dry_run, due_at, created_at, modified_at, latest_event_at, error_code, error_detail, \
           error_causes, service_account_number, fingerprint) \
         SELECT id, supplier, number, state, 0, 0, 1, state = 'DRY_RUN_SUCCEEDED', at, at, at, at, \
           CASE WHEN state = 'ERRORED' THEN 'import_process_failed_validation' END, \
           CASE WHEN state = 'ERRORED' THEN 'The account failed validation.' END, \
           CASE WHEN state = 'ERRORED' THEN '[[\"bench_' || cause || '\",\"customers.#.mobile\",0]]' END, \
           CASE WHEN state = 'PROCESSED' THEN 'A-' || lpad(id::text, 8, '0') END, \
           decode(repeat('00', 32), 'hex') FROM p ORDER BY id) \
         INSERT INTO process_history (process_id, version, event, from_state, to_state, occurred_at, attempt, \
           actor) SELECT id, 1, 'created', NULL, 'PENDING', at, 0, 'system' FROM p"
    )
}

/// Runs statements in the `sqlite3` shell and returns its output.
pub(crate) fn sqlite3(installation: &Installation, statements: &[&str]) -> Result<String, Error> {
    let mut command = program::command("sqlite3");
    command.arg("-batch").arg("-csv").arg(installation.database()).args(statements);
    program::output(command).ok_or_else(|| Error::Bench("the sqlite3 shell is missing, or failed".into()))
}
