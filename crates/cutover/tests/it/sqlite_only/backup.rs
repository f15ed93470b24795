//! A copy of a database in use, and a restore from it.

use crate::harness::{Client, Installation, StopOnDrop, items, text};
use crate::payloads::small;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Sends accounts until it is stopped, and records the acknowledged ones.
fn send(client: &Client, thread: usize, acknowledged: &Mutex<BTreeSet<String>>, stop: &AtomicBool) {
    for n in 0.. {
        if stop.load(Ordering::SeqCst) {
            return;
        }
        let number = format!("B-{thread}-{n}");
        assert_eq!(client.create(&small(&number)).status, 201);
        acknowledged.lock().unwrap().insert(number);
    }
}

fn numbers(installation: &Installation) -> BTreeSet<String> {
    let listed = installation.run_json(&["process", "list", "ACME"]);
    items(&listed).iter().map(|process| text(&process["external_account_number"])).collect()
}

/// An installation on a copy.
fn on(file: &Path) -> Installation {
    Installation::with_database_url(&format!("sqlite:{}", file.display()))
}

#[test]
fn a_copy_has_everything_acknowledged_before_it_began() {
    let (installation, server, client) = Installation::serving();
    let (acknowledged, stop) = (Mutex::new(BTreeSet::new()), AtomicBool::new(false));
    let file = installation.path().join("copy.db");
    let before = std::thread::scope(|scope| {
        let sends = [0, 1, 2].map(|thread| {
            let (client, acknowledged, stop) = (&client, &acknowledged, &stop);
            scope.spawn(move || send(client, thread, acknowledged, stop))
        });
        let stop_guard = StopOnDrop(&stop);
        crate::harness::wait_until("some are sent", || acknowledged.lock().unwrap().len() > 100);
        let before = acknowledged.lock().unwrap().clone();
        installation.run_json(&["backup", file.to_str().unwrap()]);
        drop(stop_guard);
        sends.into_iter().for_each(|send| send.join().unwrap());
        before
    });
    drop(server);
    let copy = on(&file);
    assert_eq!(copy.failed_checks(), [""; 0]);
    let there = numbers(&copy);
    assert!(before.is_subset(&there), "{:?}", before.difference(&there));
    assert!(there.is_subset(&numbers(&installation)));
    assert_eq!(copy.run_json(&["audit", "--limit", "1"])[0]["action"], "backup", "it tells of itself");

    // All are imported there, and later ones are sent again.
    let server = copy.serve();
    let client = server.client(&copy.key("Acme"));
    for number in acknowledged.into_inner().unwrap() {
        let answer = client.create(&small(&number));
        assert!(answer.status == 201 || there.contains(&number), "{number}: {}", answer.text());
        client.wait(&number, "PROCESSED");
    }
}

#[test]
fn a_copy_is_a_new_file_that_only_its_owner_can_read() {
    let (installation, _key) = Installation::with_supplier();
    let path = installation.path().join("copy.db");
    let backup = ["backup", path.to_str().unwrap()];
    installation.run_json(&backup);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let before = std::fs::read(&path).unwrap();
    assert!(installation.run_refused(&backup).contains("exists"));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(!installation.path().join("copy.db.part").exists());
    let nowhere = installation.path().join("no/such/folder.db");
    installation.run_refused(&["backup", nowhere.to_str().unwrap()]);
}
