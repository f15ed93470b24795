use crate::error::Error;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(30);

const MUTATION: &str = "mutation ($key: String!) { obtainToken(input: {apiKey: $key}) { token } }";

/// The supplier's side: a client of the service, over HTTP like any other.
#[derive(Clone)]
pub(super) struct Client {
    agent: ureq::Agent,
    base: String,
    token: String,
}

/// The status object of an import (contract 2.2), as it was received.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(super) struct Status {
    pub(super) status: String,
    pub(super) service_identifier: Option<String>,
    created_at: String,
    modified_at: String,
    latest_event: Value,
    latest_error: Option<Cause>,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
struct Cause {
    code: String,
    detail: String,
    domain: String,
}

impl Status {
    /// The code of its error, if it has one.
    pub(super) fn error_code(&self) -> &str {
        self.latest_error.as_ref().map_or("", |cause| &cause.code)
    }
}

/// An answer of the service.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: Value,
}

impl Reply {
    /// The `code` of the body, or of what it wraps.
    pub(super) fn code(&self) -> &str {
        let code = self.body.get("code").or_else(|| self.body.get("non_field_errors")?.get("code"));
        code.and_then(Value::as_str).unwrap_or_default()
    }

    /// The same, if the service answered as the story has it.
    ///
    /// # Errors
    /// [`Error`] if it answered otherwise.
    pub(super) fn expect(self, status: u16) -> Result<Self, Error> {
        if self.status == status {
            return Ok(self);
        }
        Err(Error::refused(format!(
            "the service answered {} instead of {status}: {}",
            self.status, self.body
        )))
    }

    /// A text of the body.
    pub(super) fn text(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap_or_default()
    }

    /// The error items of the body, as path and code.
    pub(super) fn errors(&self) -> Vec<(String, String)> {
        let text = |item: &Value, name| item[name].as_str().unwrap_or_default().to_owned();
        let items = self.body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().map(|item| (text(item, "attr"), text(item, "code"))).collect()
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
        let reply = client.post("/v1/graphql/", &query.to_string())?;
        let token = reply.body["data"]["obtainToken"]["token"].as_str();
        client.token = token.ok_or_else(|| Error::refused("the service gave no token"))?.to_owned();
        Ok(client)
    }

    /// The access token.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Where the service is.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    pub(super) fn validate(&self, body: &str) -> Result<Reply, Error> {
        self.post("/v2/data-import/accounts/validate/", body)
    }

    pub(super) fn create(&self, body: &str) -> Result<Reply, Error> {
        self.post("/v2/data-import/accounts/", body)
    }

    /// The status of an account's import (contract 4.1).
    pub(super) fn status(&self, supplier: &str, number: &str) -> Result<Status, Error> {
        let reply = self.read_status(supplier, number)?;
        let odd = |_| Error::refused(format!("the service answered {} for a status", reply.status));
        serde_json::from_value(reply.body).map_err(odd)
    }

    /// Asks for the status of an account's import, whatever the answer.
    pub(super) fn read_status(&self, supplier: &str, number: &str) -> Result<Reply, Error> {
        self.get(&format!("/v2/data-import/accounts/{supplier}/{number}/"))
    }

    /// Posts to a route of version 1 (contract 4.2, 4.4).
    pub(super) fn add(&self, route: &str, body: &Value) -> Result<Reply, Error> {
        self.post(&format!("/v1/data-import/{route}"), &body.to_string())
    }

    /// Reads from a route of version 1 (contract 4.3).
    pub(super) fn read(&self, route: &str) -> Result<Reply, Error> {
        self.get(&format!("/v1/data-import/{route}"))
    }

    fn get(&self, path: &str) -> Result<Reply, Error> {
        let request = self.agent.get(format!("{}{path}", self.base));
        reply(request.header("Authorization", format!("Token {}", self.token)).call())
    }

    fn post(&self, path: &str, body: &str) -> Result<Reply, Error> {
        let mut request =
            self.agent.post(format!("{}{path}", self.base)).header("Content-Type", "application/json");
        if !self.token.is_empty() {
            request = request.header("Authorization", format!("Token {}", self.token));
        }
        reply(request.send(body))
    }
}

fn reply(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Reply, Error> {
    let failed = |error: ureq::Error| Error::refused(format!("the demo's request failed: {error}"));
    let mut response = answer.map_err(failed)?;
    let status = response.status().as_u16();
    Ok(Reply { status, body: response.body_mut().read_json().map_err(failed)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_in_both_shapes() {
        let code = |body| Reply { status: 400, body }.code().to_owned();
        assert_eq!(code(json!({"detail": "x", "code": "a"})), "a");
        assert_eq!(code(json!({"non_field_errors": {"code": "b"}})), "b");
        assert_eq!(code(json!({})), "");
    }

    #[test]
    fn another_status_ends_the_story() {
        let reply = || Reply { status: 400, body: json!({"code": "invalid"}) };
        assert!(reply().expect(400).is_ok());
        assert_eq!(
            reply().expect(201).err().unwrap().to_string(),
            r#"the service answered 400 instead of 201: {"code":"invalid"}"#
        );
    }

    #[test]
    fn error_items_are_paths_and_codes() {
        let body = json!({"errors": [{"attr": "customers.0.email", "code": "invalid_email", "detail": "x"}]});
        let errors = Reply { status: 400, body }.errors();
        assert_eq!(errors, [("customers.0.email".to_owned(), "invalid_email".to_owned())]);
    }
}
