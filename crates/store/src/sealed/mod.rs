//! Encryption at rest of staged payloads, of details of bank accounts and cards, and of the secrets that sign
//! tokens.
//!
//! A sealed value begins with its head `sealed:1:KEY:`, where 1 is the version of the format and KEY the name
//! of one of the operator's keys. 24 random bytes follow, then the encrypted bytes and a tag of 16 bytes
//! (XChaCha20-Poly1305). In text columns, all after the head is in base64. A value without this head is
//! unsealed: payloads begin with the magic number of zstd, details with a brace, and an unsealed secret is 32
//! random bytes.
//!
//! The head and the row of a value are authenticated with it, so a value moved to another row does not open.

mod keys;
mod location;
mod missing;
mod seal;

#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use chacha20poly1305::XNonce;
use chacha20poly1305::aead::inout::InOutBuf;
use chacha20poly1305::aead::{Aead, AeadInOut, Payload};
use cutover_app::port::{Creation, Random, Staged};
use keys::Key;
pub use keys::{EncryptionKeys, KeyError};
pub(crate) use location::Location;
use missing::MissingKeys;
pub(crate) use seal::encryption_of;
pub use seal::{KeyState, ResealError, Resealed, Seal, SealedTable, Seals};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// The beginning of every sealed value.
const MARK: &str = "sealed:";
/// The mark with the version of the format.
const FORMAT: &str = "sealed:1:";
/// Bytes of a nonce: enough for random ones to be unique for a key (among 2^48 values, two have the same with
/// a probability below 2^-96).
const NONCE: usize = 24;
/// Bytes of a tag.
const TAG: usize = 16;

/// Encrypts and decrypts values. Without keys it seals nothing and returns unsealed values as they are.
/// Clones share the record of missing keys.
#[derive(Clone, Default)]
pub struct Sealer {
    inner: Option<Arc<Inner>>,
    missing: Arc<MissingKeys>,
}

struct Inner {
    keys: Arc<EncryptionKeys>,
    random: Arc<dyn Random>,
}

/// Shows the names of the keys, never a key.
impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Sealer").field(&self.keys()).finish()
    }
}

static NONE: LazyLock<Sealer> = LazyLock::new(Sealer::default);

impl Sealer {
    /// Creates a sealer that seals with the first of the keys and opens with any.
    pub fn new(keys: impl Into<Arc<EncryptionKeys>>, random: Arc<dyn Random>) -> Self {
        let inner = Some(Arc::new(Inner { keys: keys.into(), random }));
        Self { inner, missing: Arc::default() }
    }

    /// Returns a sealer without keys.
    pub fn none() -> &'static Self {
        &NONE
    }

    /// Returns the keys, if there are any.
    pub fn keys(&self) -> Option<&EncryptionKeys> {
        self.inner.as_ref().map(|inner| &*inner.keys)
    }

    /// Returns the names of missing keys that were needed lately.
    pub(crate) fn missing(&self) -> Vec<String> {
        self.missing.names()
    }

    /// Returns a value in its stored form. Does not change a sealed value.
    pub(crate) fn seal<'v>(&self, location: Location<'_>, value: &'v [u8]) -> Result<Cow<'v, [u8]>> {
        match &self.inner {
            Some(inner) if !Self::is_sealed(value) => {
                inner.seal(location, value, inner.head()).map(Cow::Owned)
            }
            _ => Ok(Cow::Borrowed(value)),
        }
    }

    /// Returns a new account with its payload in its stored form.
    pub(crate) fn seal_creation(&self, creation: Arc<Creation>) -> Result<Arc<Creation>> {
        if self.inner.is_none() {
            return Ok(creation);
        }
        let (supplier_id, number) = (creation.supplier_id, creation.process.external_account_number.as_str());
        let payload =
            self.seal(Location::Payload { supplier_id, number }, &creation.staged.payload)?.into_owned();
        Ok(Arc::new(Creation {
            staged: Staged {
                payload,
                fingerprint: creation.staged.fingerprint,
                totals: creation.staged.totals,
                terms: creation.staged.terms.clone(),
            },
            process: creation.process.clone(),
            actor: creation.actor.clone(),
            issues: creation.issues.clone(),
            contract: creation.contract.clone(),
            mark: creation.mark,
            ..*creation
        }))
    }

    /// Returns a text in the stored form of a text column.
    pub(crate) fn seal_text(&self, location: Location<'_>, value: String) -> Result<String> {
        let Some(inner) = &self.inner else { return Ok(value) };
        let mut text = inner.head();
        STANDARD_NO_PAD.encode_string(inner.seal(location, value.as_bytes(), String::new())?, &mut text);
        Ok(text)
    }

    /// Returns true if a stored value is sealed.
    pub(crate) fn is_sealed(stored: &[u8]) -> bool {
        stored.starts_with(MARK.as_bytes())
    }

    /// Returns a value from its stored form.
    ///
    /// # Errors
    /// [`Error::KeyMissing`] if its key is missing, [`Error::Corrupt`] if it was changed or belongs to
    /// another location.
    pub(crate) fn open(&self, location: Location<'_>, stored: Vec<u8>) -> Result<Vec<u8>> {
        let Some((name, sealed)) = split(&stored)? else { return Ok(stored) };
        self.open_with(name, location, sealed)
    }

    /// Returns a text from the stored form of a text column.
    pub(crate) fn open_text(&self, location: Location<'_>, stored: String) -> Result<String> {
        let Some((name, sealed)) = split(stored.as_bytes())? else { return Ok(stored) };
        let sealed = STANDARD_NO_PAD.decode(sealed).map_err(|_| broken(location, name))?;
        String::from_utf8(self.open_with(name, location, &sealed)?).map_err(|_| broken(location, name))
    }

    fn open_with(&self, name: &str, location: Location<'_>, sealed: &[u8]) -> Result<Vec<u8>> {
        let cipher = match self.keys().and_then(|keys| keys.get(name)) {
            None => {
                self.missing.note(name);
                return Err(Error::KeyMissing(name.to_owned()));
            }
            Some(Key::Lost) => {
                return Err(Error::Corrupt(format!(
                    "{location} is sealed with the key {name}, which is lost"
                )));
            }
            Some(Key::Known(cipher)) => cipher,
        };
        let (nonce, msg) = sealed.split_first_chunk::<NONCE>().ok_or_else(|| broken(location, name))?;
        let aad = &location.authenticated(head(name).as_bytes());
        cipher.decrypt(&XNonce::from(*nonce), Payload { msg, aad }).map_err(|_| broken(location, name))
    }

    /// Returns how a stored value is sealed, from its head alone.
    pub(crate) fn seal_of(&self, stored: &[u8]) -> Seal {
        match split(stored) {
            Ok(None) => Seal::Open,
            Ok(Some((name, _))) => Seal::Key(name.to_owned(), self.state_of(name)),
            Err(_) => Seal::Unknown,
        }
    }

    fn state_of(&self, name: &str) -> KeyState {
        match self.keys() {
            Some(keys) if keys.first() == name => KeyState::Seals,
            Some(keys) => match keys.get(name) {
                Some(Key::Known(_)) => KeyState::Opens,
                Some(Key::Lost) => KeyState::Lost,
                None => KeyState::Missing,
            },
            None => KeyState::Missing,
        }
    }
}

impl Inner {
    fn head(&self) -> String {
        head(self.keys.first())
    }

    /// Appends to `before` the sealed bytes that follow the head.
    fn seal(&self, location: Location<'_>, value: &[u8], before: String) -> Result<Vec<u8>> {
        let unfit = || Error::Unfit("a value cannot be sealed");
        let mut nonce = [0; NONCE];
        self.random.fill(&mut nonce);
        let mut sealed = before.into_bytes();
        sealed.reserve_exact(NONCE + value.len() + TAG);
        sealed.extend(nonce);
        let start = sealed.len();
        sealed.extend(value);
        let aad = location.authenticated(self.head().as_bytes());
        let cipher = self.keys.sealing().ok_or_else(unfit)?;
        let text = InOutBuf::from(&mut sealed[start..]);
        let tag = cipher.encrypt_inout_detached(&XNonce::from(nonce), &aad, text).map_err(|_| unfit())?;
        sealed.extend(tag);
        Ok(sealed)
    }
}

fn head(name: &str) -> String {
    format!("{FORMAT}{name}:")
}

/// Splits a sealed value into the name of its key and the bytes after the head. Returns `None` for an
/// unsealed value.
fn split(stored: &[u8]) -> Result<Option<(&str, &[u8])>> {
    if !Sealer::is_sealed(stored) {
        return Ok(None);
    }
    let unknown = || Error::corrupt("a value is sealed in a format that this version does not know");
    let rest = stored.strip_prefix(FORMAT.as_bytes()).ok_or_else(unknown)?;
    let end = rest.iter().position(|byte| *byte == b':').ok_or_else(unknown)?;
    let name = std::str::from_utf8(&rest[..end]).ok().filter(|name| keys::is_name(name));
    Ok(Some((name.ok_or_else(unknown)?, &rest[end + 1..])))
}

fn broken(location: Location<'_>, name: &str) -> Error {
    Error::Corrupt(format!(
        "{location} does not open with the key {name}: it was changed or moved, or this is not the key"
    ))
}
