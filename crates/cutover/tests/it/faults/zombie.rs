//! Failure 2: workers that are stopped, and go on when others have done their work. Several processes share a
//! database only on PostgreSQL.

use crate::harness::{Installation, Server, wait_until};
use crate::payloads::fixture;
use cutover_app::fault::Point;

/// Every row of the database that an import writes, as text.
fn rows(installation: &Installation) -> String {
    let tables = installation.sql(
        "SELECT string_agg(format('SELECT %L || t::TEXT AS row FROM %I t', relname || ' ', relname), ' UNION ALL ') \
         FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT IN \
         ('nodes', 'refresh_tokens', 'process_changes', 'process_counts', 'process_minutes', 'totals', 'total_changes', \
         'folded_changes')",
    );
    installation.sql(&format!("SELECT row FROM ({tables}) AS rows ORDER BY row"))
}

/// How many claims a worker of a server has found to be no longer its own.
fn stale(server: &Server) -> usize {
    server.metric("cutover_worker_attempts_stale_total")
}

/// Failure 2: given eight workers and one process, when the one that has it is stopped past its lease, and another
/// that is about to rescue it is stopped too, then the late write of the one and the stale view of the other change
/// no row once both go on.
#[test]
fn a_stopped_worker_and_a_stopped_rescuer_change_nothing_late() {
    let Some(installation) = Installation::on_postgres() else { return };
    let key = installation.add_supplier();
    let worker = ["--role", "worker", "--workers", "1"];
    let api = installation.serve_with(&["--role", "api"]);
    let client = api.client(&key);
    let (zombie, writes) = installation.serve_held(Point::ImportReady, "Z-1", &worker);
    assert_eq!(client.create(&fixture("electricity", "Z-1")).status, 201);
    writes.wait();
    zombie.signal("STOP");
    // Alone with the zombie, so that it is the first to see the lease end.
    let (rescuer, sweeps) = installation.serve_held(Point::SweepLooked, "", &worker);
    sweeps.wait();
    rescuer.signal("STOP");
    let others: Vec<Server> = (0..6).map(|_| installation.serve_with(&worker)).collect();
    client.wait("Z-1", "PROCESSED");
    let before = rows(&installation);
    assert!(before.contains("released") && before.contains("imported"), "{before}");
    // What they are held at is over when they go on.
    writes.release();
    sweeps.release();
    zombie.signal("CONT");
    rescuer.signal("CONT");
    wait_until("the zombie has tried to write", || stale(&zombie) == 1);
    // A rescue that found nothing is told by the next that does.
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
