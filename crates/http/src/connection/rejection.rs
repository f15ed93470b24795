//! Responses to what never becomes a request. actix refuses a head that is broken, too large or too slow by
//! itself, with a response that has no body. It is replaced by one with a body and an id, like every other
//! refusal.

use actix_web::HttpResponse;
use actix_web::body::MessageBody;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;
use chrono::{DateTime, Utc};
use memchr::memmem;
use std::future::Future;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Returns the whole response to send for a status.
pub(crate) type Reject = Rc<dyn Fn(StatusCode) -> Vec<u8>>;

/// Longer than any head that actix writes by itself.
const LONGEST: usize = 256;

/// Returns the position and status of a response that actix gives by itself. It is the last one of its
/// connection and has neither a body nor an id, which all of ours have.
pub(crate) fn bare_answer(written: &[u8]) -> Option<(usize, StatusCode)> {
    if !written.ends_with(b"\r\n\r\n") {
        return None;
    }
    let from = written.len().saturating_sub(LONGEST);
    let start = from + memmem::rfind(&written[from..], b"HTTP/1.")?;
    let head = &written[start..];
    let status = StatusCode::from_bytes(head.get(9..12)?).ok()?;
    let is_ours = memmem::find(head, b"\r\nx-request-id:").is_some();
    (!is_ours && status.as_u16() >= 400).then_some((start, status))
}

/// Writes a response after which the connection is closed.
pub(crate) fn last_answer(response: HttpResponse, id: &HeaderValue, at: DateTime<Utc>) -> Vec<u8> {
    let status = response.status();
    let mut answer =
        format!("HTTP/1.1 {} {}", status.as_u16(), status.canonical_reason().unwrap_or_default());
    let date = at.format("%a, %d %b %Y %H:%M:%S GMT");
    answer.push_str(&format!("\r\nconnection: close\r\ndate: {date}"));
    let headers = response.headers().iter().map(|(name, value)| (name.as_str(), value));
    for (name, value) in headers.chain([("x-request-id", id)]) {
        answer.push_str(&format!("\r\n{name}: {}", value.to_str().unwrap_or_default()));
    }
    // Refusals are small and not streamed.
    let body = response.into_body().try_into_bytes().unwrap_or_default();
    answer.push_str(&format!("\r\ncontent-length: {}\r\n\r\n", body.len()));
    [answer.as_bytes(), &body].concat()
}

/// The closing of a connection: sends the response, then reads on for a while. A connection that is closed
/// with unread bytes is reset, and the client may lose the response.
pub(crate) struct Rejection {
    answer: Vec<u8>,
    sent: usize,
    is_sent: bool,
    until: Pin<Box<Sleep>>,
}

impl Rejection {
    /// Closes with this response, or without one if it is empty, within a time limit.
    pub(crate) fn new(answer: Vec<u8>, linger: Duration) -> Self {
        Self { answer, sent: 0, is_sent: false, until: Box::pin(sleep(linger)) }
    }

    /// Returns ready when the connection can be closed.
    pub(crate) fn poll<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        if self.until.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        // An error means that the client has gone.
        if !self.is_sent && ready!(self.poll_send(stream, cx)).is_err() {
            return Poll::Ready(());
        }
        self.is_sent = true;
        loop {
            let mut bytes = [0; 4_096];
            let mut read = ReadBuf::new(&mut bytes);
            let is_read = ready!(Pin::new(&mut *stream).poll_read(cx, &mut read)).is_ok();
            if !is_read || read.filled().is_empty() {
                return Poll::Ready(());
            }
        }
    }

    fn poll_send<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while self.sent < self.answer.len() {
            match ready!(Pin::new(&mut *stream).poll_write(cx, &self.answer[self.sent..]))? {
                0 => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
                written => self.sent += written,
            }
        }
        ready!(Pin::new(&mut *stream).poll_flush(cx))?;
        Pin::new(stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_actix_are_distinguished_from_ours() {
        let bare = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\ndate: Thu\r\n\r\n";
        let own = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nx-request-id: 1\r\n\r\n";
        let found =
            |text: String| bare_answer(text.as_bytes()).map(|(start, status)| (start, status.as_u16()));
        assert_eq!(found(bare.to_owned()), Some((0, 400)));
        assert_eq!(found(bare.replace("400", "431")), Some((0, 431)));
        assert_eq!(found(format!("{own}{bare}")), Some((own.len(), 400)));
        let body = "x".repeat(1_000);
        assert_eq!(found(format!("{own}{body}{bare}")), Some((own.len() + 1_000, 400)));
        for other in [
            own.to_owned(),
            format!("{bare}{own}"),
            format!("{bare}{{}}"),
            bare.replace("400", "200"),
            "HTTP/1.1 100 Continue\r\n\r\n".to_owned(),
            "0\r\n\r\n".to_owned(),
            "\r\n\r\n".to_owned(),
            String::new(),
        ] {
            assert_eq!(found(other.clone()), None, "{other}");
        }
    }
}
