//! A load of POSTs over keep-alive connections, with little work for the client.

use crate::error::Error;
use crate::sender;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Result of a load.
pub(crate) struct Outcome {
    pub(crate) seconds: f64,
    /// Number of answers with the expected status.
    pub(crate) wanted: usize,
    pub(crate) others: usize,
}

impl Outcome {
    fn none_refused(self) -> Result<Self, Error> {
        match self.others {
            0 => Ok(self),
            others => Err(Error::Bench(format!("{others} creates were refused"))),
        }
    }
}

/// Path of creates.
pub(crate) const ACCOUNTS: &str = "/v2/data-import/accounts/";

/// Creates accounts; an error if any is refused.
pub(crate) fn create_all(
    address: SocketAddr,
    token: &str,
    bodies: &[&str],
    connections: usize,
) -> Result<Outcome, Error> {
    post_all(address, ACCOUNTS, token, bodies, connections, 201)?.none_refused()
}

/// Creates accounts in bulk; an error if any is refused.
pub(crate) fn create_in_bulk(
    address: SocketAddr,
    token: &str,
    bodies: &[&str],
    connections: usize,
) -> Result<Outcome, Error> {
    bulk_all(address, "/v2/data-import/accounts/bulk/", token, bodies, connections, 201)?.none_refused()
}

/// Sends every body once over a number of connections.
pub(crate) fn post_all(
    address: SocketAddr,
    path: &str,
    token: &str,
    bodies: &[&str],
    connections: usize,
    status: u16,
) -> Result<Outcome, Error> {
    post_each(address, &[(path, status)], token, bodies, connections)
}

/// Sends every body once to each of some paths, in this order, over a number of connections. A body whose answer does not
/// have the expected status of a path is not sent to the paths after it.
pub(crate) fn post_each(
    address: SocketAddr,
    requests: &[(&str, u16)],
    token: &str,
    bodies: &[&str],
    connections: usize,
) -> Result<Outcome, Error> {
    let head = |path: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Token {token}\r\nContent-Type: application/json\r\n"
        )
    };
    let steps: Vec<_> = requests.iter().map(|&(path, status)| (head(path), status)).collect();
    let start = Instant::now();
    let wanted = sender::send(address, &steps, bodies, connections)
        .map_err(|e| Error::Bench(format!("a connection failed: {e}")))?;
    Ok(Outcome { seconds: start.elapsed().as_secs_f64(), wanted, others: bodies.len() - wanted })
}

/// Sends lines over a number of connections, one request each, and reads the answers meanwhile.
pub(crate) fn bulk_all(
    address: SocketAddr,
    path: &str,
    token: &str,
    lines: &[&str],
    connections: usize,
    status: u16,
) -> Result<Outcome, Error> {
    let start = Instant::now();
    let client = |lines: &[&str]| -> std::io::Result<usize> {
        let length: usize = lines.iter().map(|line| line.len() + 1).sum();
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Token {token}\r\nConnection: close\r\n\
             Content-Type: application/x-ndjson\r\nContent-Length: {length}\r\n\r\n"
        )?;
        let answers = BufReader::new(stream.try_clone()?);
        let wanted = format!("\"status\":{status},");
        std::thread::scope(|scope| {
            let sender = scope.spawn(move || {
                let mut sender = std::io::BufWriter::with_capacity(64 << 10, stream);
                lines.iter().try_for_each(|line| {
                    sender.write_all(line.as_bytes())?;
                    sender.write_all(b"\n")
                })?;
                sender.flush()
            });
            let counted =
                answers.lines().try_fold(0, |count, line| Ok(count + usize::from(line?.contains(&wanted))));
            sender.join().unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()))?;
            counted
        })
    };
    let counts = std::thread::scope(|scope| {
        let share = lines.len().div_ceil(connections).max(1);
        let clients: Vec<_> = lines.chunks(share).map(|lines| scope.spawn(move || client(lines))).collect();
        let join = |c: std::thread::ScopedJoinHandle<'_, _>| {
            c.join().unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()))
        };
        clients.into_iter().map(join).sum::<std::io::Result<usize>>()
    });
    let wanted = counts.map_err(|e| Error::Bench(format!("a connection failed: {e}")))?;
    Ok(Outcome { seconds: start.elapsed().as_secs_f64(), wanted, others: lines.len() - wanted })
}

/// Sends a POST and returns status and body of the answer.
pub(crate) fn post(address: SocketAddr, path: &str, body: &str) -> Result<(u16, String), Error> {
    let head = format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n");
    Connection::open(address)
        .and_then(|mut connection| connection.post(&head, body))
        .map_err(|e| Error::Bench(format!("{path} could not be reached: {e}")))
}

/// A keep-alive connection, and the last cookie that was set.
pub(crate) struct Connection(BufReader<TcpStream>, Option<String>);

/// Timing of an answer.
pub(crate) struct Arrival {
    /// Time from the request to the first byte of the body.
    pub(crate) first_byte: Duration,
    /// Time from the request to the end of the answer.
    pub(crate) whole: Duration,
    /// Size of the answer, head included.
    pub(crate) bytes: u64,
}

/// Downloads a large answer on a connection of its own and discards it.
pub(crate) fn download(address: SocketAddr, path: &str, token: &str) -> Result<Arrival, Error> {
    let read = || -> std::io::Result<Arrival> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let start = Instant::now();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n")?;
        write!(stream, "Authorization: Token {token}\r\n\r\n")?;
        let mut buffer = vec![0; 256 << 10];
        let (mut bytes, mut first_byte) = (0, None);
        loop {
            let read = stream.read(&mut buffer)?;
            if read == 0 {
                let first_byte = first_byte.ok_or(std::io::ErrorKind::UnexpectedEof)?;
                return Ok(Arrival { first_byte, whole: start.elapsed(), bytes });
            }
            // The head comes with the first of the body or before it, so one search for its end is enough.
            if first_byte.is_none() && buffer[..read].windows(4).any(|w| w == b"\r\n\r\n") {
                first_byte = Some(start.elapsed());
            }
            bytes += read as u64;
        }
    };
    read().map_err(|e| Error::Bench(format!("{path} could not be read: {e}")))
}

impl Connection {
    /// Sends a GET and returns status and body of the answer.
    pub(crate) fn get(&mut self, path: &str, token: &str) -> std::io::Result<(u16, String)> {
        self.get_with(path, &format!("Authorization: Token {token}"))
    }

    /// Sends a GET with a header of its own and returns status and body of the answer.
    pub(crate) fn get_with(&mut self, path: &str, header: &str) -> std::io::Result<(u16, String)> {
        self.exchange(&format!("GET {path} HTTP/1.1\r\nHost: bench\r\n{header}\r\n\r\n"))
    }

    /// Submits a form and returns the cookie that is set.
    pub(crate) fn cookie(&mut self, path: &str, form: &str) -> std::io::Result<String> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: bench\r\nSec-Fetch-Site: same-origin\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n"
        );
        self.post(&head, form)?;
        self.1.take().ok_or_else(|| std::io::Error::other("no cookie was set"))
    }

    /// Connects to a server.
    pub(crate) fn open(address: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self(BufReader::new(stream), None))
    }

    /// Sends a POST with these first lines of its head and returns status and body of the answer.
    pub(crate) fn post(&mut self, head: &str, body: &str) -> std::io::Result<(u16, String)> {
        self.exchange(&format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()))
    }

    fn exchange(&mut self, request: &str) -> std::io::Result<(u16, String)> {
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
                Some((name, value)) if name.eq_ignore_ascii_case("set-cookie") => {
                    self.1 = value.trim().split(';').next().map(str::to_owned);
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
