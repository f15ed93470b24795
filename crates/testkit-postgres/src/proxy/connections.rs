use std::collections::HashMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many there may be at a time.
const MOST: usize = 300;

/// The connections of a proxy, what is wrong with them, and what they carried.
#[derive(Debug, Default)]
pub(super) struct Connections {
    /// Of each way, in nanoseconds.
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

/// What is to be lost, once, and its connection with it.
#[derive(Debug)]
pub(super) struct Loss {
    /// Differs from that of every other.
    pub(super) number: u64,
    /// What a client says on one connection, in this order; the last is what is lost.
    pub(super) words: Vec<Vec<u8>>,
    pub(super) what: Lost,
}

/// What of a request is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    /// It never arrives.
    Request,
    /// It arrives, and nothing of its answer does.
    Answer,
}

#[derive(Debug, Default)]
struct List {
    ended: bool,
    next: u64,
    /// Both ends of each.
    open: HashMap<u64, [TcpStream; 2]>,
}

/// An entry of the list, for as long as anybody holds it.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) all: Arc<Connections>,
    number: u64,
    /// Was the client the last to speak?
    pub(super) asked: AtomicBool,
    /// How many of the words of a loss it has heard from the client, and of which.
    heard: Mutex<(u64, usize)>,
    /// Whether what the server says next is lost.
    pub(super) loses_answer: AtomicBool,
}

impl Connections {
    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection in.
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
            asked: AtomicBool::default(),
            heard: Mutex::default(),
            loses_answer: AtomicBool::default(),
        })
    }

    fn loss(&self) -> MutexGuard<'_, Option<Loss>> {
        self.loss.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lose(&self, words: Vec<Vec<u8>>, what: Lost) {
        let number = self.losses.fetch_add(1, Ordering::Relaxed) + 1;
        *self.loss() = Some(Loss { number, words, what });
    }

    /// Whether something is still to be lost.
    pub(super) fn is_to_lose(&self) -> bool {
        self.loss().is_some()
    }

    pub(super) fn open(&self) -> usize {
        self.list().open.len()
    }

    pub(super) fn cut(&self) {
        for end in self.list().open.values().flatten() {
            // One side may have closed it before us.
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
    /// Hears what a client says; what of it is lost now, if anything is.
    pub(super) fn hear(&self, said: &[u8]) -> Option<Lost> {
        let mut loss = self.all.loss();
        let Loss { number, words, what } = loss.as_ref()?;
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if heard.0 != *number {
            *heard = (*number, 0);
        }
        while words.get(heard.1).is_some_and(|word| said.windows(word.len()).any(|part| part == word)) {
            heard.1 += 1;
        }
        let what = (heard.1 >= words.len()).then_some(*what)?;
        *loss = None;
        Some(what)
    }

    /// Closes it on both sides.
    pub(super) fn cut(&self) {
        for end in self.all.list().open.get(&self.number).into_iter().flatten() {
            // One side may have closed it before us.
            end.shutdown(Shutdown::Both).ok();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.list().open.remove(&self.number);
    }
}
