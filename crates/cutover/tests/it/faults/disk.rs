//! Failure 11: SQLite on a full, a failing and a read-only disk.

use crate::harness::{ACCOUNTS, Answer, Client, Installation, Server, wait_until};
use crate::payloads::small;
use serde_json::{Value, json};
use std::process::Command;

/// Size of the file that is removed to free space.
const BALLAST: usize = 48 << 20;

/// An account of about 100 kB.
fn large(number: &str) -> Value {
    let mut account = small(number);
    let mut state =
        number.bytes().fold(7_u64, |state, byte| state.wrapping_mul(31).wrapping_add(byte.into()));
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + (state >> 59) as u8 % 26)
    };
    account["notes"] = json!([{"body": (0..160_000).map(|_| next()).collect::<String>()}]);
    account
}

fn assert_unavailable(answer: &Answer) {
    assert_eq!(answer.code(), (503, "service_unavailable".to_owned()), "{}", answer.text());
    assert!(answer.header("Retry-After").unwrap().parse::<u32>().unwrap() >= 1);
}

/// Creates accounts until one is refused, and then some more; returns the accepted ones.
fn create_until_refused(client: &Client, prefix: &str) -> Vec<String> {
    let (mut accepted, mut refused) = (Vec::new(), 0);
    for n in 0.. {
        assert!(n < 1_000, "nothing is refused");
        let number = format!("{prefix}-{n}");
        let answer = client.create(&large(&number));
        if answer.status == 201 {
            accepted.push(number);
        } else {
            assert_unavailable(&answer);
            refused += 1;
        }
        if refused == 5 {
            return accepted;
        }
    }
    unreachable!("it returns from the loop")
}

/// Stored accounts can be read while nothing can be written.
fn check_reads(server: &Server, client: &Client, accepted: &[String]) {
    for number in accepted {
        assert_eq!(client.get(&format!("{ACCOUNTS}ACME/{number}/")).status, 200, "{number}");
    }
    assert_eq!(server.anonymous().get("/healthz").status, 200);
}

/// A server whose disk takes no writes gets no requests of a load balancer, and an alert tells.
fn assert_unready(server: &Server) {
    let unready = server.anonymous().get("/readyz");
    assert_eq!((unready.status, &unready.json()["parts"]["database"]), (503, &json!("unwritable")));
    let metrics = server.anonymous().get("/metrics");
    assert!(metrics.text().contains("cutover_database_writable 0"), "{}", metrics.text());
}

/// All accepted accounts are imported, and the file is intact.
fn check_healed(installation: &Installation, server: Server, client: &Client, mut accepted: Vec<String>) {
    let last = "healed".to_owned();
    wait_until("there is room again", || client.create(&large(&last)).status == 201);
    accepted.push(last);
    wait_until("all are imported", || installation.count("ACME", "PROCESSED") >= accepted.len());
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    installation.check_invariants(&accepted.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Failure 11: given a full disk, then creates are answered 503, no accepted account is lost, stored ones can
/// be read, the file is intact, and everything continues once there is space.
#[test]
fn a_full_disk() {
    let Some((installation, disk)) = Installation::on_small_disk("64m") else { return };
    let key = installation.add_supplier();
    std::fs::write(disk.file("ballast"), vec![1; BALLAST]).unwrap();
    let server = installation.serve();
    let client = server.client(&key);
    let accepted = create_until_refused(&client, "F");
    assert!(!accepted.is_empty());
    check_reads(&server, &client, &accepted);
    assert_unready(&server);
    let failed = installation.failed_checks();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(failed[0].contains("the disk of") && failed[0].contains("free)"), "{failed:?}");
    std::fs::remove_file(disk.file("ballast")).unwrap();
    check_healed(&installation, server, &client, accepted);
}

/// Limits the size of the server's files.
fn limit_files(server: &Server, bytes: &str) {
    let mut command = Command::new("prlimit");
    command.args(["--pid", &server.pid().to_string(), &format!("--fsize={bytes}:")]);
    assert!(command.status().unwrap().success(), "{bytes}");
}

/// Decision 0057: nobody writes anything, and the server notices. It answers the reads of a load balancer meanwhile.
#[test]
fn an_idle_server_on_a_full_disk() {
    let installation = Installation::without_file_size_signal();
    installation.add_supplier();
    let server = installation.serve();
    assert_eq!(server.anonymous().get("/readyz").status, 200);
    limit_files(&server, "1");
    wait_until("it is not ready", || server.anonymous().get("/readyz").status == 503);
    assert_unready(&server);
}

/// Failure 11: the same for a disk whose writes fail.
#[test]
fn a_disk_whose_writes_fail() {
    let installation = Installation::without_file_size_signal();
    let key = installation.add_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    assert_eq!(client.create(&large("E-first")).status, 201);
    limit_files(&server, "1");
    let mut accepted = create_until_refused(&client, "E");
    assert!(accepted.is_empty(), "nothing can be written: {accepted:?}");
    accepted.push("E-first".to_owned());
    check_reads(&server, &client, &accepted);
    assert_unready(&server);
    let log = server.log();
    assert!(log.contains("disk I/O error") || log.contains("disk is full"), "{log}");
    limit_files(&server, "unlimited");
    check_healed(&installation, server, &client, accepted);
}

/// Failure 11: given a read-only file system, then the service reports it and does not start; once it is
/// writable, everything is there.
#[test]
fn a_read_only_disk() {
    let Some((installation, disk)) = Installation::on_small_disk("64m") else { return };
    let key = installation.add_supplier();
    let server = installation.serve_with(&["--role", "api"]);
    let client = server.client(&key);
    assert_eq!(client.create(&large("R-1")).status, 201);
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
    disk.remount("ro");
    let refused = installation.run_refused(&["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
    assert!(refused.contains("Read-only file system"), "{refused}");
    disk.remount("rw");
    let server = installation.serve();
    let client = server.client(&key);
    client.wait("R-1", "PROCESSED");
    check_healed(&installation, server, &client, vec!["R-1".to_owned()]);
}
