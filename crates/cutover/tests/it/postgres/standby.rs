use super::listed;
use crate::harness::{ALL, Installation, wait_until};
#[cfg(unix)]
use crate::migration::{Supplier, export_small};
use crate::payloads::small;
use cutover_testkit_postgres::{Cluster, ClusterOptions, Standby};

#[test]
fn lists_and_status_are_read_from_the_standby_and_missing_rows_from_the_primary() {
    let Some(cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    let mut installation = Installation::with_database_url(&cluster.url("postgres"));
    installation.run_json(&["migrate"]);
    let mut standby = Standby::of(&cluster).unwrap();
    installation.set_variable("CUTOVER_DATABASE_REPLICA_URL", &standby.url("postgres"));
    let key = installation.add_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    client.import(&[small("S-1")]);
    standby.wait_until_caught_up().unwrap();
    assert_eq!(installation.failed_checks(), [""; 0]);
    let doctor = String::from_utf8(installation.run(&["doctor"]).stdout).unwrap();
    assert!(doctor.contains("no standby is synchronous"), "{doctor}");

    standby.pause_replay().unwrap();
    client.import(&[small("S-2")]);
    assert_eq!(client.status("S-2")["status"], "PROCESSED", "a miss is asked of the primary");
    assert_eq!(listed(&client, ALL), ["S-1"], "a list is as the standby has it");
    standby.resume_replay().unwrap();
    standby.wait_until_caught_up().unwrap();
    assert_eq!(listed(&client, ALL), ["S-1", "S-2"]);

    standby.stop_at_once().unwrap();
    client.import(&[small("S-3")]);
    assert_eq!(listed(&client, ALL), ["S-1", "S-2", "S-3"], "the primary answers in its place");
    assert_eq!(client.status("S-1")["status"], "PROCESSED");
    assert_eq!(server.anonymous().get("/readyz").status, 200);
    let doctor = String::from_utf8(installation.run(&["doctor"]).stdout).unwrap();
    assert!(doctor.contains("the primary answers in its place"), "{doctor}");

    standby.start_again().unwrap();
    standby.wait_until_caught_up().unwrap();
    standby.pause_replay().unwrap();
    client.import(&[small("S-4")]);
    wait_until("the standby is asked again", || listed(&client, ALL).len() == 3);
}

/// The standby is stopped while the primary accepts further accounts, as if it were that far behind.
#[cfg(unix)]
#[test]
fn an_upload_after_a_failover_sends_again_what_the_standby_did_not_have() {
    let Some(mut cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    let mut installation = Installation::with_database_url(&cluster.url("postgres"));
    installation.run_json(&["migrate"]);
    let key = installation.add_supplier();
    let mut standby = Standby::of(&cluster).unwrap();
    let server = installation.serve();
    export_small(installation.path(), "a.ndjson", 0..40);
    let (_, code, notes) = Supplier { installation: &installation, server: &server, key: &key }.upload();
    assert_eq!((code, notes.as_str()), (Some(0), ""));
    standby.wait_until_caught_up().unwrap();
    standby.stop_at_once().unwrap();
    export_small(installation.path(), "b.ndjson", 40..100);
    let (sent, ..) = Supplier { installation: &installation, server: &server, key: &key }.upload();
    assert_eq!(sent["accepted"], 100, "{sent}");
    drop(server);
    cluster.stop_at_once().unwrap();

    standby.start_again().unwrap();
    assert_eq!(standby.sql("postgres", "SELECT pg_promote()").unwrap(), "t");
    installation.set_variable("CUTOVER_DATABASE_URL", &standby.url("postgres"));
    let server = installation.serve();
    let supplier = Supplier { installation: &installation, server: &server, key: &key };
    let (sent, code, notes) = supplier.upload();
    let named = "note: 60 accounts that had been accepted are missing from the service; sending them again\n";
    assert_eq!((code, notes.as_str()), (Some(0), named));
    assert_eq!(sent["sent_again"], 60, "{sent}");
    assert_eq!(listed(&server.client(&key), ALL).len(), 100);
    assert_eq!(supplier.upload().2, "");
}
