//! Failure 5: payloads that break their worker.

use crate::harness::{House, until};
use crate::payloads::small;
use cutover_app::fault::Point;

const POISON: &str = "P-poison";
const NEIGHBOURS: [&str; 5] = ["P-1", "P-2", "P-3", "P-4", "P-5"];

/// A house with the poison in the middle of its neighbours, all of which wait.
fn staged() -> House {
    let (house, key) = House::furnished();
    let api = house.serve_with(&["--role", "api"]);
    let client = api.client(&key);
    for number in NEIGHBOURS[..2].iter().chain([&POISON]).chain(&NEIGHBOURS[2..]) {
        assert_eq!(client.create(&small(number)).status, 201);
    }
    drop(api);
    house
}

/// How many attempts the poison has had.
fn attempts(house: &House) -> u64 {
    house.show(POISON)["attempt"].as_u64().unwrap()
}

/// Failure 5: given a payload at which the worker panics, then its neighbours are imported at once, and it is tried
/// again later and later, each attempt counted at its claim.
#[test]
fn a_payload_that_panics_costs_its_neighbours_nothing() {
    let house = staged();
    let server = house.serve_doing("panic", Point::ImportBegun, POISON, &["--workers", "1"]);
    until("the neighbours are imported", || house.count("ACME", "PROCESSED") == NEIGHBOURS.len());
    until("it is tried again", || attempts(&house) >= 3);
    for number in NEIGHBOURS {
        assert_eq!(house.history("ACME", number), ["created", "claimed", "imported"]);
    }
    assert_eq!(server.stranger().get("/healthz").status, 200);
    let log = server.log();
    assert!(log.contains("import panicked"), "{log}");
    drop(server);
    house.check_invariants(&[&NEIGHBOURS[..], &[POISON]].concat());
}

/// Failure 5: given a payload at which the whole process ends, as one does that is out of memory, then whoever
/// starts it again finds the neighbours imported after some rounds, and the attempt counted each time.
#[test]
fn a_payload_that_kills_its_worker_is_counted_at_the_claim() {
    let house = staged();
    // On a server each round waits for a lease.
    let (mut rounds, least) = (0, if house.is_on_server() { 2 } else { 3 });
    let are_done = || house.is_on_server() || house.count("ACME", "PROCESSED") == NEIGHBOURS.len();
    while !are_done() || attempts(&house) < least {
        rounds += 1;
        assert!(rounds < 20, "{rounds} rounds");
        let server = house.serve_doing("abort", Point::ImportBegun, POISON, &["--workers", "1"]);
        let (code, log) = server.ended();
        assert_eq!(code, None, "it was killed: {log}");
    }
    assert_eq!(attempts(&house), rounds, "each attempt is counted, whatever became of it");
    let history = house.history("ACME", POISON);
    assert_eq!(history.iter().filter(|event| *event == "released").count() as u64, rounds - 1);
    let server = house.serve();
    until("without the poison it is imported", || house.count("ACME", "PROCESSED") == NEIGHBOURS.len() + 1);
    drop(server);
    house.check_invariants(&[&NEIGHBOURS[..], &[POISON]].concat());
}
