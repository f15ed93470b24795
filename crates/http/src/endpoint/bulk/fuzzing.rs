//! Lines of a request, for fuzz targets.

use super::source::Source;
use crate::refusal::Refusal;
use crate::request::body::{Allowance, Held};
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_util::stream;
use std::sync::Arc;
use std::time::Duration;

/// The result of reading a request of many lines.
#[derive(Debug, PartialEq, Eq)]
pub struct Framed {
    /// The lines that were taken.
    pub lines: Vec<Taken>,
    /// True if it was read to its end.
    pub is_whole: bool,
}

/// A line with its number.
#[derive(Debug, PartialEq, Eq)]
pub enum Taken {
    /// The bytes of the line.
    Line(u64, Vec<u8>),
    /// The line is longer than the limit.
    TooLong(u64),
    /// Bodies in memory have reached their limit.
    NoRoom,
}

/// Returns the lines of a request whose body arrives in these chunks, of at most `limit` bytes each, with
/// `room` bytes of buffers. Requires a tokio runtime with time enabled.
pub async fn framed(chunks: Vec<Bytes>, is_packed: bool, limit: usize, room: usize) -> Framed {
    let chunks = stream::iter(chunks.into_iter().map(Ok::<_, PayloadError>));
    let payload: Payload = Payload::Stream { payload: Box::pin(chunks) };
    let held = Held::new(Arc::new(Allowance::new(room, "no room")), None);
    let mut source = Source::new(Some(payload), is_packed, limit, held, Duration::from_secs(60));
    let mut lines = Vec::new();
    loop {
        let line = match source.next().await {
            Ok(Some(line)) => line,
            end => return Framed { lines, is_whole: end.is_ok() },
        };
        lines.push(match line.body {
            Ok(_) => Taken::Line(line.number, line.bytes.to_vec()),
            Err(Refusal::TooLarge) => Taken::TooLong(line.number),
            Err(Refusal::NotJson(_)) => return Framed { lines, is_whole: false },
            Err(_) => Taken::NoRoom,
        });
        if lines.last() == Some(&Taken::NoRoom) {
            return Framed { lines, is_whole: false };
        }
    }
}
