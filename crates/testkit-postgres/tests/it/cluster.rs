use crate::fast;
use cutover_testkit_postgres::{Cluster, ClusterOptions, Server, Standby, TestDatabase, server};

#[test]
fn a_database_is_created_and_dropped() {
    let Some(server) = server() else { return };
    let database = TestDatabase::create(server).unwrap();
    database.sql("CREATE TABLE t AS SELECT 1 AS n").unwrap();
    let copy = TestDatabase::create_from_template(server, database.name()).unwrap();
    assert_eq!(copy.sql("SELECT n, 'a' FROM t").unwrap(), "1|a");
    let count = format!("SELECT count(*) FROM pg_database WHERE datname = '{}'", database.name());
    assert_eq!(copy.sql(&count).unwrap(), "1");
    drop(database);
    assert_eq!(copy.sql(&count).unwrap(), "0");
}

#[test]
fn committed_data_survive_a_crash_of_the_server() {
    let Some(mut cluster) = fast() else { return };
    let address = cluster.address();
    cluster.sql("postgres", "CREATE TABLE t AS SELECT 7 AS n").unwrap();
    cluster.stop_at_once().unwrap();
    assert!(cluster.sql("postgres", "SELECT 1").is_err());
    cluster.start_again().unwrap();
    assert_eq!(cluster.address(), address);
    assert_eq!(cluster.sql("postgres", "SELECT n FROM t").unwrap(), "7");
    cluster.restart().unwrap();
    assert_eq!(cluster.sql("postgres", "SELECT n FROM t").unwrap(), "7");
}

#[test]
fn a_standby_follows_and_pauses() {
    let Some(cluster) = fast() else { return };
    cluster.sql("postgres", "CREATE TABLE t AS SELECT 1 AS n").unwrap();
    let mut standby = Standby::of(&cluster).unwrap();
    let seen = |standby: &Standby| standby.sql("postgres", "SELECT max(n) FROM t").unwrap();
    assert_eq!(seen(&standby), "1");
    cluster.sql("postgres", "INSERT INTO t VALUES (2)").unwrap();
    standby.wait_until_caught_up().unwrap();
    assert_eq!(seen(&standby), "2");
    standby.pause_replay().unwrap();
    cluster.sql("postgres", "INSERT INTO t VALUES (3)").unwrap();
    assert_eq!(seen(&standby), "2");
    standby.resume_replay().unwrap();
    standby.wait_until_caught_up().unwrap();
    assert_eq!(seen(&standby), "3");
    standby.stop_at_once().unwrap();
    standby.start_again().unwrap();
    standby.wait_until_caught_up().unwrap();
    assert_eq!(seen(&standby), "3");
}

#[test]
fn a_cluster_with_tls_refuses_connections_without_it() {
    let options = ClusterOptions { tls: true, ..ClusterOptions::fast() };
    let Some(cluster) = Cluster::for_test(&options) else { return };
    let question = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    assert_eq!(cluster.sql("postgres", question).unwrap(), "t");
    let plain = format!("postgres://cutover_test@{}/postgres?sslmode=disable", cluster.address());
    let refusal = Server::at(plain);
    assert!(TestDatabase::create(&refusal).unwrap_err().to_string().contains("no encryption"));
    let standby = Standby::of(&cluster).unwrap();
    standby.wait_until_caught_up().unwrap();
}
