//! A scripted payment vendor in this process. It uses threads and plain sockets, so that it can misbehave in
//! ways no library would.

use cutover_testkit_machine::STALLED;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Response to a request.
#[derive(Clone)]
pub(crate) enum Behavior {
    /// Answers with a status and a body.
    Answer(u16, String),
    /// Sends these bytes and closes.
    Raw(Vec<u8>),
    /// Sends nothing and keeps the connection open.
    Hang,
    /// Sends an answer byte by byte, at this pace.
    Drip(Duration),
    /// Sends this and then zeros without end.
    Flood(String),
}

impl Behavior {
    pub(crate) fn ok(body: impl Into<String>) -> Self {
        Self::Answer(200, body.into())
    }

    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Raw(bytes.into())
    }
}

/// The vendor. Dropping it closes all connections.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Seen>,
    /// Dropping it ends the threads that hang.
    alive: Option<Sender<()>>,
    listens: Option<JoinHandle<()>>,
}

/// Log of requests and connections.
#[derive(Default)]
struct Seen {
    log: Mutex<Log>,
    more: Condvar,
}

#[derive(Default)]
struct Log {
    connections: usize,
    requests: Vec<String>,
    sent: usize,
    over: bool,
}

struct Script {
    acts: Vec<Behavior>,
    tls: Option<Arc<ServerConfig>>,
    seen: Arc<Seen>,
    ends: Mutex<Receiver<()>>,
}

impl Server {
    /// Starts a server that performs each step of the script for one request, and the last one for all
    /// further requests.
    pub(crate) fn start(acts: impl Into<Vec<Behavior>>) -> Self {
        Self::run(acts.into(), None)
    }

    /// Starts a server behind TLS.
    pub(crate) fn start_tls(acts: impl Into<Vec<Behavior>>, tls: ServerConfig) -> Self {
        Self::run(acts.into(), Some(Arc::new(tls)))
    }

    fn run(acts: Vec<Behavior>, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (alive, ends) = channel();
        let seen = Arc::new(Seen::default());
        let script = Arc::new(Script { acts, tls, seen: seen.clone(), ends: Mutex::new(ends) });
        let listens = Some(thread::spawn(move || listen(&listener, &script)));
        Self { address, seen, alive: Some(alive), listens }
    }

    /// Base URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Heads of the received requests.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.log.lock().unwrap().requests.clone()
    }

    /// Number of received requests.
    pub(crate) fn calls(&self) -> usize {
        self.requests().len()
    }

    /// Number of accepted connections.
    pub(crate) fn connections(&self) -> usize {
        self.seen.log.lock().unwrap().connections
    }

    /// Bytes of a flood that were sent before the client closed.
    pub(crate) fn sent(&self) -> usize {
        let log = self.seen.log.lock().unwrap();
        let (log, waited) = self.seen.more.wait_timeout_while(log, STALLED, |log| log.sent == 0).unwrap();
        assert!(!waited.timed_out(), "the flood did not end");
        log.sent
    }

    /// Waits until this many requests were received.
    pub(crate) fn wait_for_calls(&self, calls: usize) {
        let log = self.seen.log.lock().unwrap();
        let few = |log: &mut Log| log.requests.len() < calls;
        let (log, _) = self.seen.more.wait_timeout_while(log, STALLED, few).unwrap();
        assert!(log.requests.len() >= calls, "only {} requests came", log.requests.len());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.alive.take());
        self.seen.note(|log| log.over = true);
        // The listener checks the flag when a connection arrives.
        drop(TcpStream::connect(self.address));
        drop(self.listens.take().map(JoinHandle::join));
    }
}

impl Seen {
    fn note(&self, note: impl FnOnce(&mut Log)) -> usize {
        let mut log = self.log.lock().unwrap();
        note(&mut log);
        self.more.notify_all();
        log.requests.len()
    }
}

fn listen(listener: &TcpListener, script: &Arc<Script>) {
    for stream in listener.incoming() {
        if script.seen.log.lock().unwrap().over {
            return;
        }
        let script = script.clone();
        thread::spawn(move || serve(stream.unwrap(), &script));
    }
}

fn serve(stream: TcpStream, script: &Script) {
    script.seen.note(|log| log.connections += 1);
    match &script.tls {
        None => talk(stream, script),
        Some(tls) => talk(StreamOwned::new(ServerConnection::new(tls.clone()).unwrap(), stream), script),
    }
}

/// Serves one request per connection.
fn talk(mut stream: impl Read + Write, script: &Script) {
    let Some(head) = read_head(&mut stream) else { return };
    let number = script.seen.note(|log| log.requests.push(head));
    // The client may close at any time, which is no fault of the server.
    let _ = match &script.acts[(number - 1).min(script.acts.len() - 1)] {
        Behavior::Answer(status, body) => stream.write_all(answer(*status, body).as_bytes()),
        Behavior::Raw(bytes) => stream.write_all(bytes),
        Behavior::Hang => {
            let _ = script.ends.lock().unwrap().recv();
            Ok(())
        }
        Behavior::Drip(pace) => drip(&mut stream, *pace, script),
        Behavior::Flood(head) => flood(&mut stream, head, script),
    };
    let _ = stream.flush();
}

/// Reads the head of a request; `None` if the client closes.
fn read_head(stream: &mut impl Read) -> Option<String> {
    let (mut head, mut lines) = (String::new(), BufReader::new(stream));
    while !head.ends_with("\r\n\r\n") {
        if lines.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    Some(head)
}

/// An answer that closes its connection.
pub(crate) fn answer(status: u16, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
}

/// The slow pace is the scripted fault; only the client waits for it.
fn drip(stream: &mut impl Write, pace: Duration, script: &Script) -> std::io::Result<()> {
    for byte in answer(200, "{}").bytes() {
        stream.write_all(&[byte])?;
        stream.flush()?;
        let _ = script.ends.lock().unwrap().recv_timeout(pace);
    }
    Ok(())
}

/// Sends a gigabyte, unless the client closes earlier.
fn flood(stream: &mut impl Write, head: &str, script: &Script) -> std::io::Result<()> {
    const CHUNK: usize = 64 * 1024;
    let (zeros, mut sent) = (vec![b'0'; CHUNK], 1);
    stream.write_all(head.as_bytes())?;
    while sent < 1 << 30 && stream.write_all(&zeros).is_ok() {
        sent += CHUNK;
    }
    script.seen.note(|log| log.sent = sent);
    Ok(())
}
