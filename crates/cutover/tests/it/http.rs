use crate::harness::{ACCOUNTS, Client, Installation, Server, VALIDATE};

fn open(options: &[&str]) -> (Installation, Server, Client) {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(options);
    let client = server.client(&key);
    (installation, server, client)
}

/// Failure 17.
#[test]
fn slow_bodies_are_disconnected() {
    let (_installation, server, client) = open(&["--body-timeout", "1s", "--head-timeout", "1s"]);
    use std::io::{Read, Write};
    let mut stream = client.connect();
    let head = format!(
        "POST {VALIDATE} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {}\r\nContent-Length: 100\r\n\r\n{{",
        client.token.as_ref().unwrap()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&answer));
    let mut slow = server.anonymous().connect();
    slow.write_all(b"GET /healthz HTT").unwrap();
    let mut answer = Vec::new();
    slow.read_to_end(&mut answer).unwrap();
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&answer));
}

/// Failure 17.
#[test]
fn rates_are_limited_by_organisation() {
    let (_installation, _server, client) = open(&["--rate-limit", "2"]);
    let statuses: Vec<u16> = (0..20).map(|_| client.get(&format!("{ACCOUNTS}ACME/1/")).status).collect();
    assert!(statuses.contains(&404) && statuses.contains(&429), "{statuses:?}");
    let throttled =
        (0..20).map(|_| client.get(&format!("{ACCOUNTS}ACME/1/"))).find(|a| a.status == 429).unwrap();
    assert_eq!(throttled.code().1, "throttled");
    assert!(throttled.header("Retry-After").unwrap().parse::<u32>().unwrap() >= 1);
}
