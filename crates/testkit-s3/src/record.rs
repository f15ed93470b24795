use hyper::Request;
use hyper::header::RANGE;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A request that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Method, such as `HEAD`.
    pub method: String,
    /// Path as it was sent, percent-encoded, without the query.
    pub path: String,
    /// The header `Range`.
    pub range: Option<String>,
}

/// Record of the requests, and of the number of simultaneous ones.
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

    /// Records a request, which is in flight until the return value is dropped.
    pub(crate) fn enter<B>(&self, request: &Request<B>) -> InFlight {
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
        InFlight(self.clone())
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
pub(crate) struct InFlight(Record);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.entries().now -= 1;
    }
}
