//! The table of contract D8: what a failure means. Nothing of references, secrets or answers is repeated.

use super::resolver::RefusedAddresses;
use cutover_app::port::VendorError;
use reqwest::StatusCode;
use std::error::Error;
use std::io::{self, ErrorKind};

/// An answer that is worth a look.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answered {
    /// The vendor shows what was asked for.
    Shown,
    /// It has no such thing.
    Missing,
}

pub(super) fn rejected(cause: impl Into<String>) -> VendorError {
    VendorError::Rejected(cause.into())
}

pub(super) fn unavailable(cause: impl Into<String>) -> VendorError {
    VendorError::Unavailable(cause.into())
}

/// The vendor answered 200 with something else.
pub(super) fn unreadable() -> VendorError {
    rejected("the answer is not what this kind of vendor gives")
}

/// An attempt took too long.
pub(super) fn too_late() -> VendorError {
    unavailable("it did not answer in time")
}

/// What the first line of an answer means.
pub(super) fn of_status(status: StatusCode) -> Result<Answered, VendorError> {
    match status.as_u16() {
        200 => Ok(Answered::Shown),
        404 => Ok(Answered::Missing),
        code @ (408 | 429 | 500..=599) => Err(unavailable(format!("it answered {code}"))),
        code @ 300..=399 => Err(rejected(format!("it answered {code}, a redirect, which is not followed"))),
        code => Err(rejected(format!("it answered {code}"))),
    }
}

/// What the failure of a request or of reading its answer means. The library's own text holds the URL, and
/// so the reference.
pub(super) fn of_error(error: &reqwest::Error) -> VendorError {
    let causes = || std::iter::successors(error.source(), |e| cause(*e));
    if causes().any(|e| e.is::<RefusedAddresses>()) {
        return rejected(RefusedAddresses.to_string());
    }
    if causes().any(|e| e.is::<rustls::Error>()) {
        return rejected("its TLS certificate or handshake is not acceptable");
    }
    match error {
        _ if error.is_timeout() => too_late(),
        _ if error.is_connect() => unavailable("no connection could be made"),
        _ if causes().any(is_no_http) => rejected("the answer is not HTTP"),
        _ => unavailable("the connection was lost before the answer was whole"),
    }
}

/// An I/O error does not count what it wraps among its causes.
fn cause<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>() {
        Some(error) => error.get_ref().map(|wrapped| wrapped as _),
        None => error.source(),
    }
}

/// A head that cannot be read, or is without end; a body that breaks its own framing.
fn is_no_http(error: &(dyn Error + 'static)) -> bool {
    let broken = |e: &io::Error| matches!(e.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput);
    error.downcast_ref().is_some_and(hyper::Error::is_parse) || error.downcast_ref().is_some_and(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_meaning() {
        for code in 100..=999 {
            let outcome = of_status(StatusCode::from_u16(code).unwrap());
            match code {
                200 => assert_eq!(outcome, Ok(Answered::Shown)),
                404 => assert_eq!(outcome, Ok(Answered::Missing)),
                408 | 429 | 500..=599 => {
                    assert!(matches!(outcome, Err(VendorError::Unavailable(_))), "{code}")
                }
                _ => assert!(matches!(outcome, Err(VendorError::Rejected(_))), "{code}"),
            }
        }
    }
}
