//! A rolling upgrade under load: first the migration, while the old program runs, then node after node.
//!
//! Suppliers use the nodes through a [`FailoverClient`], as through a load balancer. A request has failed if
//! - its answer differs from that of a single quiet server, 5xx or not;
//! - its connection was lost after its first byte was sent, even if the connection was kept from an earlier request:
//!   the request may have taken effect;
//! - no node accepted it.
//!
//! A request has not failed if one node refuses the connection or is not ready and the other accepts it, or if its kept
//! connection was found closed before anything was sent.

use crate::harness::{
    ACCOUNTS, FailoverClient, Fleet, NOTES, Node, Server, adding, wait_for, wait_for_count, wait_until,
};
use crate::payloads::fixture;
use cutover_testkit_machine::ReservedPort;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The program before the upgrade. If unset, it is the program under test, and a migration of a future
/// release is applied during its run.
const OLD_BINARY: &str = "CUTOVER_TEST_OLD_BINARY";

/// A migration of a future release, within the rules for migrations: it does not wait long for locks.
const FUTURE: &str = "
    SET lock_timeout = '2s';
    ALTER TABLE processes ADD COLUMN future TEXT;
    CREATE INDEX processes_future ON processes (supplier_id, future) WHERE future IS NOT NULL;
    ALTER TABLE accounts ADD COLUMN future TEXT;
    CREATE TABLE futures (
        account_id BIGINT NOT NULL REFERENCES accounts (id),
        position BIGINT NOT NULL,
        PRIMARY KEY (account_id, position)
    );
    INSERT INTO __diesel_schema_migrations (version) VALUES ('9999')";

const CREATORS: usize = 3;
/// Number of accounts created between two steps of the upgrade.
const STRIDE: usize = 60;
/// The `shutdown-delay` of API nodes: longer than a load balancer takes to check readiness and to send its
/// requests.
const DELAY: &str = "5s";

/// The load of the suppliers.
struct Load {
    nodes: Vec<SocketAddr>,
    token: String,
    body: String,
    created: Mutex<Vec<String>>,
    imported: Mutex<Vec<String>>,
    noted: AtomicUsize,
    requests: AtomicUsize,
    failed: Mutex<Vec<String>>,
    is_over: AtomicBool,
}

/// Ends a load on drop.
struct End<'l>(&'l Load);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
    }
}

impl Load {
    fn new(nodes: Vec<SocketAddr>, token: String) -> Self {
        Self {
            nodes,
            token,
            body: fixture("embedded_gas", "NUMBER").to_string(),
            created: Mutex::default(),
            imported: Mutex::default(),
            noted: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            failed: Mutex::default(),
            is_over: AtomicBool::new(false),
        }
    }

    fn line(&self, first: usize) -> FailoverClient {
        FailoverClient::new(&self.nodes, first, &self.token)
    }

    fn goes_on(&self) -> bool {
        thread::park_timeout(Duration::from_millis(5));
        !self.is_over.load(Ordering::SeqCst)
    }

    /// Sends a request once; returns the body of the expected answer.
    fn ask(
        &self,
        line: &mut FailoverClient,
        method: &str,
        path: &str,
        body: &str,
        wanted: u16,
    ) -> Option<Value> {
        self.requests.fetch_add(1, Ordering::SeqCst);
        let failure = match line.send(method, path, body.as_bytes()) {
            Ok(answer) if answer.status == wanted => return Some(answer.json()),
            Ok(answer) => format!("{method} {path}: {} {}", answer.status, answer.text()),
            Err(lost) => lost.0,
        };
        self.failed.lock().unwrap().push(failure);
        None
    }

    fn create(&self, part: usize) {
        let mut line = self.line(part);
        for n in 0.. {
            if !self.goes_on() {
                return;
            }
            let number = format!("R-{part}-{n}");
            let body = self.body.replace("NUMBER", &number);
            if self.ask(&mut line, "POST", ACCOUNTS, &body, 201).is_some() {
                self.created.lock().unwrap().push(number);
            }
        }
    }

    /// Reads the status of each account until it is imported.
    fn watch(&self, first: usize) {
        let (mut line, mut seen) = (self.line(first), 0);
        while self.goes_on() {
            let Some(number) = self.created.lock().unwrap().get(seen).cloned() else { continue };
            let status = self.ask(&mut line, "GET", &format!("{ACCOUNTS}ACME/{number}/"), "", 200);
            if status.is_some_and(|status| status["status"] == "PROCESSED") {
                self.imported.lock().unwrap().push(number);
                seen += 1;
            }
        }
    }

    /// Adds a note to each imported account.
    fn note(&self, first: usize) {
        let mut line = self.line(first);
        while self.goes_on() {
            let next = self.noted.load(Ordering::SeqCst);
            let Some(number) = self.imported.lock().unwrap().get(next).cloned() else { continue };
            let note = adding(&number, "notes", json!([{"body": "Called while nodes were replaced."}]));
            self.ask(&mut line, "POST", NOTES, &note.to_string(), 201);
            self.noted.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Waits until the load has sent requests of every kind.
    fn stride(&self) {
        let count = || {
            let (created, noted) = (self.created.lock().unwrap().len(), self.noted.load(Ordering::SeqCst));
            created.min(noted)
        };
        let wanted = count() + STRIDE;
        wait_for("the load goes on", || {
            let (count, failed) = (count(), !self.failed.lock().unwrap().is_empty());
            if count >= wanted || failed { Ok(()) } else { Err(count) }
        });
        let failed = self.failed.lock().unwrap().join("\n");
        assert_eq!(failed, "");
    }
}

/// Applies the migration of a future release as the program does.
fn apply_future(fleet: &Fleet) {
    wait_until("the migration gets its tables", || match fleet.try_sql(FUTURE) {
        Ok(_) => true,
        Err(error) => {
            assert!(error.to_string().contains("lock timeout"), "{error}");
            false
        }
    });
}

/// Stops a node in order, and starts the new program in its place.
fn replace(fleet: &Fleet, old: Server, new: Node<'_>) -> Server {
    old.signal("TERM");
    let (code, log) = old.ended();
    assert_eq!(code, Some(0), "{log}");
    fleet.node(new)
}

fn node<'a>(name: &'a str, role: &'a str) -> Node<'a> {
    let shutdown_delay = if role == "api" { DELAY } else { "0s" };
    Node { shutdown_delay, ..Node::new(name, role) }
}

/// Failure 25.
#[test]
fn an_upgrade_under_load_fails_no_request() {
    let Some(fleet) = Fleet::start() else { return };
    let old = std::env::var_os(OLD_BINARY).map(PathBuf::from);
    let old: Option<&Path> = old.as_deref();
    fleet.migrate(old);
    let key = fleet.add_suppliers(&["ACME"]);
    let ports = [(), ()].map(|()| ReservedPort::new().unwrap());
    let addresses = ports.each_ref().map(|port| port.address().to_string());
    let api = |name: &'static str, number: usize| Node { listen: &addresses[number], ..node(name, "api") };
    let apis =
        [("api-1", 0), ("api-2", 1)].map(|(name, n)| fleet.node(Node { program: old, ..api(name, n) }));
    let workers =
        ["worker-1", "worker-2"].map(|name| fleet.node(Node { program: old, ..node(name, "worker") }));
    let load = Load::new(apis.iter().map(|api| api.address).collect(), apis[0].token(&key));
    let _new = thread::scope(|scope| {
        let _end = End(&load);
        for part in 0..CREATORS {
            let load = &load;
            scope.spawn(move || load.create(part));
        }
        scope.spawn(|| load.watch(0));
        scope.spawn(|| load.note(1));
        load.stride();
        fleet.migrate(None);
        if old.is_none() {
            apply_future(&fleet);
        }
        load.stride();
        let workers = workers.map(|worker| {
            let worker = replace(&fleet, worker, node("new-worker", "worker"));
            load.stride();
            worker
        });
        let [first, second] = apis;
        let apis = [(first, 0), (second, 1)].map(|(old, number)| {
            let new = replace(&fleet, old, api("new-api", number));
            load.stride();
            new
        });
        (apis, workers)
    });
    assert_eq!(*load.failed.lock().unwrap(), [""; 0]);
    let created = load.created.into_inner().unwrap();
    wait_for_count("all are imported", created.len(), || fleet.count("PROCESSED"));
    assert_eq!(fleet.number("SELECT count(*) FROM processes"), created.len());
    let notes = "SELECT count(*) FROM notes WHERE body = 'Called while nodes were replaced.'";
    assert_eq!(fleet.number(notes), load.noted.into_inner());
    let created: Vec<_> = created.into_iter().map(|number| ("ACME".to_owned(), number)).collect();
    if std::env::var_os(OLD_BINARY).is_some() {
        fleet.recount();
    }
    fleet.check_invariants(&created);
    println!("{} requests, {} accounts, none failed", load.requests.into_inner(), created.len());
}
