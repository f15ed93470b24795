//! Maps failures to errors (contract D8). References, secrets and answers are never repeated.

use super::resolver::RefusedAddresses;
use cutover_app::port::VendorError;
use reqwest::StatusCode;
use std::error::Error;
use std::io::{self, ErrorKind};

/// An answer to be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answered {
    /// The vendor returned the object.
    Shown,
    /// The vendor has no such object.
    Missing,
}

pub(super) fn rejected(cause: impl Into<String>) -> VendorError {
    VendorError::Rejected(cause.into())
}

pub(super) fn unavailable(cause: impl Into<String>) -> VendorError {
    VendorError::Unavailable(cause.into())
}

/// The vendor answered 200 with an unexpected body.
pub(super) fn unreadable() -> VendorError {
    rejected("the answer does not have the format of this kind of vendor")
}

/// An attempt took too long.
pub(crate) fn too_late() -> VendorError {
    unavailable("it did not answer in time")
}

/// Maps the status of an answer.
pub(super) fn of_status(status: StatusCode) -> Result<Answered, VendorError> {
    match status.as_u16() {
        200 => Ok(Answered::Shown),
        404 => Ok(Answered::Missing),
        code @ (408 | 429 | 500..=599) => Err(unavailable(format!("it answered {code}"))),
        code @ 300..=399 => Err(rejected(format!("it answered {code}, a redirect, which is not followed"))),
        code => Err(rejected(format!("it answered {code}"))),
    }
}

/// Maps an error of a request or of reading its answer. The library's own text is not used, because it
/// contains the URL and so the reference.
pub(crate) fn of_error(error: &reqwest::Error) -> VendorError {
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
        _ => unavailable("the connection was lost before the answer was complete"),
    }
}

/// Returns the cause of an error. An I/O error does not list the error that it wraps as its source.
fn cause<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>() {
        Some(error) => error.get_ref().map(|wrapped| wrapped as _),
        None => error.source(),
    }
}

/// True for an unreadable or endless head, and for a body with broken framing.
fn is_no_http(error: &(dyn Error + 'static)) -> bool {
    let broken = |e: &io::Error| matches!(e.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput);
    error.downcast_ref().is_some_and(hyper::Error::is_parse) || error.downcast_ref().is_some_and(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_an_outcome() {
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
