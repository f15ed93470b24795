//! A packed body, unpacked as it comes.

use crate::refusal::Refusal;
use flate2::write::MultiGzDecoder;
use std::io::Write;

/// So much is unpacked at a time: gzip makes at most a thousandfold of it, which is room that nobody has asked for yet.
const SLICE: usize = 1 << 10;

/// Unpacks chunks, or leaves them as they are.
pub(super) enum Unpacker {
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
}

impl Unpacker {
    pub(super) fn new(is_packed: bool) -> Self {
        if is_packed { Self::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))) } else { Self::Plain }
    }

    /// The next piece of what a chunk unpacks to; `chunk` is left with the rest.
    ///
    /// # Errors
    /// [`Refusal::NotJson`] if it is no gzip.
    pub(super) fn piece(&mut self, chunk: &mut actix_web::web::Bytes) -> Result<Vec<u8>, Refusal> {
        match self {
            Self::Plain => Ok(std::mem::take(chunk).into()),
            Self::Gzip(decoder) => {
                let slice = chunk.split_to(SLICE.min(chunk.len()));
                decoder.write_all(&slice).and_then(|()| decoder.flush()).map_err(|_| no_gzip())?;
                Ok(std::mem::take(decoder.get_mut()))
            }
        }
    }

    /// What is left when nothing more comes.
    ///
    /// # Errors
    /// [`Refusal::NotJson`] if it breaks off.
    pub(super) fn last(&mut self) -> Result<Vec<u8>, Refusal> {
        match self {
            Self::Plain => Ok(Vec::new()),
            Self::Gzip(decoder) => {
                decoder.try_finish().map_err(|_| no_gzip())?;
                Ok(std::mem::take(decoder.get_mut()))
            }
        }
    }
}

fn no_gzip() -> Refusal {
    Refusal::NotJson("The body is not gzip.".into())
}
