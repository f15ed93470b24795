//! Failure 2: workers that are suspended and continue after others have done their work. Only on PostgreSQL
//! can several processes share a database.

use crate::harness::{Installation, Server, wait_until};
use crate::payloads::fixture;
use cutover_app::fault::Point;

/// Every row that an import writes, as text.
fn rows(installation: &Installation) -> String {
    let tables = installation.sql(
        "SELECT string_agg(format('SELECT %L || t::TEXT AS row FROM %I t', relname || ' ', relname), ' UNION ALL ') \
         FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT IN \
         ('nodes', 'refresh_tokens', 'process_changes', 'process_counts', 'process_minutes', 'cause_changes', \
         'cause_counts', 'totals', 'total_changes', 'folded_changes', 'activity_changes', 'activity_minutes', 'row_changes', 'row_counts')",
    );
    installation.sql(&format!("SELECT row FROM ({tables}) AS rows ORDER BY row"))
}

/// Number of claims that a server's workers found to be lost.
fn stale(server: &Server) -> usize {
    server.metric("cutover_worker_attempts_stale_total")
}

/// Failure 2: given eight workers and one process, when its worker is suspended past its lease, and another
/// that is about to rescue it is suspended too, then neither the late write of the one nor the stale view of
/// the other changes a row.
#[test]
fn a_suspended_worker_and_a_suspended_rescuer_write_nothing_late() {
    let Some(installation) = Installation::on_postgres() else { return };
    let key = installation.add_supplier();
    let worker = ["--role", "worker", "--workers", "1"];
    let api = installation.serve_with(&["--role", "api"]);
    let client = api.client(&key);
    let (zombie, writes) = installation.serve_held(Point::ImportReady, "Z-1", &worker);
    assert_eq!(client.create(&fixture("electricity", "Z-1")).status, 201);
    writes.wait();
    zombie.suspend();
    // The only other worker, so that it is the first to see the lease end.
    let (rescuer, sweeps) = installation.serve_held(Point::SweepLooked, "", &worker);
    sweeps.wait();
    rescuer.suspend();
    let others: Vec<Server> = (0..6).map(|_| installation.serve_with(&worker)).collect();
    client.wait("Z-1", "PROCESSED");
    let before = rows(&installation);
    assert!(before.contains("released") && before.contains("imported"), "{before}");
    // The state at which they are held is outdated when they continue.
    writes.release();
    sweeps.release();
    zombie.signal("CONT");
    rescuer.signal("CONT");
    wait_until("the zombie has tried to write", || stale(&zombie) == 1);
    // The next successful rescue reports the one that found nothing.
    assert_eq!(client.create(&fixture("gas", "Z-2")).status, 201);
    client.wait("Z-2", "PROCESSED");
    for server in [zombie, rescuer].into_iter().chain(others) {
        server.signal("TERM");
        let (code, log) = server.ended();
        assert_eq!(code, Some(0), "{log}");
    }
    let after = rows(&installation);
    let of_first: Vec<&str> = after.lines().filter(|row| before.contains(row)).collect();
    assert_eq!(of_first.len(), before.lines().count());
    assert_eq!(
        installation.history("ACME", "Z-1"),
        ["created", "claimed", "released", "claimed", "imported"]
    );
    installation.check_invariants(&["Z-1", "Z-2"]);
}
