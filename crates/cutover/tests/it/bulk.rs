//! Many accounts in one request (decisions D12), over a real connection.

use crate::harness::{Client, House, Server};
use crate::payloads::small;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

const PATH: &str = "/v2/data-import/accounts/bulk/";

fn staged(options: &[&str]) -> (House, Server, Client) {
    let (house, key) = House::furnished();
    let server = house.serve_with(&[&["--role", "api"], options].concat());
    let client = server.client(&key);
    (house, server, client)
}

/// A request whose lines are sent one by one.
struct Lines {
    stream: TcpStream,
    answers: BufReader<TcpStream>,
}

impl Lines {
    fn open(client: &Client) -> Self {
        let mut stream = client.connect();
        let token = client.token.as_deref().unwrap();
        let head = format!(
            "POST {PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {token}\r\n\
             Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let answers = BufReader::new(stream.try_clone().unwrap());
        Self { stream, answers }
    }

    fn send(&mut self, text: &str) {
        write!(self.stream, "{:x}\r\n{text}\r\n", text.len()).unwrap();
    }

    /// The next line of the answer that is JSON.
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
        // A connection that is cut may end in an error.
        let _ = self.answers.read_to_end(&mut rest);
        String::from_utf8(rest).unwrap()
    }
}

#[test]
fn a_line_is_answered_while_the_next_is_still_to_come() {
    let (house, _server, client) = staged(&[]);
    let mut lines = Lines::open(&client);
    for n in 1..=3 {
        lines.send(&format!("{}\n", small(&format!("B-{n}"))));
        let result = lines.result();
        assert_eq!((result["line"].as_u64(), result["status"].as_u64()), (Some(n), Some(201)));
        // What was answered is there, though the request goes on.
        assert_eq!(house.show(&format!("B-{n}"))["status"], "PENDING");
    }
    let last = small("B-4").to_string();
    let (begin, end) = last.split_at(100);
    lines.send(begin);
    lines.send(end);
    write!(lines.stream, "0\r\n\r\n").unwrap();
    assert_eq!(lines.result()["external_account_number"], "B-4");
}

#[test]
fn many_lines_are_taken_at_the_pace_of_their_reader() {
    let (house, server, client) = staged(&[]);
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
    assert_eq!(house.show("B-1999")["status"], "PENDING");
    assert_eq!(server.stranger().get("/readyz").status, 200);
}

#[test]
fn a_client_that_falls_silent_is_cut_off_and_keeps_what_was_answered() {
    let (house, _server, client) = staged(&["--body-timeout", "1s"]);
    let mut lines = Lines::open(&client);
    lines.send(&format!("{}\n", small("B-1")));
    assert_eq!(lines.result()["status"], 201);
    lines.send("{\"import");
    let rest = lines.rest();
    assert!(!rest.contains("0\r\n\r\n"), "the answer looks whole: {rest}");
    assert_eq!(house.show("B-1")["status"], "PENDING");
}

#[test]
fn a_client_that_leaves_costs_nobody_else_a_thing() {
    let (house, server, client) = staged(&[]);
    for n in 0..20 {
        let mut lines = Lines::open(&client);
        lines.send(&format!("{}\n{{\"a\":", small(&format!("B-{n}"))));
        assert_eq!(lines.result()["status"], 201);
    }
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(house.show("B-19")["status"], "PENDING");
}
