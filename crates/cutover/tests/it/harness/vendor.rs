use serde_json::Value;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Interval of checks for the end of the vendor.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The reaction to a request. Each connection serves one.
pub(crate) enum Action {
    /// Responds with JSON.
    Json(u16, Value),
    /// Sends raw bytes.
    Raw(Vec<u8>),
    /// Does not respond until the client leaves.
    Hang,
    /// Sends bytes, one a second.
    Drip(Vec<u8>),
    /// Responds 200 with this number of bytes of white space.
    Flood(u64),
}

type Headers = Vec<(String, String)>;

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Headers,
    pub(crate) body: String,
    /// Number of earlier requests for this path.
    pub(crate) before: usize,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// A scripted payment vendor on loopback. It stops on drop.
pub(crate) struct Vendor {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

struct Shared {
    script: Box<dyn Fn(&ReceivedRequest) -> Action + Send + Sync>,
    asked: Mutex<Vec<ReceivedRequest>>,
    ended: AtomicBool,
}

impl Vendor {
    /// Starts it on a free port.
    pub(crate) fn start(script: impl Fn(&ReceivedRequest) -> Action + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            script: Box::new(script),
            asked: Mutex::default(),
            ended: AtomicBool::new(false),
        });
        let state = shared.clone();
        Self { address, shared, acceptor: Some(std::thread::spawn(move || accept(&listener, &state))) }
    }

    /// A base URL with a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests whose path begins with a prefix.
    pub(crate) fn asked(&self, prefix: &str) -> Vec<ReceivedRequest> {
        let all = self.shared.asked.lock().unwrap();
        all.iter().filter(|asked| asked.path.starts_with(prefix)).cloned().collect()
    }
}

impl Drop for Vendor {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Release);
        // Wakes the acceptor; a failure means that it has ended already.
        drop(TcpStream::connect(self.address));
        let _ = self.acceptor.take().map(JoinHandle::join);
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut talks = Vec::new();
    for stream in listener.incoming() {
        if shared.ended.load(Ordering::Acquire) {
            break;
        }
        let shared = shared.clone();
        // A client may disconnect early.
        talks.push(std::thread::spawn(move || drop(stream.map(|stream| shared.talk(stream)))));
    }
    talks.into_iter().for_each(|talk| drop(talk.join()));
}

impl Shared {
    fn talk(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let (method, path, headers, body) = read(&mut stream)?;
        let asked = {
            let mut all = self.asked.lock().unwrap();
            let before = all.iter().filter(|other| other.path == path).count();
            all.push(ReceivedRequest { method, path, headers, body, before });
            all[all.len() - 1].clone()
        };
        match (self.script)(&asked) {
            Action::Json(status, body) => stream.write_all(&answer(status, "", &body.to_string())),
            Action::Raw(bytes) => stream.write_all(&bytes),
            Action::Hang => self.wait_for_end(&mut stream),
            Action::Drip(bytes) => bytes.iter().try_for_each(|byte| {
                stream.write_all(&[*byte])?;
                self.pass_a_second()
            }),
            Action::Flood(length) => flood(&mut stream, length),
        }
    }

    fn wait_for_end(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(POLL_INTERVAL))?;
        while !self.ended.load(Ordering::Acquire) {
            match stream.read(&mut [0]) {
                Ok(0) => break,
                Err(e) if !matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
                _ => {}
            }
        }
        Ok(())
    }

    fn pass_a_second(&self) -> std::io::Result<()> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(1) {
            if self.ended.load(Ordering::Acquire) {
                return Err(ErrorKind::Interrupted.into());
            }
            std::thread::park_timeout(POLL_INTERVAL);
        }
        Ok(())
    }
}

/// Reads the method, the path, the headers and the body of a request.
fn read(stream: &mut TcpStream) -> std::io::Result<(String, String, Headers, String)> {
    let mut reader = BufReader::new(stream);
    let mut lines = reader.by_ref().lines();
    let first = lines.next().ok_or(ErrorKind::UnexpectedEof)??;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    for line in lines {
        match line?.split_once(": ") {
            Some((name, value)) => headers.push((name.to_owned(), value.to_owned())),
            None => break,
        }
    }
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body)?;
    Ok((method, path, headers, body))
}

/// Formats a response with additional headers, each with its line end.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn flood(stream: &mut TcpStream, length: u64) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 200 X\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n")?;
    let chunk = [b' '; 64 * 1024];
    (0..length / chunk.len() as u64).try_for_each(|_| stream.write_all(&chunk))
}
