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
/// Marks a key that nobody has any more.
const LOST: &str = "lost";

/// Base64 with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The operator's keys by their names. The first one seals; each opens the values that were sealed with it.
pub struct EncryptionKeys(Vec<(String, Key)>);

pub(super) enum Key {
    /// Boxed, so that it is wiped when it is dropped and leaves no copy in memory when the list grows.
    Known(Box<XChaCha20Poly1305>),
    /// The values that were sealed with it are given up.
    Lost,
}

/// Shows the names, never a key.
impl fmt::Debug for EncryptionKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EncryptionKeys").field(&self.names().collect::<Vec<_>>()).finish()
    }
}

/// The reason why a text is not a list of keys. It shows no part of the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// The list is empty.
    #[error("there is no key")]
    None,
    /// A line has another format.
    #[error(
        "line {0} is not NAME:KEY with a key of 32 bytes in base64 and a name of letters, digits, dots, hyphens and \
         underscores, as `cutover encryption-key generate` prints one"
    )]
    Line(usize),
    /// Two keys have the same name.
    #[error("line {0} repeats the name of another key")]
    Twice(usize),
    /// The first key is lost.
    #[error("line {0} is the first key and lost: the first key has to seal")]
    LostFirst(usize),
}

impl EncryptionKeys {
    /// Reads keys, one a line: `NAME:KEY` with a key of 32 bytes in base64, or `NAME:lost`. Blank lines and
    /// lines that begin with `#` are ignored.
    ///
    /// # Errors
    /// [`KeyError`] names the first invalid line.
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
    /// [`KeyError`] if the file cannot be read or is not a list of keys.
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

    /// Returns the line of a new key with a random name.
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

    /// Returns the names of the keys in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the names of the keys that open values, in their order: all that are not lost.
    pub(crate) fn opening(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, key)| matches!(key, Key::Known(_))).map(|(name, _)| name.as_str())
    }

    /// Returns the name of the key that seals.
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

/// Returns true if a text may be the name of a key. A colon ends the name in a head.
pub(super) fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=NAME).contains(&text.len()) && text.bytes().all(fits)
}

fn known(text: &str) -> Option<Key> {
    let mut key = Zeroizing::new([0; KEY]);
    // The buffer has room for more, to notice a key that is too long.
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
    fn each_line_is_a_key() {
        let text = format!("# of November\n\n  new:{ZEROS}=\r\nold-1.a_b:{ZEROS}\ngone:lost\n");
        let keys = EncryptionKeys::parse(&text).unwrap();
        assert_eq!(keys.names().collect::<Vec<_>>(), ["new", "old-1.a_b", "gone"]);
        assert_eq!(keys.first(), "new");
        assert!(matches!(keys.get("gone"), Some(Key::Lost)) && keys.get("other").is_none());
    }

    #[test]
    fn an_invalid_line_is_refused_by_its_number() {
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
    fn a_new_key_is_a_line_and_not_shown_otherwise() {
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
