use crate::error::Error;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Response, StatusCode, Url};
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
    /// Network errors are transient. Of URLs only scheme, host and port are shown, because paths name
    /// accounts.
    fn from(error: reqwest::Error) -> Self {
        if error.is_builder() {
            return Self::permanent(format!("the request cannot be made: {}", innermost(&error)));
        }
        let place = error.url().map(|url| place(url, &|name| std::env::var(name).ok())).unwrap_or_default();
        let what = match (error.is_connect(), error.is_timeout()) {
            (true, _) => format!("the service{place} cannot be reached"),
            (_, true) => format!("the service{place} does not answer in time"),
            _ => format!("the connection to the service{place} broke"),
        };
        let (why, scheme) = (innermost(&error), error.url().map_or("", Url::scheme));
        Self::transient(format!("{what}: {why}{}", hint(scheme, &why)))
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Service(fault.why().to_owned())
    }
}

/// Scheme, host and port of a URL, and the proxy that the environment names for it, without its password.
fn place(url: &Url, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let port = url.port_or_known_default().map(|port| format!(":{port}")).unwrap_or_default();
    let place = format!(" at {}://{}{port}", url.scheme(), url.host_str().unwrap_or_default());
    let names = [format!("{}_proxy", url.scheme()), "all_proxy".to_owned()];
    let names = names.iter().flat_map(|name| [name.clone(), name.to_uppercase()]);
    let proxy = names.into_iter().find_map(|name| {
        let proxy = Url::parse(variable(&name)?.trim()).ok()?;
        let port = proxy.port_or_known_default().map(|port| format!(":{port}")).unwrap_or_default();
        Some(format!("{}://{}{port} of {name}", proxy.scheme(), proxy.host_str()?))
    });
    match proxy {
        Some(proxy) => format!("{place} (through the proxy {proxy}, unless no_proxy excepts it)"),
        None => place,
    }
}

/// A remark if a cause looks as if the base URL had the wrong scheme.
fn hint(scheme: &str, why: &str) -> &'static str {
    match scheme {
        "https"
            if ["InvalidContentType", "corrupt message", "handshake eof"]
                .iter()
                .any(|part| why.contains(part)) =>
        {
            ". It does not speak TLS there: is the base URL to begin with http://?"
        }
        "http" if why.contains("HTTP version") || why.contains("message completed") => {
            ". It may speak TLS there: is the base URL to begin with https://?"
        }
        _ => "",
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
    fn errors_name_the_address_and_the_proxy_without_secrets() {
        let url = Url::parse("https://imports.example.com/v2/data-import/accounts/ACME/A-1/").unwrap();
        let place = |name: &'static str, value: &'static str| {
            place(&url, &move |asked| (asked == name).then(|| value.to_owned()))
        };
        assert_eq!(place("", ""), " at https://imports.example.com:443");
        assert_eq!(place("http_proxy", "http://p:1"), " at https://imports.example.com:443");
        for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            let text = place(name, "http://me:secret@proxy.example.com:3128/");
            assert!(text.contains(&format!("http://proxy.example.com:3128 of {name}")), "{text}");
            assert!(!text.contains("secret") && !text.contains("A-1"), "{text}");
        }
    }

    #[test]
    fn a_wait_is_in_seconds_and_bounded() {
        let waits = ["2", " 0 ", "86400", "soon", "-1", "Wed, 21 Oct 2026 07:28:00 GMT"].map(retry_after);
        let some = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(waits, [some(2), some(0), some(600), None, None, None]);
    }
}
