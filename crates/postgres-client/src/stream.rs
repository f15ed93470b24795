use rustls::{ClientConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The socket of a connection.
pub(super) enum Stream {
    Plain(TcpStream),
    Local(UnixStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
    #[cfg(feature = "fuzzing")]
    Memory(super::memory::Memory),
}

impl Stream {
    /// Sets the maximum time for which one call to read or write may block.
    pub(super) fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        if let Self::Local(socket) = self {
            socket.set_read_timeout(timeout)?;
            return socket.set_write_timeout(timeout);
        }
        let Some(socket) = self.tcp() else { return Ok(()) };
        socket.set_read_timeout(timeout)?;
        socket.set_write_timeout(timeout)
    }

    pub(super) fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        match self {
            Self::Local(socket) => socket.set_nonblocking(nonblocking),
            _ => self.tcp().map_or(Ok(()), |socket| socket.set_nonblocking(nonblocking)),
        }
    }

    fn tcp(&self) -> Option<&TcpStream> {
        match self {
            Self::Plain(socket) => Some(socket),
            Self::Tls(tls) => Some(&tls.sock),
            Self::Local(_) => None,
            #[cfg(feature = "fuzzing")]
            Self::Memory(_) => None,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            Self::Local(socket) => socket.read(buffer),
            Self::Tls(tls) => tls.read(buffer),
            #[cfg(feature = "fuzzing")]
            Self::Memory(memory) => memory.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            Self::Local(socket) => socket.write(bytes),
            Self::Tls(tls) => tls.write(bytes),
            #[cfg(feature = "fuzzing")]
            Self::Memory(memory) => memory.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.flush(),
            Self::Local(socket) => socket.flush(),
            Self::Tls(tls) => tls.flush(),
            #[cfg(feature = "fuzzing")]
            Self::Memory(memory) => memory.flush(),
        }
    }
}
