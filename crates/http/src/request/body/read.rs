use super::allowance::Held;
use super::{Allowance, Body, media};
use crate::refusal::Refusal;
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::web::Bytes;
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// A declared Content-Length reserves at most this many times the bytes received so far.
const ROOM: usize = 16;

/// Limits on bodies.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Time limit for a whole body.
    pub(crate) time: Duration,
    /// Memory for all bodies, in bytes.
    pub(crate) allowance: Arc<Allowance>,
}

/// A body by its headers, still unread.
pub(crate) struct Announced {
    length: Option<usize>,
    is_packed: bool,
    limit: usize,
}

/// Checks the headers of a body: its size against the limit, its type with `takes`.
///
/// # Errors
/// [`Refusal::TooLarge`] if it says that it is, [`Refusal::UnsupportedMediaType`].
pub(crate) fn announced(
    headers: &HeaderMap,
    takes: fn(&HeaderMap) -> Result<(), Refusal>,
    limit: usize,
) -> Result<Announced, Refusal> {
    let declared = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > limit as u64) {
        return Err(Refusal::TooLarge);
    }
    takes(headers)?;
    let is_packed = media::is_packed(headers)?;
    Ok(Announced { length: declared.map(|length| length as usize), is_packed, limit })
}

impl Announced {
    /// Returns its length, if that is declared.
    pub(crate) fn length(&self) -> Option<usize> {
        self.length
    }

    /// Reads the body. `payload` is taken at its end; until then, part of the body is unread.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`] as soon as it is, [`Refusal::Timeout`], [`Refusal::NotJson`] if it breaks off,
    /// [`Refusal::Unavailable`] if there is no room for it now, or none for more of its organisation.
    pub(crate) async fn read(
        self,
        payload: &mut Option<Payload>,
        limits: &Limits,
        organisation: Option<i64>,
    ) -> Result<Body, Refusal> {
        let Self { length, is_packed, limit } = self;
        let mut held = Held::new(limits.allowance.clone(), organisation);
        let whole = timeout(limits.time, collect(payload, length, limit, &mut held)).await;
        Ok(Body { bytes: whole.unwrap_or(Err(Refusal::Timeout))?, is_packed, limit, held })
    }
}

async fn collect(
    payload: &mut Option<Payload>,
    declared: Option<usize>,
    limit: usize,
    held: &mut Held,
) -> Result<Bytes, Refusal> {
    let mut pieces = Pieces { declared, ..Pieces::default() };
    while let Some(stream) = payload {
        let Some(piece) = stream.next().await else {
            *payload = None;
            break;
        };
        let piece = piece.map_err(broken)?;
        let length = pieces.len() + piece.len();
        if length > limit {
            return Err(Refusal::TooLarge);
        }
        held.resize(length)?;
        pieces.add(piece);
    }
    Ok(pieces.join())
}

/// The received part of a body.
#[derive(Default)]
struct Pieces {
    declared: Option<usize>,
    /// The whole body, if it came in one chunk: not copied.
    whole: Bytes,
    joined: Vec<u8>,
}

impl Pieces {
    fn len(&self) -> usize {
        self.whole.len() + self.joined.len()
    }

    fn add(&mut self, piece: Bytes) {
        if self.len() == 0 && self.declared == Some(piece.len()) {
            self.whole = piece;
            return;
        }
        self.make_room(piece.len());
        self.joined.extend_from_slice(&std::mem::take(&mut self.whole));
        self.joined.extend_from_slice(&piece);
    }

    /// Reserves space for more bytes; for the whole rest if the length is known, since a buffer that doubles
    /// leaves its size behind as garbage.
    fn make_room(&mut self, more: usize) {
        let needed = self.len() + more;
        match self.declared {
            Some(declared) if needed > self.joined.capacity() => {
                let room = declared.min(needed.saturating_mul(ROOM)).max(needed);
                self.joined.reserve_exact(room - self.joined.len());
            }
            _ => self.joined.reserve(needed - self.joined.len()),
        }
    }

    fn join(self) -> Bytes {
        if self.joined.is_empty() { self.whole } else { self.joined.into() }
    }
}

fn broken(error: PayloadError) -> Refusal {
    match error {
        PayloadError::Overflow => Refusal::TooLarge,
        _ => Refusal::NotJson("The body breaks off or is badly framed.".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
    use actix_web::web::Bytes;
    use futures_util::{Stream, stream};

    async fn read(
        headers: &HeaderMap,
        payload: &mut Option<Payload>,
        limits: &Limits,
    ) -> Result<Body, Refusal> {
        announced(headers, media::is_json, 100)?.read(payload, limits, None).await
    }

    type Chunk = Result<Bytes, PayloadError>;

    fn payload(chunks: impl Stream<Item = Chunk> + 'static) -> Payload {
        Payload::Stream { payload: Box::pin(chunks) }
    }

    fn chunk(size: usize) -> Chunk {
        Ok(Bytes::from(vec![b' '; size]))
    }

    fn limits(allowance: usize) -> Limits {
        Limits { time: Duration::from_secs(60), allowance: Arc::new(Allowance::new(allowance, "")) }
    }

    async fn read_chunks(chunks: Vec<Chunk>, allowance: usize) -> (Result<usize, Refusal>, bool) {
        let mut payload = Some(payload(stream::iter(chunks)));
        let body = read(&HeaderMap::new(), &mut payload, &limits(allowance)).await;
        (body.map(|mut body| body.unpack().unwrap().len()), payload.is_none())
    }

    #[actix_web::test]
    async fn a_body_is_read_to_its_end_or_its_limit() {
        let (body, whole) = read_chunks(vec![chunk(60), chunk(40)], 1_000).await;
        assert!(matches!((body, whole), (Ok(100), true)));
        let (body, whole) = read_chunks(vec![chunk(60), chunk(41), chunk(1)], 1_000).await;
        assert!(matches!((body, whole), (Err(Refusal::TooLarge), false)));
        let (body, _) = read_chunks(vec![chunk(60), Err(PayloadError::Incomplete(None))], 1_000).await;
        assert!(matches!(body, Err(Refusal::NotJson(_))));
        let (body, _) = read_chunks(vec![chunk(60)], 59).await;
        assert!(matches!(body, Err(Refusal::Unavailable(_))));
    }

    fn join(declared: Option<usize>, pieces: &[&Bytes]) -> Bytes {
        let mut body = Pieces { declared, ..Pieces::default() };
        pieces.iter().for_each(|piece| body.add((*piece).clone()));
        body.join()
    }

    #[test]
    fn a_body_in_one_chunk_is_not_copied() {
        let (first, second) = (Bytes::from(vec![b'1'; 60]), Bytes::from(vec![b'2'; 40]));
        let whole = join(Some(60), &[&first]);
        assert_eq!((whole.as_ptr(), whole.len()), (first.as_ptr(), 60));
        let both = [&first[..], &second[..]].concat();
        for declared in [None, Some(60), Some(100)] {
            assert_eq!(join(declared, &[&first, &second]), both, "{declared:?}");
        }
        assert!(join(Some(0), &[]).is_empty());
    }

    #[test]
    fn room_is_made_for_what_is_declared_as_it_comes() {
        for (declared, room) in [(Some(900), 900), (Some(10_000), 60 * ROOM), (Some(70), 70), (None, 60)] {
            let mut body = Pieces { declared, ..Pieces::default() };
            body.add(Bytes::from(vec![b' '; 60]));
            assert_eq!(body.joined.capacity(), room, "{declared:?}");
        }
    }

    #[test]
    fn a_declared_length_is_refused_unread() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
        for (length, expected) in
            [("101", "TooLarge"), ("18446744073709551615", "TooLarge"), ("100", "Unsupp")]
        {
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static(length));
            let refused = announced(&headers, media::is_json, 100).err().unwrap();
            assert!(format!("{refused:?}").starts_with(expected), "{refused:?}");
        }
    }

    #[actix_web::test]
    async fn a_slow_body_is_ended() {
        let stalled = stream::iter([chunk(1)]).chain(stream::pending());
        let mut payload = Some(payload(stalled));
        let limits = Limits { time: Duration::from_millis(1), ..limits(1_000) };
        let refused = read(&HeaderMap::new(), &mut payload, &limits).await;
        assert!(matches!(refused, Err(Refusal::Timeout)));
    }
}
