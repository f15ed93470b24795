//! Failure 8: a database that gives no connection, or does not answer on open ones.

use crate::harness::{ACCOUNTS, Answer, Client, Installation, NOTES, Server, adding, wait_until};
use crate::payloads::small;
use cutover_testkit_postgres::Proxy;
use serde_json::json;

fn assert_unavailable(answer: &Answer) {
    assert_eq!(answer.code(), (503, "service_unavailable".to_owned()), "{}", answer.text());
    assert!(answer.header("Retry-After").unwrap().parse::<u32>().unwrap() >= 1);
}

fn note(client: &Client, body: &str) -> Answer {
    client.send_json(NOTES, &adding("P-1", "notes", json!([{"body": body}])))
}

/// Asserts liveness and readiness.
fn assert_red(server: &Server) {
    let stranger = server.anonymous();
    let ready = stranger.get("/readyz");
    assert_eq!((ready.status, &ready.json()["parts"]["database"]), (503, &"down".into()));
    assert_eq!(stranger.get("/healthz").status, 200);
}

/// Failure 8: given a pool whose connections all wait for a lock, then the next request is asked to retry before they
/// are free, the server reports that it is alive but not ready, and it recovers by itself.
#[test]
fn a_pool_without_a_free_connection() {
    let Some(installation) = Installation::on_postgres() else { return };
    let key = installation.add_supplier();
    let options = ["--database-connections", "2", "--database-pool-timeout", "500ms"];
    installation.run_json(&["organisation", "add", "Other"]);
    installation.run_json(&["supplier", "add", "OTHERS", "--organisation", "Other"]);
    let other = installation.key("Other");
    let server = installation.serve_with(&[&options[..], &["--role", "api"]].concat());
    let worker = installation.serve_with(&["--role", "worker"]);
    let (client, other) = (server.client(&key), server.client(&other));
    client.import(&[small("P-1")]);
    let mut of_other = small("P-1");
    of_other["import_supplier"] = "OTHERS".into();
    assert_eq!(other.create(&of_other).status, 201);
    wait_until("both are imported", || installation.sql("SELECT count(*) FROM accounts") == "2");
    drop(worker);
    let held = "SELECT id FROM accounts FOR UPDATE; SELECT pg_sleep(3600)";
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let sleeping = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
    std::thread::scope(|scope| {
        scope.spawn(|| installation.test_database().sql(held).unwrap_err());
        wait_until("the account is locked", || {
            installation.sql(&format!("SELECT count(*) {sleeping}")) == "1"
        });
        // One organisation may use half of them.
        let stuck = [("ACME", client.clone()), ("OTHERS", other.clone())].map(|(supplier, client)| {
            scope.spawn(move || {
                let mut note = adding("P-1", "notes", json!([{"body": "A"}]));
                note["import_supplier"] = supplier.into();
                client.send_json(NOTES, &note)
            })
        });
        wait_until("both connections wait", || installation.sql(waiting) == "2");
        let create = client.create(&small("P-2"));
        assert_eq!(create.status, 201, "new accounts have a connection of their own");
        assert_unavailable(&client.get(&format!("{ACCOUNTS}ACME/P-1/")));
        assert_red(&server);
        stuck.into_iter().for_each(|thread| assert_unavailable(&thread.join().unwrap()));
        installation.sql(&format!("SELECT pg_terminate_backend(pid) {sleeping}"));
    });
    wait_until("it is ready again", || server.anonymous().get("/readyz").status == 200);
    assert_eq!(client.create(&small("P-2")).status, 201);
    assert_eq!(note(&client, "A").status, 201);
}

/// Failure 8: given open but silent connections, then requests are asked to retry instead of waiting for
/// ever, and once the database answers again, everything continues without a restart.
#[test]
fn silent_connections() {
    let Some(mut installation) = Installation::on_postgres() else { return };
    let key = installation.add_supplier();
    let url = installation.test_database().url().to_owned();
    let proxy = Proxy::before(&url).unwrap();
    installation.set_variable("CUTOVER_DATABASE_URL", &proxy.url_through(&url).unwrap());
    let server = installation.serve_with(&["--database-pool-timeout", "2s"]);
    let client = server.client(&key);
    client.import(&[small("P-1")]);
    proxy.hang();
    std::thread::scope(|scope| {
        let create = scope.spawn(|| client.create(&small("P-2")));
        let status = scope.spawn(|| client.get(&format!("{ACCOUNTS}ACME/P-1/")));
        let note = scope.spawn(|| note(&client, "A"));
        assert_red(&server);
        [create, status, note].into_iter().for_each(|asked| assert_unavailable(&asked.join().unwrap()));
    });
    proxy.restore();
    wait_until("it is ready again", || server.anonymous().get("/readyz").status == 200);
    // Unconfirmed creates may have been stored when the connection was closed, and be in progress.
    let again = client.create(&small("P-2")).status;
    assert!([201, 400].contains(&again), "{again}");
    client.wait("P-2", "PROCESSED");
    assert_eq!(note(&client, "A").status, 201);
    installation.set_variable("CUTOVER_DATABASE_URL", &url);
    installation.check_invariants(&["P-1", "P-2"]);
}
