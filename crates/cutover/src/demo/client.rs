use crate::error::Error;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::{Duration, Instant};
use ureq::http::{Method, Request};

const TIMEOUT: Duration = Duration::from_secs(300);
/// Time without any change after which the demo fails, also on a slow machine.
const STALLED: Duration = Duration::from_secs(300);
const POLL_INTERVAL: Duration = Duration::from_millis(25);
const JSON: &str = "application/json";
const MUTATION: &str = "mutation ($key: String!) { obtainToken(input: {apiKey: $key}) { token } }";

/// The HTTP client of the demo's supplier.
#[derive(Clone)]
pub(super) struct Client {
    agent: ureq::Agent,
    pub(super) base: String,
    pub(super) token: String,
}

/// A response of the service.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: Value,
}

impl Reply {
    /// The `code` of the body, or of its `non_field_errors`.
    pub(super) fn code(&self) -> &str {
        let code = self.body.get("code").or_else(|| self.body.get("non_field_errors")?.get("code"));
        code.and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the response if it has the status.
    ///
    /// # Errors
    /// [`Error`] if it has another one.
    pub(super) fn expect(self, status: u16) -> Result<Self, Error> {
        if self.status == status {
            return Ok(self);
        }
        Err(unexpected(self.status, status, &self.body.to_string()))
    }

    /// The path and the code of each error.
    pub(super) fn errors(&self) -> impl Iterator<Item = (&str, &str)> {
        let errors = self.body["errors"].as_array().into_iter().flatten();
        errors.map(|error| (text(error, "attr"), text(error, "code")))
    }
}

impl Client {
    /// Obtains a token with an API key (contract 5).
    pub(super) fn sign_in(base: &str, api_key: &str) -> Result<Self, Error> {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .proxy(None)
            .build();
        let mut client = Self { agent: config.into(), base: base.to_owned(), token: String::new() };
        let query = json!({"query": MUTATION, "variables": {"key": api_key}});
        let reply = client.post("/v1/graphql/", &query)?;
        let token = reply.body["data"]["obtainToken"]["token"].as_str();
        client.token = token.ok_or_else(|| Error::refused("the service returned no token"))?.to_owned();
        Ok(client)
    }

    /// Sends a request with a body of a media type, or without one. Returns the status and the text of the answer.
    fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, String)>,
    ) -> Result<(u16, String), ureq::Error> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        if !self.token.is_empty() {
            request = request.header("Authorization", format!("Token {}", self.token));
        }
        let mut response = match body {
            Some((media, body)) => self.agent.run(request.header("Content-Type", media).body(body)?)?,
            None => self.agent.run(request.body(())?)?,
        };
        Ok((response.status().as_u16(), response.body_mut().read_to_string()?))
    }

    fn json(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Reply, Error> {
        let (status, text) =
            self.send(method, path, body.map(|body| (JSON, body.to_string()))).map_err(failed)?;
        Ok(Reply { status, body: serde_json::from_str(&text).map_err(failed)? })
    }

    pub(super) fn get(&self, path: &str) -> Result<Reply, Error> {
        self.json(Method::GET, path, None)
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Result<Reply, Error> {
        self.json(Method::POST, path, Some(body))
    }

    pub(super) fn put(&self, path: &str, body: &Value) -> Result<Reply, Error> {
        self.json(Method::PUT, path, Some(body))
    }

    /// Returns the body of an answer that is no JSON document.
    pub(super) fn get_text(&self, path: &str) -> Result<String, Error> {
        match self.send(Method::GET, path, None).map_err(failed)? {
            (200, text) => Ok(text),
            (status, text) => Err(unexpected(status, 200, &text)),
        }
    }

    /// Sends NDJSON to the bulk endpoint. Returns the number and the result of each line.
    pub(super) fn bulk(&self, query: &str, lines: String) -> Result<Vec<(String, Reply)>, Error> {
        let path = format!("/v2/data-import/accounts/bulk/{query}");
        let (_, text) =
            self.send(Method::POST, &path, Some(("application/x-ndjson", lines))).map_err(failed)?;
        let result = |line: &str| {
            let mut result: Value = serde_json::from_str(line).unwrap_or_default();
            let status = result["status"].as_u64().and_then(|status| status.try_into().ok());
            let reply = Reply { status: status.unwrap_or_default(), body: result["body"].take() };
            (self::text(&result, "external_account_number").to_owned(), reply)
        };
        Ok(text.lines().map(result).collect())
    }

    pub(super) fn validate(&self, payload: &Value) -> Result<Reply, Error> {
        self.post("/v2/data-import/accounts/validate/", payload)
    }

    pub(super) fn create(&self, body: &Value) -> Result<Reply, Error> {
        self.post("/v2/data-import/accounts/", body)
    }
}

/// A text member of an object.
pub(super) fn text<'v>(of: &'v Value, name: &str) -> &'v str {
    of[name].as_str().unwrap_or_default()
}

/// Polls a state until it is as wanted, and returns it.
pub(super) fn wait(
    what: &str,
    mut poll: impl FnMut() -> Result<Value, Error>,
    is_wanted: impl Fn(&Value) -> bool,
) -> Result<Value, Error> {
    let (mut last, mut since) = (Value::Null, Instant::now());
    loop {
        let state = poll()?;
        if is_wanted(&state) {
            return Ok(state);
        }
        if state != last {
            (last, since) = (state, Instant::now());
        } else if since.elapsed() > STALLED {
            return Err(Error::refused(format!("{what} is waited for in vain: {state}")));
        }
        sleep(POLL_INTERVAL);
    }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::refused(format!("the demo's request failed: {error}"))
}

fn unexpected(status: u16, expected: u16, body: &str) -> Error {
    Error::refused(format!("the service answered {status} instead of {expected}: {body}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_has_its_code_and_errors() {
        let reply = |body| Reply { status: 400, body };
        assert_eq!(reply(json!({"detail": "x", "code": "a"})).code(), "a");
        assert_eq!(reply(json!({"non_field_errors": {"code": "b"}})).code(), "b");
        let refused = reply(json!({"errors": [{"attr": "customers.0.email", "code": "invalid_email"}]}));
        assert_eq!(refused.code(), "");
        assert_eq!(refused.errors().collect::<Vec<_>>(), [("customers.0.email", "invalid_email")]);
        let error = reply(json!({"code": "invalid"})).expect(201).err().unwrap().to_string();
        assert_eq!(error, r#"the service answered 400 instead of 201: {"code":"invalid"}"#);
        assert!(refused.expect(400).is_ok());
    }
}
