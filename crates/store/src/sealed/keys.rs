use super::STANDARD_NO_PAD;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use chacha20poly1305::XChaCha20Poly1305;
use chacha20poly1305::aead::KeyInit;
use cutover_app::port::Random;
use std::fmt;
use std::path::Path;
use zeroize::Zeroizing;

/// Bytes of a key.
const KEY: usize = 32;
/// The longest name of a key.
const NAME: usize = 32;
/// What stands for a key that nobody has any more.
const LOST: &str = "lost";

/// With or without the signs at the end that fill it up.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Keys of the operator's by their names. The first one seals, each opens what was sealed with it.
pub struct EncryptionKeys(Vec<(String, Key)>);

pub(super) enum Key {
    /// In a place of its own: it is wiped when it goes, and leaves no copy where the list was before it grew.
    Known(Box<XChaCha20Poly1305>),
    /// What was sealed with it is given up.
    Lost,
}

/// It shows the names, never a key.
impl fmt::Debug for EncryptionKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EncryptionKeys").field(&self.names().collect::<Vec<_>>()).finish()
    }
}

/// Why a text is no list of keys. It never shows any of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// There is no key in it.
    #[error("there is no key")]
    None,
    /// A line has another form.
    #[error(
        "line {0} is not NAME:KEY with a key of 32 bytes in base64 and a name of letters, digits, dots, hyphens and \
         underscores, as `cutover encryption-key generate` prints one"
    )]
    Line(usize),
    /// A name stands before two keys.
    #[error("line {0} has the name of a key before it")]
    Twice(usize),
    /// The first key seals.
    #[error("line {0} is the first key, which seals: it cannot be lost")]
    LostFirst(usize),
}

impl EncryptionKeys {
    /// Reads keys, one a line: `NAME:KEY`, the key being 32 bytes in base64, or `NAME:lost`. Blank lines, and those
    /// that begin with `#`, say nothing.
    ///
    /// # Errors
    /// [`KeyError`] names the first line that is none.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let mut keys = Self(Vec::new());
        for (line, text) in (1..).zip(text.lines().map(str::trim)) {
            if !text.is_empty() && !text.starts_with('#') {
                keys.add(line, text)?;
            }
        }
        if keys.0.is_empty() { Err(KeyError::None) } else { Ok(keys) }
    }

    /// Reads the keys of a file.
    ///
    /// # Errors
    /// [`KeyError`] if there is no such file, or it is none of keys.
    pub fn read(file: &Path) -> Result<Self, KeyError> {
        let text = std::fs::read_to_string(file).map_err(|e| KeyError::Unreadable(e.to_string()))?;
        Self::parse(&Zeroizing::new(text))
    }

    fn add(&mut self, line: usize, text: &str) -> Result<(), KeyError> {
        let (name, key) = text.split_once(':').ok_or(KeyError::Line(line))?;
        let key = if key == LOST { Key::Lost } else { known(key).ok_or(KeyError::Line(line))? };
        match key {
            _ if !is_name(name) => Err(KeyError::Line(line)),
            _ if self.get(name).is_some() => Err(KeyError::Twice(line)),
            Key::Lost if self.0.is_empty() => Err(KeyError::LostFirst(line)),
            key => {
                self.0.push((name.to_owned(), key));
                Ok(())
            }
        }
    }

    /// A line of a new key under a name of its own.
    pub fn generate(random: &dyn Random) -> Zeroizing<String> {
        let (mut name, mut key) = ([0; 4], Zeroizing::new([0; KEY]));
        random.fill(&mut name);
        random.fill(&mut *key);
        let mut line = Zeroizing::new(String::with_capacity(2 * NAME + 2 * KEY));
        name.iter().for_each(|byte| line.push_str(&format!("{byte:02x}")));
        line.push(':');
        STANDARD_NO_PAD.encode_string(*key, &mut line);
        line
    }

    /// The names of the keys in their order, and how each is used.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The names of the keys that open values, in their order: all but those that are lost.
    pub(crate) fn opening(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, key)| matches!(key, Key::Known(_))).map(|(name, _)| name.as_str())
    }

    /// The name of the key that seals.
    pub fn first(&self) -> &str {
        self.names().next().unwrap_or_default()
    }

    pub(super) fn sealing(&self) -> Option<&XChaCha20Poly1305> {
        match self.0.first() {
            Some((_, Key::Known(cipher))) => Some(cipher),
            _ => None,
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Key> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, key)| key)
    }
}

/// Whether a text may be the name of a key: it stands in heads, where a colon ends it.
pub(super) fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=NAME).contains(&text.len()) && text.bytes().all(fits)
}

fn known(text: &str) -> Option<Key> {
    let mut key = Zeroizing::new([0; KEY]);
    // Room for more: one that is too long is to be seen to be so.
    let mut bytes = Zeroizing::new([0; 2 * KEY]);
    let length = BASE64.decode_slice(text, &mut *bytes).ok().filter(|length| *length == KEY)?;
    key.copy_from_slice(&bytes[..length]);
    Some(Key::Known(Box::new(XChaCha20Poly1305::new((&*key).into()))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_testkit::SeededRandom;

    const ZEROS: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    #[test]
    fn keys_stand_a_line_each() {
        let text = format!("# of November\n\n  new:{ZEROS}=\r\nold-1.a_b:{ZEROS}\ngone:lost\n");
        let keys = EncryptionKeys::parse(&text).unwrap();
        assert_eq!(keys.names().collect::<Vec<_>>(), ["new", "old-1.a_b", "gone"]);
        assert_eq!(keys.first(), "new");
        assert!(matches!(keys.get("gone"), Some(Key::Lost)) && keys.get("other").is_none());
    }

    #[test]
    fn what_is_no_key_is_refused_by_its_line_alone() {
        for bad in ["CANARY", ":CANARY", "a b:", "a:CANARY", "a:", "ä:lost"] {
            assert_eq!(EncryptionKeys::parse(&format!("\n{bad}")).unwrap_err(), KeyError::Line(2), "{bad}");
        }
        for short in [&ZEROS[1..], &ZEROS[4..], &format!("AAAA{ZEROS}"), &ZEROS.repeat(9)] {
            assert_eq!(EncryptionKeys::parse(&format!("a:{short}")).unwrap_err(), KeyError::Line(1));
        }
        let long = "n".repeat(NAME + 1);
        assert_eq!(EncryptionKeys::parse(&format!("{long}:{ZEROS}")).unwrap_err(), KeyError::Line(1));
        let twice = format!("a:{ZEROS}\na:lost");
        assert_eq!(EncryptionKeys::parse(&twice).unwrap_err(), KeyError::Twice(2));
        assert_eq!(EncryptionKeys::parse("a:lost").unwrap_err(), KeyError::LostFirst(1));
        assert_eq!(EncryptionKeys::parse("\n# none\n").unwrap_err(), KeyError::None);
    }

    #[test]
    fn a_new_key_is_a_line_and_shown_nowhere_else() {
        let random = SeededRandom::new(1);
        let (line, other) = (EncryptionKeys::generate(&random), EncryptionKeys::generate(&random));
        assert_ne!(*line, *other);
        let keys = EncryptionKeys::parse(&line).unwrap();
        let (name, key) = line.split_once(':').unwrap();
        assert_eq!((keys.first(), name.len(), key.len()), (name, 8, 43));
        let shown = format!("{keys:?}");
        assert!(shown.contains(name) && !shown.contains(&key[..8]), "{shown}");
    }
}
