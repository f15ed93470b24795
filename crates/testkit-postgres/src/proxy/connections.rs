use std::collections::HashMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64};
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
    list: Mutex<List>,
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
        Ok(Connection { all: Arc::clone(self), number, asked: AtomicBool::new(false) })
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

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.list().open.remove(&self.number);
    }
}
