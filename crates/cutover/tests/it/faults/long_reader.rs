//! Failure 10: SQLite with many writers, the worker, and a long reader.

use crate::harness::{ACCOUNTS, ALL, Client, Installation, wait_for_count};
use crate::payloads::small;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;

const WRITERS: usize = 32;
/// Number of accounts of about 100 kB: several times the size limit of the log.
const ACCOUNTS_OF_EACH: usize = 12;
/// Number of small accounts before them.
const LISTED: usize = 500;
/// Limit of the log: it is reset at 16 MB unless there is a reader, which takes a moment.
const LONGEST: u64 = 40 << 20;

/// Text that compresses badly.
fn noise(seed: u64, length: usize) -> String {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'0' + (state % 75) as u8)
    };
    (0..length).map(|_| next()).filter(|c| *c != '\\' && *c != '"').collect()
}

/// Requests the list of all accounts and stops reading after the beginning.
fn begin_to_read(client: &Client) -> TcpStream {
    let mut stream = client.connect();
    let token = client.token.as_deref().unwrap();
    let head = format!("GET {ALL}ACME/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token {token}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.read_exact(&mut [0; 512]).unwrap();
    stream
}

/// Failure 10: given 32 concurrent writers, the importing worker, and a client that stops reading a list,
/// then no request fails because the database is locked, and the log does not grow behind the reader.
#[test]
fn thirty_two_writers_the_worker_and_a_long_reader() {
    let (installation, key) = Installation::with_supplier();
    if installation.is_on_postgres() {
        return;
    }
    let server = installation.serve_with(&["--rate-limit", "0"]);
    let client = server.client(&key);
    std::thread::scope(|scope| {
        for part in 0..8 {
            let client = client.clone();
            scope.spawn(move || {
                for i in (part..LISTED).step_by(8) {
                    assert_eq!(client.create(&small(&format!("L-{i:05}"))).status, 201);
                }
            });
        }
    });
    let mut reader = begin_to_read(&client);
    let log = installation.path().join("cutover.db-wal");
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let client = client.clone();
            scope.spawn(move || {
                for i in 0..ACCOUNTS_OF_EACH {
                    let mut account = small(&format!("W-{writer}-{i}"));
                    let body = noise((writer * ACCOUNTS_OF_EACH + i + 1) as u64 * 0x9E37_79B9, 130_000);
                    account["notes"] = json!([{"body": body}]);
                    let answer = client.post(ACCOUNTS, account.to_string());
                    assert_eq!(answer.status, 201, "{}", answer.text());
                }
            });
        }
    });
    let all = LISTED + WRITERS * ACCOUNTS_OF_EACH;
    let processed = || server.metric("cutover_worker_accounts_processed_total");
    wait_for_count("all are imported", all, processed);
    let length = std::fs::metadata(&log).unwrap().len();
    assert!(length < LONGEST, "the log has {length} bytes");
    let said = server.log();
    assert!(!said.contains("locked") && !said.contains("could not be emptied"), "{said}");
    // The list continues.
    reader.read_exact(&mut [0; 512]).unwrap();
    drop(server);
    let written = std::fs::metadata(installation.path().join("cutover.db")).unwrap().len();
    assert!(written > LONGEST, "{written} bytes were written in all");
    assert_eq!(installation.failed_checks(), [""; 0]);
}
