//! The ids of events (contract D19): positions in the feed as opaque texts.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use cutover_app::port::FeedPosition;

/// Encodes a position for clients. It is not signed, since it gives access to nothing else.
pub fn encode(position: FeedPosition) -> String {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&position.written_in.to_be_bytes());
    bytes[8..].copy_from_slice(&position.id.to_be_bytes());
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the position of an encoded one; `None` if it is not one.
pub fn decode(text: &str) -> Option<FeedPosition> {
    let bytes: [u8; 16] = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
    let (written_in, id) = bytes.split_first_chunk::<8>()?;
    let number = |bytes: &[u8]| Some(i64::from_be_bytes(bytes.try_into().ok()?)).filter(|n| *n >= 0);
    Some(FeedPosition { written_in: number(written_in)?, id: number(id)? })
}
