//! The keys that sign certificates. They belong to the installation.

use crate::App;
use crate::operator::{Audited, OperatorError};
use crate::port::{AuditAction, CertificateKey, Detail, StoreError, Tx, read_committed, write};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use cutover_core::Zone;
use cutover_model::certificate::{CertificateKeyShown, key_id};
use ring::signature::{Ed25519KeyPair, KeyPair};

/// A key as operators see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateKeyReport {
    /// Its id.
    pub key_id: String,
    /// The public key in base64.
    pub public_key: String,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time at which another key took its place.
    pub retired_at: Option<DateTime<Utc>>,
    /// True if certificates are signed with it.
    pub signs: bool,
}

/// Returns the pair of a key.
pub(super) fn pair(seed: &[u8; 32]) -> Result<Ed25519KeyPair, StoreError> {
    Ed25519KeyPair::from_seed_unchecked(seed)
        .map_err(|_| StoreError::Corrupt("a certificate key cannot be read".into()))
}

/// Stores a key as the newest one, even if the clock was ahead when the other keys were created.
fn add(tx: &mut dyn Tx, mut key: CertificateKey) -> Result<CertificateKey, StoreError> {
    if let Some(newest) = tx.certificate_keys()?.first() {
        key.created_at = key.created_at.max(newest.created_at + TimeDelta::microseconds(1));
    }
    tx.add_certificate_key(&key)?;
    Ok(key)
}

impl App {
    fn make_certificate_key(&self) -> Result<CertificateKey, StoreError> {
        let mut seed = [0; 32];
        self.random.fill(&mut seed);
        let pair = pair(&seed)?;
        let public_key = pair.public_key().as_ref();
        let unfit = |_| StoreError::Failed("a public key does not have 32 bytes".into());
        Ok(CertificateKey {
            key_id: key_id(public_key),
            public_key: public_key.try_into().map_err(unfit)?,
            secret: Ok(seed),
            created_at: self.clock.now(),
            retired_at: None,
        })
    }

    /// Returns the key that signs. Makes the first one, or another one if no process can read the newest.
    pub(crate) fn signing_certificate_key(&self) -> Result<CertificateKey, StoreError> {
        let newest = |tx: &mut dyn Tx| -> Result<Option<CertificateKey>, StoreError> {
            match tx.certificate_keys()?.into_iter().next() {
                Some(CertificateKey { secret: Err(error @ StoreError::KeyMissing(_)), .. }) => Err(error),
                newest => Ok(newest.filter(|key| key.secret.is_ok())),
            }
        };
        if let Some(key) = read_committed(&*self.store, newest)? {
            return Ok(key);
        }
        let fresh = self.make_certificate_key()?;
        write(&*self.store, move |tx| {
            tx.lock_suppliers()?;
            newest(tx)?.map_or_else(|| add(tx, fresh), Ok)
        })
    }

    /// Makes a new key, which signs from now on.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be stored.
    pub fn rotate_certificate_key(&self) -> Result<CertificateKeyReport, StoreError> {
        let fresh = self.make_certificate_key()?;
        let key = self.run_audited(&self.operator, AuditAction::CertificateKeyRotated, move |tx, _| {
            tx.lock_suppliers()?;
            let key = add(tx, fresh)?;
            let detail = Detail::default().word("key_id", &key.key_id);
            Ok::<_, StoreError>((key, Audited { detail, ..Audited::default() }))
        })?;
        Ok(report(key))
    }

    /// Returns every key, newest first.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn certificate_keys(&self) -> Result<Vec<CertificateKeyReport>, StoreError> {
        let keys = read_committed(&*self.store, |tx| tx.certificate_keys())?;
        Ok(keys.into_iter().map(report).collect())
    }

    /// Returns a key by its id; without one the key that signs.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none.
    pub fn certificate_key(&self, key_id: Option<&str>) -> Result<CertificateKeyReport, OperatorError> {
        let is_sought = |key: &CertificateKeyReport| key_id.map_or(key.signs, |id| key.key_id == id);
        let found = self.certificate_keys()?.into_iter().find(is_sought);
        found.ok_or_else(|| OperatorError::not_found("certificate key", key_id.unwrap_or("that signs")))
    }

    /// Returns the public keys for verifiers, newest first.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn public_certificate_keys(&self) -> Result<Vec<CertificateKeyShown>, StoreError> {
        let shown = |key: CertificateKeyReport| CertificateKeyShown {
            key_id: key.key_id,
            algorithm: "Ed25519",
            public_key: key.public_key,
            created_at: Zone::UTC.local(key.created_at).into(),
            retired_at: key.retired_at.map(|at| Zone::UTC.local(at).into()),
        };
        Ok(self.certificate_keys()?.into_iter().map(shown).collect())
    }
}

fn report(key: CertificateKey) -> CertificateKeyReport {
    CertificateKeyReport {
        public_key: BASE64_STANDARD.encode(key.public_key),
        signs: key.retired_at.is_none(),
        key_id: key.key_id,
        created_at: key.created_at,
        retired_at: key.retired_at,
    }
}
