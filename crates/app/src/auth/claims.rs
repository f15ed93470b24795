use super::Caller;
use serde::{Deserialize, Serialize};

/// The claims of an access token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// Always `cutover`.
    pub iss: String,
    /// Always `data-import`.
    pub aud: String,
    /// The API key's id, as text.
    pub sub: String,
    /// The organisation's id.
    pub org: i64,
    /// The public part of the API key.
    pub key: String,
    /// The role of the API key.
    pub role: String,
    /// Time of issue, in Unix seconds.
    pub iat: i64,
    /// Start of its validity, in Unix seconds.
    pub nbf: i64,
    /// Time of expiry, in Unix seconds.
    pub exp: i64,
}

impl Claims {
    pub(crate) const ISSUER: &'static str = "cutover";
    pub(crate) const AUDIENCE: &'static str = "data-import";

    pub(crate) fn sub_id(&self) -> Option<i64> {
        self.sub.parse().ok()
    }

    pub(crate) fn caller(&self) -> Option<Caller> {
        let (key_prefix, role) = (self.key.clone(), self.role.parse().ok()?);
        Some(Caller { organisation_id: self.org, api_key_id: self.sub_id()?, key_prefix, role })
    }
}
