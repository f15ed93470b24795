//! Many processes on one PostgreSQL, with all failures at once.

use crate::harness::{
    ACCOUNTS, FailoverClient, Fleet, LostRequest, Node, Server, wait_for, wait_for_count, wait_until,
};
use crate::payloads::fixture;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const BIG: &str = "BIG";
const SMALL: [&str; 4] = ["SMALL-1", "SMALL-2", "SMALL-3", "SMALL-4"];
const OF_BIG: usize = 2_000;
const OF_SMALL: usize = 125;
const ALL: usize = OF_BIG + 4 * OF_SMALL;
/// Number of pending accounts when the workers start: most of the big supplier's, then all of the small
/// ones'.
const WAITING: usize = 2_000;
/// Number of the big supplier's accounts before all others.
const AHEAD: usize = WAITING - 4 * OF_SMALL;
/// Number of accounts that are sent only when the database is about to stop, and of those that are sent only once it
/// has stopped.
const HELD_BACK: usize = 300;
const SENT_LAST: usize = 150;
const CONNECTIONS: usize = 8;

/// The number of accounts in each state.
const STATES: &str = "SELECT state, count(*), max(attempt) FROM processes GROUP BY state";

/// A migration client: sends the accounts over several connections, each until it has arrived.
struct Migration {
    accounts: Vec<(String, String)>,
    body: String,
    next: AtomicUsize,
    /// Number of accounts that may be sent so far.
    allowed: AtomicUsize,
    arrived: AtomicUsize,
    /// The accepted accounts.
    created: Mutex<BTreeSet<(String, String)>>,
    /// Requests with 5xx or no answer.
    failed: AtomicUsize,
    is_over: AtomicBool,
}

/// Ends the connections on drop.
struct End<'m>(&'m Migration);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
    }
}

impl Migration {
    fn new() -> Self {
        let of = |supplier: &str, n: usize| (supplier.to_owned(), format!("{supplier}-{n:04}"));
        let ahead = (0..AHEAD).map(|n| of(BIG, n));
        let small = (0..OF_SMALL).flat_map(|n| SMALL.map(|supplier| of(supplier, n)));
        let accounts: Vec<_> = ahead.chain(small).chain((AHEAD..OF_BIG).map(|n| of(BIG, n))).collect();
        assert_eq!(accounts.len(), ALL);
        let mut body = fixture("embedded_gas", "NUMBER");
        body["import_supplier"] = "SUPPLIER".into();
        Self {
            accounts,
            body: body.to_string(),
            next: AtomicUsize::new(0),
            allowed: AtomicUsize::new(WAITING),
            arrived: AtomicUsize::new(0),
            created: Mutex::default(),
            failed: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    fn allow(&self, count: usize) {
        self.allowed.store(count, Ordering::SeqCst);
    }

    fn arrived(&self) -> usize {
        self.arrived.load(Ordering::SeqCst)
    }

    fn failed(&self) -> usize {
        self.failed.load(Ordering::SeqCst)
    }

    fn send_over(&self, mut line: FailoverClient) {
        loop {
            let place = self.next.fetch_add(1, Ordering::SeqCst);
            let Some(account) = self.accounts.get(place) else { return };
            while place >= self.allowed.load(Ordering::SeqCst) {
                if self.is_over.load(Ordering::SeqCst) {
                    return;
                }
                pause();
            }
            if !self.send(&mut line, account) {
                return;
            }
            self.arrived.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Sends an account until it has arrived; returns false if the migration ends first.
    fn send(&self, line: &mut FailoverClient, account: &(String, String)) -> bool {
        let body = self.body.replace("SUPPLIER", &account.0).replace("NUMBER", &account.1);
        let mut is_repeated = false;
        while !self.is_over.load(Ordering::SeqCst) {
            match line.send("POST", ACCOUNTS, body.as_bytes()) {
                Ok(answer) if answer.status == 201 => {
                    self.created.lock().unwrap().insert(account.clone());
                    return true;
                }
                // An account that arrived without an answer may be in progress or imported.
                Ok(answer) if is_repeated && answer.status == 400 => {
                    let (_, code) = answer.code();
                    let known = ["in_progress", "already_imported"]
                        .map(|end| format!("account_import_process_{end}"));
                    assert!(known.contains(&code), "{account:?}: {code}");
                    return true;
                }
                Ok(answer) if answer.status < 500 => panic!("{account:?}: {}", answer.text()),
                Ok(_) | Err(LostRequest(_)) => {
                    is_repeated = true;
                    self.failed.fetch_add(1, Ordering::SeqCst);
                    pause();
                }
            }
        }
        false
    }
}

fn pause() {
    thread::park_timeout(Duration::from_millis(20));
}

/// Suspends a worker during its work; returns a condition in SQL for its claims.
fn freeze(fleet: &Fleet, name: &str, worker: &Server) -> String {
    let mut claims = String::new();
    wait_until("a worker is stopped with claims", || {
        worker.suspend();
        // Statements sent before are completed first; the rest of a COPY may be missing.
        let busy = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}' AND state = 'active' \
             AND wait_event IS DISTINCT FROM 'ClientRead'"
        );
        wait_until("the database has finished its statements", || fleet.number(&busy) == 0);
        claims = fleet.sql(&format!(
            "SELECT string_agg(p.id::TEXT, ', ') FROM processes p JOIN process_history h \
             ON h.process_id = p.id AND h.version = p.version \
             WHERE p.state = 'IN_PROGRESS' AND h.actor LIKE 'worker:%-{}-%'",
            worker.pid()
        ));
        if claims.is_empty() {
            worker.signal("CONT");
        }
        !claims.is_empty()
    });
    claims
}

/// Waits until all accounts are imported.
fn wait_for_imports(fleet: &Fleet) {
    wait_for("all are imported", || {
        if fleet.count("PROCESSED") == ALL { Ok(()) } else { Err(fleet.sql(STATES)) }
    });
}

/// Number of these claims that were taken from their worker.
fn released(fleet: &Fleet, claims: &str) -> usize {
    fleet.number(&format!(
        "SELECT count(DISTINCT process_id) FROM process_history WHERE event = 'released' AND process_id IN ({claims})"
    ))
}

/// Returns true if a worker has logged that the database is down.
fn is_hit(worker: &Server) -> bool {
    let log = worker.log();
    log.contains("a worker could not work") || log.contains("import failed")
}

fn worker(fleet: &Fleet, name: &str) -> Server {
    fleet.node(Node::new(name, "worker"))
}

#[test]
fn accepted_accounts_survive_all_failures_at_once() {
    let Some(mut fleet) = Fleet::start() else { return };
    fleet.migrate(None);
    let key = fleet.add_suppliers(&[&[BIG][..], &SMALL].concat());
    let apis = ["api-1", "api-2"].map(|name| fleet.node(Node::new(name, "api")));
    let addresses: Vec<SocketAddr> = apis.iter().map(|api| api.address).collect();
    let token = apis[0].token(&key);
    let migration = Migration::new();
    let (killed, frozen, steady, fresh, late) = thread::scope(|scope| {
        let _end = End(&migration);
        for n in 0..CONNECTIONS {
            let line = FailoverClient::new(&addresses, n, &token);
            scope.spawn(|| migration.send_over(line));
        }
        wait_for_count("accounts wait", WAITING, || migration.arrived());
        let [lost, frozen, steady] = ["lost", "frozen", "steady"].map(|name| worker(&fleet, name));
        migration.allow(ALL - HELD_BACK);
        wait_for_count("imports are under way", 200, || fleet.count("PROCESSED"));
        let killed = freeze(&fleet, "lost", &lost);
        lost.kill();
        let fresh = worker(&fleet, "fresh");
        wait_for_count("imports go on", 500, || fleet.count("PROCESSED"));
        let late = freeze(&fleet, "frozen", &frozen);

        wait_for_count("the others have arrived", ALL - HELD_BACK, || migration.arrived());
        let failed = migration.failed();
        migration.allow(ALL - SENT_LAST);
        wait_for_count("accounts are sent", ALL - HELD_BACK + CONNECTIONS, || migration.arrived());
        fleet.cluster.stop_at_once().unwrap();
        migration.allow(ALL);
        wait_for_count("creates fail", failed + 2 * CONNECTIONS, || migration.failed());
        wait_until("workers cannot work", || [&steady, &fresh].iter().all(|worker| is_hit(worker)));
        fleet.cluster.start_again().unwrap();
        wait_for_count("all have arrived", ALL, || migration.arrived());
        (killed, frozen, steady, fresh, late)
    });
    wait_for_imports(&fleet);

    // Both have lost their claims; one continues and changes nothing.
    for claims in [&killed, &late] {
        assert_eq!(released(&fleet, claims), claims.split(", ").count(), "{claims}");
    }
    let histories = "SELECT * FROM process_history ORDER BY process_id, version";
    let before = fleet.sql(histories);
    frozen.signal("CONT");
    // Its transaction may have been open and be lost with the database, or it begins one and finds its claims
    // gone.
    wait_until("the worker is done with its claims", || {
        let stale = frozen.metric_if_shown("cutover_worker_attempts_stale_total");
        is_hit(&frozen) || stale == Ok(late.split(", ").count())
    });
    frozen.signal("TERM");
    let (code, log) = frozen.ended();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(fleet.sql(histories), before);

    check_accounts(&fleet);
    check_turns(&fleet);
    let created: Vec<_> = migration.created.lock().unwrap().iter().cloned().collect();
    fleet.check_invariants(&created);
    for node in apis.iter().chain([&steady, &fresh]) {
        assert_eq!(node.anonymous().get("/readyz").status, 200);
    }
    println!("{} of {ALL} answered 201, {} requests failed", created.len(), migration.failed());
}

/// All accounts are there and complete: they had equal content.
fn check_accounts(fleet: &Fleet) {
    assert_eq!(fleet.number("SELECT count(*) FROM processes"), ALL);
    assert_eq!(fleet.number("SELECT count(*) FROM accounts"), ALL);
    for table in ["customers", "supply_addresses", "meter_points", "meters", "readings", "ledgers"] {
        let sizes = fleet.sql(&format!(
            "SELECT DISTINCT rows FROM (SELECT count(c.position) AS rows FROM accounts a \
             LEFT JOIN {table} c ON c.account_id = a.id GROUP BY a.id) AS of_each"
        ));
        assert!(sizes.parse::<usize>().is_ok_and(|size| size > 0), "{table}: {sizes}");
    }
}

/// The small suppliers came after three quarters of the big one's accounts, and did not wait for them: claims take turns,
/// however long each worker then takes.
fn check_turns(fleet: &Fleet) {
    let ahead = fleet.number(
        "WITH claimed AS (SELECT s.code, min(h.occurred_at) AS at FROM process_history h \
         JOIN processes p ON p.id = h.process_id JOIN suppliers s ON s.id = p.supplier_id \
         WHERE h.event = 'claimed' GROUP BY p.id, s.code) \
         SELECT count(*) FROM claimed WHERE code = 'BIG' AND at <= \
         (SELECT max(at) FROM claimed WHERE code <> 'BIG')",
    );
    println!(
        "{ahead} of the big supplier's {OF_BIG} accounts were claimed before the last of the small ones'"
    );
    assert!(ahead < OF_BIG / 4, "{ahead}");
}
