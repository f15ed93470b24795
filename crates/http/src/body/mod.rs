//! Request bodies: read by ourselves, so that nothing is inflated or kept beyond its bound (decisions D3).

mod allowance;
mod media;
mod read;

pub(crate) use allowance::{Allowance, Held};
pub(crate) use media::{is_form, is_json, is_ndjson, is_packed};
pub(crate) use read::{Limits, read};

use crate::refusal::Refusal;
use actix_web::web::Bytes;
use flate2::read::MultiGzDecoder;
use std::io::Read;

/// A body as it arrived. It counts against the [`Allowance`] until it is dropped.
#[derive(Debug)]
pub(crate) struct Body {
    bytes: Bytes,
    is_packed: bool,
    limit: usize,
    held: Held,
}

/// A body of so many bytes is decoded and checked in less time than another thread takes to be woken.
const SHORT: usize = 64 << 10;

impl Body {
    /// A body that was read elsewhere, and is not packed.
    pub(crate) fn plain(bytes: Bytes, limit: usize, held: Held) -> Self {
        Self { bytes, is_packed: false, limit, held }
    }

    /// Whether to work on it takes well under a millisecond.
    pub(crate) fn is_short(&self) -> bool {
        !self.is_packed && self.bytes.len() <= SHORT
    }

    /// The bytes, if they are [few](Self::is_short).
    pub(crate) fn short(&self) -> Option<&[u8]> {
        self.is_short().then_some(&self.bytes)
    }

    /// The bytes, unpacked. Takes a while for large ones that were packed: not for an event loop.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`] if there are more than the limit, [`Refusal::NotJson`] if it is no gzip,
    /// [`Refusal::Unavailable`] if there is no room for it now.
    pub(crate) fn unpack(&mut self) -> Result<&[u8], Refusal> {
        if self.is_packed {
            self.held.resize(self.bytes.len() + self.limit)?;
            self.bytes = gunzip(&self.bytes, self.limit)?.into();
            self.is_packed = false;
            self.held.resize(self.bytes.len())?;
        }
        Ok(&self.bytes)
    }
}

fn gunzip(packed: &[u8], limit: usize) -> Result<Vec<u8>, Refusal> {
    let mut unpacked = Vec::new();
    let mut bounded = MultiGzDecoder::new(packed).take(limit as u64 + 1);
    bounded.read_to_end(&mut unpacked).map_err(|_| Refusal::NotJson("The body is not gzip.".into()))?;
    if unpacked.len() > limit { Err(Refusal::TooLarge) } else { Ok(unpacked) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::gzip;
    use std::sync::Arc;

    const LIMIT: usize = 10_000;

    fn unpack(packed: &[u8]) -> Result<Vec<u8>, Refusal> {
        let allowance = Arc::new(Allowance::new(1 << 20));
        let (bytes, held) = (Bytes::copy_from_slice(packed), Held::new(allowance));
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
    fn members_follow_one_another_and_nothing_else_does() {
        let two = [gzip(b"[1,"), gzip(b"2]")].concat();
        assert_eq!(unpack(&two).unwrap(), b"[1,2]");
        let whole = gzip(b"{}");
        for bad in [&whole[..whole.len() - 1], b"{}", b"", &[&whole[..], b"more"].concat()] {
            assert!(matches!(unpack(bad), Err(Refusal::NotJson(_))), "{bad:?}");
        }
    }

    #[test]
    fn without_room_nothing_is_unpacked() {
        let held = Held::new(Arc::new(Allowance::new(LIMIT)));
        let mut body = Body { bytes: gzip(b"{}").into(), is_packed: true, limit: LIMIT, held };
        assert!(matches!(body.unpack(), Err(Refusal::Unavailable(_))));
    }
}
