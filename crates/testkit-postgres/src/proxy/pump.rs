use super::connections::{Connection, Connections, Lost};
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// What is read at once.
const CHUNK: usize = 16 * 1024;
/// How many chunks may be on their way in a direction.
const ON_THE_WAY: usize = 1024;
/// Of the threads, which do next to nothing.
const STACK: usize = 128 * 1024;

/// Bytes, and when they are due at the other end.
type Chunk = (Instant, Vec<u8>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    ToServer,
    ToClient,
}

/// Connects a client through: a thread reads and one writes, each way.
pub(super) fn connect(client: TcpStream, target: SocketAddr, all: &Arc<Connections>) -> io::Result<()> {
    let server = TcpStream::connect(target)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let connection = Arc::new(all.enter([client.try_clone()?, server.try_clone()?])?);
    carry(Way::ToServer, client.try_clone()?, server.try_clone()?, &connection)?;
    carry(Way::ToClient, server, client, &connection)
}

fn carry(way: Way, from: TcpStream, to: TcpStream, connection: &Arc<Connection>) -> io::Result<()> {
    let (sender, receiver) = sync_channel(ON_THE_WAY);
    let (reading, writing) = (Arc::clone(connection), Arc::clone(connection));
    spawn(move || read(way, from, &sender, &reading))?;
    spawn(move || write(to, &receiver, &writing))
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("proxy".into()).stack_size(STACK).spawn(work).map(drop)
}

fn read(way: Way, mut from: TcpStream, sender: &SyncSender<Chunk>, connection: &Connection) {
    let mut bytes = vec![0; CHUNK];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        count(way, length, connection);
        if is_lost(way, &bytes[..length], connection) {
            return connection.cut();
        }
        let delay = Duration::from_nanos(connection.all.delay.load(Ordering::Relaxed));
        if sender.send((Instant::now() + delay, bytes[..length].to_vec())).is_err() {
            return;
        }
    }
}

/// Whether these bytes are to be lost, and their connection with them.
fn is_lost(way: Way, bytes: &[u8], connection: &Connection) -> bool {
    match way {
        Way::ToServer => match connection.hear(bytes) {
            Some(Lost::Request) => true,
            Some(Lost::Answer) => {
                connection.loses_answer.store(true, Ordering::SeqCst);
                false
            }
            None => false,
        },
        Way::ToClient => connection.loses_answer.load(Ordering::SeqCst),
    }
}

fn count(way: Way, length: usize, connection: &Connection) {
    let all = &connection.all;
    let add = |to: &AtomicU64, number: usize| to.fetch_add(number as u64, Ordering::Relaxed);
    match way {
        Way::ToServer => {
            add(&all.to_server, length);
            if !connection.asked.swap(true, Ordering::Relaxed) {
                add(&all.round_trips, 1);
            }
        }
        Way::ToClient => {
            add(&all.to_clients, length);
            connection.asked.store(false, Ordering::Relaxed);
        }
    }
}

/// Writes what is due, in order. The end is passed on too, unless the proxy hangs.
fn write(mut to: TcpStream, receiver: &Receiver<Chunk>, connection: &Connection) {
    let hanging = || connection.all.hanging.load(Ordering::Relaxed);
    while let Ok((due, bytes)) = receiver.recv() {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        if !hanging() && to.write_all(&bytes).is_err() {
            return;
        }
    }
    if !hanging() {
        // It may have been closed from there.
        to.shutdown(Shutdown::Write).ok();
    }
}
