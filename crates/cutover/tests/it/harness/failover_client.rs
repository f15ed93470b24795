//! A client that keeps its connection, and fails over between nodes.

use super::client::{is_whole, parse};
use super::{Answer, STALLED};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// A connection to one of several nodes, kept between requests as a load balancer keeps it. It moves to the
/// next node if a node is not ready, refuses connections, or has closed this one or announced to.
pub(crate) struct FailoverClient {
    nodes: Vec<SocketAddr>,
    /// The node of the connection, or the next one to try.
    node: usize,
    stream: Option<TcpStream>,
    token: String,
}

/// A request with unknown outcome: its connection was lost after it began, or no node accepts connections.
#[derive(Debug)]
pub(crate) struct LostRequest(pub(crate) String);

/// The end of the message if no byte of a response was read.
const UNREAD: &str = "closed after 0 bytes";

impl FailoverClient {
    /// Creates a client that starts with the node at this index.
    pub(crate) fn new(nodes: &[SocketAddr], first: usize, token: &str) -> Self {
        Self { nodes: nodes.to_vec(), node: first % nodes.len(), stream: None, token: token.to_owned() }
    }

    /// Sends a request. If the server has closed a kept connection at the moment of its next use, the request
    /// has had no effect: as proxies do, it is sent again on a new connection.
    pub(crate) fn send(&mut self, method: &str, path: &str, body: &[u8]) -> Result<Answer, LostRequest> {
        let was_kept = self.stream.is_some();
        match self.send_once(method, path, body) {
            Err(LostRequest(how))
                if was_kept && how.contains("a kept connection") && how.ends_with(UNREAD) =>
            {
                self.send_once(method, path, body)
            }
            answer => answer,
        }
    }

    fn send_once(&mut self, method: &str, path: &str, body: &[u8]) -> Result<Answer, LostRequest> {
        let kept = self.stream.take().filter(is_open);
        let which = if kept.is_some() { "kept" } else { "new" };
        let mut stream = kept.map_or_else(|| self.connect(), Ok)?;
        let address = self.nodes[self.node];
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Token {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.token,
            body.len()
        );
        let sent = stream.write_all(&[head.as_bytes(), body].concat());
        let answer = read(&mut stream).map_err(|read| {
            let lost = format!("{method} {path} on a {which} connection: sent: {sent:?}, read: {read}");
            self.next_node();
            LostRequest(lost)
        })?;
        if answer.header("Connection").is_some_and(|value| value.eq_ignore_ascii_case("close")) {
            self.next_node();
        } else {
            self.stream = Some(stream);
        }
        Ok(answer)
    }

    fn next_node(&mut self) {
        self.node = (self.node + 1) % self.nodes.len();
    }

    /// Connects to the first node that is ready and accepts.
    fn connect(&mut self) -> Result<TcpStream, LostRequest> {
        for _ in 0..self.nodes.len() {
            let node = self.nodes[self.node];
            if is_ready(node)
                && let Ok(stream) = connect(node)
            {
                return Ok(stream);
            }
            self.next_node();
        }
        Err(LostRequest("no node takes a connection".to_owned()))
    }
}

fn connect(node: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(node)?;
    stream.set_read_timeout(Some(STALLED))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Returns true if a node reports that it is ready; false if the probe fails.
fn is_ready(node: SocketAddr) -> bool {
    let ask = || -> Option<Answer> {
        let mut stream = connect(node).ok()?;
        let head = format!("GET /readyz HTTP/1.1\r\nHost: {node}\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).ok()?;
        read(&mut stream).ok()
    };
    ask().is_some_and(|answer| answer.status == 200)
}

/// Returns true if the peer has neither closed the connection nor sent anything.
fn is_open(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let seen = stream.peek(&mut [0]);
    stream.set_nonblocking(false).unwrap();
    matches!(seen, Err(error) if error.kind() == ErrorKind::WouldBlock)
}

/// Reads a response; the error says how much was read.
fn read(stream: &mut TcpStream) -> Result<Answer, String> {
    let (mut answer, mut chunk) = (Vec::new(), [0; 16 * 1024]);
    while !is_whole(&answer) {
        match stream.read(&mut chunk) {
            Ok(0) => return Err(format!("closed after {} bytes", answer.len())),
            Ok(n) => answer.extend_from_slice(&chunk[..n]),
            Err(error) => return Err(format!("{error} after {} bytes", answer.len())),
        }
    }
    Ok(parse(&answer))
}
