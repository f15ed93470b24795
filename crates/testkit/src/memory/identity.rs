use super::{State, next_id};
use chrono::{DateTime, Utc};
use cutover_app::port::{
    ApiKey, Identity, KeyStatus, NewApiKey, Organisation, RefreshToken, SigningKey, StoreError,
};

impl State {
    fn organisation_of(&self, id: i64) -> Option<&Organisation> {
        self.organisations.iter().find(|organisation| organisation.id == id)
    }

    fn in_force(&self, key: &ApiKey) -> bool {
        self.organisation_of(key.organisation_id).is_some_and(|owner| owner.revoked_at.is_none())
    }
}

impl Identity for State {
    fn add_organisation(
        &mut self,
        name: &str,
        at: DateTime<Utc>,
    ) -> Result<Option<Organisation>, StoreError> {
        if self.organisation(name)?.is_some() {
            return Ok(None);
        }
        let id = next_id(self.organisations.len());
        let organisation = Organisation { id, name: name.to_owned(), created_at: at, revoked_at: None };
        self.organisations.push(organisation.clone());
        Ok(Some(organisation))
    }

    fn organisation(&mut self, name: &str) -> Result<Option<Organisation>, StoreError> {
        Ok(self.organisations.iter().find(|organisation| organisation.name == name).cloned())
    }

    fn organisations(&mut self) -> Result<Vec<Organisation>, StoreError> {
        let mut all = self.organisations.clone();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    fn revoke_organisation(&mut self, name: &str, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let mut in_force = self.organisations.iter_mut().filter(|o| o.name == name && o.revoked_at.is_none());
        Ok(in_force.next().map(|organisation| organisation.revoked_at = Some(at)).is_some())
    }

    fn add_api_key(&mut self, key: &NewApiKey) -> Result<ApiKey, StoreError> {
        if self.api_keys.iter().any(|other| other.hash == key.hash || other.prefix == key.prefix) {
            return Err(StoreError::Conflict("the key exists".into()));
        }
        let owner = self.organisation_of(key.organisation_id);
        let owner = owner.ok_or_else(|| StoreError::Conflict("there is no such organisation".into()))?;
        let key = ApiKey {
            id: next_id(self.api_keys.len()),
            organisation_id: key.organisation_id,
            organisation: owner.name.clone(),
            prefix: key.prefix.clone(),
            hash: key.hash,
            role: key.role.into(),
            created_at: key.created_at,
            revoked_at: None,
        };
        self.api_keys.push(key.clone());
        Ok(key)
    }

    fn api_key_by_hash(&mut self, hash: &[u8; 32]) -> Result<Option<ApiKey>, StoreError> {
        Ok(self.api_keys.iter().find(|key| key.hash == *hash).cloned())
    }

    fn api_key_by_prefix(&mut self, prefix: &str) -> Result<Option<ApiKey>, StoreError> {
        Ok(self.api_keys.iter().find(|key| key.prefix == prefix).cloned())
    }

    fn api_key(&mut self, id: i64) -> Result<Option<ApiKey>, StoreError> {
        Ok(self.api_keys.iter().find(|key| key.id == id).cloned())
    }

    fn api_keys(&mut self) -> Result<Vec<ApiKey>, StoreError> {
        let mut all = self.api_keys.clone();
        all.sort_by_key(|key| key.created_at);
        Ok(all)
    }

    fn revoke_api_key(&mut self, prefix: &str, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let mut in_force =
            self.api_keys.iter_mut().filter(|key| key.prefix == prefix && key.revoked_at.is_none());
        Ok(in_force.next().map(|key| key.revoked_at = Some(at)).is_some())
    }

    fn key_status(&mut self, api_key_id: i64) -> Result<KeyStatus, StoreError> {
        let key = self.api_keys.iter().find(|key| key.id == api_key_id);
        let good = key.is_some_and(|key| key.revoked_at.is_none() && self.in_force(key));
        Ok(if good { KeyStatus::Good } else { KeyStatus::Revoked })
    }

    fn add_refresh_token(&mut self, token: &RefreshToken) -> Result<(), StoreError> {
        self.refresh_tokens.insert(token.hash, token.clone());
        Ok(())
    }

    fn refresh_token(&mut self, hash: &[u8; 32]) -> Result<Option<RefreshToken>, StoreError> {
        Ok(self.refresh_tokens.get(hash).cloned())
    }

    fn use_refresh_token(&mut self, hash: &[u8; 32], at: DateTime<Utc>) -> Result<bool, StoreError> {
        let unused = self.refresh_tokens.get_mut(hash).filter(|token| token.used_at.is_none());
        Ok(unused.map(|token| token.used_at = Some(at)).is_some())
    }

    fn revoke_family(&mut self, family: i64) -> Result<(), StoreError> {
        self.refresh_tokens.retain(|_, token| token.family != family);
        Ok(())
    }

    fn remove_expired_tokens(&mut self, before: DateTime<Utc>) -> Result<usize, StoreError> {
        let all = self.refresh_tokens.len();
        self.refresh_tokens.retain(|_, token| token.expires_at >= before);
        Ok(all - self.refresh_tokens.len())
    }

    fn add_signing_key(&mut self, key: &SigningKey) -> Result<(), StoreError> {
        if self.signing_keys.iter().any(|other| other.kid == key.kid) {
            return Err(StoreError::Conflict("the signing key exists".into()));
        }
        self.signing_keys.push(key.clone());
        self.signing_keys.sort_by(|a, b| (b.created_at, &b.kid).cmp(&(a.created_at, &a.kid)));
        Ok(())
    }

    fn signing_keys(&mut self) -> Result<Vec<SigningKey>, StoreError> {
        Ok(self.signing_keys.clone())
    }

    fn remove_signing_key(&mut self, kid: &str) -> Result<bool, StoreError> {
        let all = self.signing_keys.len();
        self.signing_keys.retain(|key| key.kid != kid);
        Ok(self.signing_keys.len() < all)
    }

    fn remove_signing_keys_superseded_before(&mut self, before: DateTime<Utc>) -> Result<usize, StoreError> {
        let all = self.signing_keys.len();
        let superseded = self.signing_keys.iter().position(|key| key.created_at < before);
        self.signing_keys.truncate(superseded.map_or(all, |newest| newest + 1));
        Ok(all - self.signing_keys.len())
    }
}
