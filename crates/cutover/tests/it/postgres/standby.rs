use super::listed;
use crate::harness::{ALL, Installation, wait_until};
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
