//! Failure 4: what is stuck is recovered, whatever stands before it.

use super::house::{House, on_both};
use chrono::Duration;
use cutover_app::port::Clock;
use cutover_app::worker::{Swept, Worked};
use cutover_process::{EventKind, LEASE, SWEEP, State};

/// How many rows stand ahead that nobody can do anything about.
const AHEAD: usize = 10_000;

/// Makes processes that cannot be read: their attempts are more than there can be.
fn add_unreadable(house: &House, state: &str, has_lease: bool) {
    let long_ago = house.time(house.clock.now() - Duration::hours(1));
    let lease = if has_lease { &long_ago } else { "NULL" };
    let insert = format!(
        "{} INSERT INTO processes (id, supplier_id, external_account_number, state, attempt, tries, version, \
         is_dry_run, due_at, lease_until, created_at, modified_at, latest_event_at, fingerprint) \
         SELECT 1000000 + n, p.supplier_id, 'U-' || n, '{state}', 5000000000, 1, 2, p.is_dry_run, {long_ago}, {lease}, \
         {long_ago}, {long_ago}, {long_ago}, p.fingerprint FROM processes p, numbers \
         WHERE p.external_account_number = 'A-1'",
        house.numbers(AHEAD),
    );
    house.run(&insert, &insert);
}

/// Has every step fail that ends a claim, or lets them succeed again.
fn refuse(house: &House, refuses: bool) {
    if refuses {
        house.run(
            "CREATE TRIGGER refuse BEFORE UPDATE ON processes WHEN OLD.state = 'IN_PROGRESS' \
             BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
             $$BEGIN RAISE EXCEPTION 'no space left'; END$$; CREATE TRIGGER refuse BEFORE UPDATE ON processes \
             FOR EACH ROW WHEN (OLD.state = 'IN_PROGRESS') EXECUTE FUNCTION refuse()",
        );
    } else {
        house.run("DROP TRIGGER refuse", "DROP TRIGGER refuse ON processes");
    }
}

/// Failure 4: given a process whose last write fails while its worker lives, and 10,000 rows ahead that cannot be
/// rescued, then it is taken up again within a lease and a sweep.
#[test]
fn what_is_stuck_behind_ten_thousand_is_taken_up() {
    on_both(|house| {
        house.create("A-1");
        add_unreadable(&house, "IN_PROGRESS", true);
        refuse(&house, true);
        assert!(house.worker.run_once().is_err(), "its end cannot be written");
        assert_eq!(house.state("A-1"), State::InProgress);
        refuse(&house, false);
        // The worker's own node would end the claim first: it knows of it.
        let other = house.another_node();
        house.clock.advance(LEASE);
        assert_eq!(other.sweep().unwrap(), Swept::default(), "its lease is not over");
        house.clock.advance(SWEEP);
        assert_eq!(other.sweep().unwrap(), Swept { released: 1, missed: 0 });
        house.clock.advance(Duration::seconds(1));
        assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(1));
        assert_eq!(house.state("A-1"), State::Processed);
        let events: Vec<_> =
            house.report("A-1").history.iter().map(|entry| *entry.event.known().unwrap()).collect();
        use EventKind::{Claimed, Created, Imported, Released};
        assert_eq!(events, [Created, Claimed, Released, Claimed, Imported]);
    });
}

/// Failure 4: the same of one that waits, behind 10,000 that cannot be claimed.
#[test]
fn what_waits_behind_ten_thousand_is_claimed() {
    on_both(|house| {
        house.create("A-1");
        add_unreadable(&house, "PENDING", false);
        assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(1));
        assert_eq!(house.state("A-1"), State::Processed);
    });
}
