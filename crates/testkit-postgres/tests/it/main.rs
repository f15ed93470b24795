//! Tests with the PostgreSQL of this machine, if it has one.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod cluster;
mod pgbouncer;
mod proxy;
mod watchdog;

use cutover_testkit_postgres::{Cluster, ClusterOptions};

fn fast() -> Option<Cluster> {
    Cluster::for_test(&ClusterOptions::fast())
}
