use crate::connection::pace::UnderWay;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::Payload;
use actix_web::web::Bytes;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A body that keeps parts of its request until it is sent.
pub(super) struct HeldBody {
    pub(super) body: BoxBody,
    /// The rest of the request. As long as it exists, the server closes the connection after the response, and
    /// reads on for a bounded time only. Otherwise it would read a chunked request to its end, however long
    /// that takes.
    pub(super) _unread: Option<Payload>,
    /// A streamed response is under way until it is sent.
    pub(super) _under_way: Option<UnderWay>,
}

impl MessageBody for HeldBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(cx)
    }
}
