//! A load of POSTs over kept-alive connections: as little work as a client can do.

use crate::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What a load came to.
pub(super) struct Outcome {
    pub(super) seconds: f64,
    /// Answers of the status that was wanted.
    pub(super) wanted: usize,
    pub(super) others: usize,
}

/// Sends every body once over so many connections.
pub(super) fn post_all(
    address: SocketAddr,
    path: &str,
    token: &str,
    bodies: &[&str],
    connections: usize,
    status: u16,
) -> Result<Outcome, Error> {
    let (next, wanted) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Token {token}\r\nContent-Type: application/json\r\n"
    );
    let start = Instant::now();
    std::thread::scope(|scope| {
        let client = || -> std::io::Result<()> {
            let mut connection = Connection::open(address)?;
            while let Some(body) = bodies.get(next.fetch_add(1, Ordering::Relaxed)) {
                if connection.post(&head, body)?.0 == status {
                    wanted.fetch_add(1, Ordering::Relaxed);
                }
            }
            Ok(())
        };
        let clients: Vec<_> = (0..connections).map(|_| scope.spawn(client)).collect();
        clients
            .into_iter()
            .try_for_each(|c| c.join().unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into())))
    })
    .map_err(|e| Error::Bench(format!("a connection failed: {e}")))?;
    let wanted = wanted.into_inner();
    Ok(Outcome { seconds: start.elapsed().as_secs_f64(), wanted, others: bodies.len() - wanted })
}

/// One POST; status and body of the answer.
pub(super) fn post(address: SocketAddr, path: &str, body: &str) -> Result<(u16, String), Error> {
    let head = format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n");
    Connection::open(address)
        .and_then(|mut connection| connection.post(&head, body))
        .map_err(|e| Error::Bench(format!("{path} could not be reached: {e}")))
}

struct Connection(BufReader<TcpStream>);

impl Connection {
    fn open(address: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self(BufReader::new(stream)))
    }

    fn post(&mut self, head: &str, body: &str) -> std::io::Result<(u16, String)> {
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        self.0.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        self.0.read_line(&mut line)?;
        let invalid = || std::io::Error::from(std::io::ErrorKind::InvalidData);
        let status = line.split(' ').nth(1).and_then(|s| s.parse().ok()).ok_or_else(invalid)?;
        let mut length = 0;
        loop {
            line.clear();
            self.0.read_line(&mut line)?;
            match line.trim_end().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().map_err(|_| invalid())?;
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    }
}
