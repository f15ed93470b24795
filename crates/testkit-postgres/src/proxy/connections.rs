use std::collections::HashMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of open connections.
const MOST: usize = 300;

/// The connections of a proxy, their faults, and statistics.
#[derive(Debug, Default)]
pub(super) struct Connections {
    /// Delay in each direction, in nanoseconds.
    pub(super) delay: AtomicU64,
    pub(super) refusing: AtomicBool,
    pub(super) hanging: AtomicBool,
    pub(super) to_server: AtomicU64,
    pub(super) to_clients: AtomicU64,
    pub(super) round_trips: AtomicU64,
    losses: AtomicU64,
    loss: Mutex<Option<Loss>>,
    list: Mutex<List>,
}

/// A single loss of bytes and of their connection.
#[derive(Debug)]
pub(super) struct Loss {
    /// Unique number of the loss.
    pub(super) number: u64,
    /// Texts that a client sends on one connection, in this order. The last one is in the request that is
    /// lost.
    pub(super) words: Vec<Vec<u8>>,
    pub(super) lost: Lost,
}

/// The lost part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    /// The request, which never arrives.
    Request,
    /// The response. The request arrives.
    Response,
}

#[derive(Debug, Default)]
struct List {
    ended: bool,
    next: u64,
    /// Both ends of each connection.
    open: HashMap<u64, [TcpStream; 2]>,
}

/// An entry in the list of open connections, removed when it is dropped.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) all: Arc<Connections>,
    number: u64,
    /// True if the client was the last to send.
    pub(super) awaits_response: AtomicBool,
    /// The number of a loss, and how many of its texts the client has sent.
    matched: Mutex<(u64, usize)>,
    /// True if the next bytes of the server are lost.
    pub(super) loses_response: AtomicBool,
}

impl Connections {
    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection.
    ///
    /// # Errors
    /// If there are too many, or the proxy has ended.
    pub(super) fn enter(self: &Arc<Self>, ends: [TcpStream; 2]) -> io::Result<Connection> {
        let mut list = self.list();
        if list.ended || list.open.len() >= MOST {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        let number = list.next;
        list.next += 1;
        list.open.insert(number, ends);
        Ok(Connection {
            all: Arc::clone(self),
            number,
            awaits_response: AtomicBool::default(),
            matched: Mutex::default(),
            loses_response: AtomicBool::default(),
        })
    }

    fn loss(&self) -> MutexGuard<'_, Option<Loss>> {
        self.loss.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lose(&self, words: Vec<Vec<u8>>, lost: Lost) {
        let number = self.losses.fetch_add(1, Ordering::Relaxed) + 1;
        *self.loss() = Some(Loss { number, words, lost });
    }

    /// Returns true until the loss has happened.
    pub(super) fn has_pending_loss(&self) -> bool {
        self.loss().is_some()
    }

    pub(super) fn open(&self) -> usize {
        self.list().open.len()
    }

    pub(super) fn cut(&self) {
        for end in self.list().open.values().flatten() {
            // One side may have closed it already.
            end.shutdown(Shutdown::Both).ok();
        }
    }

    pub(super) fn ended(&self) -> bool {
        self.list().ended
    }

    pub(super) fn end(&self) {
        self.list().ended = true;
        self.cut();
    }
}

impl Connection {
    /// Matches bytes of the client. Returns the part of this request that is lost, if any.
    pub(super) fn match_request(&self, bytes: &[u8]) -> Option<Lost> {
        let mut loss = self.all.loss();
        let Loss { number, words, lost } = loss.as_ref()?;
        let mut matched = self.matched.lock().unwrap_or_else(PoisonError::into_inner);
        if matched.0 != *number {
            *matched = (*number, 0);
        }
        while words.get(matched.1).is_some_and(|word| bytes.windows(word.len()).any(|part| part == word)) {
            matched.1 += 1;
        }
        let lost = (matched.1 >= words.len()).then_some(*lost)?;
        *loss = None;
        Some(lost)
    }

    /// Closes the connection on both sides.
    pub(super) fn cut(&self) {
        for end in self.all.list().open.get(&self.number).into_iter().flatten() {
            // One side may have closed it already.
            end.shutdown(Shutdown::Both).ok();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.list().open.remove(&self.number);
    }
}
