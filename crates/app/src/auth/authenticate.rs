use super::secret::public_part;
use super::sent::Sent;
use super::{AuthError, Caller, Claims, Denied, Outcome};
use crate::App;
use crate::port::{KeyStatus, read};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};

impl App {
    /// Returns the caller of an access token (contract D2). Checks signature, algorithm, audience, times, and
    /// that its key and organisation are not revoked.
    ///
    /// # Errors
    /// [`AuthError::Invalid`] for every invalid token.
    pub fn authenticate(&self, token: &str) -> Result<Caller, AuthError> {
        let kid = decode_header(token).ok().and_then(|header| header.kid);
        let kid = kid.ok_or_else(|| Denied::malformed_token(token))?;
        let unknown = || Denied::of(Outcome::Unknown);
        let key = self.signing_key(&kid)?.ok_or_else(unknown)?;
        // A cached signature needs no secret, which may be encrypted with another key by now.
        let claims = match self.cached_token(token) {
            Some(seen) if seen.kid == kid => seen.claims.clone(),
            _ => self.verified(token, key.secret()?).ok_or_else(unknown)?,
        };
        let status = self.key_status(claims.sub_id().ok_or_else(|| Denied::of(Outcome::Malformed))?)?;
        let caller = self.admit(&claims, status)?;
        self.cache_token(token, kid, claims);
        Ok(caller)
    }

    /// Authenticates a token from the cache: returns `None` if the token, its signing key or its API key's
    /// status is not cached. Neither blocks nor verifies the signature again.
    pub fn authenticate_from_memory(&self, token: &str) -> Option<Result<Caller, AuthError>> {
        let seen = self.cached_token(token)?;
        self.cached_signing_key(&seen.kid)?;
        let status = self.cached_key_status(seen.claims.sub_id()?)?;
        Some(self.admit(&seen.claims, status))
    }

    /// Returns the caller of an API key or of an access token, whatever its role (decision 0068).
    ///
    /// # Errors
    /// [`AuthError::Invalid`] if it is neither, or not in force.
    pub fn authenticate_key(&self, key_or_token: &str) -> Result<Caller, AuthError> {
        if public_part(key_or_token).is_none() {
            return self.authenticate(key_or_token);
        }
        let sent = Sent::api_key(key_or_token);
        let key = read(&*self.store, |tx| sent.find_key(tx, |_| true))??;
        // A role of a newer version permits nothing here.
        let Some(role) = key.role.known().copied() else {
            return Err(Denied::of_key(Outcome::WrongRole, &key).into());
        };
        let (organisation_id, api_key_id) = (key.organisation_id, key.id);
        Ok(Caller { organisation_id, api_key_id, key_prefix: key.prefix, role })
    }

    /// Returns the caller if the claims of a verified token are valid now.
    fn admit(&self, claims: &Claims, status: KeyStatus) -> Result<Caller, AuthError> {
        let now = self.clock.now().timestamp();
        let is_current = claims.nbf <= now && now < claims.exp;
        // A role of a newer version permits nothing here.
        let caller = claims.caller().ok_or_else(|| Denied::of(Outcome::WrongRole))?;
        match status {
            _ if !is_current => Err(Denied::of_caller(Outcome::Expired, &caller).into()),
            KeyStatus::Revoked => Err(Denied::of_caller(Outcome::Revoked, &caller).into()),
            KeyStatus::Good => Ok(caller),
        }
    }

    /// Verifies signature, audience and issuer of a token and returns its claims. Does not check their times.
    fn verified(&self, token: &str, secret: &[u8; 32]) -> Option<Claims> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_audience(&[Claims::AUDIENCE]);
        validation.set_issuer(&[Claims::ISSUER]);
        validation.set_required_spec_claims(&["exp", "nbf", "aud", "iss", "sub"]);
        // Times are compared with the clock of the ports, which tests can set.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        Some(decode(token, &DecodingKey::from_secret(secret), &validation).ok()?.claims)
    }
}
