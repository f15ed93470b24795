//! What is encrypted at rest: staged payloads, what tables hold of bank accounts and cards, and the secrets that sign
//! tokens.
//!
//! A sealed value begins with its head, `sealed:1:KEY:`, where 1 is the version of this form and KEY the name of
//! a key of the operator's. 24 random bytes follow, then the encrypted bytes and a tag of 16: XChaCha20-Poly1305.
//! In columns of text what follows the head is in base64. Whatever begins otherwise lies open: payloads begin
//! with the magic number of zstd, details with a brace, and an open secret is 32 random bytes.
//!
//! The head and the row that a value belongs to are authenticated with it: it opens nowhere else.

mod keys;
mod missing;
mod place;
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
use missing::MissingKeys;
pub(crate) use place::Place;
pub use seal::{KeyState, ResealError, Resealed, Seal, SealedTable, Seals};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// What every sealed value begins with.
const MARK: &str = "sealed:";
/// The version of the form, with the mark.
const FORM: &str = "sealed:1:";
/// Bytes of a nonce: so many that random ones never meet, however many values are sealed with a key (of 2^48
/// values two have the same with a probability below 2^-96).
const NONCE: usize = 24;
/// Bytes of a tag.
const TAG: usize = 16;

/// Seals and opens values. Without keys it seals nothing, and opens what lies open. Clones share what they remember of
/// missing keys.
#[derive(Clone, Default)]
pub struct Sealer {
    inner: Option<Arc<Inner>>,
    missing: Arc<MissingKeys>,
}

struct Inner {
    keys: Arc<EncryptionKeys>,
    random: Arc<dyn Random>,
}

/// It shows the names of the keys, never a key.
impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Sealer").field(&self.keys()).finish()
    }
}

static NONE: LazyLock<Sealer> = LazyLock::new(Sealer::default);

impl Sealer {
    /// One that seals with the first of the keys and opens with any.
    pub fn new(keys: impl Into<Arc<EncryptionKeys>>, random: Arc<dyn Random>) -> Self {
        let inner = Some(Arc::new(Inner { keys: keys.into(), random }));
        Self { inner, missing: Arc::default() }
    }

    /// One without keys.
    pub fn none() -> &'static Self {
        &NONE
    }

    /// The keys, if there are any.
    pub fn keys(&self) -> Option<&EncryptionKeys> {
        self.inner.as_ref().map(|inner| &*inner.keys)
    }

    /// The names of keys that values had to be opened with lately and that are not here.
    pub(crate) fn missing(&self) -> Vec<String> {
        self.missing.names()
    }

    /// A value of a place as it is stored. What is sealed already stays as it is.
    pub(crate) fn seal<'v>(&self, place: Place<'_>, value: &'v [u8]) -> Result<Cow<'v, [u8]>> {
        match &self.inner {
            Some(inner) if !Self::is_sealed(value) => inner.seal(place, value, inner.head()).map(Cow::Owned),
            _ => Ok(Cow::Borrowed(value)),
        }
    }

    /// A new account with its payload as it is stored.
    pub(crate) fn seal_creation(&self, creation: Arc<Creation>) -> Result<Arc<Creation>> {
        if self.inner.is_none() {
            return Ok(creation);
        }
        let (supplier_id, number) = (creation.supplier_id, creation.process.external_account_number.as_str());
        let payload =
            self.seal(Place::Payload { supplier_id, number }, &creation.staged.payload)?.into_owned();
        Ok(Arc::new(Creation {
            staged: Staged { payload, fingerprint: creation.staged.fingerprint },
            process: creation.process.clone(),
            actor: creation.actor.clone(),
            issues: creation.issues.clone(),
            ..*creation
        }))
    }

    /// The same in a column of text.
    pub(crate) fn seal_text(&self, place: Place<'_>, value: String) -> Result<String> {
        let Some(inner) = &self.inner else { return Ok(value) };
        let mut text = inner.head();
        STANDARD_NO_PAD.encode_string(inner.seal(place, value.as_bytes(), String::new())?, &mut text);
        Ok(text)
    }

    /// Whether a stored value is sealed.
    pub(crate) fn is_sealed(stored: &[u8]) -> bool {
        stored.starts_with(MARK.as_bytes())
    }

    /// A value of a place from what is stored.
    ///
    /// # Errors
    /// [`Error::KeyMissing`] if its key is not here, [`Error::Corrupt`] if it was changed or is another place's.
    pub(crate) fn open(&self, place: Place<'_>, stored: Vec<u8>) -> Result<Vec<u8>> {
        let Some((name, sealed)) = parted(&stored)? else { return Ok(stored) };
        self.open_with(name, place, sealed)
    }

    /// The same of a column of text.
    pub(crate) fn open_text(&self, place: Place<'_>, stored: String) -> Result<String> {
        let Some((name, sealed)) = parted(stored.as_bytes())? else { return Ok(stored) };
        let sealed = STANDARD_NO_PAD.decode(sealed).map_err(|_| broken(place, name))?;
        String::from_utf8(self.open_with(name, place, &sealed)?).map_err(|_| broken(place, name))
    }

    fn open_with(&self, name: &str, place: Place<'_>, sealed: &[u8]) -> Result<Vec<u8>> {
        let cipher = match self.keys().and_then(|keys| keys.get(name)) {
            None => {
                self.missing.note(name);
                return Err(Error::KeyMissing(name.to_owned()));
            }
            Some(Key::Lost) => {
                return Err(Error::Corrupt(format!("{place} is sealed with the key {name}, which is lost")));
            }
            Some(Key::Known(cipher)) => cipher,
        };
        let (nonce, msg) = sealed.split_first_chunk::<NONCE>().ok_or_else(|| broken(place, name))?;
        let aad = &place.authenticated(head(name).as_bytes());
        cipher.decrypt(&XNonce::from(*nonce), Payload { msg, aad }).map_err(|_| broken(place, name))
    }

    /// How a stored value is sealed, as far as its head says.
    pub(crate) fn seal_of(&self, stored: &[u8]) -> Seal {
        match parted(stored) {
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

    /// What follows the head, behind what is there.
    fn seal(&self, place: Place<'_>, value: &[u8], before: String) -> Result<Vec<u8>> {
        let unfit = || Error::Unfit("a value cannot be sealed");
        let mut nonce = [0; NONCE];
        self.random.fill(&mut nonce);
        let mut sealed = before.into_bytes();
        sealed.reserve_exact(NONCE + value.len() + TAG);
        sealed.extend(nonce);
        let start = sealed.len();
        sealed.extend(value);
        let aad = place.authenticated(self.head().as_bytes());
        let cipher = self.keys.sealing().ok_or_else(unfit)?;
        let text = InOutBuf::from(&mut sealed[start..]);
        let tag = cipher.encrypt_inout_detached(&XNonce::from(nonce), &aad, text).map_err(|_| unfit())?;
        sealed.extend(tag);
        Ok(sealed)
    }
}

fn head(name: &str) -> String {
    format!("{FORM}{name}:")
}

/// The name of the key, and what follows the head; `None` of what lies open.
fn parted(stored: &[u8]) -> Result<Option<(&str, &[u8])>> {
    if !Sealer::is_sealed(stored) {
        return Ok(None);
    }
    let unknown = || Error::corrupt("a value is sealed in a form that this version does not know");
    let rest = stored.strip_prefix(FORM.as_bytes()).ok_or_else(unknown)?;
    let end = rest.iter().position(|byte| *byte == b':').ok_or_else(unknown)?;
    let name = std::str::from_utf8(&rest[..end]).ok().filter(|name| keys::is_name(name));
    Ok(Some((name.ok_or_else(unknown)?, &rest[end + 1..])))
}

fn broken(place: Place<'_>, name: &str) -> Error {
    Error::Corrupt(format!(
        "{place} does not open with the key {name}: it was changed, is another row's, or the key is another"
    ))
}
