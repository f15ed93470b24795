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
