//! Bodies that are handed on as they arrive.

use crate::refusal::Refusal;
use actix_web::dev::Payload;
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::timeout;

/// Hands each chunk of a body to `take`, which sets the pace. `payload` is taken at its end; until then, part of the body is
/// unread.
///
/// # Errors
/// [`Refusal::TooLarge`] after `limit` bytes, [`Refusal::Timeout`] if nothing comes for `patience`,
/// [`Refusal::BadRequest`] if the body breaks off, and the errors of `take`.
pub(crate) async fn each_chunk(
    payload: &mut Option<Payload>,
    limit: usize,
    patience: Duration,
    mut take: impl AsyncFnMut(&[u8]) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let mut size = 0;
    while let Some(stream) = payload {
        match timeout(patience, stream.next()).await {
            Ok(Some(Ok(chunk))) => {
                size += chunk.len();
                if size > limit {
                    return Err(Refusal::TooLarge);
                }
                take(&chunk).await?;
            }
            Ok(Some(Err(_))) => return Err(Refusal::BadRequest),
            Ok(None) => *payload = None,
            Err(_) => return Err(Refusal::Timeout),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::error::PayloadError;
    use actix_web::web::Bytes;
    use futures_util::{Stream, stream};
    use std::pin::Pin;

    type Chunk = Result<Bytes, PayloadError>;

    fn chunk(text: &'static str) -> Chunk {
        Ok(Bytes::from_static(text.as_bytes()))
    }

    async fn read(chunks: impl Stream<Item = Chunk> + 'static) -> (Result<(), Refusal>, String, bool) {
        let chunks: Pin<Box<dyn Stream<Item = Chunk>>> = Box::pin(chunks);
        let mut payload = Some(Payload::Stream { payload: chunks });
        let mut taken = String::new();
        let read = each_chunk(&mut payload, 5, Duration::from_millis(1), async |chunk| {
            taken.push_str(std::str::from_utf8(chunk).unwrap());
            Ok(())
        });
        let read = read.await;
        (read, taken, payload.is_none())
    }

    #[actix_web::test]
    async fn chunks_are_handed_on_up_to_the_limit() {
        let (read_all, taken, whole) = read(stream::iter([chunk("abc"), chunk("de")])).await;
        assert!(read_all.is_ok() && whole && taken == "abcde", "{taken}");
        let (refused, taken, whole) = read(stream::iter([chunk("abc"), chunk("def")])).await;
        assert!(matches!(refused, Err(Refusal::TooLarge)) && !whole && taken == "abc");
    }

    #[actix_web::test]
    async fn what_breaks_off_or_stalls_is_refused() {
        let broken = stream::iter([chunk("a"), Err(PayloadError::Incomplete(None))]);
        assert!(matches!(read(broken).await, (Err(Refusal::BadRequest), _, false)));
        let stalled = stream::iter([chunk("a")]).chain(stream::pending());
        assert!(matches!(read(stalled).await, (Err(Refusal::Timeout), _, false)));
    }
}
