use socket2::{Domain, Socket, Type};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};

/// A port of loopback for a server that cannot bind port 0, or that stops listening and starts again. No other test
/// gets it while this value exists, and it is below the range from which systems choose ports for connections.
#[derive(Debug)]
pub struct ReservedPort {
    number: u16,
    _claim: Claim,
}

/// A name that only one process can have, until it closes the socket or ends.
#[cfg(target_os = "linux")]
type Claim = std::os::unix::net::UnixListener;
#[cfg(not(target_os = "linux"))]
type Claim = ();

impl ReservedPort {
    /// Reserves a port that is free now.
    ///
    /// # Errors
    /// If there is none.
    pub fn new() -> io::Result<Self> {
        let candidates = (0..1_000).map(|_| 20_000 + (random() % 10_000) as u16);
        let mut reserved = candidates.filter_map(Self::at);
        reserved.next().ok_or_else(|| io::ErrorKind::AddrInUse.into())
    }

    fn at(number: u16) -> Option<Self> {
        let claim = claim(number).ok()?;
        // Something other than a test may have it.
        bind((Ipv4Addr::LOCALHOST, number).into()).ok()?;
        Some(Self { number, _claim: claim })
    }

    /// The port.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// The port with the address of loopback.
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.number).into()
    }
}

/// Binds a port without listening. A process that another thread is starting has a copy of every socket for a moment: of
/// one that listens, it would keep the port in use.
fn bind(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    Ok(socket)
}

#[cfg(target_os = "linux")]
fn claim(number: u16) -> io::Result<Claim> {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener};
    // Abstract names leave no file, and end with their process.
    UnixListener::bind_addr(&SocketAddr::from_abstract_name(format!("cutover-test-port-{number}"))?)
}

#[cfg(not(target_os = "linux"))]
fn claim(_number: u16) -> io::Result<Claim> {
    Ok(())
}

/// A number that differs between calls and between processes.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_reserved_port_can_be_bound_and_bound_again() {
        let port = ReservedPort::new().unwrap();
        for _ in 0..2 {
            let listener = TcpListener::bind(port.address()).unwrap();
            assert_eq!(listener.local_addr().unwrap().port(), port.number());
        }
    }

    #[test]
    fn a_port_can_be_bound_while_another_process_has_a_copy_of_the_first_socket() {
        let port = ReservedPort::new().unwrap();
        let _copy = bind(port.address()).unwrap();
        assert!(TcpListener::bind(port.address()).is_ok());
        let listener = TcpListener::bind(port.address()).unwrap();
        assert!(bind(port.address()).is_err(), "{listener:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_port_is_reserved_once_until_it_is_dropped() {
        let port = ReservedPort::new().unwrap();
        let number = port.number();
        assert!(ReservedPort::at(number).is_none());
        drop(port);
        assert!(claim(number).is_ok());
    }
}
