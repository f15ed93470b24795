mod connections;
mod pump;

use connections::{Connections, Lost};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

/// A TCP proxy in this process, on a free port of loopback: the network between a program and its server, which
/// delays or breaks on request. It closes what it holds when it goes out of scope.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    connections: Arc<Connections>,
    acceptor: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Starts to pass on everything, at once.
    ///
    /// # Errors
    /// If the system gives it no port or thread.
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

    /// The same before the server of a URL, which names a host and a port.
    ///
    /// # Errors
    /// If the URL is none, or its host is nowhere; and as of [`start`](Self::start).
    pub fn before(url: &str) -> io::Result<Self> {
        Self::start(crate::url::address(url)?)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL by which the database of another is reached through it.
    ///
    /// # Errors
    /// If the URL is none.
    pub fn url_through(&self, url: &str) -> io::Result<String> {
        crate::url::at(url, self.address)
    }

    /// Makes a round trip take that much longer, half of it each way, from the next bytes on. What follows close
    /// behind is no further delayed: the line is long, not narrow.
    pub fn set_delay(&self, round_trip: Duration) {
        let nanoseconds = u64::try_from(round_trip.as_nanos() / 2).unwrap_or(u64::MAX);
        self.connections.delay.store(nanoseconds, Ordering::Relaxed);
    }

    /// Closes every connection.
    pub fn cut(&self) {
        self.connections.cut();
    }

    /// Closes new connections as soon as they are made, until it is mended; those there are stay.
    pub fn refuse(&self) {
        self.connections.refusing.store(true, Ordering::Relaxed);
    }

    /// Swallows everything, on connections old and new, without a word to either side, until it is mended.
    pub fn hang(&self) {
        self.connections.hanging.store(true, Ordering::Relaxed);
    }

    /// Takes and passes on again. Connections that hung are closed: they lack what was swallowed.
    pub fn mend(&self) {
        self.connections.refusing.store(false, Ordering::Relaxed);
        if self.connections.hanging.load(Ordering::Relaxed) {
            self.connections.cut();
            self.connections.hanging.store(false, Ordering::Relaxed);
        }
    }

    /// Loses, once, the answer to the last of these words, and the connection with it: the server has heard it. They
    /// are what a client says on one connection, in this order.
    pub fn lose_answer(&self, words: &[&str]) {
        self.lose(words, Lost::Answer);
    }

    /// The same, and the server never hears the last.
    pub fn lose_request(&self, words: &[&str]) {
        self.lose(words, Lost::Request);
    }

    fn lose(&self, words: &[&str], what: Lost) {
        let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        self.connections.lose(words, what);
    }

    /// Whether what was to be lost is.
    pub fn has_lost(&self) -> bool {
        !self.connections.is_to_lose()
    }

    /// How many connections there are.
    pub fn open(&self) -> usize {
        self.connections.open()
    }

    /// How many bytes clients have sent.
    pub fn bytes_to_server(&self) -> u64 {
        self.connections.to_server.load(Ordering::Relaxed)
    }

    /// How many bytes the server has sent.
    pub fn bytes_to_clients(&self) -> u64 {
        self.connections.to_clients.load(Ordering::Relaxed)
    }

    /// How often a client spoke after the server, or first: what was sent without waiting for an answer counts
    /// once.
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
            // A server that is down is for the client to notice: its connection is closed.
            pump::connect(client, target, connections).ok();
        }
    }
}
