//! Failure 3: a hundred concurrent creates of one account, with the winner's transaction lost.

use crate::harness::{Answer, Client, Installation, items, wait_for};
use crate::payloads::small;
use serde_json::json;
use std::sync::Barrier;

const REQUESTS: usize = 100;
const NUMBER: &str = "ONE-1";
/// On PostgreSQL, ends the connection that stores the account first. A sequence records that this was done,
/// as it is not rolled back.
const LOSE_THE_FIRST: &str = "CREATE SEQUENCE lost; \
    CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS \
    $$BEGIN IF nextval('lost') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5); END IF; \
    RETURN NEW; END$$; \
    CREATE TRIGGER lose BEFORE INSERT ON payloads FOR EACH ROW EXECUTE FUNCTION lose()";

/// The cause in the log of a request that waited too long for a thread.
const NO_SLOT: &str = "no slot for a job in time";

/// Creates the account a hundred times at once, half of them with different content; returns the answers. Many wait for
/// the row of the account, on a slow machine longer than the service allows: these come again, as it tells them to.
fn at_once(clients: &[Client]) -> Vec<Answer> {
    let start = Barrier::new(REQUESTS);
    let create = |n: usize| {
        let mut account = small(NUMBER);
        if n.is_multiple_of(2) {
            account["notes"] = json!([{"body": format!("Sent by {n}.")}]);
        }
        start.wait();
        wait_for(&format!("create {n} is answered"), || {
            let answer = clients[n % clients.len()].create(&account);
            if answer.status == 503 { Err(answer.text()) } else { Ok(answer) }
        })
    };
    std::thread::scope(|scope| {
        let create = &create;
        let threads: Vec<_> = (0..REQUESTS).map(|n| scope.spawn(move || create(n))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Every answer is allowed by the contract, and at least one is 201.
fn check(installation: &Installation, answers: &[Answer]) {
    let known = ["account_import_process_in_progress", "account_import_process_already_imported"];
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        let (status, code) = answer.code();
        assert!(status == 400 && known.contains(&code.as_str()), "{status} {}", answer.text());
    }
    assert!(answers.iter().any(|answer| answer.status == 201));
    assert_eq!(items(&installation.run_json(&["process", "list", "ACME"])).len(), 1, "one process");
    installation.check_invariants(&[NUMBER]);
}

/// Failure 3: given 100 concurrent creates of one account, when the winning transaction is aborted once, then
/// there is one process, no answer is 5xx, and the account is imported.
#[test]
fn the_winning_transaction_of_a_hundred_creates_is_lost_once() {
    let (installation, key) = Installation::with_supplier();
    // On SQLite the first commit of new accounts is lost.
    let order = format!("commit=return(accounts|fail|{})", installation.path().join("lost").display());
    let is_on_postgres = installation.is_on_postgres();
    if is_on_postgres {
        installation.sql(LOSE_THE_FIRST);
    }
    let options = ["--rate-limit", "0"];
    let server = installation.serve_with_failpoints(if is_on_postgres { "" } else { &order }, &options);
    let other = is_on_postgres.then(|| installation.serve_with(&options));
    let clients: Vec<Client> =
        [Some(&server), other.as_ref()].into_iter().flatten().map(|server| server.client(&key)).collect();
    let answers = at_once(&clients);
    if is_on_postgres {
        assert!(
            installation.sql("SELECT last_value FROM lost").parse::<u32>().unwrap() >= 2,
            "it was stored again"
        );
    } else {
        assert!(server.log().contains("a transaction was lost"), "{}", server.log());
    }
    for server in [Some(&server), other.as_ref()].into_iter().flatten() {
        let log = server.log();
        let put_off = log.lines().filter(|line| line.contains("a request could not be served now"));
        put_off.for_each(|line| assert!(line.contains(NO_SLOT), "{line}"));
    }
    clients[0].wait(NUMBER, "PROCESSED");
    check(&installation, &answers);
}
