use super::repeat::Repeat;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A streamed body to which members are added while it is sent.
pub(super) struct RepeatedBody {
    body: BoxBody,
    repeat: Repeat,
}

impl RepeatedBody {
    pub(super) fn new(body: BoxBody, repeat: Repeat) -> Self {
        Self { body, repeat }
    }
}

impl MessageBody for RepeatedBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let next = ready!(Pin::new(&mut self.body).poll_next(cx));
        Poll::Ready(next.map(|bytes| bytes.map(|bytes| self.repeat.chunk(&bytes).into())))
    }
}
