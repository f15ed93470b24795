use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use std::error::Error as _;
use std::time::Duration;

/// Why a request came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The same request may do later: not reached, cut, too much now.
    Passing {
        /// In words.
        why: String,
        /// How long the service wants not to be asked, if it said so.
        after: Option<Duration>,
    },
    /// The same request will not do.
    Lasting(String),
}

/// Nobody waits longer than this on the word of an answer.
const LONGEST: Duration = Duration::from_secs(600);

impl Fault {
    /// One that passes, nobody knows when.
    pub(crate) fn passing(why: impl Into<String>) -> Self {
        Self::Passing { why: why.into(), after: None }
    }

    /// One that does not pass.
    pub(crate) fn lasting(why: impl Into<String>) -> Self {
        Self::Lasting(why.into())
    }

    /// In words.
    pub(crate) fn why(&self) -> &str {
        match self {
            Self::Passing { why, .. } | Self::Lasting(why) => why,
        }
    }
}

impl From<reqwest::Error> for Fault {
    /// What the network does passes. Addresses are left out: what a request asks for is not for everybody.
    fn from(error: reqwest::Error) -> Self {
        if error.is_builder() {
            return Self::lasting(format!("the request cannot be made: {}", innermost(&error)));
        }
        let what = match (error.is_connect(), error.is_timeout()) {
            (true, _) => "the service cannot be reached",
            (_, true) => "the service does not answer in time",
            _ => "the connection broke",
        };
        Self::passing(format!("{what}: {}", innermost(&error)))
    }
}

/// The cause of causes: what is around it says no more than that a request failed.
fn innermost(error: &reqwest::Error) -> String {
    let mut text = String::from("no reason given");
    let mut source = error.source();
    while let Some(error) = source {
        text = error.to_string();
        source = error.source();
    }
    text
}

/// An answer, unless it says that the request is too much now, or where else to go.
pub(super) fn checked(response: Response) -> Result<Response, Fault> {
    let status = response.status();
    if is_passing(status, is_json(&response)) {
        let after = response.headers().get(RETRY_AFTER).and_then(|value| seconds(value.to_str().ok()?));
        return Err(Fault::Passing { why: format!("the service answers {}", status.as_u16()), after });
    }
    if status.is_redirection() {
        return Err(Fault::lasting(format!(
            "there is no Cutover at the base URL: it answers {}, which leads elsewhere",
            status.as_u16()
        )));
    }
    Ok(response)
}

/// Whether a status says nothing about the request itself. A 5xx that is no JSON is of somebody between: the
/// service is away.
fn is_passing(status: StatusCode, is_json: bool) -> bool {
    matches!(status.as_u16(), 408 | 429 | 502..=504 | 520..=530) || status.is_server_error() && !is_json
}

fn is_json(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

/// `Retry-After` in seconds, which is how the service says it; a date is passed over.
fn seconds(text: &str) -> Option<Duration> {
    let seconds = text.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gateways_say_passes() {
        let is_passing = |status, is_json| is_passing(StatusCode::from_u16(status).unwrap(), is_json);
        assert!([408, 429, 502, 503, 504, 520, 530].iter().all(|status| is_passing(*status, true)));
        assert!(is_passing(500, false) && is_passing(501, false));
        assert!(!is_passing(500, true) && !is_passing(404, false) && !is_passing(200, false));
    }

    #[test]
    fn a_wait_is_in_seconds_and_bounded() {
        let waits = ["2", " 0 ", "86400", "soon", "-1", "Wed, 21 Oct 2026 07:28:00 GMT"].map(seconds);
        let some = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(waits, [some(2), some(0), some(600), None, None, None]);
    }
}
