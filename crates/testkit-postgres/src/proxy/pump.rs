use super::connections::{Connection, Connections, Lost};
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Maximum size of a chunk.
const CHUNK: usize = 16 * 1024;
/// Maximum number of chunks in flight in a direction.
const IN_FLIGHT: usize = 1024;
/// Stack size of the threads, which do little.
const STACK: usize = 128 * 1024;

/// Bytes, and the time at which they are due at the other end.
type Chunk = (Instant, Vec<u8>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    ToServer,
    ToClient,
}

/// Connects a client to the server, with two threads for each direction: one reads and one writes.
pub(super) fn connect(client: TcpStream, target: SocketAddr, all: &Arc<Connections>) -> io::Result<()> {
    let server = TcpStream::connect(target)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let connection = Arc::new(all.enter([client.try_clone()?, server.try_clone()?])?);
    carry(Direction::ToServer, client.try_clone()?, server.try_clone()?, &connection)?;
    carry(Direction::ToClient, server, client, &connection)
}

fn carry(
    direction: Direction,
    from: TcpStream,
    to: TcpStream,
    connection: &Arc<Connection>,
) -> io::Result<()> {
    let (sender, receiver) = sync_channel(IN_FLIGHT);
    let (reading, writing) = (Arc::clone(connection), Arc::clone(connection));
    spawn(move || read(direction, from, &sender, &reading))?;
    spawn(move || write(to, &receiver, &writing))
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("proxy".into()).stack_size(STACK).spawn(work).map(drop)
}

fn read(direction: Direction, mut from: TcpStream, sender: &SyncSender<Chunk>, connection: &Connection) {
    let mut bytes = vec![0; CHUNK];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        count(direction, length, connection);
        if is_lost(direction, &bytes[..length], connection) {
            return connection.cut();
        }
        let delay = Duration::from_nanos(connection.all.delay.load(Ordering::Relaxed));
        if sender.send((Instant::now() + delay, bytes[..length].to_vec())).is_err() {
            return;
        }
    }
}

/// Returns true if these bytes are lost, and their connection with them.
fn is_lost(direction: Direction, bytes: &[u8], connection: &Connection) -> bool {
    match direction {
        Direction::ToServer => match connection.match_request(bytes) {
            Some(Lost::Request) => true,
            Some(Lost::Response) => {
                connection.loses_response.store(true, Ordering::SeqCst);
                false
            }
            None => false,
        },
        Direction::ToClient => connection.loses_response.load(Ordering::SeqCst),
    }
}

fn count(direction: Direction, length: usize, connection: &Connection) {
    let all = &connection.all;
    let add = |to: &AtomicU64, number: usize| to.fetch_add(number as u64, Ordering::Relaxed);
    match direction {
        Direction::ToServer => {
            add(&all.to_server, length);
            if !connection.awaits_response.swap(true, Ordering::Relaxed) {
                add(&all.round_trips, 1);
            }
        }
        Direction::ToClient => {
            add(&all.to_clients, length);
            connection.awaits_response.store(false, Ordering::Relaxed);
        }
    }
}

/// Writes chunks when they are due, in order. Passes on the end of the stream, unless the proxy hangs.
fn write(mut to: TcpStream, receiver: &Receiver<Chunk>, connection: &Connection) {
    let hanging = || connection.all.hanging.load(Ordering::Relaxed);
    while let Ok((due, bytes)) = receiver.recv() {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        if !hanging() && to.write_all(&bytes).is_err() {
            return;
        }
    }
    if !hanging() {
        // The other side may have closed it.
        to.shutdown(Shutdown::Write).ok();
    }
}
