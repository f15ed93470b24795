//! HTTP client of the service: tokens, answers, and which faults are transient.
//!
//! The only module that waits for the network and knows an async runtime. The API key is sent only in the
//! body of the request that obtains a token.

mod answer;
mod backoff;
mod connect;
mod fault;
mod options;
mod pages;
mod sanitize;
mod token;

pub(crate) use answer::{Reply, not_cutover};
pub(crate) use backoff::Backoff;
pub(crate) use fault::Fault;
pub(crate) use options::{OfflineTarget, OptionalTarget, Target};
pub(crate) use sanitize::{attr, code, detail, read_attr, read_code};

use crate::error::Error;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use std::future::Future;
use std::time::Duration;
use token::{ApiKey, Tokens};

/// Time limit of a request that is answered in one piece.
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// A service, used on behalf of the organisation of an API key.
#[derive(Debug)]
pub(crate) struct Service {
    base: Url,
    http: Client,
    tokens: Tokens,
}

impl Service {
    /// A client for a base URL and a key. Sends nothing yet.
    ///
    /// # Errors
    /// [`Error`] if the HTTP client cannot be built.
    fn new(base: Url, key: ApiKey) -> Result<Self, Error> {
        let http = connect::client(&base)?;
        let tokens = Tokens::new(key, address(&base, &["v1", "graphql"], ""));
        Ok(Self { base, http, tokens })
    }

    /// Base URL without a trailing slash.
    pub(crate) fn name(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// URL of a path, whose segments are not encoded yet, and an encoded query.
    pub(crate) fn url(&self, path: &[&str], query: &str) -> Url {
        address(&self.base, path, query)
    }

    /// Sends a `GET` request.
    ///
    /// # Errors
    /// [`Fault`] unless the service answers with JSON; a refusal counts as an answer.
    pub(crate) async fn get(&self, url: &Url) -> Result<Reply, Fault> {
        let response = self.send(|http| http.get(url.clone())).await?;
        let status = response.status();
        if status.is_server_error() {
            return Err(Fault::transient(format!("the service answers {}", status.as_u16())));
        }
        Reply::read(response).await
    }

    /// Sends a request with a token, and again with a new token if that one is rejected.
    ///
    /// # Errors
    /// [`Fault`] if there is no answer, or one that is not about the request: the service is busy, or a
    /// gateway answered.
    pub(crate) async fn send(&self, make: impl Fn(&Client) -> RequestBuilder) -> Result<Response, Fault> {
        self.send_with_token(make).await.map(|(response, _)| response)
    }

    /// Same as [`Self::send`], but also returns the token, for [`Self::invalidate`].
    ///
    /// # Errors
    /// Same as [`Self::send`].
    pub(crate) async fn send_with_token(
        &self,
        make: impl Fn(&Client) -> RequestBuilder,
    ) -> Result<(Response, HeaderValue), Fault> {
        let mut is_again = false;
        loop {
            let token = self.tokens.valid(&self.http).await?;
            let response = make(&self.http).header(AUTHORIZATION, token.clone()).send().await?;
            if response.status() != StatusCode::UNAUTHORIZED {
                return fault::checked(response).map(|response| (response, token));
            }
            self.tokens.invalidate(&token).await;
            if std::mem::replace(&mut is_again, true) {
                return Err(Fault::permanent("the service rejects the tokens that it issues for this key"));
            }
        }
    }

    /// Drops a token that expired while a request used it. A newer one stays.
    pub(crate) async fn invalidate(&self, token: &HeaderValue) {
        self.tokens.invalidate(token).await;
    }

    /// Obtains a token, which shows that the service is reachable and accepts the key.
    ///
    /// # Errors
    /// [`Fault`] if it is not or does not.
    pub(crate) async fn check_access(&self) -> Result<(), Fault> {
        self.tokens.valid(&self.http).await.map(drop)
    }
}

fn address(base: &Url, path: &[&str], query: &str) -> Url {
    let mut url = base.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path).push("");
    }
    url.set_query((!query.is_empty()).then_some(query));
    url
}

/// Runs a future to its end on this thread.
///
/// # Errors
/// [`Error`] if no runtime can be built.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
    let runtime = runtime.map_err(|error| Error::refused(format!("the network cannot be used: {error}")))?;
    Ok(runtime.block_on(future))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lie_under_the_base_and_their_parts_are_encoded() {
        for (base, expected) in [
            ("http://x:1", "http://x:1/v2/A%2FB%20C/"),
            ("https://x/below/", "https://x/below/v2/A%2FB%20C/"),
        ] {
            let base = Url::parse(base).unwrap();
            assert_eq!(address(&base, &["v2", "A/B C"], "").as_str(), expected);
            assert_eq!(address(&base, &["v2", "A/B C"], "a=b").as_str(), format!("{expected}?a=b"));
        }
    }
}
