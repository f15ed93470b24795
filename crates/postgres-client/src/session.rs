use super::error::{ClientError, ServerError};
use super::stream::Stream;
use bytes::BytesMut;
use postgres_protocol::message::backend::{Message, ParameterStatusBody};
use postgres_protocol::message::frontend;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::time::Duration;

/// Number of bytes that one call reads at most.
const READ: usize = 32 << 10;

/// Messages to and from a server.
pub(super) struct Session {
    stream: Stream,
    input: BytesMut,
    buffer: Box<[u8]>,
    /// Messages to be sent.
    pub(super) output: BytesMut,
    /// Reported parameters that tell the kind of a server.
    parameters: HashMap<String, String>,
    /// The server processes that have sent notifications.
    notifiers: Vec<i32>,
    answer_timeout: Option<Duration>,
    /// State of the transaction when the server was last ready: `I`dle, in a `T`ransaction or in one that has
    /// `E`rred.
    transaction: u8,
    is_lost: bool,
}

impl Session {
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream,
            input: BytesMut::new(),
            buffer: vec![0; READ].into_boxed_slice(),
            output: BytesMut::new(),
            parameters: HashMap::new(),
            notifiers: Vec::new(),
            answer_timeout: None,
            transaction: b'I',
            is_lost: false,
        }
    }

    /// Sets the time without an answer after which the connection counts as lost.
    pub(super) fn set_answer_timeout(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        if self.answer_timeout != timeout {
            self.stream.set_timeout(timeout)?;
            self.answer_timeout = timeout;
        }
        Ok(())
    }

    /// Returns the state of the transaction when the server was last ready: `I`, `T` or `E`. `None` if the
    /// connection is lost.
    pub(super) fn transaction(&self) -> Option<u8> {
        (!self.is_lost).then_some(self.transaction)
    }

    #[cfg(feature = "fuzzing")]
    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// Sends the messages in `output`.
    pub(super) fn send(&mut self) -> Result<(), ClientError> {
        if self.is_lost {
            self.output.clear();
            return Err(ClientError::Lost(io::Error::new(
                io::ErrorKind::NotConnected,
                "the connection was lost before",
            )));
        }
        let sent = self.stream.write_all(&self.output).and_then(|()| self.stream.flush());
        self.output.clear();
        // An account may be large, and a connection lives for long.
        if self.output.capacity() > READ {
            self.output = BytesMut::new();
        }
        sent.map_err(|error| self.lost(error))
    }

    /// Returns the next message that belongs to an answer.
    pub(super) fn receive(&mut self) -> Result<Message, ClientError> {
        loop {
            if let Some(message) = self.parse()? {
                return Ok(message);
            }
            match self.stream.read(&mut self.buffer) {
                Ok(0) => return Err(self.lost(io::ErrorKind::UnexpectedEof.into())),
                Ok(read) => self.input.extend_from_slice(&self.buffer[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.lost(error)),
            }
        }
    }

    /// Takes the server processes that have sent notifications, without waiting for any.
    pub(super) fn notifiers(&mut self) -> Result<Vec<i32>, ClientError> {
        self.stream.set_nonblocking(true).map_err(|error| self.lost(error))?;
        let read = self.stream.read(&mut self.buffer);
        self.stream.set_nonblocking(false).map_err(|error| self.lost(error))?;
        match read {
            Ok(0) => return Err(self.lost(io::ErrorKind::UnexpectedEof.into())),
            Ok(read) => self.input.extend_from_slice(&self.buffer[..read]),
            Err(error) if is_timeout(&error) || error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(self.lost(error)),
        }
        match self.parse()? {
            None => Ok(std::mem::take(&mut self.notifiers)),
            Some(Message::ErrorResponse(body)) => {
                let error = ServerError::new(&body).map_err(|error| self.lost(error))?;
                self.is_lost = true;
                Err(error.into())
            }
            Some(_) => Err(self.unexpected()),
        }
    }

    /// Returns the next complete message. Those that belong to no answer are dealt with here.
    fn parse(&mut self) -> Result<Option<Message>, ClientError> {
        loop {
            match Message::parse(&mut self.input).map_err(|error| self.lost(error))? {
                Some(Message::NoticeResponse(_)) => {}
                Some(Message::NotificationResponse(body)) => self.notifiers.push(body.process_id()),
                Some(Message::ParameterStatus(body)) => {
                    self.note_parameter(&body).map_err(|error| self.lost(error))?;
                }
                message => {
                    if let Some(Message::ReadyForQuery(body)) = &message {
                        self.transaction = body.status();
                    }
                    return Ok(message);
                }
            }
        }
    }

    fn note_parameter(&mut self, body: &ParameterStatusBody) -> io::Result<()> {
        let name = body.name()?;
        if ["in_hot_standby", "default_transaction_read_only"].contains(&name) {
            self.parameters.insert(name.to_owned(), body.value()?.to_owned());
        }
        Ok(())
    }

    /// The error for a message that is out of place.
    pub(super) fn unexpected(&mut self) -> ClientError {
        self.lost(io::Error::new(io::ErrorKind::InvalidData, "the server sent an unexpected message"))
    }

    fn lost(&mut self, error: io::Error) -> ClientError {
        self.is_lost = true;
        ClientError::Lost(match self.answer_timeout {
            Some(timeout) if is_timeout(&error) => {
                let text = format!("the server has not answered for {} ms", timeout.as_millis());
                io::Error::new(io::ErrorKind::TimedOut, text)
            }
            _ if error.kind() == io::ErrorKind::UnexpectedEof => {
                io::Error::new(error.kind(), "the server closed the connection")
            }
            _ => error,
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.is_lost {
            self.output.clear();
            frontend::terminate(&mut self.output);
            // The server notices a closed socket as well. This must not wait.
            let _ = self.stream.set_nonblocking(true);
            let _ = self.stream.write_all(&self.output);
            let _ = self.stream.flush();
        }
    }
}

/// Returns true if a call ended because its time was over. Platforms differ in the kind.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
