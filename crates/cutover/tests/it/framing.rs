//! Failure 16: requests with broken framing, and bodies that decompress to more than the limit.

use crate::harness::{ACCOUNTS, Client, Installation, Server, VALIDATE};
use crate::payloads::small;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use std::io::{Read, Write};
use std::net::Shutdown;

const BULK: &str = "/v2/data-import/accounts/bulk/";
/// The body limit in these tests; all bodies in memory use at most 32 times as much.
const LIMIT: usize = 1 << 20;

/// A server that stages accounts and imports none.
fn open() -> (Installation, Server, Client) {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--role", "api", "--body-limit", "1MiB", "--rate-limit", "0"]);
    let client = server.client(&key);
    (installation, server, client)
}

/// Sends a create with additional headers, and these bytes after its head; returns the statuses of all
/// answers until the connection ends.
fn statuses(client: &Client, headers: &str, body: &[u8]) -> Vec<u16> {
    let token = client.token.as_deref().unwrap();
    let head =
        format!("POST {ACCOUNTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {token}\r\n{headers}\r\n");
    let mut stream = client.connect();
    // The server may have answered and closed before it read everything.
    let _ = stream.write_all(&[head.as_bytes(), body].concat());
    let _ = stream.shutdown(Shutdown::Write);
    let mut answers = Vec::new();
    let _ = stream.read_to_end(&mut answers);
    let answers = String::from_utf8_lossy(&answers);
    answers.split("HTTP/1.1 ").skip(1).map(|answer| answer[..3].parse().unwrap()).collect()
}

fn chunked(body: &str) -> String {
    format!("{:x}\r\n{body}\r\n", body.len())
}

#[test]
fn an_incomplete_body_stages_nothing() {
    let (installation, server, client) = open();
    let body = small("F-1").to_string();
    let (length, whole) = (body.len(), chunked(&body) + "0\r\n\r\n");
    let te = "Transfer-Encoding: chunked\r\n";
    let with_length = |n: usize| format!("Content-Length: {n}\r\n");
    let cases: [(&str, String, String); 20] = [
        ("a length that is short", with_length(length - 1), body.clone()),
        ("a length of nothing", with_length(0), body.clone()),
        ("a length that is long", with_length(length + 1), body.clone()),
        ("a body that breaks off", with_length(length), body[..length / 2].to_owned()),
        ("two lengths", [with_length(length), with_length(length - 1)].concat(), body.clone()),
        ("a length below nothing", "Content-Length: -1\r\n".into(), body.clone()),
        ("a length with a sign", format!("Content-Length: +{length}\r\n"), body.clone()),
        ("a length that is no number", "Content-Length: 0x10\r\n".into(), body.clone()),
        ("a length beyond numbers", "Content-Length: 99999999999999999999999\r\n".into(), body.clone()),
        ("a length and chunks", with_length(length) + te, whole.clone()),
        ("chunks and a length", [te, &with_length(length)].concat(), whole.clone()),
        ("chunks and a length, no chunks", [te, &with_length(length)].concat(), body.clone()),
        ("a chunk that is cut", te.into(), chunked(&body)[..length / 2].to_owned()),
        ("no last chunk", te.into(), chunked(&body)),
        ("a last chunk without its end", te.into(), chunked(&body) + "0\r\n"),
        ("a chunk of another length", te.into(), format!("{:x}\r\n{body}\r\n0\r\n\r\n", length - 1)),
        ("a chunk whose length is no number", te.into(), format!("zz\r\n{body}\r\n0\r\n\r\n")),
        ("a chunk whose length is beyond numbers", te.into(), format!("{}\r\n{body}", "f".repeat(40))),
        ("a coding on top of chunks", "Transfer-Encoding: gzip, chunked\r\n".into(), whole.clone()),
        ("a coding instead of chunks", "Transfer-Encoding: gzip\r\n".into(), whole.clone()),
    ];
    for (what, headers, body) in &cases {
        let statuses = statuses(&client, headers, body.as_bytes());
        // Any answer is a refusal; bytes after a short body may be taken for another request.
        assert!(statuses.iter().all(|status| (400..500).contains(status)), "{what}: {statuses:?}");
    }
    assert_eq!(installation.run_json(&["process", "list", "ACME"]), json!([]));
    // The same request with correct framing is accepted.
    assert_eq!(statuses(&client, te, whole.as_bytes()), [201]);
    assert_eq!(installation.run_json(&["process", "list", "ACME"]).as_array().unwrap().len(), 1);
    assert_eq!(server.anonymous().get("/readyz").status, 200);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Small bodies that decompress to more than the memory that all of them may take, as one gzip member or many.
fn bombs() -> [Vec<u8>; 3] {
    let mebibyte = gzip(&vec![b' '; 1 << 20]);
    let begun = small("F-1").to_string().replace('}', "");
    let of_one = gzip(&vec![b'['; 64 << 20]);
    [[gzip(begun.as_bytes()), mebibyte.repeat(256)].concat(), mebibyte.repeat(256), of_one]
}

/// Bodies near the limit that need the most memory for their length: the shortest valid items, and items that
/// lack all required members.
fn widest() -> [String; 2] {
    let address = r#"{"customer_at_supply_address_from_date":"2020-01-01","supply_address":{"administrative_area":"V",
        "country":"AU","locality":"L","postal_code":"3000","structured_street_address":{}},"meter_points":["#;
    let items = vec!["{}"; 10_000].join(",");
    let account = |address: &str| {
        let addresses = vec![address; LIMIT / address.len() - 1].join(",");
        format!(
            r#"{{"import_supplier":"ACME","external_account_number":"W-1","supply_addresses":[{addresses}]}}"#
        )
    };
    [
        account(&format!(r#"{address}],"property_administrators":[{items}]}}"#)),
        account(&format!(r#"{{"meter_points":[{items}]}}"#)),
    ]
}

#[test]
fn decoded_arrays_take_bounded_memory() {
    let (_installation, server, client) = open();
    let widest = widest();
    let before = server.most_memory();
    for (body, codes) in widest.iter().zip(["", "required"]) {
        std::thread::scope(|scope| {
            for n in 0..8 {
                let (path, client) = ([VALIDATE, ACCOUNTS][n % 2], &client);
                scope.spawn(move || {
                    let answer = client.post(path, body);
                    // Some may have given up waiting for a slot.
                    assert!([200, 201, 400, 503].contains(&answer.status), "{}", answer.text());
                    assert!(!answer.text().contains("too_many_items"), "{}", answer.text());
                    if answer.status == 400 && path == VALIDATE {
                        assert!(answer.text().contains(codes), "{}", answer.text());
                    }
                });
            }
        });
    }
    if let (Some(before), Some(after)) = (before, server.most_memory()) {
        println!("memory in KiB: {before} before, {after} after bodies of {LIMIT} bytes");
        // Two are decoded at a time, with 48 times their bytes each and 10 MiB; each of four threads keeps
        // some memory for a while.
        assert!((after - before) * 1024 < (4 * 60 + 64) * LIMIT as u64, "{before} before, {after} after");
    }
    assert_eq!(server.anonymous().get("/readyz").status, 200);
}

#[test]
fn decompression_bombs_take_bounded_memory() {
    let (installation, server, client) = open();
    let send = |path: &str, coding: &str, kind: &str, body: &[u8]| {
        client.send("POST", path, &[("Content-Encoding", coding), ("Content-Type", kind)], body)
    };
    let packed = |path: &str, body: &[u8]| send(path, "gzip", "application/json", body);
    assert_eq!(packed(VALIDATE, &gzip(small("F-1").to_string().as_bytes())).status, 200);
    let bombs = bombs();
    let attack = || {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for bomb in bombs.iter().chain(&bombs) {
                        // For bombs over the limit as sent, and for those over it only after decompression.
                        for path in [VALIDATE, ACCOUNTS] {
                            assert_eq!(packed(path, bomb).code(), (413, "payload_too_large".to_owned()));
                        }
                        let line = send(BULK, "gzip", "application/x-ndjson", bomb);
                        assert!(!line.text().contains("\"status\":201"), "{}", line.text());
                    }
                });
            }
        });
        server.most_memory()
    };
    let (before, first) = (server.most_memory(), attack());
    // Threads keep some memory for their next requests.
    let last = (0..2).fold(None, |_, _| attack());
    if let (Some(before), Some(first), Some(last)) = (before, first, last) {
        println!("memory in KiB: {before} before, {first} after 72 bombs, {last} after 216");
        assert!((last - before) * 1024 < 192 * LIMIT as u64, "{before} before, {last} after");
        assert!((last - first) * 1024 < 64 * LIMIT as u64, "{first} after some bombs, {last} after more");
    }
    let twice = gzip(&bombs[2]);
    for coding in ["gzip, gzip", "gzip,identity", "deflate", "br", "zstd", "gzip, br", "x-gzip;q=1"] {
        let refused = send(ACCOUNTS, coding, "application/json", &twice);
        assert_eq!(refused.code(), (415, "unsupported_media_type".to_owned()), "{coding}");
    }
    assert_eq!(packed(ACCOUNTS, &twice).status, 400, "a body compressed twice is not JSON");
    assert_eq!(installation.run_json(&["process", "list", "ACME"]), json!([]));
    assert_eq!(server.anonymous().get("/readyz").status, 200);
}
