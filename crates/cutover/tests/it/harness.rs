//! A data folder, the commands on it, a server, and a client. Every server is stopped when it goes
//! out of scope; every wait is for something, and bounded.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub(crate) const ACCOUNTS: &str = "/v2/data-import/accounts/";
pub(crate) const VALIDATE: &str = "/v2/data-import/accounts/validate/";
pub(crate) const GRAPHQL: &str = "/v1/graphql/";
/// No wait lasts longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until something holds, looking again and again.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// A data folder of its own.
pub(crate) struct House {
    folder: TempDir,
}

impl House {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    /// A folder with the organisation `Acme`, the supplier `ACME` and a key of it.
    pub(crate) fn furnished() -> (Self, String) {
        let house = Self::new();
        house.done(&["organisation", "add", "Acme"]);
        house.done(&["supplier", "add", "ACME", "--organisation", "Acme"]);
        let key = house.key("Acme");
        (house, key)
    }

    /// A new key of an organisation.
    pub(crate) fn key(&self, organisation: &str) -> String {
        text(&self.done(&["api-key", "issue", "--organisation", organisation])["api_key"])
    }

    fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutover"));
        for (name, _) in std::env::vars_os().filter(|(n, _)| n.to_string_lossy().starts_with("CUTOVER_")) {
            command.env_remove(name);
        }
        command.args(args).arg("--data-dir").arg(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.program(args).output().unwrap()
    }

    /// Runs a command that must do what it was asked; its JSON.
    pub(crate) fn done(&self, args: &[&str]) -> Value {
        let output = self.run(&[args, &["--json"]].concat());
        let (stdout, stderr) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{args:?}: {stderr}");
        serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {stdout}"))
    }

    /// Runs a command that must refuse with exit code 1 and one line; that line.
    pub(crate) fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        assert_eq!(stderr.trim_end().lines().count(), 1, "{args:?}: {stderr}");
        assert!(output.stdout.is_empty(), "{args:?}");
        stderr.trim_end().to_owned()
    }

    /// Starts a server on a free port.
    pub(crate) fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    /// Starts a server with options of its own.
    pub(crate) fn serve_with(&self, options: &[&str]) -> Server {
        let mut command = self.program(&["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
        command.args(options).stdout(Stdio::null()).stderr(Stdio::piped());
        Server::start(command.spawn().unwrap())
    }

    /// What `process show` says.
    pub(crate) fn show(&self, number: &str) -> Value {
        self.done(&["process", "show", "ACME", number])
    }
}

/// The text of a JSON string.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// A running server.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    log: Arc<Mutex<String>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    fn start(mut child: Child) -> Self {
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(String::new()));
        let mut address = None;
        for line in lines.by_ref().map_while(Result::ok) {
            let found = line.split_once("listening on http://").map(|(_, rest)| rest.to_owned());
            log.lock().unwrap().push_str(&(line + "\n"));
            if let Some(rest) = found {
                let end = rest.find(|c: char| c == '"' || c.is_whitespace()).unwrap_or(rest.len());
                address = Some(rest[..end].parse().unwrap());
                break;
            }
        }
        let address =
            address.unwrap_or_else(|| panic!("the server did not come up: {}", log.lock().unwrap()));
        let kept = log.clone();
        let reader = std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| kept.lock().unwrap().push_str(&(line + "\n")));
        });
        Self { child, address, log, reader: Some(reader) }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has logged so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let status =
            Command::new("kill").args([&format!("-{name}"), &self.pid().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for its end; the exit code, and all it logged.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let mut status = None;
        until("the server ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        self.reader.take().unwrap().join().unwrap();
        (status.unwrap().code(), self.log())
    }

    /// Kills it as the kernel would: no word, no clean-up.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// A client with a token of the key.
    pub(crate) fn client(&self, key: &str) -> Client {
        Client { address: self.address, token: Some(self.token(key)) }
    }

    /// A client without a token.
    pub(crate) fn stranger(&self) -> Client {
        Client { address: self.address, token: None }
    }

    /// A token for a key.
    pub(crate) fn token(&self, key: &str) -> String {
        let answer =
            self.stranger().obtain(&format!("obtainToken(input: {{apiKey: \"{key}\"}}) {{ token }}"));
        text(&answer["data"]["obtainToken"]["token"])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already ended is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer: status, headers, body.
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

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// Status and code of a refusal.
    pub(crate) fn code(&self) -> (u16, String) {
        (self.status, text(&self.json()["code"]))
    }

    /// `attr code` of each error.
    pub(crate) fn errors(&self) -> Vec<String> {
        let json = self.json();
        let errors = json["errors"].as_array().unwrap_or_else(|| panic!("no errors: {json}"));
        errors.iter().map(|e| format!("{} {}", text(&e["attr"]), text(&e["code"]))).collect()
    }
}

/// Sends requests as they are told, byte by byte: no library mends them.
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

    /// Waits until an account is in a state; its status object.
    pub(crate) fn wait(&self, number: &str, state: &str) -> Value {
        let mut status = Value::Null;
        until(&format!("{number} is {state}"), || {
            status = self.status(number);
            status["status"] == state
        });
        status
    }

    /// A mutation of the token endpoint.
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

    /// Sends bytes and reads the answer to the end of the connection.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        // The server may have answered and closed before it read all.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer);
        assert!(!answer.is_empty(), "no answer: {read:?}");
        parse(&answer)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }
}

fn parse(answer: &[u8]) -> Answer {
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
