//! A dump taken under load and restored elsewhere, by the steps of docs/OPERATIONS.md.

use crate::harness::{Client, Fleet, Installation, Node, StopOnDrop, wait_until};
use crate::payloads::small;
use cutover_testkit_postgres::client;
use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

const RESTORED: &str = "restored";

fn send(client: &Client, thread: usize, acknowledged: &Mutex<BTreeSet<String>>, stop: &AtomicBool) {
    for n in 0.. {
        if stop.load(Ordering::SeqCst) {
            return;
        }
        let number = format!("B-{thread}-{n}");
        assert_eq!(client.create(&small(&number)).status, 201);
        acknowledged.lock().unwrap().insert(number);
        // Accounts that are sent during the dump are sent again in the end, one by one.
        std::thread::park_timeout(std::time::Duration::from_millis(20));
    }
}

fn done(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_dump_has_everything_acknowledged_before_it_began() {
    let Some(fleet) = Fleet::start() else { return };
    fleet.migrate(None);
    let key = fleet.add_suppliers(&["ACME"]);
    let (api, worker) = (fleet.node(Node::new("api", "api")), fleet.node(Node::new("worker", "worker")));
    let sender = api.client(&key);
    let (acknowledged, stop) = (Mutex::new(BTreeSet::new()), AtomicBool::new(false));
    let file = fleet.installation.path().join("cutover.dump");
    let before = std::thread::scope(|scope| {
        let sends = [0, 1, 2].map(|thread| {
            let (sender, acknowledged, stop) = (&sender, &acknowledged, &stop);
            scope.spawn(move || send(sender, thread, acknowledged, stop))
        });
        let stop_guard = StopOnDrop(&stop);
        wait_until("some are sent", || acknowledged.lock().unwrap().len() > 100);
        let before = acknowledged.lock().unwrap().clone();
        let mut dump = client("pg_dump", &fleet.cluster.url("cutover")).unwrap();
        done(dump.arg("--format=custom").arg(format!("--file={}", file.display())));
        drop(stop_guard);
        sends.into_iter().for_each(|send| send.join().unwrap());
        before
    });
    drop((api, worker));

    fleet.cluster.sql("postgres", &format!("CREATE DATABASE {RESTORED}")).unwrap();
    let url = fleet.cluster.url(RESTORED);
    done(client("pg_restore", &url).unwrap().args(["--exit-on-error", "--jobs=2"]).arg(&file));
    let restored = Installation::with_database_url(&url);
    restored.run_json(&["migrate"]);
    assert_eq!(restored.failed_checks(), [""; 0]);
    let accepted: Vec<_> = before.iter().map(|number| ("ACME".to_owned(), number.clone())).collect();
    fleet.check_invariants_of(RESTORED, &accepted);
    let trail = fleet.cluster.sql(RESTORED, "DELETE FROM audit_trail").unwrap_err().to_string();
    assert!(trail.contains("the audit trail is only added to"), "{trail}");

    // All are imported there, and later ones are sent again, with ids that no row has.
    let server = restored.serve();
    let sender = server.client(&restored.key("Acme"));
    for number in acknowledged.into_inner().unwrap() {
        let answer = sender.create(&small(&number));
        assert!([201, 400, 409].contains(&answer.status), "{number}: {}", answer.text());
        sender.wait(&number, "PROCESSED");
    }
    fleet.check_invariants_of(RESTORED, &accepted);
}
