use crate::App;
use crate::port::{KeyStanding, SigningKey, StoreError, Tx, read};
use chrono::{DateTime, Duration, Utc};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// How old what is remembered may be: a revocation takes effect within 5 s (decisions D2).
const FRESH: Duration = Duration::seconds(2);
/// How many keys' standing is remembered.
const STANDINGS: usize = 10_000;

/// What authentication remembers, so that a request needs no query: signing keys, and which API keys
/// are good.
#[derive(Default)]
pub(crate) struct KeyRing {
    signing: RwLock<Option<(DateTime<Utc>, Arc<[SigningKey]>)>>,
    standings: RwLock<HashMap<i64, (DateTime<Utc>, KeyStanding)>>,
}

fn is_fresh(read_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    let age = now - read_at;
    age >= Duration::zero() && age < FRESH
}

impl App {
    /// Every signing key, newest first; perhaps a little old.
    pub(crate) fn signing_keys(&self) -> Result<Arc<[SigningKey]>, StoreError> {
        let now = self.clock.now();
        if let Some((at, keys)) = &*self.keys.signing.read().unwrap_or_else(PoisonError::into_inner)
            && is_fresh(*at, now)
        {
            return Ok(keys.clone());
        }
        let keys: Arc<[SigningKey]> = read(&*self.store, |tx| tx.signing_keys())?.into();
        *self.keys.signing.write().unwrap_or_else(PoisonError::into_inner) = Some((now, keys.clone()));
        Ok(keys)
    }

    /// Whether tokens of a key are good; perhaps a little old.
    pub(crate) fn standing(&self, api_key_id: i64) -> Result<KeyStanding, StoreError> {
        let now = self.clock.now();
        let remembered = self.keys.standings.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, standing)) = remembered.get(&api_key_id)
            && is_fresh(*at, now)
        {
            return Ok(*standing);
        }
        drop(remembered);
        let standing = read(&*self.store, |tx| tx.key_standing(api_key_id))?;
        let mut remembered = self.keys.standings.write().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= STANDINGS {
            remembered.clear();
        }
        remembered.insert(api_key_id, (now, standing));
        Ok(standing)
    }

    /// Forgets the signing keys: there is a new one.
    pub(crate) fn forget_signing_keys(&self) {
        *self.keys.signing.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The key that signs: the newest, or the first one if there is none yet.
pub(crate) fn signer(tx: &mut dyn Tx, fresh: SigningKey) -> Result<SigningKey, StoreError> {
    match tx.signing_keys()?.into_iter().next() {
        Some(newest) => Ok(newest),
        None => {
            tx.add_signing_key(&fresh)?;
            Ok(fresh)
        }
    }
}

impl App {
    /// A new signing key, not yet stored.
    pub(crate) fn make_signing_key(&self) -> SigningKey {
        let mut secret = [0; 32];
        self.random.fill(&mut secret);
        SigningKey { kid: format!("{:016x}", self.random.number()), secret, created_at: self.clock.now() }
    }
}
