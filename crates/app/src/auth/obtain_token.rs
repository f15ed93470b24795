use super::key_ring::signer;
use super::{Caller, digest, refresh_token};
use crate::App;
use crate::port::{ApiKey, KeyStatus, RefreshToken, SigningKey, StoreError, Tx, read, write};
use chrono::{DateTime, Utc};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

/// The credential of a token request.
pub enum Credential {
    /// An API key.
    ApiKey(String),
    /// A refresh token of an earlier call.
    RefreshToken(String),
}

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

/// Tolerated difference between the clocks of two nodes in seconds: a new token must be valid on both.
const CLOCKS_APART: i64 = 5;

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

/// An access token and the refresh token for the next one.
pub struct Tokens {
    /// The access token, a signed JWT.
    pub token: String,
    /// Its claims.
    pub claims: Claims,
    /// The refresh token, valid for one call in place of the API key.
    pub refresh_token: String,
    /// Time of expiry of the refresh token.
    pub refresh_expires_at: DateTime<Utc>,
}

/// Reason why no token was issued.
#[derive(Debug, thiserror::Error)]
pub enum TokenRefused {
    /// The key or refresh token is unknown, revoked, expired or used, or its role obtains no tokens.
    #[error("the key or refresh token is not valid")]
    Invalid,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Result of a sign-in transaction. A refusal is `None`, not an error, because it may have to be committed: a
/// reused token revokes its family.
type Signed = Option<(ApiKey, SigningKey)>;

impl App {
    /// Issues an access token (contract D2). A refresh token is valid once; a second use revokes all tokens
    /// of its sign-in.
    ///
    /// # Errors
    /// [`TokenRefused::Invalid`] for every invalid credential.
    pub fn obtain_token(&self, credential: &Credential) -> Result<Tokens, TokenRefused> {
        let now = self.clock.now();
        let refresh = refresh_token(&*self.random);
        let next = RefreshToken {
            hash: digest(&refresh),
            family: (self.random.number() >> 1) as i64,
            api_key_id: 0,
            expires_at: now + self.settings.refresh_token_lifetime,
            used_at: None,
        };
        let spare = self.make_signing_key();
        let (is_key, hash) = match credential {
            Credential::ApiKey(key) => (true, digest(key)),
            Credential::RefreshToken(token) => (false, digest(token)),
        };
        // Guesses are refused by a read, so that they do not reach the writer.
        let known = read(&*self.store, |tx| match is_key {
            true => Ok(tx.api_key_by_hash(&hash)?.is_some()),
            false => Ok(tx.refresh_token(&hash)?.is_some()),
        })?;
        if !known {
            return Err(TokenRefused::Invalid);
        }
        let expires_at = next.expires_at;
        let signed: Signed = write(&*self.store, move |tx| {
            let found = if is_key { by_api_key(tx, &hash, next)? } else { by_refresh(tx, &hash, next, now)? };
            found.map(|key| Ok::<_, StoreError>((key, signer(tx, spare)?))).transpose()
        })?;
        let (key, signing_key) = signed.ok_or(TokenRefused::Invalid)?;
        // Another process may have created the key, and the token has to be valid at once.
        if self.cached_signing_key(&signing_key.kid).is_none() {
            self.forget_signing_keys();
        }
        let claims = self.claims(&key, now);
        let token = sign(&claims, &signing_key)?;
        Ok(Tokens { token, claims, refresh_token: refresh, refresh_expires_at: expires_at })
    }

    fn claims(&self, key: &ApiKey, now: DateTime<Utc>) -> Claims {
        Claims {
            iss: Claims::ISSUER.into(),
            aud: Claims::AUDIENCE.into(),
            sub: key.id.to_string(),
            org: key.organisation_id,
            key: key.prefix.clone(),
            role: key.role.to_string(),
            iat: now.timestamp(),
            nbf: now.timestamp() - CLOCKS_APART,
            exp: (now + self.settings.access_token_lifetime).timestamp(),
        }
    }
}

/// Signs claims as a JWT.
pub(super) fn sign(claims: &impl Serialize, key: &SigningKey) -> Result<String, StoreError> {
    let header = Header { kid: Some(key.kid.clone()), ..Header::new(Algorithm::HS256) };
    encode(&header, claims, &EncodingKey::from_secret(key.secret()?))
        .map_err(|_| StoreError::Failed("a token could not be signed".into()))
}

fn by_api_key(tx: &mut dyn Tx, hash: &[u8; 32], next: RefreshToken) -> Result<Option<ApiKey>, StoreError> {
    let Some(key) = tx.api_key_by_hash(hash)? else { return Ok(None) };
    let same = bool::from(key.hash.ct_eq(hash));
    if !same || key.revoked_at.is_some() || !obtains_tokens(&key) {
        return Ok(None);
    }
    tx.add_refresh_token(&RefreshToken { api_key_id: key.id, ..next })?;
    Ok(Some(key))
}

fn obtains_tokens(key: &ApiKey) -> bool {
    key.role.known().is_some_and(|role| role.obtains_tokens())
}

fn by_refresh(
    tx: &mut dyn Tx,
    hash: &[u8; 32],
    next: RefreshToken,
    now: DateTime<Utc>,
) -> Result<Option<ApiKey>, StoreError> {
    let Some(token) = tx.refresh_token(hash)? else { return Ok(None) };
    if !bool::from(token.hash.ct_eq(hash)) || token.expires_at <= now {
        return Ok(None);
    }
    let key = tx.api_key(token.api_key_id)?.filter(obtains_tokens);
    // Rows of console sessions belong to operator keys, which obtain no tokens.
    let Some(key) = key else { return Ok(None) };
    if token.used_at.is_some() || !tx.use_refresh_token(hash, now)? {
        tx.revoke_family(token.family)?;
        return Ok(None);
    }
    if tx.key_status(token.api_key_id)? == KeyStatus::Revoked {
        return Ok(None);
    }
    tx.add_refresh_token(&RefreshToken { family: token.family, api_key_id: token.api_key_id, ..next })?;
    Ok(Some(key))
}
