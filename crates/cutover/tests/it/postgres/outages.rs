use super::assert_unavailable;
use crate::harness::{ACCOUNTS, Installation, wait_until};
use crate::payloads::small;
use cutover_testkit_postgres::{Cluster, ClusterOptions};

#[test]
fn a_database_that_goes_away_and_comes_back() {
    let Some(mut cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    let url = cluster.url("postgres").replacen('@', ":s3cret@", 1);
    let installation = Installation::with_database_url(&url);
    installation.run_json(&["migrate"]);
    let key = installation.add_supplier();
    let server = installation.serve_with(&["--log-level", "trace", "--database-pool-timeout", "2s"]);
    let (client, stranger) = (server.client(&key), server.anonymous());
    client.import(&[small("O-1")]);

    cluster.stop_at_once().unwrap();
    assert_unavailable(&client.create(&small("O-2")));
    assert_unavailable(&client.get(&format!("{ACCOUNTS}ACME/O-1/")));
    let ready = stranger.get("/readyz");
    assert_eq!((ready.status, &ready.json()["parts"]["database"]), (503, &"down".into()));
    assert_eq!(stranger.get("/healthz").status, 200);
    for args in [&["organisation", "list"][..], &["migrate"]] {
        let refused = installation.run_refused(args);
        assert!(refused.contains("postgres://cutover_test@") && !refused.contains("s3cret"), "{refused}");
    }
    let doctor = installation.run(&["doctor"]);
    let findings = String::from_utf8(doctor.stdout).unwrap();
    assert!(findings.contains("FAIL  database") && findings.contains("ok    documents"), "{findings}");
    assert!(!findings.contains("s3cret"));

    cluster.start_again().unwrap();
    wait_until("it is ready again", || stranger.get("/readyz").status == 200);
    client.import(&[small("O-2")]);
    assert_eq!(client.status("O-1")["status"], "PROCESSED");
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0));
    assert!(log.contains("postgres://cutover_test@") && !log.contains("s3cret"), "{log}");
}

#[test]
fn a_database_that_does_not_exist() {
    let installation = Installation::with_database_url("postgres://me:s3cret@127.0.0.1:1/nowhere");
    for args in [&["serve", "--database-wait", "0s"][..], &["organisation", "list"], &["migrate"]] {
        let refused = installation.run_refused(args);
        assert!(refused.contains("postgres://me@127.0.0.1:1/nowhere cannot be opened"), "{refused}");
        assert!(!refused.contains("s3cret"), "{refused}");
    }
}

/// A long lock on a table that creates need.
#[test]
fn a_stuck_statement_is_ended() {
    let Some(installation) = Installation::on_postgres() else { return };
    let key = installation.add_supplier();
    let server = installation.serve_with(&["--database-statement-timeout", "500ms"]);
    let client = server.client(&key);
    client.import(&[small("L-1")]);
    let sleepers = "FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)' AND pid <> pg_backend_pid() \
                    AND datname = current_database()";
    std::thread::scope(|scope| {
        // psql reports that its sleep was cancelled.
        scope.spawn(|| {
            installation
                .test_database()
                .sql("SELECT id FROM suppliers FOR UPDATE; SELECT pg_sleep(3600)")
                .unwrap_err()
        });
        let locked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' \
                      AND datname = current_database()";
        wait_until("the supplier is locked", || installation.sql(locked) == "1");
        assert_unavailable(&client.create(&small("L-2")));
        assert_eq!(client.status("L-1")["status"], "PROCESSED", "who only reads is not held up");
        assert_eq!(installation.sql(&format!("SELECT pg_terminate_backend(pid) {sleepers}")), "t");
    });
    client.import(&[small("L-2")]);
}
