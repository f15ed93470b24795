//! Decompresses a body as it arrives.

use crate::refusal::Refusal;
use flate2::write::MultiGzDecoder;
use std::io::Write;

/// Bytes decompressed at a time. gzip expands at most a thousandfold, which is memory that is not yet
/// reserved.
const SLICE: usize = 1 << 10;

/// The first bytes of every gzip stream: its mark, and its only method.
pub(super) const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

/// Decompresses chunks, or passes them through.
pub(super) enum Unpacker {
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
}

impl Unpacker {
    pub(super) fn new(is_packed: bool) -> Self {
        if is_packed { Self::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))) } else { Self::Plain }
    }

    pub(super) fn is_gzip(&self) -> bool {
        matches!(self, Self::Gzip(_))
    }

    /// Returns the next part of a decompressed chunk and leaves the rest in `chunk`.
    ///
    /// # Errors
    /// [`Refusal::NotJson`] if it is not gzip.
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

    /// Returns the remaining bytes at the end of the input.
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

pub(super) fn no_gzip() -> Refusal {
    Refusal::NotJson("The body is not gzip.".into())
}
