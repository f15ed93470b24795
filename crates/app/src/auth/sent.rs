use super::{Denied, Outcome, digest};
use crate::port::{ApiKey, ApiKeyRole, KeyStatus, RefreshToken, StoreError, Tx};
use subtle::ConstantTimeEq;

/// A secret as it was sent, to be looked up by its hash.
#[derive(Clone)]
pub(super) struct Sent {
    hash: [u8; 32],
    /// The refusal if it is not found.
    unknown: Denied,
}

impl Sent {
    pub(super) fn api_key(text: &str) -> Self {
        Self { hash: digest(text), unknown: Denied::unknown_key(text) }
    }

    pub(super) fn refresh_token(text: &str) -> Self {
        Self { hash: digest(text), unknown: Denied::unknown_refresh_token(text) }
    }

    /// Returns the key, if it is in force and has a role that is permitted.
    pub(super) fn find_key(
        &self,
        tx: &mut dyn Tx,
        permits: fn(ApiKeyRole) -> bool,
    ) -> Result<Result<ApiKey, Denied>, StoreError> {
        let found = tx.api_key_by_hash(&self.hash)?.filter(|key| key.hash.ct_eq(&self.hash).into());
        let Some(key) = found else { return Ok(Err(self.unknown_key(tx)?)) };
        if tx.key_status(key.id)? == KeyStatus::Revoked {
            return Ok(Err(Denied::of_key(Outcome::Revoked, &key)));
        }
        let is_permitted = key.role.known().is_some_and(|role| permits(*role));
        Ok(if is_permitted { Ok(key) } else { Err(Denied::of_key(Outcome::WrongRole, &key)) })
    }

    /// Returns the refusal of a text that is no key of ours: its public part may be that of one, which has to be recorded.
    fn unknown_key(&self, tx: &mut dyn Tx) -> Result<Denied, StoreError> {
        let Some(prefix) = &self.unknown.key_prefix else { return Ok(self.unknown.clone()) };
        let key = tx.api_key_by_prefix(prefix)?;
        Ok(key.map_or_else(|| self.unknown.clone(), |key| Denied::of_key(Outcome::WrongSecret, &key)))
    }

    /// Returns the refresh token, used or not.
    pub(super) fn find_refresh_token(
        &self,
        tx: &mut dyn Tx,
    ) -> Result<Result<RefreshToken, Denied>, StoreError> {
        let found = tx.refresh_token(&self.hash)?.filter(|token| token.hash.ct_eq(&self.hash).into());
        Ok(found.ok_or_else(|| self.unknown.clone()))
    }
}
