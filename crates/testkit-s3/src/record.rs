use hyper::Request;
use hyper::header::RANGE;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A request that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Such as `HEAD`.
    pub method: String,
    /// As it was sent, percent-encoded, without the query.
    pub path: String,
    /// The header `Range`.
    pub range: Option<String>,
}

/// What arrived, and how much at the same time.
#[derive(Clone, Default)]
pub(crate) struct Record(Arc<Mutex<Entries>>);

#[derive(Default)]
struct Entries {
    seen: Vec<Seen>,
    now: usize,
    most: usize,
}

impl Record {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request, which lasts until what is returned is dropped.
    pub(crate) fn enter<B>(&self, request: &Request<B>) -> Lasting {
        let header = |value: &hyper::header::HeaderValue| value.to_str().ok().map(str::to_owned);
        let seen = Seen {
            method: request.method().to_string(),
            path: request.uri().path().to_owned(),
            range: request.headers().get(RANGE).and_then(header),
        };
        let mut entries = self.entries();
        entries.seen.push(seen);
        entries.now += 1;
        entries.most = entries.most.max(entries.now);
        Lasting(self.clone())
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.entries().seen.clone()
    }

    pub(crate) fn now(&self) -> usize {
        self.entries().now
    }

    pub(crate) fn most(&self) -> usize {
        self.entries().most
    }
}

/// A request that has not been answered.
pub(crate) struct Lasting(Record);

impl Drop for Lasting {
    fn drop(&mut self) {
        self.0.entries().now -= 1;
    }
}
