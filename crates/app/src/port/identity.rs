use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::{Word, string_enum};
use std::fmt;

/// Who owns import suppliers and API keys (contract D1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organisation {
    /// The store's key.
    pub id: i64,
    /// Unique in the installation.
    pub name: String,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// When its keys and tokens stopped being good, if they did.
    pub revoked_at: Option<DateTime<Utc>>,
}

string_enum! {
    "a role";
    /// The role of a key (contract D2).
    pub enum ApiKeyRole {
        /// Obtains tokens for the data-import routes.
        Supplier = "supplier",
        /// Signs in to the console of the organisation; obtains no data-import token.
        Operator = "operator",
    }
}

/// An API key to be stored. The key itself is never stored.
#[derive(Debug, Clone)]
pub struct NewApiKey {
    /// Whose it is.
    pub organisation_id: i64,
    /// The part that is shown in lists.
    pub prefix: String,
    /// SHA-256 of the whole key.
    pub hash: [u8; 32],
    /// What it is for.
    pub role: ApiKeyRole,
    /// When it was issued.
    pub created_at: DateTime<Utc>,
}

/// An API key as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// The store's key.
    pub id: i64,
    /// Whose it is.
    pub organisation_id: i64,
    /// The name of that organisation.
    pub organisation: String,
    /// The part that is shown in lists.
    pub prefix: String,
    /// SHA-256 of the whole key.
    pub hash: [u8; 32],
    /// What it is for. One of a role that a newer version gave it is good for nothing here.
    pub role: Word<ApiKeyRole>,
    /// When it was issued.
    pub created_at: DateTime<Utc>,
    /// When it stopped being good, if it did.
    pub revoked_at: Option<DateTime<Utc>>,
}

/// Whether a key's tokens are good now: neither it nor its organisation is revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyStanding {
    /// They are.
    Good,
    /// They are not, or there is no such key.
    Revoked,
}

/// A refresh token as stored (contract D2): opaque, hashed, single use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshToken {
    /// SHA-256 of the token.
    pub hash: [u8; 32],
    /// All tokens that came of one sign-in; a token used twice revokes them all.
    pub family: i64,
    /// The key it acts for.
    pub api_key_id: i64,
    /// Until when it is good.
    pub expires_at: DateTime<Utc>,
    /// When it was used, if it was.
    pub used_at: Option<DateTime<Utc>>,
}

/// A key that signs access tokens (contract D2). All nodes share them through the store.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// What tokens name it by.
    pub kid: String,
    /// 256 random bits; or why they cannot be read here: they are sealed with an encryption key that this process lacks
    /// ([`StoreError::KeyMissing`]), or nobody can open them any more.
    pub secret: Result<[u8; 32], StoreError>,
    /// When it was made; the newest one signs.
    pub created_at: DateTime<Utc>,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("kid", &self.kid).finish_non_exhaustive()
    }
}

impl SigningKey {
    /// The secret, to sign or to verify with.
    ///
    /// # Errors
    /// [`StoreError::KeyMissing`] if another process may be able to read it.
    pub fn secret(&self) -> Result<&[u8; 32], StoreError> {
        self.secret.as_ref().map_err(Clone::clone)
    }

    /// Whether no process can read the secret any more: its encryption key is lost, or it was damaged. It neither signs
    /// nor verifies.
    pub fn is_gone(&self) -> bool {
        matches!(&self.secret, Err(error) if !matches!(error, StoreError::KeyMissing(_)))
    }
}

/// Organisations, keys and tokens.
pub trait Identity {
    /// Adds an organisation; `None` if the name is taken.
    fn add_organisation(&mut self, name: &str, at: DateTime<Utc>)
    -> Result<Option<Organisation>, StoreError>;

    /// The organisation of a name.
    fn organisation(&mut self, name: &str) -> Result<Option<Organisation>, StoreError>;

    /// Every organisation, by name.
    fn organisations(&mut self) -> Result<Vec<Organisation>, StoreError>;

    /// Revokes an organisation; false if it was revoked already or does not exist.
    fn revoke_organisation(&mut self, name: &str, at: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Stores a key.
    fn add_api_key(&mut self, key: &NewApiKey) -> Result<ApiKey, StoreError>;

    /// The key of a hash, revoked or not; `None` also if its organisation is revoked.
    fn api_key_by_hash(&mut self, hash: &[u8; 32]) -> Result<Option<ApiKey>, StoreError>;

    /// The key of an id, revoked or not.
    fn api_key(&mut self, id: i64) -> Result<Option<ApiKey>, StoreError>;

    /// Every key, oldest first.
    fn api_keys(&mut self) -> Result<Vec<ApiKey>, StoreError>;

    /// Revokes the key of a prefix; false if it was revoked already or does not exist.
    fn revoke_api_key(&mut self, prefix: &str, at: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Whether tokens of the key are good.
    fn key_standing(&mut self, api_key_id: i64) -> Result<KeyStanding, StoreError>;

    /// Stores a refresh token.
    fn add_refresh_token(&mut self, token: &RefreshToken) -> Result<(), StoreError>;

    /// The refresh token of a hash.
    fn refresh_token(&mut self, hash: &[u8; 32]) -> Result<Option<RefreshToken>, StoreError>;

    /// Marks a token used; false if it was used already: two requests met.
    fn use_refresh_token(&mut self, hash: &[u8; 32], at: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Removes every token of a family, those as well that are being added while it does.
    fn revoke_family(&mut self, family: i64) -> Result<(), StoreError>;

    /// Removes refresh tokens that expired before the time. Returns how many.
    fn remove_expired_tokens(&mut self, before: DateTime<Utc>) -> Result<usize, StoreError>;

    /// Stores a signing key.
    fn add_signing_key(&mut self, key: &SigningKey) -> Result<(), StoreError>;

    /// Every signing key, newest first, those as well whose secret cannot be read.
    fn signing_keys(&mut self) -> Result<Vec<SigningKey>, StoreError>;

    /// Removes a signing key; false if there is none of the id.
    fn remove_signing_key(&mut self, kid: &str) -> Result<bool, StoreError>;

    /// Removes signing keys that were followed by a newer one before the time. Returns how many.
    fn remove_signing_keys_superseded_before(&mut self, before: DateTime<Utc>) -> Result<usize, StoreError>;
}
