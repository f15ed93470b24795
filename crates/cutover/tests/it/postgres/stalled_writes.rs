use crate::harness::{ACCOUNTS, Installation, wait_until};
use crate::payloads::small;
use cutover_testkit_postgres::{Cluster, ClusterOptions};

/// Decision 0057: given a database whose synchronous standby is gone, so that it answers reads and commits nothing, then
/// the server says so within a bounded time, and is ready again once writes are committed.
#[test]
fn a_database_that_commits_nothing_makes_a_server_unready() {
    let Some(cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    let installation = Installation::with_database_url(&cluster.url("postgres"));
    installation.run_json(&["migrate"]);
    let key = installation.add_supplier();
    let server = installation.serve();
    let (client, stranger) = (server.client(&key), server.anonymous());
    client.import(&[small("S-1")]);
    let set_standby = |change: &str| {
        cluster.sql("postgres", &format!("ALTER SYSTEM {change}")).unwrap();
        cluster.sql("postgres", "SELECT pg_reload_conf()").unwrap();
    };

    set_standby("SET synchronous_standby_names = 'lost'");
    wait_until("it is not ready", || stranger.get("/readyz").status == 503);
    let unready = stranger.get("/readyz").json();
    assert_eq!(unready["parts"]["database"], "stalled");
    assert_eq!(client.get(&format!("{ACCOUNTS}ACME/S-1/")).status, 200, "reads are answered");
    assert_eq!(stranger.get("/healthz").status, 200);

    set_standby("RESET synchronous_standby_names");
    wait_until("it is ready again", || stranger.get("/readyz").status == 200);
    client.import(&[small("S-2")]);
}

/// Decision 0057: given a database that becomes read-only, as an old primary does, then the server says so, and is ready
/// again as soon as writes are taken.
#[test]
fn a_read_only_database_makes_a_server_unready() {
    let Some(cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    let installation = Installation::with_database_url(&cluster.url("postgres"));
    installation.run_json(&["migrate"]);
    let key = installation.add_supplier();
    let server = installation.serve();
    let (client, stranger) = (server.client(&key), server.anonymous());
    client.import(&[small("S-1")]);
    let set_read_only = |change: &str| {
        cluster.sql("postgres", &format!("ALTER SYSTEM {change}")).unwrap();
        cluster.sql("postgres", "SELECT pg_reload_conf()").unwrap();
    };

    set_read_only("SET default_transaction_read_only = on");
    wait_until("it is not ready", || stranger.get("/readyz").status == 503);
    assert_eq!(stranger.get("/readyz").json()["parts"]["database"], "unwritable");
    assert_eq!(client.get(&format!("{ACCOUNTS}ACME/S-1/")).status, 200, "reads are answered");

    set_read_only("RESET default_transaction_read_only");
    wait_until("it is ready again", || stranger.get("/readyz").status == 200);
    client.import(&[small("S-2")]);
}

/// The server's own words reach who asks why: a full disk of the server is not known here otherwise.
#[test]
fn a_full_disk_of_the_server_is_told() {
    let Some(cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    let installation = Installation::with_database_url(&cluster.url("postgres"));
    installation.run_json(&["migrate"]);
    let server = installation.serve();
    let refuse = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
        $$BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END$$; \
        CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON nodes FOR EACH ROW EXECUTE FUNCTION refuse()";
    cluster.sql("postgres", refuse).unwrap();
    wait_until("it is not ready", || server.anonymous().get("/readyz").status == 503);
    assert_eq!(server.anonymous().get("/readyz").json()["parts"]["database"], "unwritable");
    let failed = installation.failed_checks();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(failed[0].contains("could not extend file (SQLSTATE 53100)"), "{failed:?}");
}
