//! POSTs over many connections from one thread, which is woken once for all answers that have arrived. A
//! thread per connection would take CPU from the server on the same machine.

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use std::io::{Error, ErrorKind, IoSlice, Read, Result, Write};
use std::net::SocketAddr;
use std::time::Duration;

/// Longest wait for any answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request for each body: its head without the length, and the expected status.
pub(crate) type Step = (String, u16);

/// Sends each body once for each step, in order. Returns the number of bodies with the expected status in all
/// of them.
pub(crate) fn send(
    address: SocketAddr,
    steps: &[Step],
    bodies: &[&str],
    connections: usize,
) -> Result<usize> {
    let mut poll = Poll::new()?;
    let mut work = Work { steps, bodies: bodies.iter(), wanted: 0 };
    let mut open = Vec::new();
    // Further connections would have no body to send.
    for (place, body) in work.bodies.by_ref().take(connections).enumerate() {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        poll.registry().register(&mut stream, Token(place), Interest::READABLE | Interest::WRITABLE)?;
        open.push(Connection { stream, exchange: Exchange::of(body, steps) });
    }
    let (mut busy, mut events) = (open.len(), Events::with_capacity(open.len().max(1)));
    while busy > 0 {
        poll.poll(&mut events, Some(PATIENCE))?;
        if events.is_empty() {
            return Err(ErrorKind::TimedOut.into());
        }
        for event in &events {
            busy -= usize::from(open[event.token().0].go_on(&mut work)?);
        }
    }
    Ok(work.wanted)
}

struct Work<'a> {
    steps: &'a [Step],
    bodies: std::slice::Iter<'a, &'a str>,
    wanted: usize,
}

struct Connection<'a> {
    stream: TcpStream,
    exchange: Option<Exchange<'a>>,
}

/// A request on its way and its answer.
struct Exchange<'a> {
    body: &'a str,
    steps: &'a [Step],
    head: String,
    sent: usize,
    answer: Vec<u8>,
}

impl<'a> Exchange<'a> {
    /// The exchange of the first step, if there is one.
    fn of(body: &'a str, steps: &'a [Step]) -> Option<Self> {
        let (head, _) = steps.first()?;
        let head = format!("{head}Content-Length: {}\r\n\r\n", body.len());
        Some(Self { body, steps, head, sent: 0, answer: Vec::new() })
    }

    /// The unsent rest of the request.
    fn left(&self) -> [IoSlice<'_>; 2] {
        let head = self.head.as_bytes().get(self.sent..).unwrap_or_default();
        let body = &self.body.as_bytes()[self.sent.saturating_sub(self.head.len())..];
        [IoSlice::new(head), IoSlice::new(body)]
    }

    fn is_sent(&self) -> bool {
        self.sent == self.head.len() + self.body.len()
    }
}

impl<'a> Connection<'a> {
    /// Sends and reads until it would block. Returns true once, when all is done.
    fn go_on(&mut self, work: &mut Work<'a>) -> Result<bool> {
        while let Some(exchange) = &mut self.exchange {
            match advance(&mut self.stream, exchange) {
                Ok(None) => {}
                Ok(Some(status)) => self.exchange = work.after(exchange, status),
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(e) if e.kind() == ErrorKind::NotConnected => return Ok(false),
                Err(e) => return Err(e),
            }
            if self.exchange.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Makes one system call. Returns the answer's status once it is complete.
fn advance(stream: &mut TcpStream, exchange: &mut Exchange<'_>) -> Result<Option<u16>> {
    if !exchange.is_sent() {
        let sent = stream.write_vectored(&exchange.left())?;
        exchange.sent += sent;
        return Ok(None);
    }
    let mut buffer = [0; 4 << 10];
    match stream.read(&mut buffer)? {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        read => {
            exchange.answer.extend_from_slice(&buffer[..read]);
            whole(&exchange.answer)
        }
    }
}

/// Returns the status of an answer once it is complete.
fn whole(answer: &[u8]) -> Result<Option<u16>> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(head) = response.parse(answer).map_err(Error::other)? else {
        return Ok(None);
    };
    let length = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|header| std::str::from_utf8(header.value).ok()?.parse::<usize>().ok());
    let length = length.ok_or_else(|| Error::other("an answer without a length"))?;
    Ok(response.code.filter(|_| answer.len() >= head + length))
}

impl<'a> Work<'a> {
    /// Returns the next exchange on a connection: the next step, or the next body.
    fn after(&mut self, exchange: &Exchange<'a>, status: u16) -> Option<Exchange<'a>> {
        let (step, later) = exchange.steps.split_first()?;
        if status == step.1 {
            if let next @ Some(_) = Exchange::of(exchange.body, later) {
                return next;
            }
            self.wanted += 1;
        }
        Exchange::of(self.bodies.next()?, self.steps)
    }
}
