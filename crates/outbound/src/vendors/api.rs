use super::VendorLimits;
use super::address::BaseUrl;
use super::outcome::{self, Answered};
use super::request::Request;
use backon::{ExponentialBuilder, Retryable};
use cutover_app::port::VendorError;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, HeaderValue, TRANSFER_ENCODING};
use reqwest::{Client, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use tokio::time::timeout;
use url::Url;

/// Client of one vendor's API.
pub(super) struct VendorApi {
    pub(super) client: Client,
    pub(super) base: BaseUrl,
    /// `Authorization`, if the vendor has a secret.
    pub(super) authorization: Option<HeaderValue>,
    pub(super) limits: VendorLimits,
}

impl VendorApi {
    /// Fetches an object; `None` if the vendor has none of that name. Retries with growing waits while the
    /// vendor is not available.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        request: &Request<'_>,
    ) -> Result<Option<T>, VendorError> {
        let Some(url) = request.url(&self.base.url) else { return Ok(None) };
        let backoff = ExponentialBuilder::default()
            .with_jitter()
            .with_min_delay(self.limits.backoff)
            .with_max_times(self.limits.attempts.saturating_sub(1));
        let attempt = || self.attempt(url.clone(), request);
        attempt.retry(backoff).when(|e| matches!(e, VendorError::Unavailable(_))).await
    }

    /// Checks that something answers at the base URL, whatever the answer is.
    pub(super) async fn ping(&self) -> Result<(), VendorError> {
        let answer = timeout(self.limits.attempt, self.client.get(self.base.url.clone()).send()).await;
        answer.map_err(|_| outcome::too_late())?.map(drop).map_err(|e| outcome::of_error(&e))
    }

    async fn attempt<T: DeserializeOwned>(
        &self,
        url: Url,
        request: &Request<'_>,
    ) -> Result<Option<T>, VendorError> {
        let answer = timeout(self.limits.attempt, self.exchange(url, request)).await;
        answer.unwrap_or_else(|_| Err(outcome::too_late()))
    }

    async fn exchange<T: DeserializeOwned>(
        &self,
        url: Url,
        request: &Request<'_>,
    ) -> Result<Option<T>, VendorError> {
        let answer = self.prepare(url, request).send().await.map_err(|e| outcome::of_error(&e))?;
        match outcome::of_status(answer.status())? {
            Answered::Missing => Ok(None),
            Answered::Shown => read(answer, self.limits.answer_bytes).await.map(Some),
        }
    }

    fn prepare(&self, url: Url, request: &Request<'_>) -> RequestBuilder {
        let mut asked = self.client.get(url).header(ACCEPT, "application/json");
        if let Some(authorization) = &self.authorization {
            asked = asked.header(AUTHORIZATION, authorization);
        }
        if let Some((header, version)) = request.version {
            asked = asked.header(header, version);
        }
        asked
    }
}

/// Reads the JSON of an answer.
async fn read<T: DeserializeOwned>(answer: Response, limit: usize) -> Result<T, VendorError> {
    let framed = [CONTENT_LENGTH, TRANSFER_ENCODING].iter().any(|h| answer.headers().contains_key(h));
    let bytes = read_bytes(answer, limit).await?;
    serde_json::from_slice(&bytes).map_err(|error| match error.is_eof() && !framed {
        // Only the closed connection marked the end.
        true => outcome::unavailable("the answer was cut"),
        false => outcome::unreadable(),
    })
}

/// Reads the body of an answer, and refuses one larger than the limit.
async fn read_bytes(mut answer: Response, limit: usize) -> Result<Vec<u8>, VendorError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|e| outcome::of_error(&e))? {
        if bytes.len() + chunk.len() > limit {
            return Err(outcome::rejected("the answer is too long"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
