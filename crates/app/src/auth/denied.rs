use super::Caller;
use super::secret::{is_refresh_token, public_part};
use crate::port::{ApiKey, StoreError};
use cutover_core::string_enum;

string_enum! {
    "an outcome";
    /// The outcome of an attempt to authenticate. A caller who is refused does not learn which it was.
    pub enum Outcome {
        /// The credential is valid.
        Accepted = "accepted",
        /// No credential was sent.
        Missing = "missing",
        /// It does not have the form of a credential of ours.
        Malformed = "malformed",
        /// It has the form, but is none of ours: a guess, or one of another installation.
        Unknown = "unknown",
        /// It has the public part of a key, and another secret.
        WrongSecret = "wrong_secret",
        /// Its time is over, or has not begun.
        Expired = "expired",
        /// The key, its organisation or the session was revoked or ended.
        Revoked = "revoked",
        /// A refresh token was used a second time.
        Reused = "reused",
        /// The role of the key does not permit this.
        WrongRole = "wrong_role",
        /// Too many attempts came from the address; the credential was not read.
        Throttled = "throttled",
    }
}

/// The reason why a credential was refused: for log, metrics and audit trail, not for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// The outcome; never [`Outcome::Accepted`].
    pub outcome: Outcome,
    /// The key that it belongs to, if it belongs to one.
    pub api_key_id: Option<i64>,
    /// The public part of that key, or of a text that has the form of a key.
    pub key_prefix: Option<String>,
}

impl Denied {
    /// Refuses a credential that belongs to no key.
    pub fn of(outcome: Outcome) -> Self {
        Self { outcome, api_key_id: None, key_prefix: None }
    }

    /// Refuses a credential of this caller.
    pub fn of_caller(outcome: Outcome, caller: &Caller) -> Self {
        let key_prefix = Some(caller.key_prefix.clone());
        Self { outcome, api_key_id: Some(caller.api_key_id), key_prefix }
    }

    pub(super) fn of_key(outcome: Outcome, key: &ApiKey) -> Self {
        Self { outcome, api_key_id: Some(key.id), key_prefix: Some(key.prefix.clone()) }
    }

    /// Refuses a text that is no API key of ours.
    pub(super) fn unknown_key(sent: &str) -> Self {
        let key_prefix = public_part(sent).map(str::to_owned);
        Self { key_prefix, ..Self::unknown(sent, public_part(sent).is_some()) }
    }

    /// Refuses a text that is no refresh token of ours.
    pub(super) fn unknown_refresh_token(sent: &str) -> Self {
        Self::unknown(sent, is_refresh_token(sent))
    }

    /// Refuses a text that is no signed token. An API key in its place is a common mistake.
    pub(super) fn malformed_token(sent: &str) -> Self {
        Self { outcome: Outcome::Malformed, ..Self::unknown_key(sent) }
    }

    fn unknown(sent: &str, has_form: bool) -> Self {
        Self::of(match sent {
            "" => Outcome::Missing,
            _ if has_form => Outcome::Unknown,
            _ => Outcome::Malformed,
        })
    }
}

/// Reason why a caller was not authenticated.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// The credential is not valid. The caller does not learn why.
    #[error("the credential is not valid")]
    Invalid(Denied),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Denied> for AuthError {
    fn from(denied: Denied) -> Self {
        Self::Invalid(denied)
    }
}

/// Separates a refused credential from a failure of the store.
///
/// # Errors
/// That failure.
pub fn judged<T>(result: Result<T, AuthError>) -> Result<Result<T, Denied>, StoreError> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(AuthError::Invalid(denied)) => Ok(Err(denied)),
        Err(AuthError::Store(error)) => Err(error),
    }
}
