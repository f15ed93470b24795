use crate::harness::{ACCOUNTS, Client, Installation, Server, VALIDATE};
use crate::payloads::small;
use serde_json::json;

fn open(options: &[&str]) -> (Installation, Server, Client) {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(options);
    let client = server.client(&key);
    (installation, server, client)
}

#[test]
fn routes_and_methods_come_before_tokens() {
    let (_installation, server, client) = open(&[]);
    for client in [client, server.anonymous()] {
        assert_eq!(client.get("/v2/data-import/nothing/").code(), (404, "not_found".into()));
        let wrong = client.get(VALIDATE);
        assert_eq!(wrong.code(), (405, "method_not_allowed".into()));
        assert_eq!(wrong.header("Allow"), Some("POST"));
        let delete = client.send("DELETE", &format!("{ACCOUNTS}ACME/1/"), &[], b"");
        assert_eq!(delete.code(), (405, "method_not_allowed".into()));
    }
}

/// Failure 18.
#[test]
fn bodies_that_are_not_json() {
    let (_installation, _server, client) = open(&[]);
    for body in
        [&b""[..], b"{", b"nope", b"\xEF\xBB\xBF{}", b"{\"a\":\"\\ud800\"}", b"{}{}", b"\xff\xfe{\0}\0"]
    {
        let answer = client.post(VALIDATE, body);
        assert_eq!(answer.code(), (400, "parse_error".into()), "{body:?}");
        assert!(answer.json()["detail"].as_str().unwrap().contains("line 1"), "{}", answer.json());
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(client.post(VALIDATE, deep).code(), (400, "parse_error".into()));
    assert_eq!(client.post(VALIDATE, "[]").errors(), ["non_field_errors invalid"]);
}

#[test]
fn content_types() {
    let (_installation, _server, client) = open(&[]);
    let body = small("H-1").to_string();
    let send = |kind: &[(&str, &str)]| client.send("POST", VALIDATE, kind, body.as_bytes()).status;
    assert_eq!(send(&[]), 200);
    assert_eq!(send(&[("Content-Type", "application/json; charset=utf-8")]), 200);
    assert_eq!(send(&[("Content-Type", "text/plain")]), 415);
    assert_eq!(send(&[("Content-Type", "application/xml")]), 415);
    assert_eq!(send(&[("Content-Encoding", "br")]), 415);
}

/// Failure 16.
#[test]
fn bodies_over_the_limit_are_refused_without_being_read() {
    let (_installation, server, client) = open(&[]);
    let head = format!(
        "POST {VALIDATE} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {}\r\nContent-Length: 104857600\r\n\r\n",
        client.token.as_ref().unwrap()
    );
    assert_eq!(client.raw(head.as_bytes()).code(), (413, "payload_too_large".into()));
    let mut chunked = head.replace("Content-Length: 104857600", "Transfer-Encoding: chunked").into_bytes();
    let chunk = [b"100000\r\n".to_vec(), vec![b' '; 0x10_0000], b"\r\n".to_vec()].concat();
    (0..20).for_each(|_| chunked.extend_from_slice(&chunk));
    assert_eq!(client.raw(&chunked).code(), (413, "payload_too_large".into()));
    assert_eq!(server.anonymous().get("/healthz").status, 200);
}

/// Failure 16.
#[test]
fn the_limit_of_compressed_bodies_is_their_decompressed_size() {
    let (_installation, _server, client) = open(&[]);
    let gzip = |bytes: &[u8]| {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let send = |body: &[u8]| client.send("POST", VALIDATE, &[("Content-Encoding", "gzip")], body);
    assert_eq!(send(&gzip(small("H-1").to_string().as_bytes())).status, 200);
    assert_eq!(send(&gzip(&vec![b' '; 100 << 20])).code(), (413, "payload_too_large".into()));
    assert_eq!(send(b"no gzip").status, 400);
    let bomb = gzip(&gzip(&vec![b' '; 100 << 20]));
    assert_eq!(client.send("POST", VALIDATE, &[("Content-Encoding", "gzip, gzip")], &bomb).status, 415);
}

#[test]
fn valid_request_ids_are_kept_and_others_replaced() {
    let (_installation, server, _client) = open(&[]);
    let id = |sent: &str| {
        let answer = server.anonymous().send("GET", "/healthz", &[("X-Request-Id", sent)], b"");
        answer.header("X-Request-Id").unwrap().to_owned()
    };
    assert_eq!(id("abc-123_X.7"), "abc-123_X.7");
    for odd in ["a b", "<script>", &"x".repeat(300), "é"] {
        let made = id(odd);
        assert!(made != odd && !made.is_empty());
    }
    assert!(server.anonymous().get("/nothing").header("x-request-id").is_some());
}

/// Failure 16.
#[test]
fn broken_framing_is_refused_and_stages_nothing() {
    let (installation, server, client) = open(&["--role", "api"]);
    let body = small("H-1").to_string();
    let head = format!(
        "POST {ACCOUNTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {}\r\n",
        client.token.as_ref().unwrap()
    );
    let both = format!("{head}Content-Length: {}\r\nTransfer-Encoding: chunked\r\n\r\n{body}", body.len());
    assert_eq!(client.raw(both.as_bytes()).status, 400);
    let two = format!("{head}Content-Length: 5\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    assert_eq!(client.raw(two.as_bytes()).status, 400);
    // A connection that is cut: no answer is required, and nothing may be staged.
    use std::io::Write;
    let mut stream = client.connect();
    stream
        .write_all(
            format!("{head}Content-Length: {}\r\n\r\n{}", body.len(), &body[..body.len() / 2]).as_bytes(),
        )
        .unwrap();
    drop(stream);
    assert_eq!(server.anonymous().get("/healthz").status, 200);
    assert_eq!(installation.run_json(&["process", "list", "ACME"]), json!([]));
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
