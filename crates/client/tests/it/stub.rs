//! A stub of the service that behaves as the contract says as far as the tests need, with scripted faults.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

pub(crate) const KEY: &str = "cut_live_stub";

/// Scripted response to a create request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Behavior {
    /// The normal response.
    Normal,
    /// An answer of this status, with `Retry-After`, to the request as a whole.
    Answer(u16, Option<u32>),
    /// An HTML page of a proxy with status 200.
    Html,
    /// An HTML page of a proxy with this status.
    Page(u16),
    /// Stores and answers this many lines, stores one more, and closes the connection.
    Cut(usize),
    /// Answers this many lines, one more with this status, and takes no more.
    StopAt(usize, u16),
    /// Answers this line of the request, from 0, with 500, the others normally.
    ErrorAt(usize),
    /// Answers every line of the request with 500.
    Down,
    /// Replaces these members in the answer to the first line.
    Foreign(Value),
    /// Adds this after the answers.
    More(&'static str),
}

/// State and script of the stub.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Body of each account, and how often it was created.
    pub(crate) accounts: BTreeMap<String, (Value, u32)>,
    /// Statuses of accounts that do not wait any more, by account number.
    pub(crate) statuses: HashMap<String, &'static str>,
    /// Answers of create instead of 201, by account number.
    pub(crate) refusals: HashMap<String, Value>,
    /// Number of creates still to be answered with 500, by account number.
    pub(crate) failures: HashMap<String, u32>,
    /// Requests of version 1 that arrived, in order: the end of the path, and the body.
    pub(crate) sent: Vec<(String, Value)>,
    /// Answers to those, by the number of the account or the identifier of the business.
    pub(crate) sent_answers: HashMap<String, (u16, Value)>,
    /// Findings of validate, by account number.
    pub(crate) findings: HashMap<String, Value>,
    /// Responses to the next create requests; normal after these.
    pub(crate) acts: VecDeque<Behavior>,
    /// Answers to `GET` by path without query, used in turn; the last one is repeated.
    pub(crate) answers: HashMap<String, VecDeque<(u16, Value)>>,
    /// Texts that are answered to `GET`, by path.
    pub(crate) texts: HashMap<String, String>,
    /// Answers with the settings of suppliers, by code; those of UTC for others.
    pub(crate) settings: HashMap<String, (u16, Value)>,
    /// Id of the history of its database, if it tells it; then it also lists its accounts.
    pub(crate) history: Option<String>,
    /// Its answer to that list, if not the normal one.
    pub(crate) list_answer: Option<(u16, Value)>,
    /// The history that follows once this many accounts are there.
    pub(crate) next_history: Option<(usize, String)>,
    /// Number of requests for the settings of a supplier.
    pub(crate) settings_requests: HashMap<String, u32>,
    /// Queries of the `GET` requests, in order.
    pub(crate) queries: Vec<String>,
    /// Statuses for the next token requests; true if the body is a page of a proxy instead of JSON.
    pub(crate) token_faults: VecDeque<(u16, bool)>,
    /// Number of issued tokens; only the last is valid.
    pub(crate) tokens: u32,
    /// Declared manifests: path and body.
    pub(crate) manifests: Vec<(String, Value)>,
    /// Stored documents by the end of their path, as it was sent.
    pub(crate) documents: BTreeMap<String, Vec<u8>>,
    /// Paths of the documents that arrived, in order.
    pub(crate) document_requests: Vec<String>,
    /// Answers to documents instead of the normal ones, by the end of their path.
    pub(crate) document_answers: HashMap<String, (u16, Value)>,
    /// Answer to the declaration of a manifest, if not the normal one.
    pub(crate) manifest_answer: Option<(u16, Value)>,
    /// Refuses manifests with numbers of rows, as an earlier version of the service does.
    pub(crate) takes_no_rows: bool,
    /// Create requests: `bulk` or `one`, and the number of lines received.
    pub(crate) requests: Vec<(&'static str, usize)>,
    /// If set, the bulk request that follows this many created accounts, or creates them, hangs.
    pub(crate) hang_after: Option<usize>,
    /// True once a response hangs.
    pub(crate) hangs: bool,
    /// Number of received lines that are not an account.
    pub(crate) broken: u32,
}

impl State {
    /// Returns the next answer for a path; the last one stays.
    fn next_answer(&mut self, path: &str) -> Option<(u16, Value)> {
        match self.answers.get_mut(path) {
            Some(answers) if answers.len() > 1 => answers.pop_front(),
            Some(answers) => answers.front().cloned(),
            None => Some((404, json!({"detail": "Nothing is here.", "code": "not_found"}))),
        }
    }

    /// Loses the first account and begins another history, if it is time to.
    fn fail_over(&mut self) {
        if let Some((_, next)) = self.next_history.take_if(|(accounts, _)| *accounts == self.accounts.len()) {
            self.history = Some(next);
            self.accounts.pop_first();
        }
    }

    fn is_to_hang(&self) -> bool {
        self.hang_after.is_some_and(|n| self.accounts.len() >= n)
    }
}

/// A service that runs until the test ends.
pub(crate) struct Stub {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Stub {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::<Mutex<State>>::default();
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                // The thread ends when the client disconnects.
                thread::spawn(move || Connection::new(stream, state).serve());
            }
        });
        Self { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Scripts the responses to the next create requests.
    pub(crate) fn script(&self, acts: impl IntoIterator<Item = Behavior>) {
        self.state().acts.extend(acts);
    }

    /// Sets the answers of a path.
    pub(crate) fn answers(&self, path: &str, answers: impl IntoIterator<Item = (u16, Value)>) {
        self.state().answers.insert(path.to_owned(), answers.into_iter().collect());
    }

    /// Number of creations of each account, in the order of the account numbers.
    pub(crate) fn creations(&self) -> Vec<(String, u32)> {
        self.state().accounts.iter().map(|(number, (_, count))| (number.clone(), *count)).collect()
    }
}

/// The segment of a path with one segment.
fn one_segment(path: &str) -> Option<&str> {
    path.strip_suffix('/').filter(|code| !code.is_empty() && !code.contains('/'))
}

struct Connection {
    from: BufReader<TcpStream>,
    to: TcpStream,
    state: Arc<Mutex<State>>,
}

struct Head {
    method: String,
    path: String,
    query: String,
    token: String,
    length: usize,
    /// The digest of the body.
    digest: String,
}

impl Connection {
    fn new(stream: TcpStream, state: Arc<Mutex<State>>) -> Self {
        Self { from: BufReader::new(stream.try_clone().unwrap()), to: stream, state }
    }

    fn serve(&mut self) -> Option<()> {
        loop {
            let head = self.head()?;
            if head.method == "GET" {
                self.get(&head)?;
            } else if head.method == "PUT" {
                self.put(&head)?;
            } else if head.path.ends_with("/graphql/") {
                self.token(&head)?;
            } else if head.path.starts_with("/v2/data-import/import-suppliers/") {
                self.body(&head)?;
                self.get(&head)?;
            } else {
                self.create(&head)?;
            }
        }
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = self.from.read_line(&mut line).ok()?;
        (count > 0).then(|| line.trim_end().to_owned())
    }

    fn head(&mut self) -> Option<Head> {
        let first = self.line()?;
        let mut words = first.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut head = Head {
            method,
            path: path.into(),
            query: query.into(),
            token: String::new(),
            length: 0,
            digest: String::new(),
        };
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(": ") else { return Some(head) };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => head.length = value.parse().unwrap(),
                "authorization" => head.token = value.to_owned(),
                "content-digest" => head.digest = value.to_owned(),
                _ => {}
            }
        }
    }

    fn body(&mut self, head: &Head) -> Option<Vec<u8>> {
        let mut body = vec![0; head.length];
        self.from.read_exact(&mut body).ok()?;
        Some(body)
    }

    fn answer(&mut self, status: u16, headers: &str, body: &str) -> Option<()> {
        let length = body.len();
        let kind = if headers.contains("Content-Type") { "" } else { "Content-Type: application/json\r\n" };
        let text = format!("HTTP/1.1 {status} X\r\n{kind}{headers}Content-Length: {length}\r\n\r\n{body}");
        self.to.write_all(text.as_bytes()).ok()
    }

    fn token(&mut self, head: &Head) -> Option<()> {
        let body: Value = serde_json::from_slice(&self.body(head)?).unwrap();
        if body["variables"]["input"]["apiKey"] != KEY {
            let refusal = json!({"data": null, "errors": [{"message": "The key or refresh token is not valid.",
                "extensions": {"code": "authentication_failed"}}]});
            return self.answer(200, "", &refusal.to_string());
        }
        let fault = self.state.lock().unwrap().token_faults.pop_front();
        if let Some((status, is_page)) = fault {
            let kind = if is_page { "Content-Type: text/html\r\n" } else { "" };
            return self.answer(status, kind, if is_page { "<html>" } else { "{}" });
        }
        let mut state = self.state.lock().unwrap();
        state.tokens += 1;
        let token = format!("t{}", state.tokens);
        drop(state);
        let given = json!({"token": token, "payload": {"iat": 1_000, "exp": 4_600}});
        self.answer(200, "", &json!({"data": {"obtainToken": given}}).to_string())
    }

    /// Checks the token; answers 401 and returns false if it is invalid.
    fn is_good(&mut self, head: &Head) -> Option<bool> {
        let last = format!("Token t{}", self.state.lock().unwrap().tokens);
        if head.token == last {
            return Some(true);
        }
        self.body(head)?;
        self.answer(401, "", r#"{"detail": "Not good.", "code": "authentication_failed"}"#)?;
        Some(false)
    }

    fn get(&mut self, head: &Head) -> Option<()> {
        if !self.is_good(head)? {
            return Some(());
        }
        if let Some(code) = head.path.strip_prefix("/v2/data-import/import-suppliers/").and_then(one_segment)
        {
            let mut state = self.state.lock().unwrap();
            *state.settings_requests.entry(code.to_owned()).or_default() += 1;
            let installation = format!("http://{}", self.to.local_addr().unwrap());
            let default = json!({"code": code, "time_zone": "UTC", "rules": {}, "installation": installation,
                "history": state.history});
            let (status, body) = state.settings.get(code).cloned().unwrap_or((200, default));
            drop(state);
            return self.answer(status, "", &body.to_string());
        }
        let text = self.state.lock().unwrap().texts.get(&head.path).cloned();
        if let Some(text) = text {
            return self.answer(200, "Content-Type: application/x-ndjson\r\n", &text);
        }
        let mut state = self.state.lock().unwrap();
        state.queries.push(head.query.clone());
        let is_list = head.path.strip_prefix("/v2/data-import/accounts/").and_then(one_segment).is_some();
        let asked = head.query.split('&').find_map(|pair| pair.strip_prefix("status="));
        if is_list && !state.answers.contains_key(&head.path) && (asked.is_some() || state.history.is_some())
        {
            let status = |number: &String| state.statuses.get(number).copied().unwrap_or("PENDING");
            let is_asked = |number: &&String| asked.is_none_or(|asked| status(number) == asked);
            let listed = |number| json!({"external_account_number": number, "status": status(number)});
            let body = Value::from_iter(state.accounts.keys().filter(is_asked).map(listed));
            let (status, body) = state.list_answer.clone().unwrap_or((200, body));
            drop(state);
            return self.answer(status, "", &body.to_string());
        }
        let answer = state.next_answer(&head.path);
        drop(state);
        let (status, mut body) = answer.unwrap();
        let next = body.get_mut("next").and_then(|next| Some(next.take().as_str()?.to_owned()));
        let link = next.map(|query| format!("Link: <{}?{query}>; rel=\"next\"\r\n", head.path));
        let body = body.get("items").cloned().unwrap_or(body);
        self.answer(status, &link.unwrap_or_default(), &body.to_string())
    }

    /// Answers a request that changes something else than accounts.
    fn put(&mut self, head: &Head) -> Option<()> {
        if !self.is_good(head)? {
            return Some(());
        }
        if let Some((_, path)) = head.path.split_once("/documents/") {
            return self.document(head, path);
        }
        let body: Value = serde_json::from_slice(&self.body(head)?).unwrap();
        let mut state = self.state.lock().unwrap();
        let unknown = json!({"errors": [{"attr": "counts", "code": "unknown_field", "detail": ""}]});
        let is_refused = state.takes_no_rows && body.get("counts").is_some();
        let (status, answer) = match is_refused {
            true => (400, unknown),
            false => state.manifest_answer.clone().unwrap_or((200, body.clone())),
        };
        if status == 200 {
            state.manifests.push((head.path.clone(), body));
        }
        drop(state);
        self.answer(status, "", &answer.to_string())
    }

    /// Stores a document that is not there, and answers.
    fn document(&mut self, head: &Head, path: &str) -> Option<()> {
        let body = self.body(head)?;
        let digest = format!("sha-256=:{}:", STANDARD.encode(Sha256::digest(&body)));
        let mut state = self.state.lock().unwrap();
        state.document_requests.push(path.to_owned());
        if state.hang_after.is_some_and(|n| state.documents.len() >= n) {
            drop(state);
            return self.hang();
        }
        let act = state.acts.pop_front().unwrap_or(Behavior::Normal);
        let refusal = |code: &str| json!({"detail": "Not this.", "code": code});
        let (status, answer) = match (&act, state.document_answers.get(path), state.documents.get(path)) {
            (Behavior::Answer(status, _), _, _) => (*status, refusal("service_unavailable")),
            (_, Some(answer), _) => answer.clone(),
            _ if digest != head.digest => (400, refusal("content_digest_mismatch")),
            (_, _, Some(stored)) if *stored != body => (409, refusal("document_already_exists")),
            (_, _, Some(_)) => (200, json!({"bytes": body.len()})),
            (_, _, None) => (201, json!({"bytes": body.len()})),
        };
        if status == 201 {
            state.documents.insert(path.to_owned(), body);
        }
        drop(state);
        match act {
            Behavior::Cut(_) => None,
            _ => self.answer(status, "", &answer.to_string()),
        }
    }

    fn create(&mut self, head: &Head) -> Option<()> {
        if !self.is_good(head)? {
            return Some(());
        }
        let act = self.state.lock().unwrap().acts.pop_front().unwrap_or(Behavior::Normal);
        match act {
            Behavior::Answer(status, after) => {
                self.body(head)?;
                let after = after.map(|s| format!("Retry-After: {s}\r\n")).unwrap_or_default();
                self.answer(status, &after, r#"{"detail": "Not now.", "code": "x"}"#)
            }
            Behavior::Page(status) => {
                self.body(head)?;
                self.answer(status, "Content-Type: text/html\r\n", "<html>Sorry</html>")
            }
            Behavior::Html => {
                self.body(head)?;
                self.answer(200, "Content-Type: text/html\r\n", "<html>Welcome</html>")
            }
            _ if !head.path.ends_with("/bulk/") => self.one(head, &act),
            _ => self.bulk(head, &act),
        }
    }

    fn one(&mut self, head: &Head, act: &Behavior) -> Option<()> {
        let body = self.body(head)?;
        if head.path.ends_with("/validate/") {
            let (status, answer) = validated(&mut self.state.lock().unwrap(), &body);
            return self.answer(status, "", &answer.to_string());
        }
        let (status, answer) = {
            let mut state = self.state.lock().unwrap();
            state.requests.push(("one", 1));
            match head.path.strip_prefix("/v1/data-import/") {
                Some(path) => added(&mut state, path, &body),
                None => created(&mut state, &body),
            }
        };
        let mut state = self.state.lock().unwrap();
        if !state.sent.is_empty() && state.hang_after.is_some_and(|n| state.sent.len() >= n) {
            state.sent.pop();
            drop(state);
            return self.hang();
        }
        drop(state);
        match act {
            Behavior::Cut(_) => None,
            _ => self.answer(status, "", &answer.to_string()),
        }
    }

    fn bulk(&mut self, head: &Head, act: &Behavior) -> Option<()> {
        let text = self.body(head)?;
        let lines: Vec<&[u8]> = text.split(|b| *b == b'\n').filter(|line| !line.is_empty()).collect();
        let begin =
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
        self.to.write_all(begin.as_bytes()).ok()?;
        let validates = head.query.contains("validate_only");
        if !validates {
            self.state.lock().unwrap().requests.push(("bulk", lines.len()));
        }
        for (i, line) in lines.iter().enumerate() {
            if self.state.lock().unwrap().is_to_hang() {
                return self.hang();
            }
            match act {
                Behavior::StopAt(n, status) if i == *n => {
                    self.result(i, line, *status, &json!({"detail": "Not now.", "code": "x"}))?;
                    break;
                }
                _ => {}
            }
            let (status, answer) = {
                let mut state = self.state.lock().unwrap();
                if validates { validated(&mut state, line) } else { created(&mut state, line) }
            };
            match act {
                Behavior::Cut(n) if i == *n => return None,
                Behavior::Down => self.result(i, line, 500, &json!({"code": "error"}))?,
                Behavior::Foreign(members) if i == 0 => {
                    let mut result = json!({"line": 1, "status": status, "body": answer});
                    result.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
                    self.chunk(&format!("{result}\n"))?;
                }
                Behavior::ErrorAt(n) if i == *n => self.result(i, line, 500, &json!({"code": "error"}))?,
                _ => self.result(i, line, status, &answer)?,
            }
        }
        if let Behavior::More(text) = act {
            self.chunk(text)?;
        }
        self.to.write_all(b"0\r\n\r\n").ok()
    }

    fn chunk(&mut self, text: &str) -> Option<()> {
        write!(self.to, "{:x}\r\n{text}\r\n", text.len()).ok()
    }

    fn result(&mut self, i: usize, line: &[u8], status: u16, body: &Value) -> Option<()> {
        let result =
            json!({"line": i + 1, "external_account_number": number(line), "status": status, "body": body});
        self.chunk(&format!("{result}\n"))
    }

    fn hang(&mut self) -> Option<()> {
        let mut state = self.state.lock().unwrap();
        (state.hang_after, state.hangs) = (None, true);
        drop(state);
        // The client sends nothing more, so this hangs until it disconnects.
        self.from.read_exact(&mut [0]).ok()?;
        None
    }
}

/// The account of a line, bare or in its envelope.
fn account(line: &[u8]) -> Value {
    let value: Value = serde_json::from_slice(line).unwrap_or_default();
    if value["payload"].is_object() { value["payload"].clone() } else { value }
}

fn number(line: &[u8]) -> Option<String> {
    Some(account(line)["external_account_number"].as_str()?.to_owned())
}

fn created(state: &mut State, line: &[u8]) -> (u16, Value) {
    let Some(number) = number(line) else {
        state.broken += 1;
        return (400, json!({"detail": "This is not JSON.", "code": "parse_error"}));
    };
    if let Some(left) = state.failures.get_mut(&number).filter(|left| **left > 0) {
        *left -= 1;
        return (500, json!({"code": "error"}));
    }
    if let Some(refusal) = state.refusals.get(&number) {
        return (400, refusal.clone());
    }
    let body = serde_json::from_slice(line).unwrap();
    state.statuses.remove(&number);
    let kept = state.accounts.entry(number).or_default();
    *kept = (body, kept.1 + 1);
    state.fail_over();
    (201, json!({}))
}

fn validated(state: &mut State, line: &[u8]) -> (u16, Value) {
    let found = number(line).and_then(|number| state.findings.get(&number).cloned());
    found.map_or((200, json!({})), |errors| {
        (400, json!({"detail": "It failed.", "code": "account_failed_validation", "errors": errors}))
    })
}

/// Answers a request of version 1 as its endpoint does. What was sent before is there already.
fn added(state: &mut State, path: &str, body: &[u8]) -> (u16, Value) {
    let body: Value = serde_json::from_slice(body).unwrap();
    let name = ["external_account_number", "external_business_identifier"].map(|name| body[name].as_str());
    let name = name.into_iter().flatten().next().unwrap_or_default().to_owned();
    if let Some(left) = state.failures.get_mut(&name).filter(|left| **left > 0) {
        *left -= 1;
        return (500, json!({"detail": "x", "code": "payment_vendor_unavailable"}));
    }
    if let Some((status, answer)) = state.sent_answers.get(&name) {
        return (*status, answer.clone());
    }
    let is_there = state.sent.iter().any(|(_, sent)| *sent == body);
    state.sent.push((path.to_owned(), body.clone()));
    let each = |name: &str, item: &dyn Fn(&Value) -> Value| {
        Value::from_iter(body[name].as_array().unwrap().iter().map(item))
    };
    let answer = match path {
        "notes/create/" => {
            let status = if is_there { "NOTE_ALREADY_EXISTS" } else { "NOTE_CREATION_SUCCESS" };
            each(
                "notes",
                &|note| json!({"created_at": "2026-11-21T00:00:00Z", "body": note["body"], "status": status}),
            )
        }
        "transactions/create/" => {
            let status = if is_there { "TRANSACTION_ALREADY_EXISTS" } else { "TRANSACTION_ADDED_TO_ACCOUNT" };
            let result = |transaction: &Value| json!({"status": status, "transaction_data": transaction});
            json!({"results": each("transactions", &result)})
        }
        _ => json!({"reference": "x"}),
    };
    (201, answer)
}
