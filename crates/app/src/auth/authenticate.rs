use super::Claims;
use crate::App;
use crate::port::{KeyStatus, StoreError};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};

/// Who a request is from, by its access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The organisation it acts for.
    pub organisation_id: i64,
    /// The key that its token was obtained with.
    pub api_key_id: i64,
    /// The part of the key that lists show.
    pub key_prefix: String,
}

/// Why a token was not taken.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// Malformed, expired, not signed by us, or revoked: all the same to the caller.
    #[error("the token is not valid")]
    Invalid,
    /// Whether it is good could not be found out.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl App {
    /// The caller of an access token (contract D2): signature, algorithm, audience, times, and that
    /// its key and organisation are not revoked.
    ///
    /// # Errors
    /// [`AuthError::Invalid`] for a token that is not good, for whatever cause.
    pub fn authenticate(&self, token: &str) -> Result<Caller, AuthError> {
        let kid = decode_header(token).ok().and_then(|header| header.kid).ok_or(AuthError::Invalid)?;
        let key = self.signing_key(&kid)?.ok_or(AuthError::Invalid)?;
        // A signature that was found good needs no secret, which may have been sealed with another key
        // meanwhile.
        let claims = match self.remembered_token(token) {
            Some(seen) if seen.kid == kid => seen.claims.clone(),
            _ => self.verified(token, key.secret()?).ok_or(AuthError::Invalid)?,
        };
        let standing = self.standing(claims.sub_id().ok_or(AuthError::Invalid)?)?;
        let caller = self.admit(&claims, standing)?;
        self.remember_token(token, kid, claims);
        Ok(caller)
    }

    /// What [`authenticate`](Self::authenticate) answers, if that can be said at once: the token was seen
    /// before, and its keys were asked for lately. Neither blocks nor verifies the signature again.
    pub fn authenticate_from_memory(&self, token: &str) -> Option<Result<Caller, AuthError>> {
        let seen = self.remembered_token(token)?;
        self.remembered_signing_key(&seen.kid)?;
        let standing = self.remembered_standing(seen.claims.sub_id()?)?;
        Some(self.admit(&seen.claims, standing))
    }

    /// The caller, if the claims of a verified token are good now.
    fn admit(&self, claims: &Claims, standing: KeyStatus) -> Result<Caller, AuthError> {
        let now = self.clock.now().timestamp();
        let is_current = claims.nbf <= now && now < claims.exp;
        let good = standing == KeyStatus::Good && is_current;
        good.then(|| claims.caller()).flatten().ok_or(AuthError::Invalid)
    }

    /// The claims of a token that was signed with the secret for us; their times are not looked at.
    fn verified(&self, token: &str, secret: &[u8; 32]) -> Option<Claims> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_audience(&[Claims::AUDIENCE]);
        validation.set_issuer(&[Claims::ISSUER]);
        validation.set_required_spec_claims(&["exp", "nbf", "aud", "iss", "sub"]);
        // Times are compared with our clock, which tests can set.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        Some(decode(token, &DecodingKey::from_secret(secret), &validation).ok()?.claims)
    }
}
