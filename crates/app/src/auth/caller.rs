use crate::port::ApiKeyRole;

/// The caller of a request, from its access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The organisation that it acts for.
    pub organisation_id: i64,
    /// The API key that its token was obtained with.
    pub api_key_id: i64,
    /// The public part of the API key.
    pub key_prefix: String,
    /// The role of the API key.
    pub role: ApiKeyRole,
}
