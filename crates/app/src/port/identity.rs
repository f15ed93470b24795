use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::{Word, string_enum};
use std::fmt;

/// The owner of import suppliers and API keys (contract D1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organisation {
    /// The store's key.
    pub id: i64,
    /// Its name, unique in the installation.
    pub name: String,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time at which it was revoked, with its keys and tokens.
    pub revoked_at: Option<DateTime<Utc>>,
}

string_enum! {
    "a role";
    /// The role of a key (contract D2).
    pub enum ApiKeyRole {
        /// Obtains tokens for the data-import routes.
        Supplier = "supplier",
        /// Obtains tokens that read data-import routes and imported accounts, and change nothing (contract D19).
        Reader = "reader",
        /// Signs in to the console of the organisation, and calls the API for operators with the key itself; obtains no
        /// data-import token.
        Operator = "operator",
        /// Signs in to the console for a screen on a wall: it shows the page of a migration night, and nothing else.
        Display = "display",
    }
}

/// The kind of access of a request, which the role of its key has to permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads.
    Read,
    /// Reads imported accounts.
    ReadAccounts,
    /// Sends data, to be stored or only checked.
    Send,
    /// Reports what happened to imported accounts elsewhere.
    Report,
    /// Issues certificates.
    Certify,
    /// Acts as an operator.
    Operate,
}

impl ApiKeyRole {
    /// Returns true if it obtains tokens for the data-import routes.
    pub fn obtains_tokens(self) -> bool {
        match self {
            Self::Supplier | Self::Reader => true,
            Self::Operator | Self::Display => false,
        }
    }

    /// Returns true if a token of a key with this role may be used for this (contract D19), or the key itself
    /// for [`Access::Operate`].
    pub fn permits(self, access: Access) -> bool {
        match access {
            Access::Read | Access::Certify => self.obtains_tokens(),
            Access::ReadAccounts | Access::Report => self == Self::Reader,
            Access::Send => self == Self::Supplier,
            Access::Operate => self == Self::Operator,
        }
    }
}

/// An API key to be stored. The key itself is never stored.
#[derive(Debug, Clone)]
pub struct NewApiKey {
    /// The organisation that owns it.
    pub organisation_id: i64,
    /// The public part of the key.
    pub prefix: String,
    /// SHA-256 of the whole key.
    pub hash: [u8; 32],
    /// Its role.
    pub role: ApiKeyRole,
    /// Time of issue.
    pub created_at: DateTime<Utc>,
}

/// An API key as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// The store's key.
    pub id: i64,
    /// The organisation that owns it.
    pub organisation_id: i64,
    /// The name of that organisation.
    pub organisation: String,
    /// The public part of the key.
    pub prefix: String,
    /// SHA-256 of the whole key.
    pub hash: [u8; 32],
    /// Its role. A role of a newer version grants nothing here.
    pub role: Word<ApiKeyRole>,
    /// Time of issue.
    pub created_at: DateTime<Utc>,
    /// Time at which it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
}

/// The status of an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyStatus {
    /// Neither the key nor its organisation is revoked.
    Good,
    /// The key or its organisation is revoked, or there is no such key.
    Revoked,
}

/// A refresh token as stored (contract D2): opaque, hashed, single use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshToken {
    /// SHA-256 of the token.
    pub hash: [u8; 32],
    /// The family of tokens of one sign-in. A token used twice revokes its family.
    pub family: i64,
    /// The API key that it was issued for.
    pub api_key_id: i64,
    /// Time of expiry.
    pub expires_at: DateTime<Utc>,
    /// Time at which it was used.
    pub used_at: Option<DateTime<Utc>>,
}

/// A key that signs access tokens (contract D2). All nodes share them through the store.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// The key id that tokens carry.
    pub kid: String,
    /// 256 random bits, or the reason why this process cannot read them: it lacks the encryption key
    /// ([`StoreError::KeyMissing`]), or no process can decrypt them any more.
    pub secret: Result<[u8; 32], StoreError>,
    /// Time of creation. The newest key signs.
    pub created_at: DateTime<Utc>,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("kid", &self.kid).finish_non_exhaustive()
    }
}

impl SigningKey {
    /// Returns the secret, to sign or to verify with.
    ///
    /// # Errors
    /// [`StoreError::KeyMissing`] if another process may be able to read it.
    pub fn secret(&self) -> Result<&[u8; 32], StoreError> {
        self.secret.as_ref().map_err(Clone::clone)
    }

    /// Returns true if no process can read the secret any more, because its encryption key is lost or it is
    /// damaged. Such a key neither signs nor verifies.
    pub fn is_gone(&self) -> bool {
        matches!(&self.secret, Err(error) if !matches!(error, StoreError::KeyMissing(_)))
    }
}

/// Queries of organisations, keys and tokens.
pub trait Identity {
    /// Adds an organisation; `None` if the name is taken.
    fn add_organisation(&mut self, name: &str, at: DateTime<Utc>)
    -> Result<Option<Organisation>, StoreError>;

    /// Returns the organisation with this name.
    fn organisation(&mut self, name: &str) -> Result<Option<Organisation>, StoreError>;

    /// Returns every organisation, by name.
    fn organisations(&mut self) -> Result<Vec<Organisation>, StoreError>;

    /// Revokes an organisation; false if it was revoked already or does not exist.
    fn revoke_organisation(&mut self, name: &str, at: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Stores a key.
    fn add_api_key(&mut self, key: &NewApiKey) -> Result<ApiKey, StoreError>;

    /// Returns the key with this hash, also if it or its organisation is revoked.
    fn api_key_by_hash(&mut self, hash: &[u8; 32]) -> Result<Option<ApiKey>, StoreError>;

    /// Returns the key with this public part, revoked or not.
    fn api_key_by_prefix(&mut self, prefix: &str) -> Result<Option<ApiKey>, StoreError>;

    /// Returns the key with this id, revoked or not.
    fn api_key(&mut self, id: i64) -> Result<Option<ApiKey>, StoreError>;

    /// Returns every key, oldest first.
    fn api_keys(&mut self) -> Result<Vec<ApiKey>, StoreError>;

    /// Revokes the key with this prefix; false if it was revoked already or does not exist.
    fn revoke_api_key(&mut self, prefix: &str, at: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Returns the status of a key.
    fn key_status(&mut self, api_key_id: i64) -> Result<KeyStatus, StoreError>;

    /// Stores a refresh token.
    fn add_refresh_token(&mut self, token: &RefreshToken) -> Result<(), StoreError>;

    /// Returns the refresh token with this hash.
    fn refresh_token(&mut self, hash: &[u8; 32]) -> Result<Option<RefreshToken>, StoreError>;

    /// Marks a token as used; false if another request has used it already.
    fn use_refresh_token(&mut self, hash: &[u8; 32], at: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Removes every token of a family, including tokens that are being added concurrently.
    fn revoke_family(&mut self, family: i64) -> Result<(), StoreError>;

    /// Removes refresh tokens that expired before the time. Returns their number.
    fn remove_expired_tokens(&mut self, before: DateTime<Utc>) -> Result<usize, StoreError>;

    /// Stores a signing key.
    fn add_signing_key(&mut self, key: &SigningKey) -> Result<(), StoreError>;

    /// Returns every signing key, newest first, including keys whose secret cannot be read.
    fn signing_keys(&mut self) -> Result<Vec<SigningKey>, StoreError>;

    /// Removes a signing key; false if there is none with this id.
    fn remove_signing_key(&mut self, kid: &str) -> Result<bool, StoreError>;

    /// Removes signing keys that were superseded before the time. Returns their number.
    fn remove_signing_keys_superseded_before(&mut self, before: DateTime<Utc>) -> Result<usize, StoreError>;
}
