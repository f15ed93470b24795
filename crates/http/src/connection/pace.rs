use crate::connection::limit::Permit;
use crate::connection::rejection::{Reject, Rejection, bare_answer};
use actix_web::http::StatusCode;
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Maximum time in which a client accepts no bytes of a response.
const STALL: Duration = Duration::from_secs(30);

/// Tells a client that waits for it to send its body.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// The state of a connection's requests, which sets the deadlines of its client.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    begun: Cell<u64>,
    under_way: Cell<u32>,
    continue_state: RefCell<ContinueState>,
}

/// The state of the `100 Continue` response to the current request.
#[derive(Debug, Default)]
enum ContinueState {
    #[default]
    None,
    /// To be sent; the waker is that of the handler which waits until it is.
    Due(Waker),
    Sent,
}

/// Marks a request as under way until it is dropped.
pub(crate) struct UnderWay(Rc<Pace>);

impl Pace {
    /// Begins a request, whose head has been read.
    pub(crate) fn begin(self: &Rc<Self>) -> UnderWay {
        self.begun.set(self.begun.get() + 1);
        self.under_way.set(self.under_way.get() + 1);
        UnderWay(self.clone())
    }

    /// Sends `100 Continue` to a client that waits for it (`Expect: 100-continue`), after all earlier
    /// responses.
    pub(crate) async fn send_continue(&self) {
        poll_fn(|cx| {
            let mut continue_state = self.continue_state.borrow_mut();
            if matches!(*continue_state, ContinueState::Sent) {
                *continue_state = ContinueState::None;
                return Poll::Ready(());
            }
            *continue_state = ContinueState::Due(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn is_continue_due(&self) -> bool {
        matches!(*self.continue_state.borrow(), ContinueState::Due(_))
    }

    fn continue_sent(&self) {
        if let ContinueState::Due(waker) = self.continue_state.replace(ContinueState::Sent) {
            waker.wake();
        }
    }

    /// Returns true if bytes that arrive now belong to the head of a further request. actix times the first
    /// request of a connection and answers it with 408.
    fn awaits_another(&self) -> bool {
        self.begun.get() > 0 && self.under_way.get() == 0
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.set(self.0.under_way.get() - 1);
    }
}

/// A connection that is closed if its client stalls in the head of its second or later request, or in reading
/// a response; actix times neither. It also sends the bodies of refusals that actix gives without one, and
/// `100 Continue`.
pub(crate) struct Paced<S> {
    stream: S,
    pace: Rc<Pace>,
    head_timeout: Duration,
    head: Deadline,
    write: Deadline,
    /// Number of bytes of [`CONTINUE`] that are sent.
    continue_bytes: usize,
    reject: Reject,
    linger: Duration,
    /// The closing of the connection, once it has begun.
    rejection: Option<Rejection>,
    /// Counts the connection until it is dropped.
    _permit: Permit,
}

impl<S> Paced<S> {
    /// Wraps a new connection, with a time limit for heads and one for reading on after the last response.
    pub(crate) fn new(
        stream: S,
        head_timeout: Duration,
        linger: Duration,
        reject: Reject,
        permit: Permit,
    ) -> Self {
        Self {
            stream,
            _permit: permit,
            pace: Rc::default(),
            head_timeout,
            head: Deadline::default(),
            write: Deadline::default(),
            continue_bytes: 0,
            reject,
            linger,
            rejection: None,
        }
    }

    /// Returns the state that its requests update.
    pub(crate) fn pace(&self) -> &Rc<Pace> {
        &self.pace
    }

    fn written<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.write.disarm();
            return written;
        }
        self.write.arm(0, STALL);
        ready!(self.write.poll(cx, 0));
        Poll::Ready(Err(ErrorKind::TimedOut.into()))
    }

    /// Ends the connection with the response to a refused head.
    fn reject(&mut self, status: StatusCode) {
        if self.rejection.is_none() {
            self.rejection = Some(Rejection::new((self.reject)(status), self.linger));
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Paced<S> {
    /// Returns ready when a connection that is being closed is done; `None` if it is not being closed.
    fn poll_rejection(&mut self, cx: &mut Context<'_>) -> Option<Poll<()>> {
        let rejection = self.rejection.as_mut()?;
        Some(rejection.poll(&mut self.stream, cx))
    }

    fn poll_continue(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.pace.is_continue_due() {
            let written = Pin::new(&mut self.stream).poll_write(cx, &CONTINUE[self.continue_bytes..]);
            match ready!(self.written(cx, written))? {
                0 => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
                written => self.continue_bytes += written,
            }
            if self.continue_bytes == CONTINUE.len() {
                self.continue_bytes = 0;
                self.pace.continue_sent();
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Paced<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(end) = this.poll_rejection(cx) {
            return end.map(|()| Err(ErrorKind::TimedOut.into()));
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(cx, buf);
        if !this.pace.awaits_another() {
            return read;
        }
        let request = this.pace.begun.get();
        if read.is_ready() {
            if buf.filled().len() > before {
                this.head.arm(request, this.head_timeout);
            }
            return read;
        }
        ready!(this.head.poll(cx, request));
        this.reject(StatusCode::REQUEST_TIMEOUT);
        Pin::new(this).poll_read(cx, buf)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let mut ours = buf;
        if this.pace.under_way.get() == 0
            && let Some((start, status)) = bare_answer(buf)
        {
            ours = &buf[..start];
            if start == 0 {
                this.reject(status);
            }
        }
        if let Some(end) = this.poll_rejection(cx) {
            return end.map(|()| Ok(buf.len()));
        }
        let written = Pin::new(&mut this.stream).poll_write(cx, ours);
        this.written(cx, written)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_continue(cx))?;
        let flushed = Pin::new(&mut this.stream).poll_flush(cx);
        this.written(cx, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let shut = Pin::new(&mut this.stream).poll_shutdown(cx);
        this.written(cx, shut)
    }
}

/// A timer that is reused.
#[derive(Default)]
struct Deadline {
    timer: Option<Pin<Box<Sleep>>>,
    /// The subject that it is armed for.
    armed: Option<u64>,
}

impl Deadline {
    /// Arms the timer, unless it is armed for the same subject.
    fn arm(&mut self, subject: u64, after: Duration) {
        if self.armed == Some(subject) {
            return;
        }
        self.armed = Some(subject);
        let at = Instant::now() + after;
        match &mut self.timer {
            Some(timer) => timer.as_mut().reset(at),
            None => self.timer = Some(Box::pin(sleep_until(at))),
        }
    }

    fn disarm(&mut self) {
        self.armed = None;
    }

    /// Returns ready once it has expired for this subject; pending if it is armed for another one or not at
    /// all.
    fn poll(&mut self, cx: &mut Context<'_>, subject: u64) -> Poll<()> {
        match &mut self.timer {
            Some(timer) if self.armed == Some(subject) => timer.as_mut().poll(cx),
            _ => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::limit::Connections;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::error::Elapsed;
    use tokio::time::timeout;

    const HEAD: Duration = Duration::from_secs(10);

    fn permit() -> Permit {
        Connections::new(2, Vec::new()).permit([127, 0, 0, 1].into()).unwrap()
    }

    fn paced(server: DuplexStream) -> Paced<DuplexStream> {
        let reject: Reject = Rc::new(|status| status.as_str().into());
        Paced::new(server, HEAD, HEAD, reject, permit())
    }

    /// Reads on after the first byte of a head that is never completed.
    async fn stalled_head(requests_before: usize) -> Result<io::Result<u8>, Elapsed> {
        let (mut client, server) = duplex(64);
        let mut server = paced(server);
        for _ in 0..requests_before {
            drop(server.pace().begin());
        }
        client.write_all(b"G").await.unwrap();
        server.read_u8().await.unwrap();
        timeout(10 * HEAD, server.read_u8()).await
    }

    #[actix_web::test]
    async fn a_second_head_is_timed() {
        tokio::time::pause();
        for requests_before in [1, 2] {
            let read = stalled_head(requests_before).await.unwrap();
            assert_eq!(read.unwrap_err().kind(), ErrorKind::TimedOut);
        }
        assert!(stalled_head(0).await.is_err());
    }

    #[actix_web::test]
    async fn a_stalled_reader_is_timed() {
        tokio::time::pause();
        let (_client, server) = duplex(64);
        let mut server = paced(server);
        server.write_all(&[0; 64]).await.unwrap();
        let written = timeout(10 * STALL, server.write_all(b"more")).await.unwrap();
        assert_eq!(written.unwrap_err().kind(), ErrorKind::TimedOut);
    }

    #[actix_web::test]
    async fn reads_during_a_request_are_not_timed() {
        tokio::time::pause();
        let (mut client, server) = duplex(64);
        let mut server = paced(server);
        let _under_way = server.pace().begin();
        client.write_all(b"b").await.unwrap();
        server.read_u8().await.unwrap();
        assert!(timeout(10 * HEAD, server.read_u8()).await.is_err());
    }

    #[actix_web::test]
    async fn an_idle_connection_is_not_timed() {
        tokio::time::pause();
        let (mut client, server) = duplex(64);
        let mut server = paced(server);
        drop(server.pace().begin());
        client.write_all(b"G").await.unwrap();
        server.read_u8().await.unwrap();
        // The head is complete: its request begins and ends.
        drop(server.pace().begin());
        assert!(timeout(10 * HEAD, server.read_u8()).await.is_err());
    }
}
