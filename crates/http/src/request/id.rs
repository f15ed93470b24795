use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use std::sync::atomic::{AtomicU32, Ordering};

/// The header with a request's id (contract D3).
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Assigns ids to requests: the caller's if it is valid, else 8 random digits of this process and a counter.
pub(crate) struct RequestIds {
    run: u32,
    next: AtomicU32,
}

impl RequestIds {
    /// Creates ids that a random number distinguishes from those of other processes.
    pub(crate) fn new(random: u64) -> Self {
        Self { run: (random >> 32) as u32, next: AtomicU32::new(random as u32) }
    }

    /// Returns the id of the request with these headers.
    pub(crate) fn of(&self, headers: &HeaderMap) -> HeaderValue {
        match headers.get(X_REQUEST_ID) {
            Some(id) if is_sane(id.as_bytes()) => id.clone(),
            _ => self.generate(),
        }
    }

    /// Returns a new id.
    pub(crate) fn generate(&self) -> HeaderValue {
        let count = self.next.fetch_add(1, Ordering::Relaxed);
        HeaderValue::try_from(format!("{:08x}{count:08x}", self.run))
            .unwrap_or_else(|_| HeaderValue::from_static("-"))
    }
}

/// Returns true for 1 to 64 of `[A-Za-z0-9._-]`, which cannot forge a log line.
fn is_sane(id: &[u8]) -> bool {
    let sane = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=64).contains(&id.len()) && id.iter().all(sane)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(id: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(X_REQUEST_ID, HeaderValue::from_bytes(id.as_bytes()).unwrap());
        headers
    }

    #[test]
    fn sane_ids_are_kept() {
        let ids = RequestIds::new(0);
        for id in ["a", "018f-ab.C_9", &"x".repeat(64)] {
            assert_eq!(ids.of(&headers(id)), id);
        }
    }

    #[test]
    fn other_requests_get_ids_of_their_own() {
        let ids = RequestIds::new(0xabcd_0123_ffff_ffff);
        assert_eq!(ids.of(&HeaderMap::new()), "abcd0123ffffffff");
        assert_eq!(ids.of(&HeaderMap::new()), "abcd012300000000");
        for odd in ["", "a b", "a\tb", "ä", "a\u{1b}[31m", &"x".repeat(65), "a,b"] {
            if let Ok(value) = HeaderValue::from_bytes(odd.as_bytes()) {
                let mut headers = HeaderMap::new();
                headers.insert(X_REQUEST_ID, value.clone());
                assert_ne!(ids.of(&headers), value);
            }
        }
    }
}
