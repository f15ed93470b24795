//! A server that starts before its database.

use super::assert_unavailable;
use crate::harness::{ACCOUNTS, Answer, Client, Installation, wait_until};
use crate::payloads::small;
use cutover_testkit_postgres::{Cluster, ClusterOptions};
use std::time::{Duration, Instant};

/// A migrated database on a cluster of its own, and a key.
fn installation(cluster: &Cluster) -> (Installation, String) {
    let url = cluster.url("postgres").replacen('@', ":s3cret@", 1);
    let installation = Installation::with_database_url(&url);
    installation.run_json(&["migrate"]);
    let key = installation.add_supplier();
    (installation, key)
}

/// Asserts that a waiting server is alive and nothing more.
fn assert_waits(stranger: &Client, client: &Client) {
    assert_eq!(stranger.get("/healthz").status, 200);
    let ready = stranger.get("/readyz");
    assert_eq!((ready.status, &ready.json()["parts"]["database"]), (503, &"down".into()));
    assert!(ready.header("Retry-After").is_some());
    let asked: [Answer; 2] = [client.create(&small("W-1")), client.get(&format!("{ACCOUNTS}ACME/W-1/"))];
    asked.iter().for_each(assert_unavailable);
}

/// Decision 0057: given a database that is down, and read-only when it comes up, then the server waits for it, and serves
/// on the same address once it can write.
#[test]
fn a_server_waits_for_its_database() {
    let Some(mut cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    let (installation, key) = installation(&cluster);
    let token = installation.serve().token(&key);
    let read_only = "ALTER SYSTEM SET default_transaction_read_only = on";
    cluster.sql("postgres", read_only).unwrap();
    cluster.stop_at_once().unwrap();

    let server = installation.serve_waiting(&["--database-wait", "24h", "--log-level", "trace"]);
    let (stranger, client) = (server.anonymous(), Client { address: server.address, token: Some(token) });
    assert_waits(&stranger, &client);
    assert!(stranger.get("/metrics").text().contains("cutover_database_up 0"));
    cluster.start_again().unwrap();
    wait_until("it finds that it cannot write", || server.log().contains("SQLSTATE 25006"));
    assert_waits(&stranger, &client);

    cluster.sql("postgres", "ALTER SYSTEM RESET default_transaction_read_only").unwrap();
    cluster.sql("postgres", "SELECT pg_reload_conf()").unwrap();
    wait_until("it is ready", || stranger.get("/readyz").status == 200);
    client.import(&[small("W-1")]);
    let log = server.log();
    assert!(log.contains("the database is open") && !log.contains("s3cret"), "{log}");
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
}

#[test]
fn the_wait_ends_by_its_time_by_a_signal_or_by_a_fault_that_it_cannot_mend() {
    let Some(mut cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    let (mut installation, _) = installation(&cluster);
    let existing = cluster.url("postgres");
    let other = existing.replacen("/postgres", "/nowhere", 1);
    assert_ne!(existing, other);
    installation.set_variable("CUTOVER_DATABASE_URL", &other);
    let serve = |wait| ["serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--database-wait", wait];
    let refused = installation.run_refused(&serve("24h"));
    assert!(refused.contains("(SQLSTATE 3D000)"), "{refused}");

    installation.set_variable("CUTOVER_DATABASE_URL", &existing);
    cluster.stop_at_once().unwrap();
    let at_once = installation.run_refused(&serve("0s"));
    assert!(at_once.contains("cannot be opened") && at_once.contains("refused"), "{at_once}");
    let begun = Instant::now();
    let late = installation.run(&serve("2s"));
    assert!(begun.elapsed() >= Duration::from_secs(2));
    let log = String::from_utf8(late.stderr).unwrap();
    assert_eq!((late.status.code(), log.lines().last()), (Some(1), Some(&*at_once)), "{log}");

    for signal in ["TERM", "INT"] {
        let server = installation.serve_waiting(&["--database-wait", "24h", "--shutdown-delay", "1h"]);
        server.signal(signal);
        let (code, log) = server.ended();
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("\"stopped\""), "{log}");
    }
}
