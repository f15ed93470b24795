use crate::fast;
use cutover_testkit_machine::wait_until;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Environment variable that makes a run of this test the owner that is killed.
const OWNER: &str = "CUTOVER_TEST_OWNER";

#[test]
fn a_cluster_ends_with_its_owner() {
    if std::env::var_os(OWNER).is_some() {
        return own();
    }
    let mut owner = Command::new(std::env::current_exe().unwrap());
    owner.args(["--exact", "watchdog::a_cluster_ends_with_its_owner", "--nocapture"]).env(OWNER, "1");
    let mut owner = owner.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    let line = lines.map_while(Result::ok).find_map(|line| line.strip_prefix("owns ").map(str::to_owned));
    let Some(line) = line else {
        // There are no programs, which the owner has printed.
        return assert!(owner.wait().unwrap().success());
    };
    let (address, folder) = line.split_once(' ').unwrap();
    assert!(TcpStream::connect(address).is_ok());
    owner.kill().unwrap();
    owner.wait().unwrap();
    let folder = PathBuf::from(folder);
    wait_until("the cluster is gone", || TcpStream::connect(address).is_err() && !folder.exists());
}

/// Runs a cluster until it is killed.
fn own() {
    let Some(cluster) = fast() else { return };
    println!("\nowns {} {}", cluster.address(), cluster.data().parent().unwrap().display());
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}
