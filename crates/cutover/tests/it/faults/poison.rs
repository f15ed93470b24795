//! Failure 5: payloads that crash their worker.

use crate::harness::{Installation, wait_until};
use crate::payloads::small;
use cutover_app::fault::Point;

const POISON: &str = "P-poison";
const NEIGHBOURS: [&str; 5] = ["P-1", "P-2", "P-3", "P-4", "P-5"];

/// An installation with the bad payload among pending neighbours.
fn staged() -> Installation {
    let (installation, key) = Installation::with_supplier();
    let api = installation.serve_with(&["--role", "api"]);
    let client = api.client(&key);
    for number in NEIGHBOURS[..2].iter().chain([&POISON]).chain(&NEIGHBOURS[2..]) {
        assert_eq!(client.create(&small(number)).status, 201);
    }
    drop(api);
    installation
}

/// Number of attempts of the bad payload.
fn attempts(installation: &Installation) -> u64 {
    installation.show(POISON)["attempt"].as_u64().unwrap()
}

/// Failure 5: given a payload at which the worker panics, then its neighbours are imported at once, and it is
/// retried with growing delays, each attempt counted at its claim.
#[test]
fn a_payload_that_panics_does_not_affect_its_neighbours() {
    let installation = staged();
    let server = installation.serve_with_failpoint("panic", Point::ImportBegun, POISON, &["--workers", "1"]);
    wait_until("the neighbours are imported", || installation.count("ACME", "PROCESSED") == NEIGHBOURS.len());
    wait_until("it is tried again", || attempts(&installation) >= 3);
    for number in NEIGHBOURS {
        assert_eq!(installation.history("ACME", number), ["created", "claimed", "imported"]);
    }
    assert_eq!(server.anonymous().get("/healthz").status, 200);
    let log = server.log();
    assert!(log.contains("import panicked"), "{log}");
    drop(server);
    installation.check_invariants(&[&NEIGHBOURS[..], &[POISON]].concat());
}

/// Failure 5: given a payload at which the process dies, for example out of memory, then the neighbours are
/// imported after some restarts, and each attempt is counted.
#[test]
fn a_payload_that_kills_its_worker_is_counted_at_the_claim() {
    let installation = staged();
    // On PostgreSQL each round waits for a lease.
    let (mut rounds, least) = (0, if installation.is_on_postgres() { 2 } else { 3 });
    let are_done =
        || installation.is_on_postgres() || installation.count("ACME", "PROCESSED") == NEIGHBOURS.len();
    while !are_done() || attempts(&installation) < least {
        rounds += 1;
        assert!(rounds < 20, "{rounds} rounds");
        let server =
            installation.serve_with_failpoint("abort", Point::ImportBegun, POISON, &["--workers", "1"]);
        let (code, log) = server.ended();
        assert_eq!(code, None, "it was killed: {log}");
    }
    assert_eq!(attempts(&installation), rounds, "each attempt is counted, whatever became of it");
    let history = installation.history("ACME", POISON);
    assert_eq!(history.iter().filter(|event| *event == "released").count() as u64, rounds - 1);
    let server = installation.serve();
    wait_until("without the poison it is imported", || {
        installation.count("ACME", "PROCESSED") == NEIGHBOURS.len() + 1
    });
    drop(server);
    installation.check_invariants(&[&NEIGHBOURS[..], &[POISON]].concat());
}
