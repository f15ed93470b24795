//! Failure 7: connections to PostgreSQL that are lost during a commit. A read finds out whether it was
//! committed.

use crate::harness::{Client, Installation, NOTES, Server, adding, items, wait_until};
use crate::payloads::small;
use cutover_testkit_postgres::Proxy;
use serde_json::json;

/// The bytes that commit a transaction on the wire.
const COMMIT: &str = "COMMIT";

struct Stage {
    installation: Installation,
    proxy: Proxy,
    key: String,
}

/// An installation whose servers connect to the database through a proxy.
fn stage() -> Option<Stage> {
    let mut installation = Installation::on_postgres()?;
    let key = installation.add_supplier();
    let url = installation.test_database().url().to_owned();
    let proxy = Proxy::before(&url).unwrap();
    installation.set_variable("CUTOVER_DATABASE_URL", &proxy.url_through(&url).unwrap());
    Some(Stage { installation, proxy, key })
}

fn api(stage: &Stage) -> (Server, Client) {
    let server = stage.installation.serve_with(&["--role", "api"]);
    let client = server.client(&stage.key);
    (server, client)
}

/// Failure 7: given a create whose connection is lost before or after the database has committed, then it is
/// answered 201, and there is one process.
#[test]
fn a_create_whose_commit_is_lost_is_answered_by_its_outcome() {
    let Some(stage) = stage() else { return };
    let (_server, client) = api(&stage);
    for (number, lose) in
        [("C-answer", Proxy::lose_answer as fn(&Proxy, &[&str])), ("C-request", Proxy::lose_request)]
    {
        lose(&stage.proxy, &[number]);
        let answer = client.create(&small(number));
        assert_eq!(answer.status, 201, "{number}: {}", answer.text());
        assert!(stage.proxy.has_lost());
        assert_eq!(stage.installation.history("ACME", number), ["created"], "once");
    }
    assert_eq!(stage.installation.count("ACME", "PENDING"), 2);
}

/// Failure 7: given a note whose commit is lost, then its client is asked to retry, and the retry makes one
/// note.
#[test]
fn an_addition_repeated_after_a_lost_commit_is_stored_once() {
    let Some(stage) = stage() else { return };
    let server = stage.installation.serve();
    let client = server.client(&stage.key);
    client.import(&[small("N-1")]);
    for (body, lose) in
        [("Said and heard.", Proxy::lose_answer as fn(&Proxy, &[&str])), ("Not heard.", Proxy::lose_request)]
    {
        let note = adding("N-1", "notes", json!([{"body": body}]));
        lose(&stage.proxy, &[body, COMMIT]);
        let answer = client.send_json(NOTES, &note);
        assert_eq!(answer.code(), (503, "service_unavailable".to_owned()), "{body}");
        assert!(stage.proxy.has_lost() && answer.header("Retry-After").is_some());
        assert_eq!(client.send_json(NOTES, &note).status, 201, "{body}");
    }
    assert_eq!(items(&stage.installation.account("N-1")["notes"]).len(), 2);
}

/// Failure 7: given an import whose commit was made but not confirmed, then nothing is imported twice.
#[test]
fn an_import_with_an_unconfirmed_commit_is_not_repeated() {
    let history = imported_with(Proxy::lose_answer);
    assert!(history.is_none_or(|history| history == ["created", "claimed", "imported"]));
}

/// Failure 7: given an import whose commit never reaches the database, then its worker defers it as soon as
/// the database answers, at no cost of an attempt, and it is imported later.
#[test]
fn an_import_whose_commit_never_arrived_is_repeated() {
    let history = imported_with(Proxy::lose_request);
    let expected = ["created", "claimed", "deferred", "claimed", "imported"];
    assert!(history.is_none_or(|history| history == expected));
}

/// Imports an account whose first commit is lost; returns its history.
fn imported_with(lose: fn(&Proxy, &[&str])) -> Option<Vec<String>> {
    let stage = stage()?;
    let (server, client) = api(&stage);
    assert_eq!(client.create(&small("I-1")).status, 201);
    // From here on only the worker commits.
    drop((server, client));
    // The commit of the import, not of what is looked up before.
    lose(&stage.proxy, &["account_import_process.processed", COMMIT]);
    let worker = stage.installation.serve_with(&["--role", "worker"]);
    wait_until("a commit is lost", || stage.proxy.has_lost());
    let state = "SELECT state FROM processes";
    wait_until("it is imported", || stage.installation.sql(state) == "PROCESSED");
    assert_eq!(stage.installation.sql("SELECT count(*) FROM accounts"), "1");
    wait_until("the worker goes on", || worker.anonymous().get("/readyz").status == 200);
    stage.installation.check_invariants(&["I-1"]);
    Some(stage.installation.history("ACME", "I-1"))
}
