use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use std::error::Error as _;
use std::time::Duration;

/// Reason why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The same request may succeed later: not reached, cut off, overloaded.
    Transient {
        why: String,
        /// Wait that the service asked for.
        after: Option<Duration>,
    },
    /// The same request will not succeed.
    Permanent(String),
}

/// Maximum wait taken from an answer.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);

impl Fault {
    /// A transient fault without a wait.
    pub(crate) fn transient(why: impl Into<String>) -> Self {
        Self::Transient { why: why.into(), after: None }
    }

    /// A permanent fault.
    pub(crate) fn permanent(why: impl Into<String>) -> Self {
        Self::Permanent(why.into())
    }

    /// Reason, for people.
    pub(crate) fn why(&self) -> &str {
        match self {
            Self::Transient { why, .. } | Self::Permanent(why) => why,
        }
    }
}

impl From<reqwest::Error> for Fault {
    /// Network errors are transient. URLs are left out, because they name accounts.
    fn from(error: reqwest::Error) -> Self {
        if error.is_builder() {
            return Self::permanent(format!("the request cannot be made: {}", innermost(&error)));
        }
        let what = match (error.is_connect(), error.is_timeout()) {
            (true, _) => "the service cannot be reached",
            (_, true) => "the service does not answer in time",
            _ => "the connection broke",
        };
        Self::transient(format!("{what}: {}", innermost(&error)))
    }
}

/// The innermost cause; the outer ones only say that a request failed.
fn innermost(error: &reqwest::Error) -> String {
    let mut text = String::from("no reason given");
    let mut source = error.source();
    while let Some(error) = source {
        text = error.to_string();
        source = error.source();
    }
    text
}

/// Returns the answer unless it says that the service is busy or redirects.
pub(super) fn checked(response: Response) -> Result<Response, Fault> {
    let status = response.status();
    if is_transient(status, is_json(&response)) {
        let after = response.headers().get(RETRY_AFTER).and_then(|value| retry_after(value.to_str().ok()?));
        return Err(Fault::Transient { why: format!("the service answers {}", status.as_u16()), after });
    }
    if status.is_redirection() {
        return Err(Fault::permanent(format!(
            "there is no Cutover at the base URL: it answers {}, a redirect",
            status.as_u16()
        )));
    }
    Ok(response)
}

/// True if a status says nothing about the request itself. A 5xx without JSON comes from a gateway: the
/// service is away.
fn is_transient(status: StatusCode, is_json: bool) -> bool {
    matches!(status.as_u16(), 408 | 429 | 502..=504 | 520..=530) || status.is_server_error() && !is_json
}

fn is_json(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

/// Parses `Retry-After` in seconds, the form that the service uses; a date is ignored.
fn retry_after(text: &str) -> Option<Duration> {
    let seconds = text.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_gateways_are_transient() {
        let is_transient = |status, is_json| is_transient(StatusCode::from_u16(status).unwrap(), is_json);
        assert!([408, 429, 502, 503, 504, 520, 530].iter().all(|status| is_transient(*status, true)));
        assert!(is_transient(500, false) && is_transient(501, false));
        assert!(!is_transient(500, true) && !is_transient(404, false) && !is_transient(200, false));
    }

    #[test]
    fn a_wait_is_in_seconds_and_bounded() {
        let waits = ["2", " 0 ", "86400", "soon", "-1", "Wed, 21 Oct 2026 07:28:00 GMT"].map(retry_after);
        let some = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(waits, [some(2), some(0), some(600), None, None, None]);
    }
}
