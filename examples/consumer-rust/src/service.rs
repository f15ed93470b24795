//! The reading routes of the service, with tokens and retries.

use serde_json::{Value, json};
use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::time::Duration;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;
pub(crate) type Response = ureq::http::Response<ureq::Body>;

/// How a GET ended.
pub(crate) enum Answer<T> {
    Found(T),
    /// 404.
    Missing,
    /// 410: events after the position were removed before they were read.
    Expired,
}

/// Why a response could not be read.
pub(crate) enum Fault {
    /// It was cut off: worth another attempt.
    Interrupted,
    /// Anything else, for example a full disk.
    Fatal(Box<dyn Error>),
}

impl<E: Into<Box<dyn Error>>> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::Fatal(error.into())
    }
}

pub(crate) struct Service {
    agent: ureq::Agent,
    url: String,
    key: String,
    token: Option<String>,
}

impl Service {
    pub(crate) fn new(url: &str, key: String) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(10)))
            .timeout_recv_response(Some(Duration::from_secs(60)));
        let url = url.trim_end_matches('/').to_owned();
        Self { agent: config.build().into(), url, key, token: None }
    }

    /// Returns the JSON of a path.
    pub(crate) fn json(&mut self, path: &str) -> Result<Answer<Value>> {
        self.get(|| Ok(path.to_owned()), json)
    }

    /// Returns what `read` makes of a response. Waits and tries again while the service cannot answer or the
    /// connection breaks; the path is asked for at each attempt, which may go on elsewhere.
    pub(crate) fn get<T>(
        &mut self,
        mut path: impl FnMut() -> Result<String>,
        mut read: impl FnMut(Response) -> std::result::Result<T, Fault>,
    ) -> Result<Answer<T>> {
        let (mut renewed, mut failures) = (false, 0);
        loop {
            let path = path()?;
            let mut wait = None;
            if let Some(token) = self.token()? {
                let request = self.agent.get(format!("{}{path}", self.url));
                if let Ok(response) = request.header("Authorization", format!("Token {token}")).call() {
                    wait = response
                        .headers()
                        .get("retry-after")
                        .and_then(|wait| wait.to_str().ok()?.parse().ok());
                    match response.status().as_u16() {
                        200 => match read(response) {
                            Ok(value) => return Ok(Answer::Found(value)),
                            Err(Fault::Fatal(error)) => return Err(error),
                            Err(Fault::Interrupted) => {}
                        },
                        404 => return Ok(Answer::Missing),
                        410 => return Ok(Answer::Expired),
                        // A token is valid for an hour.
                        401 if !renewed => {
                            (self.token, renewed) = (None, true);
                            continue;
                        }
                        429 | 500.. => {}
                        status => return Err(format!("{path}: {status}").into()),
                    }
                }
            }
            failures += 1;
            pause(failures, wait);
        }
    }

    /// Returns a token, by the key if there is none yet; `None` if the service cannot answer.
    fn token(&mut self) -> Result<Option<String>> {
        if self.token.is_none() {
            let query = "mutation ($input: ObtainTokenInput!) { obtainToken(input: $input) { token } }";
            let body = json!({"query": query, "variables": {"input": {"apiKey": self.key}}});
            let sent = self.agent.post(format!("{}/v1/graphql/", self.url)).send_json(&body);
            let Ok(mut response) = sent else { return Ok(None) };
            if response.status() != 200 {
                return Ok(None);
            }
            let Ok(answer) = response.body_mut().read_json::<Value>() else { return Ok(None) };
            let token = answer["data"]["obtainToken"]["token"].as_str();
            self.token = Some(token.ok_or("the service refuses the key")?.to_owned());
        }
        Ok(self.token.clone())
    }
}

/// Reads the JSON of a response.
pub(crate) fn json(response: Response) -> std::result::Result<Value, Fault> {
    serde_json::from_reader(lines(response)).map_err(|_| Fault::Interrupted)
}

/// Reads a response line by line.
pub(crate) fn lines(response: Response) -> impl BufRead {
    BufReader::new(response.into_body().into_reader())
}

/// The position that a page of events was read to, from its `Link`.
pub(crate) fn next_position(response: &Response) -> Option<String> {
    let link = response.headers().get("link")?.to_str().ok()?;
    let (_, after) = link.split_once('>')?.0.rsplit_once("after=")?;
    Some(after.split('&').next().unwrap_or(after).to_owned())
}

/// Waits as long as the service asks, or twice as long after each failure, a minute at most, with jitter.
fn pause(failures: u32, asked: Option<u64>) {
    let longest = 250_u64.saturating_mul(1 << failures.min(8)).min(60_000);
    let jitter = RandomState::new().hash_one(failures) % (longest / 2);
    let asked = asked.unwrap_or(0).saturating_mul(1000);
    std::thread::sleep(Duration::from_millis(asked.max(longest / 2 + jitter)));
}

/// A part of a path or the value of a parameter, percent-encoded.
pub(crate) fn encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(encode).collect()
}
