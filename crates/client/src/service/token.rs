use super::REQUEST_TIMEOUT;
use super::answer::Reply;
use super::fault::{Fault, checked};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Url};
use serde_json::{Value, json};
use std::fmt;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// An API key. It is never shown.
pub(super) struct ApiKey(Box<str>);

impl ApiKey {
    /// `None` if the text is empty.
    pub(super) fn new(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self(text.into()))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// Cache of the token obtained with a key (contract D2).
#[derive(Debug)]
pub(super) struct Tokens {
    key: ApiKey,
    url: Url,
    current: Mutex<Option<Token>>,
}

#[derive(Debug)]
struct Token {
    /// Value of the `Authorization` header.
    header: HeaderValue,
    /// Time from which on a new token is obtained.
    until: Instant,
}

/// A token is renewed this long before its end, or a tenth of its lifetime if that is less.
const RENEWAL_MARGIN: Duration = Duration::from_secs(120);
/// Shortest and longest lifetime that is taken from a token.
const LIFETIME_BOUNDS: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(24 * 3_600));
/// Lifetime of a token without claims about it.
const DEFAULT_LIFETIME: Duration = Duration::from_secs(600);

const MUTATION: &str =
    "mutation ($input: ObtainTokenInput!) { obtainToken(input: $input) { token payload } }";

impl Tokens {
    /// An empty cache.
    pub(super) fn new(key: ApiKey, url: Url) -> Self {
        Self { key, url, current: Mutex::new(None) }
    }

    /// Returns a valid token. Concurrent callers wait for the same request.
    pub(super) async fn valid(&self, http: &Client) -> Result<HeaderValue, Fault> {
        let mut current = self.current.lock().await;
        if let Some(token) = current.as_ref().filter(|token| Instant::now() < token.until) {
            return Ok(token.header.clone());
        }
        let token = self.obtain(http).await?;
        Ok(current.insert(token).header.clone())
    }

    /// Drops this token from the cache, unless a newer one has replaced it.
    pub(super) async fn invalidate(&self, token: &HeaderValue) {
        let mut current = self.current.lock().await;
        if current.as_ref().is_some_and(|current| current.header == *token) {
            *current = None;
        }
    }

    async fn obtain(&self, http: &Client) -> Result<Token, Fault> {
        let begun = Instant::now();
        let body = json!({"query": MUTATION, "variables": {"input": {"apiKey": &*self.key.0}}}).to_string();
        let request = http.post(self.url.clone()).header(CONTENT_TYPE, "application/json").body(body);
        let response = checked(request.timeout(REQUEST_TIMEOUT).send().await?)?;
        if response.status().is_server_error() {
            return Err(Fault::transient(format!("the service answers {}", response.status().as_u16())));
        }
        let reply = Reply::read(response).await?;
        let answer = reply.ok()?;
        let obtained = &answer["data"]["obtainToken"];
        let Some(token) = obtained["token"].as_str() else { return Err(refused(&answer)) };
        let mut header = HeaderValue::try_from(format!("Token {token}"))
            .map_err(|_| Fault::permanent("the service returned an invalid token"))?;
        header.set_sensitive(true);
        let lifetime = lifetime(&obtained["payload"]);
        Ok(Token { header, until: begun + lifetime - RENEWAL_MARGIN.min(lifetime / 10) })
    }
}

/// Fault for an answer without a token.
fn refused(answer: &Value) -> Fault {
    match answer["errors"][0]["extensions"]["code"].as_str() {
        Some("service_unavailable" | "throttled" | "error") => {
            Fault::transient("the service issues no tokens now")
        }
        _ => Fault::permanent("the service refuses the API key"),
    }
}

/// Lifetime by the token's own claims, independent of this machine's clock.
fn lifetime(claims: &Value) -> Duration {
    let seconds = || {
        let (from, to) = (claims["iat"].as_u64()?, claims["exp"].as_u64()?);
        to.checked_sub(from)
    };
    seconds().map_or(DEFAULT_LIFETIME, |seconds| {
        Duration::from_secs(seconds).clamp(LIFETIME_BOUNDS.0, LIFETIME_BOUNDS.1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown() {
        let key = ApiKey::new("cut_live_secret").unwrap();
        assert!(!format!("{key:?}").contains("secret"));
        assert!(ApiKey::new("").is_none());
    }

    #[test]
    fn the_lifetime_follows_from_the_claims() {
        assert_eq!(lifetime(&json!({"iat": 1_000, "exp": 4_600})), Duration::from_secs(3_600));
        assert_eq!(lifetime(&json!({"iat": 2, "exp": 1})), DEFAULT_LIFETIME);
        assert_eq!(lifetime(&Value::Null), DEFAULT_LIFETIME);
        assert_eq!(lifetime(&json!({"iat": 0, "exp": u64::MAX})), LIFETIME_BOUNDS.1);
        assert_eq!(lifetime(&json!({"iat": 5, "exp": 5})), LIFETIME_BOUNDS.0);
    }
}
