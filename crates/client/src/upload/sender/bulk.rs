use super::super::prepare::Prepared;
use super::Batch;
use super::answer::{LineOutcome, MAX_ANSWER};
use crate::service::{Fault, Service, not_cutover};
use bytes::Bytes;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// A line of the answer (contract D12).
#[derive(Debug, Deserialize)]
struct Line {
    line: usize,
    external_account_number: Option<String>,
    status: u16,
    body: Value,
}

impl Line {
    /// True unless it names another account; it may name none.
    fn is_about(&self, sent: &Prepared) -> bool {
        let (named, number) = (self.external_account_number.as_deref(), sent.checked.number());
        named.is_none_or(|named| number.is_none_or(|number| named.trim() == number))
    }
}

/// Maximum wait for the answer to the next line, whatever else arrives.
const LINE_TIMEOUT: Duration = Duration::from_secs(120);
/// Maximum size and time of reading after the last line, only to be able to reuse the connection.
const DRAIN_LIMIT: (usize, Duration) = (4 * 1024, Duration::from_secs(2));

/// Sends lines in one request; calls `each` with the outcome of each, in order, until it returns an error.
///
/// # Errors
/// [`Fault`] if some lines were not answered.
pub(super) async fn send(
    service: &Service,
    lines: &Batch,
    validates: bool,
    mut each: impl FnMut(LineOutcome) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let query = if validates { "validate_only=true" } else { "" };
    let url = service.url(&["v2", "data-import", "accounts", "bulk"], query);
    let body = body(lines);
    let (response, token) = service
        .send_with_token(|http| {
            http.post(url.clone()).header(CONTENT_TYPE, "application/x-ndjson").body(body.clone())
        })
        .await?;
    let mut answers = Answers::of(response)?;
    for (i, sent) in lines.iter().enumerate() {
        let next = tokio::time::timeout(LINE_TIMEOUT, answers.next()).await;
        let line = next.map_err(|_| Fault::transient("the service does not answer in time"))??;
        if line.line != i + 1 || !line.is_about(sent) {
            return Err(Fault::permanent("the service answers to other lines than were sent"));
        }
        let outcome = LineOutcome::of(line.status, &line.body, validates);
        if outcome == LineOutcome::TokenExpired {
            service.invalidate(&token).await;
        }
        each(outcome)?;
    }
    // Reading to the end of the answer lets the connection be reused.
    answers.drain().await
}

fn body(lines: &Batch) -> Bytes {
    let bodies = || lines.iter().filter_map(|line| Some(line.body.as_ref()?.line()));
    let mut text = Vec::with_capacity(bodies().map(|body| body.len() + 1).sum());
    for body in bodies() {
        text.extend_from_slice(&body);
        text.push(b'\n');
    }
    text.into()
}

/// Lines of a streamed answer.
struct Answers {
    response: Response,
    text: Vec<u8>,
    /// Number of bytes of the text that were consumed.
    at: usize,
}

impl Answers {
    fn of(response: Response) -> Result<Self, Fault> {
        let status = response.status();
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            return Err(Fault::transient("the service answers 500"));
        }
        if status != StatusCode::OK && kind.starts_with("application/json") {
            let what = format!("the service answers {} to many accounts at once", status.as_u16());
            return Err(Fault::permanent(what + "; --one-by-one may work"));
        }
        if !kind.starts_with("application/x-ndjson") {
            return Err(not_cutover(status));
        }
        Ok(Self { response, text: Vec::new(), at: 0 })
    }

    async fn next(&mut self) -> Result<Line, Fault> {
        let mut searched = self.at;
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.text[searched..]) {
                let end = searched + length;
                let line = serde_json::from_slice(&self.text[self.at..end]);
                self.at = end + 1;
                return line
                    .map_err(|_| Fault::permanent("the service answers with lines that are not its own"));
            }
            self.text.drain(..std::mem::take(&mut self.at));
            searched = self.text.len();
            if searched > MAX_ANSWER {
                return Err(Fault::permanent("the answer of the service is too large"));
            }
            match self.response.chunk().await? {
                Some(chunk) => self.text.extend_from_slice(&chunk),
                None => return Err(Fault::transient("the service ended its answer early")),
            }
        }
    }

    /// # Errors
    /// [`Fault`] if anything but white space follows: the answer is not the service's.
    async fn drain(&mut self) -> Result<(), Fault> {
        self.text.drain(..std::mem::take(&mut self.at));
        // All lines are answered, so a connection that breaks or hangs now does no harm.
        let _ = tokio::time::timeout(DRAIN_LIMIT.1, async {
            while self.text.len() <= DRAIN_LIMIT.0 {
                let Ok(Some(chunk)) = self.response.chunk().await else { break };
                self.text.extend_from_slice(&chunk);
            }
        })
        .await;
        match self.text.trim_ascii().is_empty() {
            true => Ok(()),
            false => Err(Fault::permanent("the service answers to more lines than were sent")),
        }
    }
}
