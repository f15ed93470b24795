use crate::error::Error;
use serde_json::{Value, json};
use std::time::Duration;
use ureq::RequestBuilder;
use ureq::typestate::WithBody;

const TIMEOUT: Duration = Duration::from_secs(300);
const MUTATION: &str = "mutation ($key: String!) { obtainToken(input: {apiKey: $key}) { token } }";

/// The HTTP client of the demo's supplier.
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
        Err(Error::refused(format!(
            "the service answered {} instead of {status}: {}",
            self.status, self.body
        )))
    }

    /// A text member of the body.
    pub(super) fn text(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap_or_default()
    }

    /// The path and the code of each error.
    pub(super) fn errors(&self) -> impl Iterator<Item = (&str, &str)> {
        let errors = self.body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        errors.iter().map(|error| {
            (error["attr"].as_str().unwrap_or_default(), error["code"].as_str().unwrap_or_default())
        })
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

    pub(super) fn get(&self, path: &str) -> Result<Reply, Error> {
        let request = self.agent.get(format!("{}{path}", self.base));
        reply(request.header("Authorization", format!("Token {}", self.token)).call())
    }

    /// Returns the body of an answer that is no JSON document.
    pub(super) fn get_text(&self, path: &str) -> Result<String, Error> {
        let request = self.agent.get(format!("{}{path}", self.base));
        let request = request.header("Authorization", format!("Token {}", self.token));
        let mut response = request.call().map_err(failed)?;
        let text = response.body_mut().read_to_string().map_err(failed)?;
        if response.status() == 200 {
            return Ok(text);
        }
        Err(Error::refused(format!("the service answered {} instead of 200: {text}", response.status())))
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Result<Reply, Error> {
        self.send(self.agent.post(format!("{}{path}", self.base)), body)
    }

    pub(super) fn put(&self, path: &str, body: &Value) -> Result<Reply, Error> {
        self.send(self.agent.put(format!("{}{path}", self.base)), body)
    }

    fn send(&self, request: RequestBuilder<WithBody>, body: &Value) -> Result<Reply, Error> {
        let mut request = request.header("Content-Type", "application/json");
        if !self.token.is_empty() {
            request = request.header("Authorization", format!("Token {}", self.token));
        }
        reply(request.send(body.to_string()))
    }

    /// Sends NDJSON to the bulk endpoint. Returns the number and the result of each line.
    pub(super) fn bulk(&self, query: &str, lines: &str) -> Result<Vec<(String, Reply)>, Error> {
        let request = self.agent.post(format!("{}/v2/data-import/accounts/bulk/{query}", self.base));
        let request = request.header("Authorization", format!("Token {}", self.token));
        let mut response =
            request.header("Content-Type", "application/x-ndjson").send(lines).map_err(failed)?;
        let text = response.body_mut().read_to_string().map_err(failed)?;
        let result = |line: &str| {
            let mut result: Value = serde_json::from_str(line).unwrap_or_default();
            let number = result["external_account_number"].as_str().unwrap_or_default().to_owned();
            let status = result["status"].as_u64().and_then(|status| status.try_into().ok());
            (number, Reply { status: status.unwrap_or_default(), body: result["body"].take() })
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

fn failed(error: ureq::Error) -> Error {
    Error::refused(format!("the demo's request failed: {error}"))
}

fn reply(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Reply, Error> {
    let mut response = response.map_err(failed)?;
    let status = response.status().as_u16();
    Ok(Reply { status, body: response.body_mut().read_json().map_err(failed)? })
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
