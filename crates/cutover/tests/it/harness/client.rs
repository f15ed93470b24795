use super::{ACCOUNTS, GRAPHQL, STALLED, text, wait_for};
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// The body as JSON, with sorted members.
    pub(crate) fn json(&self) -> Value {
        let mut json: Value = serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)));
        json.sort_all_objects();
        json
    }

    /// Status and code of a refusal; the code may be in `non_field_errors`.
    pub(crate) fn code(&self) -> (u16, String) {
        let json = self.json();
        let code = json.get("code").unwrap_or(&json["non_field_errors"]["code"]);
        (self.status, text(code))
    }

    /// `attr code` of each error of a v1 request that failed validation.
    pub(crate) fn faults(&self) -> Vec<String> {
        assert_eq!(self.code(), (400, "validation_error".to_owned()), "{}", self.json());
        for error in super::items(&self.json()["errors"]) {
            assert_eq!(super::members(error), ["attr", "code", "detail"]);
        }
        self.errors()
    }

    /// The body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// `attr code` of each error.
    pub(crate) fn errors(&self) -> Vec<String> {
        let json = self.json();
        let errors = json["errors"].as_array().unwrap_or_else(|| panic!("no errors: {json}"));
        errors.iter().map(|e| format!("{} {}", text(&e["attr"]), text(&e["code"]))).collect()
    }
}

/// An HTTP client that sends requests byte by byte: no library corrects them.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<String>,
}

impl Client {
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    pub(crate) fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Answer {
        self.send("POST", path, &[("Content-Type", "application/json")], body.as_ref())
    }

    pub(crate) fn create(&self, payload: &Value) -> Answer {
        self.post(ACCOUNTS, payload.to_string())
    }

    pub(crate) fn status(&self, number: &str) -> Value {
        self.get(&format!("{ACCOUNTS}ACME/{number}/")).json()
    }

    /// Waits until an account has a status; returns its status object.
    pub(crate) fn wait(&self, number: &str, state: &str) -> Value {
        wait_for(&format!("{number} is {state}"), || {
            let status = self.status(number);
            if status["status"] == state { Ok(status) } else { Err(status) }
        })
    }

    /// Sends a mutation to the token endpoint.
    pub(crate) fn obtain(&self, mutation: &str) -> Value {
        self.graphql(&format!("mutation {{ {mutation} }}")).json()
    }

    pub(crate) fn graphql(&self, query: &str) -> Answer {
        self.post(GRAPHQL, json!({ "query": query }).to_string())
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        if let Some(token) = &self.token {
            head += &format!("Authorization: Token {token}\r\n");
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n", body.len());
        self.raw(&[head.as_bytes(), body].concat())
    }

    /// Sends a head with a content length, and no body.
    pub(crate) fn announce(&self, path: &str, length: usize) -> Answer {
        let token = self.token.as_deref().unwrap_or_default();
        let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {token}\r\n");
        self.raw(format!("{head}Content-Length: {length}\r\n\r\n").as_bytes())
    }

    /// Sends bytes and reads the response to its end; a server that has not read everything may keep the
    /// connection open.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        // The server may have answered and closed before it read everything.
        let _ = stream.write_all(request);
        let has_body = !request.starts_with(b"HEAD ");
        let (mut answer, mut chunk) = (Vec::new(), [0; 64 * 1024]);
        let read = loop {
            match stream.read(&mut chunk) {
                Ok(0) => break Ok(()),
                Ok(n) => answer.extend_from_slice(&chunk[..n]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
            if has_body && is_whole(&answer) {
                break Ok(());
            }
        };
        assert!(!answer.is_empty(), "no answer: {read:?}");
        parse(&answer)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(STALLED)).unwrap();
        stream
    }
}

/// Returns true if the response is as long as its head says.
pub(super) fn is_whole(answer: &[u8]) -> bool {
    let Some(end) = answer.windows(4).position(|w| w == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    match length {
        Some(length) => answer.len() >= end + 4 + length,
        None => answer.ends_with(b"\r\n0\r\n\r\n"),
    }
}

pub(super) fn parse(answer: &[u8]) -> Answer {
    let end = answer.windows(4).position(|w| w == b"\r\n\r\n").expect("an answer has a head");
    let head = std::str::from_utf8(&answer[..end]).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let pair = |line: &str| line.split_once(": ").map(|(n, v)| (n.to_owned(), v.to_owned()));
    let headers: Vec<_> = lines.filter_map(pair).collect();
    let chunked = headers.iter().any(|(n, v)| n.eq_ignore_ascii_case("transfer-encoding") && v == "chunked");
    let body = &answer[end + 4..];
    Answer { status, headers, body: if chunked { dechunk(body) } else { body.to_vec() } }
}

fn dechunk(mut body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(end) = body.windows(2).position(|w| w == b"\r\n") {
        let len = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        if len == 0 {
            break;
        }
        out.extend_from_slice(&body[end + 2..end + 2 + len]);
        body = &body[end + 4 + len..];
    }
    out
}
