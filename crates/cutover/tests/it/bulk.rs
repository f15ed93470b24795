//! Many accounts in one request (contract D12), over a real connection.

use crate::harness::{Client, Installation, Server, text, wait_until};
use crate::payloads::small;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const PATH: &str = "/v2/data-import/accounts/bulk/";

fn staged(options: &[&str]) -> (Installation, Server, Client) {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&[&["--role", "api"], options].concat());
    let client = server.client(&key);
    (installation, server, client)
}

/// A request with lines sent one by one.
struct Lines {
    stream: TcpStream,
    answers: BufReader<TcpStream>,
}

impl Lines {
    fn open(client: &Client) -> Self {
        Self::open_at(client, PATH)
    }

    fn open_validating(client: &Client) -> Self {
        Self::open_at(client, &format!("{PATH}?validate_only=1"))
    }

    fn open_at(client: &Client, path: &str) -> Self {
        let mut stream = client.connect();
        let token = client.token.as_deref().unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {token}\r\n\
             Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        Self::of(stream)
    }

    fn of(stream: TcpStream) -> Self {
        let answers = BufReader::new(stream.try_clone().unwrap());
        Self { stream, answers }
    }

    fn send(&mut self, text: &str) {
        write!(self.stream, "{:x}\r\n{text}\r\n", text.len()).unwrap();
    }

    /// The next JSON line of the answer.
    fn result(&mut self) -> serde_json::Value {
        let mut line = String::new();
        loop {
            line.clear();
            assert_ne!(self.answers.read_line(&mut line).unwrap(), 0, "the answer ends");
            if line.starts_with("{\"line\"") {
                return serde_json::from_str(&line).unwrap();
            }
        }
    }

    fn rest(mut self) -> String {
        let mut rest = Vec::new();
        // A cut connection may end in an error.
        let _ = self.answers.read_to_end(&mut rest);
        String::from_utf8(rest).unwrap()
    }
}

#[test]
fn a_line_is_answered_before_the_next_is_sent() {
    let (installation, _server, client) = staged(&[]);
    let mut lines = Lines::open(&client);
    for n in 1..=3 {
        lines.send(&format!("{}\n", small(&format!("B-{n}"))));
        let result = lines.result();
        assert_eq!((result["line"].as_u64(), result["status"].as_u64()), (Some(n), Some(201)));
        // Answered lines are stored, even though the request continues.
        assert_eq!(installation.show(&format!("B-{n}"))["status"], "PENDING");
    }
    let last = small("B-4").to_string();
    let (begin, end) = last.split_at(100);
    lines.send(begin);
    lines.send(end);
    write!(lines.stream, "0\r\n\r\n").unwrap();
    assert_eq!(lines.result()["external_account_number"], "B-4");
}

#[test]
fn many_lines_are_accepted_at_the_pace_of_their_reader() {
    let (installation, server, client) = staged(&[]);
    let mut lines = Lines::open(&client);
    let accounts: Vec<String> = (0..2_000).map(|n| format!("{}\n", small(&format!("B-{n}")))).collect();
    let mut stream = lines.stream.try_clone().unwrap();
    let results = std::thread::scope(|scope| {
        scope.spawn(move || {
            for text in accounts {
                write!(stream, "{:x}\r\n{text}\r\n", text.len()).unwrap();
            }
            write!(stream, "0\r\n\r\n").unwrap();
        });
        (0..2_000).map(|_| lines.result()).collect::<Vec<_>>()
    });
    for (n, result) in results.iter().enumerate() {
        assert_eq!(result["line"], n + 1);
        assert_eq!(
            (&result["status"], &result["external_account_number"]),
            (&201.into(), &format!("B-{n}").into())
        );
    }
    assert_eq!(installation.show("B-1999")["status"], "PENDING");
    assert_eq!(server.anonymous().get("/readyz").status, 200);
}

#[test]
fn a_silent_client_is_disconnected_and_its_answered_lines_are_stored() {
    let (installation, _server, client) = staged(&["--body-timeout", "5s"]);
    let mut lines = Lines::open(&client);
    lines.send(&format!("{}\n", small("B-1")));
    assert_eq!(lines.result()["status"], 201);
    lines.send("{\"import");
    let rest = lines.rest();
    assert!(!rest.contains("0\r\n\r\n"), "the answer looks whole: {rest}");
    assert_eq!(installation.show("B-1")["status"], "PENDING");
}

/// Sends a chunk without blocking; returns the number of bytes written.
fn push(stream: &mut TcpStream, text: &[u8]) -> usize {
    match stream.write(text) {
        Ok(taken) => taken,
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => 0,
        Err(error) => panic!("{error}"),
    }
}

/// Failure 17.
#[test]
fn a_client_that_stops_reading_answers_is_not_read_from_and_delays_nobody() {
    let (_installation, _server, client) = staged(&[]);
    // Refusals are longer than the refused lines, so that the answers fill their buffers first.
    let line = format!("{{\"{}\":1}}\n", "\u{1F600}".repeat(1_000)).repeat(50);
    let chunk = format!("{:x}\r\n{line}\r\n", line.len()).into_bytes();
    let mut stalled: Vec<Lines> = (0..3).map(|_| Lines::open_validating(&client)).collect();
    for lines in &mut stalled {
        lines.stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
        let mut sent = 0;
        while push(&mut lines.stream, &chunk) == chunk.len() {
            sent += chunk.len();
            assert!(sent < 200 << 20, "it is read without end");
        }
    }
    for n in 0..100 {
        assert_eq!(client.create(&small(&format!("C-{n}"))).status, 201);
    }
}

#[test]
fn a_revoked_key_stores_nothing_more() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--role", "api"]);
    let client = server.client(&key);
    let mut lines = Lines::open(&client);
    lines.send(&format!("{}\n", small("B-0")));
    assert_eq!(lines.result()["status"], 201);
    let prefix = text(&installation.run_json(&["api-key", "list"])[0]["prefix"]);
    installation.run_json(&["api-key", "revoke", &prefix]);
    let mut n = 0;
    wait_until("the key is refused", || {
        n += 1;
        lines.send(&format!("{}\n", small(&format!("B-{n}"))));
        let status = lines.result()["status"].as_u64();
        assert!(matches!(status, Some(201 | 401)), "{status:?}");
        status == Some(401)
    });
    assert!(lines.rest().ends_with("0\r\n\r\n"), "it ends there");
}

#[test]
fn a_stopping_server_accepts_no_more_lines() {
    // If it waited for the client, it would do so for an hour.
    let (installation, server, client) = staged(&["--body-timeout", "1h", "--shutdown-timeout", "1h"]);
    let mut lines = Lines::open(&client);
    lines.send(&format!("{}\n", small("B-1")));
    assert_eq!(lines.result()["status"], 201);
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    assert!(!lines.rest().contains("0\r\n\r\n"), "the answer looks whole");
    assert_eq!(installation.show("B-1")["status"], "PENDING");
}

#[test]
fn clients_that_disconnect_lose_nothing() {
    let (installation, _server, client) = staged(&[]);
    // More lines in total than there are slots.
    for n in 0..100 {
        let mut lines = Lines::open(&client);
        lines.send(&format!("{}\n{}\n{{\"a\":", small(&format!("B-{n}")), small(&format!("C-{n}"))));
        // A client that reads nothing resets the connection, so its lines may never be read.
        if n % 2 == 0 {
            assert_eq!(lines.result()["status"], 201);
        }
    }
    let is_stored =
        |n: usize| installation.run(&["process", "show", "ACME", &format!("C-{n}")]).status.success();
    wait_until("what had come with a line that is answered is stored", || is_stored(98));
    assert!((0..100).step_by(2).all(is_stored));
    assert_eq!(client.create(&small("D-1")).status, 201);
}
