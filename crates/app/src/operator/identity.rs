use super::{Audited, Operations, OperatorError};
use crate::App;
use crate::auth::{add_newest, api_key, digest};
use crate::port::{
    ApiKey, ApiKeyRole, AuditAction, Detail, NewApiKey, Organisation, SigningKey, StoreError, Subject, read,
};

/// A newly issued key, which is shown only once.
pub struct IssuedKey {
    /// The whole key.
    pub key: String,
    /// The public part of the key.
    pub prefix: String,
    /// Its role.
    pub role: ApiKeyRole,
}

impl App {
    /// Adds an organisation.
    ///
    /// # Errors
    /// [`OperatorError::Exists`] if the name is taken, [`OperatorError::Refused`] if it is blank.
    pub fn add_organisation(&self, name: &str) -> Result<Organisation, OperatorError> {
        let name = name.trim().to_owned();
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(OperatorError::Refused(
                "the organisation's name is blank or has control characters".into(),
            ));
        }
        self.run_audited(&self.operator, AuditAction::OrganisationAdded, move |tx, clock| {
            let added = tx.add_organisation(&name, clock.now())?;
            let added = added.ok_or(OperatorError::Exists { what: "organisation", name })?;
            let audited = Audited::of(Subject::organisation(added.id));
            Ok((added, audited))
        })
    }

    /// Creates a new signing key. The old ones verify until their last token has expired.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be stored.
    pub fn rotate_signing_key(&self) -> Result<SigningKey, StoreError> {
        let key = self.make_signing_key();
        let key = self.run_audited(&self.operator, AuditAction::SigningKeyRotated, move |tx, _| {
            let key = add_newest(tx, key)?;
            let audited = audited_signing_key(&key.kid);
            Ok::<_, StoreError>((key, audited))
        })?;
        self.forget_signing_keys();
        Ok(key)
    }

    /// Removes a signing key. Every token and session that it has signed becomes invalid within 5 s on every
    /// node. Returns the key that signs from now on, a new one if the newest was removed.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this id.
    pub fn revoke_signing_key(&self, kid: &str) -> Result<SigningKey, OperatorError> {
        let (kid, spare) = (kid.to_owned(), self.make_signing_key());
        let signs = self.run_audited(&self.operator, AuditAction::SigningKeyRevoked, move |tx, _| {
            let newest = tx.signing_keys()?.into_iter().next();
            let newest = newest.ok_or_else(|| OperatorError::not_found("signing key", &kid))?;
            // Stored before the old one is removed, so that it is newer.
            let signs = if newest.kid == kid { add_newest(tx, spare)? } else { newest };
            match tx.remove_signing_key(&kid)? {
                true => Ok((signs, audited_signing_key(&kid))),
                false => Err(OperatorError::not_found("signing key", kid)),
            }
        })?;
        self.forget_signing_keys();
        Ok(signs)
    }

    /// Returns every signing key, newest first.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn list_signing_keys(&self) -> Result<Vec<SigningKey>, StoreError> {
        read(&*self.store, |tx| tx.signing_keys())
    }
}

impl Operations<'_> {
    /// Returns the organisations, by name.
    ///
    /// # Errors
    /// [`OperatorError::Store`] if they could not be read.
    pub fn organisations(&self) -> Result<Vec<Organisation>, OperatorError> {
        self.read(|tx| Ok(tx.organisations()?))
    }

    /// Revokes an organisation. Its keys and tokens become invalid within 5 s.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this name that is not revoked.
    pub fn revoke_organisation(&self, name: &str) -> Result<(), OperatorError> {
        let name = name.to_owned();
        self.act(AuditAction::OrganisationRevoked, move |tx, clock| {
            let revoked = tx.revoke_organisation(&name, clock.now())?;
            let revoked = revoked.ok_or_else(|| OperatorError::not_found("organisation in force", name))?;
            Ok(((), Audited::of(Subject::organisation(revoked.id))))
        })
    }

    /// Issues an API key.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such organisation, [`OperatorError::Refused`] if it is
    /// revoked.
    pub fn issue_api_key(&self, organisation: &str, role: ApiKeyRole) -> Result<IssuedKey, OperatorError> {
        let (key, prefix) = api_key(&*self.app.random);
        let hash = digest(&key);
        let (organisation, shown) = (organisation.to_owned(), prefix.clone());
        self.act(AuditAction::KeyIssued, move |tx, clock| {
            let owner = tx.organisation(&organisation)?;
            if owner.revoked_at.is_some() {
                return Err(OperatorError::Refused(format!("the organisation {organisation:?} is revoked")));
            }
            let detail = Detail::default().word("prefix", &shown).word("role", role);
            let created_at = clock.now();
            let new = NewApiKey { organisation_id: owner.id, prefix: shown, hash, role, created_at };
            tx.add_api_key(&new)?;
            Ok(((), Audited { subject: Subject::organisation(owner.id), detail }))
        })?;
        Ok(IssuedKey { key, prefix, role })
    }

    /// Returns the API keys, oldest first, without the keys themselves.
    ///
    /// # Errors
    /// [`OperatorError::Store`] if they could not be read.
    pub fn api_keys(&self) -> Result<Vec<ApiKey>, OperatorError> {
        self.read(|tx| Ok(tx.api_keys()?))
    }

    /// Revokes an API key. Its tokens become invalid within 5 s.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this prefix that is not revoked.
    pub fn revoke_api_key(&self, prefix: &str) -> Result<(), OperatorError> {
        let prefix = prefix.to_owned();
        self.act(AuditAction::KeyRevoked, move |tx, clock| {
            let Some(revoked) = tx.revoke_api_key(&prefix, clock.now())? else {
                return Err(OperatorError::not_found("key in force with the prefix", prefix));
            };
            let subject = Subject::organisation(revoked.organisation_id);
            Ok(((), Audited { subject, detail: Detail::default().word("prefix", prefix) }))
        })
    }
}

/// Returns the audit entry for a signing key.
fn audited_signing_key(kid: &str) -> Audited {
    Audited { detail: Detail::default().word("kid", kid), ..Audited::default() }
}
