//! Long responses, sent page by page.

use crate::limits::blocking::Blocking;
use crate::refusal::Refusal;
use crate::request::body::Held;
use actix_web::rt;
use actix_web::web::Bytes;
use futures_util::{Stream, stream};
use std::io;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Bytes written at once: as many as actix gathers for a system call.
const CHUNK: usize = 32 << 10;

/// A part of a response.
#[derive(Debug)]
pub(crate) struct Page<P> {
    /// Its bytes.
    pub(crate) items: Vec<u8>,
    /// Start of the next page; `None` on the last one.
    pub(crate) next: Option<P>,
}

/// Reads the page that follows a position into an empty buffer; blocks.
pub(crate) type Read<P> = Arc<dyn Fn(P, Vec<u8>) -> Result<Page<P>, Refusal> + Send + Sync>;

/// The source of a list's pages, with the resources held while it is sent.
pub(crate) struct Source<P> {
    pub(crate) read: Read<P>,
    /// The size of a buffer for a page in bytes. A buffer that grows would leave fragments to the allocator.
    pub(crate) room: usize,
    pub(crate) blocking: Arc<Blocking>,
    /// The organisation that the reads count for.
    pub(crate) organisation: Option<i64>,
    /// Counts the list among those that are streamed.
    pub(crate) _held: Held,
    /// Logged with a list that is cut.
    pub(crate) request_id: Option<String>,
}

/// Streams a response that begins with this page. While a page is sent the next one is read, and
/// none beyond: the client sets the pace. Ends with an error if a page cannot be read.
pub(crate) fn stream<P: Send + 'static>(
    source: Source<P>,
    first: Page<P>,
) -> impl Stream<Item = io::Result<Bytes>> {
    let listing = Listing::new(source, first);
    stream::try_unfold(listing, |mut listing| async move {
        Ok(listing.chunk().await?.map(|chunk| (chunk, listing)))
    })
}

/// A list that is being sent.
struct Listing<P> {
    source: Source<P>,
    /// The page that is being sent, and the number of bytes sent.
    items: Vec<u8>,
    sent: usize,
    /// The buffer of the page before, reused for the next one. A page is allocated on one thread and freed on
    /// another: with new buffers every thread would retain several.
    spare: Vec<u8>,
    /// Start of the next page to read.
    next: Option<P>,
    ahead: Option<Ahead<P>>,
}

/// A page that is being read; dropping it ends its wait for a slot.
struct Ahead<P>(JoinHandle<Result<Page<P>, Refusal>>);

impl<P> Drop for Ahead<P> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<P: Send + 'static> Listing<P> {
    fn new(source: Source<P>, first: Page<P>) -> Self {
        let mut items = Vec::with_capacity(source.room);
        items.extend(first.items);
        let spare = Vec::with_capacity(source.room);
        Self { source, items, sent: 0, spare, next: first.next, ahead: None }
    }

    /// Returns the next bytes; `None` after the last ones.
    async fn chunk(&mut self) -> io::Result<Option<Bytes>> {
        if self.sent == self.items.len() {
            let Some(ahead) = &mut self.ahead else { return Ok(None) };
            let page = (&mut ahead.0).await.unwrap_or_else(|e| Err(Refusal::Unexpected(e.to_string())));
            self.ahead = None;
            self.accept(page.map_err(|refusal| self.cut(&refusal))?);
        }
        self.read_ahead();
        let rest = &self.items[self.sent..];
        let chunk = Bytes::copy_from_slice(&rest[..rest.len().min(CHUNK)]);
        self.sent += chunk.len();
        Ok(Some(chunk))
    }

    fn accept(&mut self, page: Page<P>) {
        self.spare = std::mem::replace(&mut self.items, page.items);
        self.spare.clear();
        (self.sent, self.next) = (0, page.next);
    }

    fn read_ahead(&mut self) {
        if let Some(after) = self.next.take() {
            let (read, blocking) = (self.source.read.clone(), self.source.blocking.clone());
            let buffer = std::mem::take(&mut self.spare);
            let organisation = self.source.organisation;
            let page = async move { blocking.run_when_free(organisation, move || read(after, buffer)).await };
            self.ahead = Some(Ahead(rt::spawn(page)));
        }
    }

    fn cut(&self, refusal: &Refusal) -> io::Error {
        let (request_id, cause) = (&self.source.request_id, refusal.cause());
        tracing::error!(request_id, cause, "a list was cut: it could not be read to its end");
        io::Error::other("a list was cut")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::body::Allowance;
    use futures_util::StreamExt;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;
    use tokio::sync::mpsc::unbounded_channel;

    const ROOM: usize = 500_000;

    /// Returns a page with one line of this size, and the start of the next.
    fn page(size: usize, next: Option<i64>) -> Page<i64> {
        Page { items: format!("{}\n", "x".repeat(size)).into_bytes(), next }
    }

    fn empty() -> Page<i64> {
        Page { items: Vec::new(), next: None }
    }

    fn source(read: impl Fn(i64) -> Result<Page<i64>, Refusal> + Send + Sync + 'static) -> Source<i64> {
        Source {
            read: Arc::new(move |id, _| read(id)),
            room: ROOM,
            blocking: Arc::new(Blocking::new("jobs", 1, 1, Duration::ZERO).unwrap()),
            organisation: None,
            _held: Held::new(Arc::new(Allowance::new(1, "")), None),
            request_id: None,
        }
    }

    #[actix_web::test]
    async fn pages_follow_one_another() {
        let source = source(|id| Ok(page(id as usize, Some(id * 40).filter(|_| id < 100_000))));
        let chunks: Vec<_> = stream(source, page(0, Some(100))).map(Result::unwrap).collect().await;
        assert!(chunks.iter().all(|chunk| (1..=CHUNK).contains(&chunk.len())));
        let sent = String::from_utf8(chunks.concat()).unwrap();
        let sizes: Vec<_> = sent.lines().map(str::len).collect();
        assert_eq!(sizes, [0, 100, 4_000, 160_000]);
    }

    #[actix_web::test]
    async fn pages_alternate_between_two_buffers() {
        let (used, mut seen) = unbounded_channel();
        let read = move |id: i64, mut items: Vec<u8>| {
            used.send((items.as_ptr().addr(), items.len(), items.capacity())).unwrap();
            items.extend(page(100_000, None).items);
            Ok(Page { items, next: Some(id + 1).filter(|_| id < 9) })
        };
        let source = Source { read: Arc::new(read), ..source(|_| Ok(empty())) };
        let chunks: Vec<_> = stream(source, page(1, Some(1))).map(Result::unwrap).collect().await;
        assert_eq!(chunks.concat().iter().filter(|byte| **byte == b'\n').count(), 10);
        let mut buffers = Vec::new();
        while let Some((buffer, length, capacity)) = seen.recv().await {
            assert!(length == 0 && capacity >= ROOM);
            buffers.push(buffer);
        }
        assert_eq!(buffers.len(), 9);
        assert!(buffers.iter().zip(&buffers[2..]).all(|(one, next)| one == next), "{buffers:?}");
    }

    #[actix_web::test]
    async fn a_last_page_may_be_empty() {
        let chunks: Vec<_> = stream(source(|_| Ok(empty())), page(1, Some(1))).collect().await;
        let chunks: Vec<_> = chunks.into_iter().map(Result::unwrap).collect();
        assert_eq!(chunks.concat(), b"x\n");
    }

    #[actix_web::test]
    async fn a_list_that_fails_has_no_end() {
        for panics in [false, true] {
            let read = move |id| match id {
                1 => Ok(page(1, Some(2))),
                _ if panics => panic!("on purpose"),
                _ => Err(Refusal::Unavailable("on purpose".into())),
            };
            let chunks: Vec<_> = stream(source(read), page(1, Some(1))).collect().await;
            let [Ok(first), Ok(second), Err(_)] = &chunks[..] else { panic!("{chunks:?}") };
            assert_eq!([&first[..], &second[..]], [b"x\n"; 2]);
        }
    }

    #[actix_web::test]
    async fn one_page_is_read_ahead_and_no_more() {
        let (began, mut begun) = unbounded_channel();
        let read = move |id| {
            began.send(id).unwrap();
            Ok(page(1, Some(id + 1)))
        };
        let mut list = Box::pin(stream(source(read), page(1, Some(1))));
        assert!(begun.try_recv().is_err());
        for id in 1..5 {
            list.next().await.unwrap().unwrap();
            assert_eq!(begun.recv().await, Some(id));
        }
        // The page is read, but not the one after it until this one is taken.
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        assert!(begun.try_recv().is_err());
    }

    #[actix_web::test]
    async fn nothing_is_read_after_the_client_has_gone() {
        let reads = Arc::new(AtomicUsize::new(0));
        let counted = reads.clone();
        let source = source(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            Ok(empty())
        });
        let blocking = source.blocking.clone();
        let (finish, finished) = mpsc::channel::<()>();
        let (begin, begun) = tokio::sync::oneshot::channel::<()>();
        let busy = rt::spawn({
            let blocking = blocking.clone();
            let job = move || {
                let _ = begin.send(());
                finished.recv().map_err(|e| Refusal::Unexpected(e.to_string()))
            };
            async move { blocking.run_when_free(None, job).await }
        });
        begun.await.unwrap();
        let mut list = Box::pin(stream(source, page(1, Some(1))));
        list.next().await.unwrap().unwrap();
        // The next page waits for a slot.
        tokio::task::yield_now().await;
        drop(list);
        finish.send(()).unwrap();
        busy.await.unwrap().unwrap();
        blocking.run_when_free(None, || Ok(())).await.unwrap();
        assert_eq!(reads.load(Ordering::SeqCst), 0);
    }
}
