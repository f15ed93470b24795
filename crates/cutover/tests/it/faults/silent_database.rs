//! Failure 8: a database that gives no connection, or says nothing on those there are.

use crate::harness::{ACCOUNTS, Answer, Client, House, NOTES, Server, adding, until};
use crate::payloads::small;
use cutover_testkit_postgres::Proxy;
use serde_json::json;
use std::time::{Duration, Instant};

/// How soon whoever finds no connection is told.
const SOON: Duration = Duration::from_secs(4);
/// How long one request may wait for a database that has taken its question and says nothing.
const SILENCE: Duration = Duration::from_secs(25);

fn within(limit: Duration, ask: impl FnOnce() -> Answer) -> Answer {
    let start = Instant::now();
    let answer = ask();
    assert!(start.elapsed() < limit, "{:?}", start.elapsed());
    answer
}

fn assert_unavailable(answer: &Answer) {
    assert_eq!(answer.code(), (503, "service_unavailable".to_owned()), "{}", answer.text());
    assert!(answer.header("Retry-After").unwrap().parse::<u32>().unwrap() >= 1);
}

fn note(client: &Client, body: &str) -> Answer {
    client.send_json(NOTES, &adding("P-1", "notes", json!([{"body": body}])))
}

/// That it says of itself what it is.
fn assert_red(server: &Server) {
    let stranger = server.stranger();
    let ready = within(SOON, || stranger.get("/readyz"));
    assert_eq!((ready.status, &ready.json()["parts"]["database"]), (503, &"down".into()));
    assert_eq!(within(SOON, || stranger.get("/healthz")).status, 200);
}

/// Failure 8: given a pool whose connections all wait for somebody's lock, then who comes next is told soon to come
/// again, the server says that it is not ready and alive, and it recovers by itself.
#[test]
fn a_pool_without_a_free_connection() {
    let Some(house) = House::on_server() else { return };
    let key = house.furnish();
    let options = ["--database-connections", "2", "--database-pool-timeout", "500ms"];
    house.done(&["organisation", "add", "Other"]);
    house.done(&["supplier", "add", "OTHERS", "--organisation", "Other"]);
    let other = house.key("Other");
    let server = house.serve_with(&[&options[..], &["--role", "api"]].concat());
    let worker = house.serve_with(&["--role", "worker"]);
    let (client, other) = (server.client(&key), server.client(&other));
    client.import(&[small("P-1")]);
    let mut of_other = small("P-1");
    of_other["import_supplier"] = "OTHERS".into();
    assert_eq!(other.create(&of_other).status, 201);
    until("both are imported", || house.sql("SELECT count(*) FROM accounts") == "2");
    drop(worker);
    let held = "SELECT id FROM accounts FOR UPDATE; SELECT pg_sleep(60)";
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let sleeping = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
    std::thread::scope(|scope| {
        scope.spawn(|| house.on().sql(held).unwrap_err());
        until("the account is locked", || house.sql(&format!("SELECT count(*) {sleeping}")) == "1");
        // One organisation has half of them.
        let stuck = [("ACME", client.clone()), ("OTHERS", other.clone())].map(|(supplier, client)| {
            scope.spawn(move || {
                let mut note = adding("P-1", "notes", json!([{"body": "A"}]));
                note["import_supplier"] = supplier.into();
                client.send_json(NOTES, &note)
            })
        });
        until("both connections wait", || house.sql(waiting) == "2");
        let create = within(SOON, || client.create(&small("P-2")));
        assert_eq!(create.status, 201, "new accounts have a connection of their own");
        assert_unavailable(&within(SOON, || client.get(&format!("{ACCOUNTS}ACME/P-1/"))));
        assert_red(&server);
        stuck.into_iter().for_each(|thread| assert_unavailable(&thread.join().unwrap()));
        house.sql(&format!("SELECT pg_terminate_backend(pid) {sleeping}"));
    });
    until("it is ready again", || server.stranger().get("/readyz").status == 200);
    assert_eq!(client.create(&small("P-2")).status, 201);
    assert_eq!(note(&client, "A").status, 201);
}

/// Failure 8: given connections that are open and silent, then requests are told to come again instead of waiting for
/// ever, and once the database is heard again all goes on without a restart.
#[test]
fn connections_that_say_nothing() {
    let Some(mut house) = House::on_server() else { return };
    let key = house.furnish();
    let url = house.on().url().to_owned();
    let proxy = Proxy::before(&url).unwrap();
    house.set_variable("CUTOVER_DATABASE_URL", &proxy.url_through(&url).unwrap());
    let server = house.serve();
    let client = server.client(&key);
    client.import(&[small("P-1")]);
    proxy.hang();
    std::thread::scope(|scope| {
        let create = scope.spawn(|| within(SILENCE, || client.create(&small("P-2"))));
        let status = scope.spawn(|| within(SILENCE, || client.get(&format!("{ACCOUNTS}ACME/P-1/"))));
        let note = scope.spawn(|| within(SILENCE, || note(&client, "A")));
        assert_red(&server);
        [create, status, note].into_iter().for_each(|asked| assert_unavailable(&asked.join().unwrap()));
    });
    proxy.restore();
    until("it is ready again", || server.stranger().get("/readyz").status == 200);
    // What nobody was told of may have been stored when the connection was closed, and be under way.
    let again = client.create(&small("P-2")).status;
    assert!([201, 400].contains(&again), "{again}");
    client.wait("P-2", "PROCESSED");
    assert_eq!(note(&client, "A").status, 201);
    house.set_variable("CUTOVER_DATABASE_URL", &url);
    house.check_invariants(&["P-1", "P-2"]);
}
