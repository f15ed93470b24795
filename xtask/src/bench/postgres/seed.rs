use super::site::Site;
use crate::error::Error;

/// Further suppliers of the first organisation, named `BENCH_1` and so on.
pub(in crate::bench) fn suppliers(site: &Site, database: &str, count: u64) -> Result<(), Error> {
    let statement = format!(
        "INSERT INTO suppliers (organisation_id, code, status, document_root, verify_documents, \
           send_customer_emails, dry_run, time_zone, created_at) \
         SELECT (SELECT min(id) FROM organisations), 'BENCH_' || i, 'Ongoing', '/BENCH_' || i, false, false, \
           false, 'Australia/Melbourne', now() FROM generate_series(1, {count}) AS i"
    );
    site.sql(database, &statement).map(drop)
}

/// Processes that wait since yesterday, a millisecond apart, of all suppliers that `suppliers` made in turn.
pub(super) fn pending(site: &Site, database: &str, count: u64) -> Result<(), Error> {
    let source = format!(
        "SELECT nextval('process_ids') AS id, s.id AS supplier, 'P-' || i AS number, 'PENDING' AS state, \
           now() - interval '1 day' + i * interval '1 ms' AS at \
         FROM generate_series(1, {count}) AS i \
         JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n, count(*) OVER () AS of FROM suppliers \
           WHERE code LIKE 'BENCH%') AS s ON s.n = i % s.of"
    );
    processes(site, database, &source)
}

/// Processes of one supplier as a migration that has come far leaves them: 70% imported, 20% waiting, 5%
/// failed, 5% cancelled, a millisecond apart.
pub(super) fn mixed(site: &Site, database: &str, supplier: &str, count: u64) -> Result<(), Error> {
    let source = format!(
        "SELECT nextval('process_ids') AS id, (SELECT id FROM suppliers WHERE code = '{supplier}') AS supplier, \
           'X-' || lpad(i::text, 8, '0') AS number, CASE WHEN i % 20 < 14 THEN 'PROCESSED' \
             WHEN i % 20 < 18 THEN 'PENDING' WHEN i % 20 = 18 THEN 'ERRORED' ELSE 'CANCELLED' END AS state, \
           timestamptz '2026-11-01 00:00Z' + i * interval '1 ms' AS at FROM generate_series(1, {count}) AS i"
    );
    processes(site, database, &source)
}

/// Processes that have all ended, of these suppliers in turn: that of the number `i` is of `BENCH_(i % suppliers + 1)`.
pub(in crate::bench) fn ended(site: &Site, database: &str, suppliers: u64, count: u64) -> Result<(), Error> {
    let source = format!(
        "SELECT nextval('process_ids') AS id, s.id AS supplier, 'X-' || lpad(i::text, 8, '0') AS number, \
           CASE WHEN i % 20 < 18 THEN 'PROCESSED' WHEN i % 20 = 18 THEN 'ERRORED' ELSE 'CANCELLED' END AS state, \
           timestamptz '2026-11-01 00:00Z' + i * interval '1 ms' AS at FROM generate_series(1, {count}) AS i \
         JOIN suppliers AS s ON s.code = 'BENCH_' || (i % {suppliers} + 1)"
    );
    processes(site, database, &source)
}

/// Processes of one supplier as a rehearsal of all its accounts leaves them, a millisecond apart.
pub(super) fn rehearsed(site: &Site, database: &str, supplier: &str, count: u64) -> Result<(), Error> {
    let source = format!(
        "SELECT nextval('process_ids') AS id, (SELECT id FROM suppliers WHERE code = '{supplier}') AS supplier, \
           'X-' || lpad(i::text, 8, '0') AS number, 'DRY_RUN_SUCCEEDED' AS state, \
           timestamptz '2026-11-01 00:00Z' + i * interval '1 ms' AS at FROM generate_series(1, {count}) AS i"
    );
    processes(site, database, &source)
}

/// Processes with the first entry of their history, of (id, supplier, number, state, at).
fn processes(site: &Site, database: &str, source: &str) -> Result<(), Error> {
    let statement = format!(
        "WITH p AS MATERIALIZED ({source}), made AS (\
         INSERT INTO processes (id, supplier_id, external_account_number, state, attempt, tries, version, \
           is_dry_run, due_at, created_at, modified_at, latest_event_at, error_code, error_detail, \
           service_account_number, fingerprint) \
         SELECT id, supplier, number, state, 0, 0, 1, state = 'DRY_RUN_SUCCEEDED', at, at, at, at, \
           CASE WHEN state = 'ERRORED' THEN 'schedule_window_missed' END, \
           CASE WHEN state = 'ERRORED' THEN 'The window closed before the import began.' END, \
           CASE WHEN state = 'PROCESSED' THEN 'A-' || lpad(id::text, 8, '0') END, \
           decode(repeat('00', 32), 'hex') FROM p ORDER BY id) \
         INSERT INTO process_history (process_id, version, event, from_state, to_state, occurred_at, attempt, \
           actor) SELECT id, 1, 'created', NULL, 'PENDING', at, 0, 'system' FROM p"
    );
    site.sql(database, &statement)?;
    site.settle(database)
}
