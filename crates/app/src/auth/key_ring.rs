use crate::App;
use crate::port::{KeyStanding, SigningKey, StoreError, Tx, read};
use chrono::{DateTime, Duration, Utc};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// How old what is remembered may be: a revocation takes effect within 5 s (decisions D2).
const FRESH: Duration = Duration::seconds(2);
/// A token that names an unknown signing key may be of one just made: then the keys are read anew, but
/// not more often than this.
const REREAD: Duration = Duration::milliseconds(250);
/// How many keys' standing is remembered.
const STANDINGS: usize = 10_000;

/// What authentication remembers, so that a request needs no query: signing keys, and which API keys
/// are good.
#[derive(Default)]
pub(crate) struct KeyRing {
    signing: RwLock<Option<(DateTime<Utc>, Arc<[SigningKey]>)>>,
    standings: RwLock<HashMap<i64, (DateTime<Utc>, KeyStanding)>>,
}

fn is_younger(read_at: DateTime<Utc>, now: DateTime<Utc>, than: Duration) -> bool {
    let age = now - read_at;
    age >= Duration::zero() && age < than
}

impl App {
    /// The signing key of an id, if it is remembered and not too old.
    pub(crate) fn remembered_signing_key(&self, kid: &str) -> Option<SigningKey> {
        find(&self.remembered_signing_keys(FRESH)?, kid)
    }

    fn remembered_signing_keys(&self, age: Duration) -> Option<Arc<[SigningKey]>> {
        let remembered = self.keys.signing.read().unwrap_or_else(PoisonError::into_inner);
        let (at, keys) = remembered.as_ref()?;
        is_younger(*at, self.clock.now(), age).then(|| keys.clone())
    }

    /// The signing key of an id.
    pub(crate) fn signing_key(&self, kid: &str) -> Result<Option<SigningKey>, StoreError> {
        if let Some(key) = self.remembered_signing_key(kid) {
            return Ok(Some(key));
        }
        if self.remembered_signing_keys(REREAD).is_some() {
            return Ok(None);
        }
        let now = self.clock.now();
        let keys: Arc<[SigningKey]> = read(&*self.store, |tx| tx.signing_keys())?.into();
        let key = find(&keys, kid);
        *self.keys.signing.write().unwrap_or_else(PoisonError::into_inner) = Some((now, keys));
        Ok(key)
    }

    /// Whether tokens of a key are good, if that is remembered and not too old.
    pub(crate) fn remembered_standing(&self, api_key_id: i64) -> Option<KeyStanding> {
        let remembered = self.keys.standings.read().unwrap_or_else(PoisonError::into_inner);
        let (at, standing) = remembered.get(&api_key_id)?;
        is_younger(*at, self.clock.now(), FRESH).then_some(*standing)
    }

    /// Whether tokens of a key are good; perhaps a little old.
    pub(crate) fn standing(&self, api_key_id: i64) -> Result<KeyStanding, StoreError> {
        if let Some(standing) = self.remembered_standing(api_key_id) {
            return Ok(standing);
        }
        let now = self.clock.now();
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

fn find(keys: &[SigningKey], kid: &str) -> Option<SigningKey> {
    keys.iter().find(|key| key.kid == kid).cloned()
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
