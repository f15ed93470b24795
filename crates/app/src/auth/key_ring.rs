use super::{Claims, digest};
use crate::App;
use crate::port::{KeyStatus, SigningKey, StoreError, Tx, read};
use chrono::{DateTime, Duration, TimeDelta, Utc};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// How old what is remembered may be: a revocation takes effect within 5 s (contract D2).
const FRESH: Duration = Duration::seconds(2);
/// A token that names an unknown signing key may be of one just made, by another node: then the keys are read
/// anew whatever their age, but not more often than this.
const REREAD: Duration = Duration::milliseconds(250);
/// How many tokens, and how many keys' standing, are remembered.
const REMEMBERED: usize = 10_000;

/// What authentication remembers, so that a request needs no query and no cryptography: signing keys,
/// which API keys are good, and tokens by their digest.
#[derive(Default)]
pub(crate) struct KeyRing {
    signing: RwLock<Option<Dated<Arc<[SigningKey]>>>>,
    /// When they were last read for one that was not among them.
    sought: Mutex<Option<DateTime<Utc>>>,
    standings: RwLock<HashMap<i64, Dated<KeyStatus>>>,
    tokens: RwLock<HashMap<[u8; 32], Arc<SeenToken>>>,
}

/// What was read, and when.
type Dated<T> = (DateTime<Utc>, T);

/// A token whose signature was found good. Its times and its keys are looked at each time.
pub(crate) struct SeenToken {
    /// The signing key that it names.
    pub(crate) kid: String,
    /// What it says.
    pub(crate) claims: Claims,
}

fn insert_bounded<K: Hash + Eq, V>(map: &mut HashMap<K, V>, key: K, value: V) {
    if map.len() >= REMEMBERED {
        map.clear();
    }
    map.insert(key, value);
}

fn is_younger(read_at: DateTime<Utc>, now: DateTime<Utc>, than: Duration) -> bool {
    let age = now - read_at;
    age >= Duration::zero() && age < than
}

impl App {
    /// The signing key of an id, if it is remembered and not too old.
    pub(crate) fn remembered_signing_key(&self, kid: &str) -> Option<SigningKey> {
        find(&self.remembered_signing_keys()?, kid)
    }

    fn remembered_signing_keys(&self) -> Option<Arc<[SigningKey]>> {
        let remembered = self.keys.signing.read().unwrap_or_else(PoisonError::into_inner);
        let (at, keys) = remembered.as_ref()?;
        is_younger(*at, self.clock.now(), FRESH).then(|| keys.clone())
    }

    fn read_signing_keys(&self) -> Result<Arc<[SigningKey]>, StoreError> {
        let now = self.clock.now();
        let keys: Arc<[SigningKey]> = read(&*self.store, |tx| tx.signing_keys())?.into();
        *self.keys.signing.write().unwrap_or_else(PoisonError::into_inner) = Some((now, keys.clone()));
        Ok(keys)
    }

    /// The signing key of an id.
    pub(crate) fn signing_key(&self, kid: &str) -> Result<Option<SigningKey>, StoreError> {
        match self.remembered_signing_keys() {
            Some(keys) => find(&keys, kid).map_or_else(|| self.seek(kid), |key| Ok(Some(key))),
            None => Ok(find(&self.read_signing_keys()?, kid)),
        }
    }

    /// The key that signs what needs no transaction; `None` if there is none yet, or nobody can read it any
    /// more.
    pub(crate) fn newest_signing_key(&self) -> Result<Option<SigningKey>, StoreError> {
        let keys = self.remembered_signing_keys().map_or_else(|| self.read_signing_keys(), Ok)?;
        Ok(keys.first().filter(|key| !key.is_gone()).cloned())
    }

    /// Checks that this process lacks no encryption key that a signing key is sealed with.
    pub(crate) fn check_signing_keys(&self) -> Result<(), StoreError> {
        let keys = self.remembered_signing_keys().map_or_else(|| self.read_signing_keys(), Ok)?;
        keys.iter().filter(|key| !key.is_gone()).try_for_each(|key| key.secret().map(|_| ()))
    }

    /// A signing key that is not among those remembered. One request seeks at a time, and seldom: tokens that
    /// anybody made up cost the store next to nothing.
    fn seek(&self, kid: &str) -> Result<Option<SigningKey>, StoreError> {
        let mut sought = self.keys.sought.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever was waited for may have found it.
        let found = self.remembered_signing_key(kid);
        let is_recent = sought.is_some_and(|at| is_younger(at, self.clock.now(), REREAD));
        if found.is_some() || is_recent {
            return Ok(found);
        }
        let keys = self.read_signing_keys();
        *sought = Some(self.clock.now());
        Ok(find(&keys?, kid))
    }

    /// Whether tokens of a key are good, if that is remembered and not too old.
    pub(crate) fn remembered_standing(&self, api_key_id: i64) -> Option<KeyStatus> {
        let remembered = self.keys.standings.read().unwrap_or_else(PoisonError::into_inner);
        let (at, standing) = remembered.get(&api_key_id)?;
        is_younger(*at, self.clock.now(), FRESH).then_some(*standing)
    }

    /// Whether tokens of a key are good; perhaps a little old.
    pub(crate) fn standing(&self, api_key_id: i64) -> Result<KeyStatus, StoreError> {
        if let Some(standing) = self.remembered_standing(api_key_id) {
            return Ok(standing);
        }
        let now = self.clock.now();
        let standing = read(&*self.store, |tx| tx.key_status(api_key_id))?;
        let mut remembered = self.keys.standings.write().unwrap_or_else(PoisonError::into_inner);
        insert_bounded(&mut remembered, api_key_id, (now, standing));
        Ok(standing)
    }

    /// A token whose signature was found good before.
    pub(crate) fn remembered_token(&self, token: &str) -> Option<Arc<SeenToken>> {
        self.keys.tokens.read().unwrap_or_else(PoisonError::into_inner).get(&digest(token)).cloned()
    }

    /// Remembers a token whose signature was found good.
    pub(crate) fn remember_token(&self, token: &str, kid: String, claims: Claims) {
        let mut tokens = self.keys.tokens.write().unwrap_or_else(PoisonError::into_inner);
        insert_bounded(&mut tokens, digest(token), Arc::new(SeenToken { kid, claims }));
    }

    /// Forgets the signing keys: there is a new one.
    pub(crate) fn forget_signing_keys(&self) {
        *self.keys.signing.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The key of an id; none if nobody can read it any more, for then what it signed is good no more.
fn find(keys: &[SigningKey], kid: &str) -> Option<SigningKey> {
    keys.iter().find(|key| key.kid == kid && !key.is_gone()).cloned()
}

/// The key that signs: the newest, or a fresh one if there is none that anybody can read.
///
/// # Errors
/// [`StoreError::KeyMissing`] if others can read the newest one, and this process cannot.
pub(crate) fn signer(tx: &mut dyn Tx, fresh: SigningKey) -> Result<SigningKey, StoreError> {
    match tx.signing_keys()?.into_iter().next() {
        Some(newest) if newest.is_gone() => add_newest(tx, fresh),
        Some(SigningKey { secret: Err(error), .. }) => Err(error),
        Some(newest) => Ok(newest),
        None => add_newest(tx, fresh),
    }
}

/// Stores a key that is to sign: the newest one does, so it is made newer than those there are, wherever the
/// clock was when they were made.
pub(crate) fn add_newest(tx: &mut dyn Tx, mut key: SigningKey) -> Result<SigningKey, StoreError> {
    if let Some(newest) = tx.signing_keys()?.first() {
        key.created_at = key.created_at.max(newest.created_at + TimeDelta::microseconds(1));
    }
    tx.add_signing_key(&key)?;
    Ok(key)
}

impl App {
    /// A new signing key, not yet stored.
    pub(crate) fn make_signing_key(&self) -> SigningKey {
        let mut secret = [0; 32];
        self.random.fill(&mut secret);
        let kid = format!("{:016x}", self.random.number());
        SigningKey { kid, secret: Ok(secret), created_at: self.clock.now() }
    }
}
