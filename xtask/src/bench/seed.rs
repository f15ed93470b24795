use super::server::Installation;
use crate::cargo;
use crate::error::Error;

/// The second supplier of a bench, with few accounts.
pub(super) const SMALL: &str = "SMALL";

/// Writes processes straight into the database, as a migration that has come far leaves them: 70% imported,
/// 20% waiting, 5% failed, 5% cancelled, a millisecond apart. No server may be running.
pub(super) fn processes(
    installation: &Installation,
    supplier: &str,
    first: u64,
    count: u64,
) -> Result<(), Error> {
    let state = "CASE WHEN i % 20 < 14 THEN 'PROCESSED' WHEN i % 20 < 18 THEN 'PENDING' \
                 WHEN i % 20 = 18 THEN 'ERRORED' ELSE 'CANCELLED' END";
    write(installation, &format!("'{supplier}'"), state, first, count)
}

/// Suppliers of the first organisation, named `BENCH_1` and so on.
pub(super) fn suppliers(installation: &Installation, count: u64) -> Result<(), Error> {
    let statement = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) \
         INSERT INTO suppliers (organisation_id, code, status, document_root, verify_documents, \
           send_customer_emails, dry_run, time_zone, created_at) \
         SELECT (SELECT min(id) FROM organisations), 'BENCH_' || i, 'Ongoing', '/BENCH_' || i, 0, 0, 0, \
           'Australia/Melbourne', {START} FROM n;"
    );
    sqlite3(installation, &[&statement]).map(drop)
}

/// Processes that have all ended, of these suppliers in turn: that of the number `i` is of `BENCH_(i % suppliers + 1)`.
pub(super) fn ended(installation: &Installation, suppliers: u64, count: u64) -> Result<(), Error> {
    let state = "CASE WHEN i % 20 < 18 THEN 'PROCESSED' WHEN i % 20 = 18 THEN 'ERRORED' ELSE 'CANCELLED' END";
    write(installation, &format!("'BENCH_' || (i % {suppliers} + 1)"), state, 1, count)
}

/// Microseconds since 1970 of 1 November 2026.
const START: u64 = 1_793_491_200_000_000;

/// Processes by the code of their supplier and their state, both of the number `i`.
fn write(
    installation: &Installation,
    supplier: &str,
    state: &str,
    first: u64,
    count: u64,
) -> Result<(), Error> {
    let last = first + count - 1;
    let statement = format!(
        "WITH RECURSIVE n(i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {last}), \
         p AS (SELECT i, {START} + i * 1000 AS t, {state} AS s FROM n) \
         INSERT INTO processes (id, supplier_id, external_account_number, state, attempt, tries, version, \
           is_dry_run, due_at, created_at, modified_at, latest_event_at, error_code, error_detail, \
           service_account_number, fingerprint) \
         SELECT i, (SELECT id FROM suppliers WHERE code = {supplier}), printf('X-%08d', i), s, 1, 1, 2, 0, \
           t, t, t + 5000, t + 5000, iif(s = 'ERRORED', 'schedule_window_missed', NULL), \
           iif(s = 'ERRORED', 'The window closed before the import began.', NULL), \
           iif(s = 'PROCESSED', printf('A-%08d', i), NULL), zeroblob(32) FROM p;"
    );
    sqlite3(installation, &["PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;", &statement, "ANALYZE;"])
        .map(drop)
}

/// Runs statements in the `sqlite3` shell; what it prints.
pub(super) fn sqlite3(installation: &Installation, statements: &[&str]) -> Result<String, Error> {
    let mut command = cargo::command("sqlite3");
    command.arg("-batch").arg("-csv").arg(installation.database()).args(statements);
    cargo::output(command).ok_or_else(|| Error::Bench("the sqlite3 shell is missing, or failed".into()))
}
