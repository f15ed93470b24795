//! Reads the lines of a request as they arrive.

use super::lines::{Cut, Lines};
use super::unpack::{GZIP, Unpacker, no_gzip};
use crate::refusal::Refusal;
use crate::request::body::{Body, Held, is_ndjson, is_packed};
use actix_web::dev::Payload;
use actix_web::http::header::HeaderMap;
use actix_web::web::Bytes;
use futures_util::StreamExt;
use std::io;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// A line of a request.
pub(super) struct Line {
    /// The number of the line, from 1.
    pub(super) number: u64,
    /// The bytes of the line; empty if there were too many.
    pub(super) bytes: Bytes,
    /// The line as a body, or the refusal.
    pub(super) body: Result<Body, Refusal>,
}

impl Line {
    /// Returns the number of bytes in memory.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }
}

/// Reads lines from a request.
pub(super) struct Source {
    payload: Option<Payload>,
    unpacker: Unpacker,
    /// Received bytes that are not decompressed yet.
    chunk: Bytes,
    lines: Lines,
    limit: usize,
    /// Memory for received bytes that are not yet a line.
    held: Held,
    /// Time limit for the next bytes, and the deadline.
    patience: Duration,
    until: Instant,
}

/// Returns true if the lines are compressed with gzip.
///
/// # Errors
/// [`Refusal::UnsupportedMediaType`] for another type or coding.
pub(super) fn accepts(headers: &HeaderMap) -> Result<bool, Refusal> {
    is_ndjson(headers)?;
    is_packed(headers)
}

impl Source {
    /// Creates a source that reads the lines of a body, of at most `limit` bytes each, with a time limit for
    /// the next bytes.
    pub(super) fn new(
        payload: Option<Payload>,
        is_packed: bool,
        limit: usize,
        held: Held,
        patience: Duration,
    ) -> Self {
        Self {
            payload,
            unpacker: Unpacker::new(is_packed),
            chunk: Bytes::new(),
            lines: Lines::new(limit),
            limit,
            held,
            patience,
            until: Instant::now() + patience,
        }
    }

    /// Restarts the time limit for the next bytes: the client could not send before.
    pub(super) fn restart_deadline(&mut self) {
        self.until = Instant::now() + self.patience;
    }

    /// Waits for the first bytes of a compressed body.
    ///
    /// # Errors
    /// [`Refusal::NotJson`] if they are not those of gzip.
    pub(super) async fn begin(&mut self) -> Result<(), Refusal> {
        if !self.unpacker.is_gzip() {
            return Ok(());
        }
        while self.chunk.len() < GZIP.len() && GZIP.starts_with(&self.chunk) {
            let Some(payload) = &mut self.payload else { return Ok(()) };
            // Anything else is reported by `next`.
            let Ok(Some(Ok(chunk))) = timeout_at(self.until, payload.next()).await else { return Ok(()) };
            self.chunk = [&*self.chunk, &*chunk].concat().into();
        }
        if self.chunk.starts_with(&GZIP) { Ok(()) } else { Err(no_gzip()) }
    }

    /// Returns the next line; `None` after the last. If the body stops being gzip, the last line says so. Safe to cancel.
    ///
    /// # Errors
    /// If the request breaks off, or the client sends nothing for too long.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            if let Some(cut) = self.lines.next() {
                return Ok(Some(self.line(cut)));
            }
            if let Err(refusal) = self.held.resize(self.lines.held() + self.chunk.len()) {
                return Ok(Some(self.refused(refusal)));
            }
            if !self.chunk.is_empty() {
                match self.unpacker.piece(&mut self.chunk) {
                    Ok(piece) => self.lines.push(piece),
                    Err(refusal) => return Ok(Some(self.refused(refusal))),
                }
                // A small chunk may decompress to much data without a line.
                tokio::task::yield_now().await;
                continue;
            }
            let Some(payload) = &mut self.payload else {
                return Ok(self.lines.last().map(|cut| self.line(cut)));
            };
            match timeout_at(self.until, payload.next()).await {
                Ok(Some(Ok(chunk))) => {
                    self.chunk = chunk;
                    self.restart_deadline();
                }
                Ok(None) => {
                    self.payload = None;
                    match self.unpacker.last() {
                        Ok(piece) => self.lines.push(piece),
                        Err(refusal) => return Ok(Some(self.refused(refusal))),
                    }
                }
                Ok(Some(Err(error))) => return Err(io::Error::other(error.to_string())),
                Err(_) => return Err(io::ErrorKind::TimedOut.into()),
            }
        }
    }

    /// A refusal in place of the unfinished line, after which no line is taken.
    fn refused(&self, refusal: Refusal) -> Line {
        Line { number: self.lines.number(), bytes: Bytes::new(), body: Err(refusal) }
    }

    fn line(&mut self, cut: Cut) -> Line {
        let bytes: Bytes = cut.text.unwrap_or_default().into();
        let body = match bytes.is_empty() {
            true => Err(Refusal::TooLarge),
            false => self.body(bytes.clone()),
        };
        Line { number: cut.number, bytes, body }
    }

    fn body(&mut self, bytes: Bytes) -> Result<Body, Refusal> {
        let mut held = self.held.beside();
        held.resize(bytes.len())?;
        Ok(Body::plain(bytes, self.limit, held))
    }
}
