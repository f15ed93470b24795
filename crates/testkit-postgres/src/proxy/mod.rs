mod connections;
mod pump;

use connections::{Connections, Lost};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

/// A TCP proxy in this process, on a free port of loopback. It simulates the network between a program and
/// its server, with delays and faults on request. Dropping it closes its connections.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    connections: Arc<Connections>,
    acceptor: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Starts a proxy without delays or faults.
    ///
    /// # Errors
    /// If there is no free port or thread.
    pub fn start(target: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let connections = Arc::new(Connections::default());
        let theirs = Arc::clone(&connections);
        let acceptor = std::thread::Builder::new()
            .name("proxy".into())
            .spawn(move || accept(&listener, target, &theirs))?;
        Ok(Self { address, connections, acceptor: Some(acceptor) })
    }

    /// Starts a proxy to the server of a URL.
    ///
    /// # Errors
    /// If the URL is invalid or its host unknown, and those of [`start`](Self::start).
    pub fn before(url: &str) -> io::Result<Self> {
        Self::start(crate::url::address(url)?)
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL that leads through the proxy to the database of another URL.
    ///
    /// # Errors
    /// If the URL is invalid.
    pub fn url_through(&self, url: &str) -> io::Result<String> {
        crate::url::at(url, self.address)
    }

    /// Delays a round trip, half of it in each direction, from the next bytes on. This adds latency and does
    /// not limit the bandwidth.
    pub fn set_delay(&self, round_trip: Duration) {
        let nanoseconds = u64::try_from(round_trip.as_nanos() / 2).unwrap_or(u64::MAX);
        self.connections.delay.store(nanoseconds, Ordering::Relaxed);
    }

    /// Closes every connection.
    pub fn cut(&self) {
        self.connections.cut();
    }

    /// Closes new connections at once, until [`restore`](Self::restore). Open connections are kept.
    pub fn refuse(&self) {
        self.connections.refusing.store(true, Ordering::Relaxed);
    }

    /// Drops all bytes on old and new connections silently, until [`restore`](Self::restore).
    pub fn hang(&self) {
        self.connections.hanging.store(true, Ordering::Relaxed);
    }

    /// Ends [`refuse`](Self::refuse) and [`hang`](Self::hang). Connections that hung are closed, because they
    /// lack bytes.
    pub fn restore(&self) {
        self.connections.refusing.store(false, Ordering::Relaxed);
        if self.connections.hanging.load(Ordering::Relaxed) {
            self.connections.cut();
            self.connections.hanging.store(false, Ordering::Relaxed);
        }
    }

    /// Loses once the response to a request, and the connection with it. `words` are texts that a client
    /// sends on one connection in this order; the last one is in that request.
    pub fn lose_answer(&self, words: &[&str]) {
        self.lose(words, Lost::Response);
    }

    /// Like [`lose_answer`](Self::lose_answer), but loses the request itself.
    pub fn lose_request(&self, words: &[&str]) {
        self.lose(words, Lost::Request);
    }

    fn lose(&self, words: &[&str], lost: Lost) {
        let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        self.connections.lose(words, lost);
    }

    /// Returns true once the loss has happened.
    pub fn has_lost(&self) -> bool {
        !self.connections.has_pending_loss()
    }

    /// Returns the number of open connections.
    pub fn open(&self) -> usize {
        self.connections.open()
    }

    /// Returns the number of bytes that clients have sent.
    pub fn bytes_to_server(&self) -> u64 {
        self.connections.to_server.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes that the server has sent.
    pub fn bytes_to_clients(&self) -> u64 {
        self.connections.to_clients.load(Ordering::Relaxed)
    }

    /// Returns the number of round trips: how often a client sent after the server had. Requests that are
    /// sent without waiting for a response count once.
    pub fn round_trips(&self) -> u64 {
        self.connections.round_trips.load(Ordering::Relaxed)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.connections.end();
        // Wakes the thread that waits for connections.
        TcpStream::connect(self.address).ok();
        if let Some(acceptor) = self.acceptor.take() {
            acceptor.join().ok();
        }
    }
}

fn accept(listener: &TcpListener, target: SocketAddr, connections: &Arc<Connections>) {
    while !connections.ended() {
        let Ok((client, _)) = listener.accept() else { return };
        if !connections.refusing.load(Ordering::Relaxed) {
            // If the server is down, the connection is closed, which the client notices.
            pump::connect(client, target, connections).ok();
        }
    }
}
