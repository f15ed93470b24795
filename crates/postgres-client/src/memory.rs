use std::collections::VecDeque;
use std::io::{self, Read, Write};

/// A server that sends packets whatever it receives, and then closes the connection.
pub(super) struct Memory {
    packets: VecDeque<Vec<u8>>,
    /// The bytes that were sent.
    pub(super) received: Vec<u8>,
}

impl Memory {
    pub(super) fn new(packets: Vec<Vec<u8>>) -> Self {
        Self { packets: packets.into(), received: Vec::new() }
    }
}

impl Read for Memory {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(mut packet) = self.packets.pop_front() else { return Ok(0) };
        let rest = packet.split_off(packet.len().min(buffer.len()));
        buffer[..packet.len()].copy_from_slice(&packet);
        if !rest.is_empty() {
            self.packets.push_front(rest);
        }
        Ok(packet.len())
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.received.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
