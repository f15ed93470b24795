use super::key_ring::signer;
use super::sent::Sent;
use super::{AuthError, Claims, Denied, Outcome, digest, refresh_token};
use crate::App;
use crate::port::{ApiKey, ApiKeyRole, KeyStatus, RefreshToken, SigningKey, StoreError, Tx, read, write};
use chrono::{DateTime, Utc};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde::Serialize;

/// The credential of a token request.
pub enum Credential {
    /// An API key.
    ApiKey(String),
    /// A refresh token of an earlier call.
    RefreshToken(String),
}

/// Tolerated difference between the clocks of two nodes in seconds: a new token must be valid on both.
const CLOCKS_APART: i64 = 5;

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

/// Result of a sign-in transaction. A refusal is no error of it, because it may have to be committed: a reused
/// token revokes its family.
type Signed = Result<(ApiKey, SigningKey), Denied>;

impl App {
    /// Issues an access token (contract D2). A refresh token is valid once; a second use revokes all tokens
    /// of its sign-in.
    ///
    /// # Errors
    /// [`AuthError::Invalid`] for every invalid credential.
    pub fn obtain_token(&self, credential: &Credential) -> Result<Tokens, AuthError> {
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
        let (is_key, sent) = match credential {
            Credential::ApiKey(key) => (true, Sent::api_key(key)),
            Credential::RefreshToken(token) => (false, Sent::refresh_token(token)),
        };
        // Guesses are refused by a read, so that they do not reach the writer.
        read(&*self.store, |tx| match is_key {
            true => Ok(sent.find_key(tx, ApiKeyRole::obtains_tokens)?.map(drop)),
            false => Ok(sent.find_refresh_token(tx)?.map(drop)),
        })??;
        let expires_at = next.expires_at;
        let signed: Signed = write(&*self.store, move |tx| {
            let found = if is_key { by_api_key(tx, &sent, next)? } else { by_refresh(tx, &sent, next, now)? };
            match found {
                Ok(key) => Ok::<_, StoreError>(Ok((key, signer(tx, spare)?))),
                Err(denied) => Ok(Err(denied)),
            }
        })?;
        let (key, signing_key) = signed?;
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

fn by_api_key(
    tx: &mut dyn Tx,
    sent: &Sent,
    next: RefreshToken,
) -> Result<Result<ApiKey, Denied>, StoreError> {
    let found = sent.find_key(tx, ApiKeyRole::obtains_tokens)?;
    if let Ok(key) = &found {
        tx.add_refresh_token(&RefreshToken { api_key_id: key.id, ..next })?;
    }
    Ok(found)
}

fn by_refresh(
    tx: &mut dyn Tx,
    sent: &Sent,
    next: RefreshToken,
    now: DateTime<Utc>,
) -> Result<Result<ApiKey, Denied>, StoreError> {
    let token = match sent.find_refresh_token(tx)? {
        Ok(token) => token,
        Err(denied) => return Ok(Err(denied)),
    };
    let Some(key) = tx.api_key(token.api_key_id)? else { return Ok(Err(Denied::of(Outcome::Unknown))) };
    let denied = |outcome| Ok(Err(Denied::of_key(outcome, &key)));
    if token.expires_at <= now {
        return denied(Outcome::Expired);
    }
    // Rows of console sessions belong to operator keys, which obtain no tokens.
    if !key.role.known().is_some_and(|role| role.obtains_tokens()) {
        return denied(Outcome::WrongRole);
    }
    if token.used_at.is_some() || !tx.use_refresh_token(&token.hash, now)? {
        tx.revoke_family(token.family)?;
        return denied(Outcome::Reused);
    }
    if tx.key_status(key.id)? == KeyStatus::Revoked {
        return denied(Outcome::Revoked);
    }
    tx.add_refresh_token(&RefreshToken { family: token.family, api_key_id: key.id, ..next })?;
    Ok(Ok(key))
}
