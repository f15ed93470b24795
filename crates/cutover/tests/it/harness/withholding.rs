use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

/// A proxy that passes some answers of a server on and withholds the next one, until others are to be passed: so a client
/// is stopped after a known number of answers, and never knows of the next one. It stops on drop.
pub(crate) struct Withholding {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Number of answers to be passed on.
    left: usize,
    is_withheld: bool,
    has_ended: bool,
    connections: Vec<TcpStream>,
}

impl Withholding {
    /// Starts it in front of a server.
    pub(crate) fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::<Shared>::default();
        let own = shared.clone();
        Self { address, shared, acceptor: Some(std::thread::spawn(move || accept(&listener, server, &own))) }
    }

    /// Passes this number of answers on from now.
    pub(crate) fn pass(&self, answers: usize) {
        let mut state = self.shared.state.lock().unwrap();
        (state.left, state.is_withheld) = (answers, false);
        self.shared.changed.notify_all();
    }

    /// True once an answer is withheld.
    pub(crate) fn is_withheld(&self) -> bool {
        self.shared.state.lock().unwrap().is_withheld
    }
}

impl Drop for Withholding {
    fn drop(&mut self) {
        {
            let mut state = self.shared.state.lock().unwrap();
            state.has_ended = true;
            for connection in &state.connections {
                let _ = connection.shutdown(Shutdown::Both);
            }
        }
        self.shared.changed.notify_all();
        // Wakes the acceptor.
        let _ = TcpStream::connect(self.address);
        let _ = self.acceptor.take().map(JoinHandle::join);
    }
}

fn accept(listener: &TcpListener, server: SocketAddr, shared: &Arc<Shared>) {
    let mut threads = Vec::new();
    for client in listener.incoming().flatten() {
        let Ok(server) = TcpStream::connect(server) else { continue };
        {
            let mut state = shared.state.lock().unwrap();
            if state.has_ended {
                break;
            }
            state.connections.extend([client.try_clone().unwrap(), server.try_clone().unwrap()]);
        }
        let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        threads.push(std::thread::spawn(move || {
            let _ = std::io::copy(&mut from_client, &mut to_server);
            let _ = to_server.shutdown(Shutdown::Write);
        }));
        let shared = shared.clone();
        threads.push(std::thread::spawn(move || {
            let _ = answer(server, &client, &shared);
            let _ = client.shutdown(Shutdown::Both);
        }));
    }
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

/// Passes the answers of a connection on, of which each begins a packet.
fn answer(mut server: TcpStream, mut client: &TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut packet = [0; 64 * 1024];
    loop {
        let length = match server.read(&mut packet) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            result => result?,
        };
        let packet = &packet[..length];
        if packet.is_empty() || packet.starts_with(b"HTTP/1.1 ") && !shared.may_pass() {
            return Ok(());
        }
        client.write_all(packet)?;
    }
}

impl Shared {
    /// Waits until an answer may be passed on; false at the end.
    fn may_pass(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        while state.left == 0 && !state.has_ended {
            state.is_withheld = true;
            state = self.changed.wait(state).unwrap();
        }
        state.left = state.left.saturating_sub(1);
        !state.has_ended
    }
}
