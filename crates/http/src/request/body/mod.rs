//! Request bodies, read without actix's extractors so that nothing is decompressed or kept beyond its limit
//! (contract D3).

mod allowance;
mod media;
mod read;
mod stream;

pub(crate) use allowance::{Allowance, Held};
pub(crate) use media::{is_bytes, is_form, is_json, is_ndjson, is_packed};
pub(crate) use read::{Limits, announced};
pub(crate) use stream::each_chunk;

use crate::refusal::Refusal;
use actix_web::web::Bytes;
use flate2::read::MultiGzDecoder;
use std::fmt;
use std::io::Read;

/// A body as received. It counts against the [`Allowance`] until it is dropped.
pub(crate) struct Body {
    bytes: Bytes,
    is_packed: bool,
    limit: usize,
    held: Held,
}

/// Shows the size, never the content.
impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body").field("size", &self.bytes.len()).finish_non_exhaustive()
    }
}

/// A body up to this size is decoded and checked in less time than it takes to wake another thread.
pub(crate) const SHORT: usize = 64 << 10;

/// Initial size of the buffer for decompression, in bytes; it doubles when it is full.
const FIRST_ROOM: usize = 64 << 10;

impl Body {
    /// Returns an uncompressed body that was read elsewhere.
    pub(crate) fn plain(bytes: Bytes, limit: usize, held: Held) -> Self {
        Self { bytes, is_packed: false, limit, held }
    }

    /// Returns true if processing it takes well under a millisecond.
    pub(crate) fn is_short(&self) -> bool {
        !self.is_packed && self.bytes.len() <= SHORT
    }

    /// Returns the number of bytes, before decompression if it is compressed.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns true if it is still compressed.
    pub(crate) fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// Returns the bytes, if they are [few](Self::is_short).
    pub(crate) fn short(&self) -> Option<&[u8]> {
        self.is_short().then_some(&self.bytes)
    }

    /// Decompresses the body and returns its bytes. Takes a while for large ones: not for an event loop.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`] if there are more than the limit, [`Refusal::NotJson`] if it is not gzip,
    /// [`Refusal::Unavailable`] if there is no room for it now.
    pub(crate) fn unpack(&mut self) -> Result<&[u8], Refusal> {
        if self.is_packed {
            self.bytes = gunzip(&self.bytes, self.limit, &mut self.held)?.into();
            self.is_packed = false;
            self.held.resize(self.bytes.len())?;
        }
        Ok(&self.bytes)
    }
}

/// Decompresses at most one byte more than the limit. Memory is reserved before it is allocated, and no more
/// than needed: many small bodies are decompressed at a time.
fn gunzip(packed: &[u8], limit: usize, held: &mut Held) -> Result<Vec<u8>, Refusal> {
    let (mut unpacked, mut decoder) = (Vec::new(), MultiGzDecoder::new(packed));
    loop {
        let room = unpacked.len().max(FIRST_ROOM).min(limit + 1 - unpacked.len());
        held.resize(packed.len() + unpacked.len() + room)?;
        unpacked.reserve_exact(room);
        let part = decoder.by_ref().take(room as u64).read_to_end(&mut unpacked);
        let read = part.map_err(|_| Refusal::NotJson("The body is not gzip.".into()))?;
        if unpacked.len() > limit {
            return Err(Refusal::TooLarge);
        }
        if read < room {
            return Ok(unpacked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::gzip;
    use std::sync::Arc;

    const LIMIT: usize = 10_000;

    /// A small compressed body holds little memory, however large bodies may be.
    #[test]
    fn a_decompressed_body_holds_only_its_size() {
        let allowance = Arc::new(Allowance::new(2 * FIRST_ROOM, ""));
        let text = vec![b' '; FIRST_ROOM + 10];
        for (size, is_good) in [(10, true), (FIRST_ROOM - 1, true), (FIRST_ROOM + 10, false)] {
            let held = Held::new(allowance.clone(), None);
            let bytes = gzip(&text[..size]).into();
            let mut body = Body { bytes, is_packed: true, limit: 8 << 20, held };
            assert_eq!(body.unpack().map(<[u8]>::len).ok(), is_good.then_some(size), "{size}");
        }
        assert_eq!(allowance.left(), 2 * FIRST_ROOM);
    }

    fn unpack(packed: &[u8]) -> Result<Vec<u8>, Refusal> {
        let allowance = Arc::new(Allowance::new(1 << 20, ""));
        let (bytes, held) = (Bytes::copy_from_slice(packed), Held::new(allowance, None));
        Body { bytes, is_packed: true, limit: LIMIT, held }.unpack().map(<[u8]>::to_vec)
    }

    #[test]
    fn the_limit_counts_what_it_unpacks_to() {
        assert_eq!(unpack(&gzip(&[b' '; LIMIT])).unwrap(), [b' '; LIMIT]);
        assert!(matches!(unpack(&gzip(&[b' '; LIMIT + 1])), Err(Refusal::TooLarge)));
        let bomb = gzip(&vec![0; 20 << 20]);
        assert!(bomb.len() < 30_000);
        assert!(matches!(unpack(&bomb), Err(Refusal::TooLarge)));
    }

    #[test]
    fn objects_require_members_and_commas() {
        let two = [gzip(b"[1,"), gzip(b"2]")].concat();
        assert_eq!(unpack(&two).unwrap(), b"[1,2]");
        let whole = gzip(b"{}");
        for bad in [&whole[..whole.len() - 1], b"{}", b"", &[&whole[..], b"more"].concat()] {
            assert!(matches!(unpack(bad), Err(Refusal::NotJson(_))), "{bad:?}");
        }
    }

    #[test]
    fn debug_output_hides_the_content() {
        let body = Body::plain(
            Bytes::from_static(b"Ada"),
            LIMIT,
            Held::new(Arc::new(Allowance::new(LIMIT, "")), None),
        );
        assert_eq!(format!("{body:?}"), "Body { size: 3, .. }");
    }

    #[test]
    fn without_memory_nothing_is_decompressed() {
        let held = Held::new(Arc::new(Allowance::new(LIMIT, "")), None);
        let mut body = Body { bytes: gzip(b"{}").into(), is_packed: true, limit: LIMIT, held };
        assert!(matches!(body.unpack(), Err(Refusal::Unavailable(_))));
    }
}
