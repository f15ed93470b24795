use super::{Claims, digest};
use crate::App;
use crate::port::{KeyStatus, SigningKey, StoreError, Tx, read};
use chrono::{DateTime, Duration, TimeDelta, Utc};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Maximum age of cached entries: a revocation takes effect within 5 s (contract D2).
const MAX_AGE: Duration = Duration::seconds(2);
/// Minimum interval between reads of the signing keys for unknown ids: another node may have just created the
/// key.
const MIN_REREAD: Duration = Duration::milliseconds(250);
/// Maximum number of cached tokens, and of cached key statuses.
const MAX_CACHED: usize = 10_000;

/// Cache of authentication, so that a request needs no query and no cryptography: signing keys, the status of
/// API keys, and tokens by their digest.
#[derive(Default)]
pub(crate) struct KeyRing {
    signing: RwLock<Option<Dated<Arc<[SigningKey]>>>>,
    /// Time of the last read for an unknown id.
    sought: Mutex<Option<DateTime<Utc>>>,
    statuses: RwLock<HashMap<i64, Dated<KeyStatus>>>,
    tokens: RwLock<HashMap<[u8; 32], Arc<CachedToken>>>,
}

/// A value with the time of its read.
type Dated<T> = (DateTime<Utc>, T);

/// A token with a verified signature. Its times and its keys are checked by each request.
pub(crate) struct CachedToken {
    /// The id of its signing key.
    pub(crate) kid: String,
    /// Its claims.
    pub(crate) claims: Claims,
}

fn insert_bounded<K: Hash + Eq, V>(map: &mut HashMap<K, V>, key: K, value: V) {
    if map.len() >= MAX_CACHED {
        map.clear();
    }
    map.insert(key, value);
}

fn is_younger(read_at: DateTime<Utc>, now: DateTime<Utc>, than: Duration) -> bool {
    let age = now - read_at;
    age >= Duration::zero() && age < than
}

impl App {
    /// Returns the signing key with this id from the cache.
    pub(crate) fn cached_signing_key(&self, kid: &str) -> Option<SigningKey> {
        find(&self.cached_signing_keys()?, kid)
    }

    fn cached_signing_keys(&self) -> Option<Arc<[SigningKey]>> {
        let cached = self.keys.signing.read().unwrap_or_else(PoisonError::into_inner);
        let (at, keys) = cached.as_ref()?;
        is_younger(*at, self.clock.now(), MAX_AGE).then(|| keys.clone())
    }

    fn read_signing_keys(&self) -> Result<Arc<[SigningKey]>, StoreError> {
        let now = self.clock.now();
        let keys: Arc<[SigningKey]> = read(&*self.store, |tx| tx.signing_keys())?.into();
        *self.keys.signing.write().unwrap_or_else(PoisonError::into_inner) = Some((now, keys.clone()));
        Ok(keys)
    }

    /// Returns the signing key with this id.
    pub(crate) fn signing_key(&self, kid: &str) -> Result<Option<SigningKey>, StoreError> {
        match self.cached_signing_keys() {
            Some(keys) => find(&keys, kid).map_or_else(|| self.look_up_unknown(kid), |key| Ok(Some(key))),
            None => Ok(find(&self.read_signing_keys()?, kid)),
        }
    }

    /// Returns the newest signing key, for tokens that need no transaction; `None` if there is none or it is
    /// lost.
    pub(crate) fn newest_signing_key(&self) -> Result<Option<SigningKey>, StoreError> {
        let keys = self.cached_signing_keys().map_or_else(|| self.read_signing_keys(), Ok)?;
        Ok(keys.first().filter(|key| !key.is_gone()).cloned())
    }

    /// Checks that this process has the encryption keys of all signing keys.
    pub(crate) fn check_signing_keys(&self) -> Result<(), StoreError> {
        let keys = self.cached_signing_keys().map_or_else(|| self.read_signing_keys(), Ok)?;
        keys.iter().filter(|key| !key.is_gone()).try_for_each(|key| key.secret().map(|_| ()))
    }

    /// Looks up a signing key that is not cached. Rate-limited, one request at a time, so that made-up tokens
    /// cost the store next to nothing.
    fn look_up_unknown(&self, kid: &str) -> Result<Option<SigningKey>, StoreError> {
        let mut sought = self.keys.sought.lock().unwrap_or_else(PoisonError::into_inner);
        // Another request may have found it while this one waited for the lock.
        let found = self.cached_signing_key(kid);
        let is_recent = sought.is_some_and(|at| is_younger(at, self.clock.now(), MIN_REREAD));
        if found.is_some() || is_recent {
            return Ok(found);
        }
        let keys = self.read_signing_keys();
        *sought = Some(self.clock.now());
        Ok(find(&keys?, kid))
    }

    /// Returns the status of an API key from the cache.
    pub(crate) fn cached_key_status(&self, api_key_id: i64) -> Option<KeyStatus> {
        let cached = self.keys.statuses.read().unwrap_or_else(PoisonError::into_inner);
        let (at, status) = cached.get(&api_key_id)?;
        is_younger(*at, self.clock.now(), MAX_AGE).then_some(*status)
    }

    /// Returns the status of an API key, which may be cached.
    pub(crate) fn key_status(&self, api_key_id: i64) -> Result<KeyStatus, StoreError> {
        if let Some(status) = self.cached_key_status(api_key_id) {
            return Ok(status);
        }
        let now = self.clock.now();
        let status = read(&*self.store, |tx| tx.key_status(api_key_id))?;
        let mut cached = self.keys.statuses.write().unwrap_or_else(PoisonError::into_inner);
        insert_bounded(&mut cached, api_key_id, (now, status));
        Ok(status)
    }

    /// Returns a token from the cache.
    pub(crate) fn cached_token(&self, token: &str) -> Option<Arc<CachedToken>> {
        self.keys.tokens.read().unwrap_or_else(PoisonError::into_inner).get(&digest(token)).cloned()
    }

    /// Caches a token whose signature was verified.
    pub(crate) fn cache_token(&self, token: &str, kid: String, claims: Claims) {
        let mut tokens = self.keys.tokens.write().unwrap_or_else(PoisonError::into_inner);
        insert_bounded(&mut tokens, digest(token), Arc::new(CachedToken { kid, claims }));
    }

    /// Drops the cached signing keys.
    pub(crate) fn forget_signing_keys(&self) {
        *self.keys.signing.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Finds the key with this id. A lost key verifies nothing, so it is not found.
fn find(keys: &[SigningKey], kid: &str) -> Option<SigningKey> {
    keys.iter().find(|key| key.kid == kid && !key.is_gone()).cloned()
}

/// Returns the newest signing key, or stores and returns `fresh` if there is none or it is lost.
///
/// # Errors
/// [`StoreError::KeyMissing`] if this process lacks the encryption key of the newest one.
pub(crate) fn signer(tx: &mut dyn Tx, fresh: SigningKey) -> Result<SigningKey, StoreError> {
    match tx.signing_keys()?.into_iter().next() {
        Some(newest) if newest.is_gone() => add_newest(tx, fresh),
        Some(SigningKey { secret: Err(error), .. }) => Err(error),
        Some(newest) => Ok(newest),
        None => add_newest(tx, fresh),
    }
}

/// Stores a signing key as the newest, even if the clock was ahead when the other keys were created.
pub(crate) fn add_newest(tx: &mut dyn Tx, mut key: SigningKey) -> Result<SigningKey, StoreError> {
    if let Some(newest) = tx.signing_keys()?.first() {
        key.created_at = key.created_at.max(newest.created_at + TimeDelta::microseconds(1));
    }
    tx.add_signing_key(&key)?;
    Ok(key)
}

impl App {
    /// Creates a signing key without storing it.
    pub(crate) fn make_signing_key(&self) -> SigningKey {
        let mut secret = [0; 32];
        self.random.fill(&mut secret);
        let kid = format!("{:016x}", self.random.number());
        SigningKey { kid, secret: Ok(secret), created_at: self.clock.now() }
    }
}
