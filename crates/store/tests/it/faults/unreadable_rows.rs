//! Failure 4: a stuck process is recovered, whatever rows precede it.

use super::environment::{TestEnvironment, on_both};
use chrono::Duration;
use cutover_app::port::Clock;
use cutover_app::worker::{Swept, Worked};
use cutover_process::{EventKind, LEASE, SWEEP, State};

/// Number of unreadable rows before the process.
const AHEAD: usize = 10_000;

/// Adds processes that cannot be read, because their number of attempts is out of range.
fn add_unreadable(env: &TestEnvironment, state: &str, has_lease: bool) {
    let long_ago = env.time(env.clock.now() - Duration::hours(1));
    let lease = if has_lease { &long_ago } else { "NULL" };
    let insert = format!(
        "{} INSERT INTO processes (id, supplier_id, external_account_number, state, attempt, tries, version, \
         is_dry_run, due_at, lease_until, created_at, modified_at, latest_event_at, fingerprint) \
         SELECT 1000000 + n, p.supplier_id, 'U-' || n, '{state}', 5000000000, 1, 2, p.is_dry_run, {long_ago}, {lease}, \
         {long_ago}, {long_ago}, {long_ago}, p.fingerprint FROM processes p, numbers \
         WHERE p.external_account_number = 'A-1'",
        env.numbers(AHEAD),
    );
    env.run(&insert, &insert);
}

/// Makes every step that ends a claim fail, or lets it succeed again.
fn refuse(env: &TestEnvironment, refuses: bool) {
    if refuses {
        env.run(
            "CREATE TRIGGER refuse BEFORE UPDATE ON processes WHEN OLD.state = 'IN_PROGRESS' \
             BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
             $$BEGIN RAISE EXCEPTION 'no space left'; END$$; CREATE TRIGGER refuse BEFORE UPDATE ON processes \
             FOR EACH ROW WHEN (OLD.state = 'IN_PROGRESS') EXECUTE FUNCTION refuse()",
        );
    } else {
        env.run("DROP TRIGGER refuse", "DROP TRIGGER refuse ON processes");
    }
}

/// Failure 4: given a process whose last write fails while its worker lives, and 10,000 unreadable rows
/// before it, then it is claimed again within a lease and a sweep.
#[test]
fn a_process_that_is_stuck_after_ten_thousand_rows_is_claimed_again() {
    on_both(|env| {
        env.create("A-1");
        add_unreadable(&env, "IN_PROGRESS", true);
        refuse(&env, true);
        assert!(env.worker.run_once().is_err(), "its end cannot be written");
        assert_eq!(env.state("A-1"), State::InProgress);
        refuse(&env, false);
        // The worker's own node would end the claim earlier, because it knows the failure.
        let other = env.another_node();
        env.clock.advance(LEASE);
        assert_eq!(other.sweep().unwrap(), Swept::default(), "its lease is not over");
        env.clock.advance(SWEEP);
        assert_eq!(other.sweep().unwrap(), Swept { released: 1, missed: 0 });
        env.clock.advance(Duration::seconds(1));
        assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(1));
        assert_eq!(env.state("A-1"), State::Processed);
        let events: Vec<_> =
            env.report("A-1").history.iter().map(|entry| *entry.event.known().unwrap()).collect();
        use EventKind::{Claimed, Created, Imported, Released};
        assert_eq!(events, [Created, Claimed, Released, Claimed, Imported]);
    });
}

/// Failure 4: given a pending process after 10,000 unreadable rows, then it is claimed.
#[test]
fn a_process_that_waits_after_ten_thousand_rows_is_claimed() {
    on_both(|env| {
        env.create("A-1");
        add_unreadable(&env, "PENDING", false);
        assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(1));
        assert_eq!(env.state("A-1"), State::Processed);
    });
}
