use bytes::Bytes;
use futures_util::stream;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use hyper::{Response, StatusCode};
use s3s::Body;
use std::io;

/// Number of bytes of a body that are sent before it is cut.
const SENT: usize = 2;

/// A fault of the storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// No fault.
    None,
    /// Requests are accepted and held until the fault is over.
    Silent,
    /// Every request is answered with this status, such as 503.
    Status(u16),
    /// The connection is closed in the middle of a body, or before an answer that has none.
    Cut,
    /// All connections are closed, and new ones refused.
    Stopped,
}

pub(crate) fn status(code: u16) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}

/// Returns the response without the end of its body.
///
/// # Errors
/// If it has no body: the connection is closed instead.
pub(crate) async fn cut(response: Response<Body>, has_body: bool) -> io::Result<Response<Body>> {
    if !has_body {
        return Err(io::ErrorKind::ConnectionAborted.into());
    }
    let (parts, body) = response.into_parts();
    let whole = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let start: io::Result<Frame<Bytes>> = Ok(Frame::data(whole.slice(..SENT.min(whole.len()))));
    let frames = stream::iter([start, Err(io::ErrorKind::ConnectionAborted.into())]);
    Ok(Response::from_parts(parts, Body::http_body(StreamBody::new(frames))))
}
