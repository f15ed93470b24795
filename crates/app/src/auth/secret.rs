//! Secrets: API keys, refresh tokens and session ids, stored as a hash.

use crate::port::Random;
use sha2::{Digest, Sha256};

/// The beginning of API keys.
const API_KEY: &str = "cut_live_";
/// The beginning of refresh tokens.
const REFRESH_TOKEN: &str = "cut_refresh_";
/// Number of letters that tell keys apart.
const PUBLIC_LETTERS: usize = 8;
/// Number of letters of a secret.
const SECRET_LETTERS: usize = 52;
/// 32 letters and digits without those that are easily misread.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Creates an API key and its public part: `cut_live_` and 8 characters, followed in the key by 256 random
/// bits (contract D2).
pub(crate) fn api_key(random: &dyn Random) -> (String, String) {
    let prefix = format!("{API_KEY}{}", letters::<5>(random));
    (format!("{prefix}_{}", letters::<32>(random)), prefix)
}

/// Creates a refresh token.
pub(crate) fn refresh_token(random: &dyn Random) -> String {
    format!("{REFRESH_TOKEN}{}", letters::<32>(random))
}

/// Creates the id of a session.
pub(crate) fn session_id(random: &dyn Random) -> String {
    format!("cut_session_{}", letters::<32>(random))
}

/// Returns the public part of a text that has the form of an API key.
pub(super) fn public_part(text: &str) -> Option<&str> {
    let (public, secret) = text.strip_prefix(API_KEY)?.split_once('_')?;
    let has_form = is_letters(public, PUBLIC_LETTERS) && is_letters(secret, SECRET_LETTERS);
    has_form.then(|| &text[..API_KEY.len() + PUBLIC_LETTERS])
}

/// Returns true for a text that has the form of a refresh token.
pub(super) fn is_refresh_token(text: &str) -> bool {
    text.strip_prefix(REFRESH_TOKEN).is_some_and(|secret| is_letters(secret, SECRET_LETTERS))
}

fn is_letters(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|byte| ALPHABET.contains(&byte))
}

/// Returns the hash that is stored in place of a secret.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// Encodes random bytes as text, five bits per character.
fn letters<const BYTES: usize>(random: &dyn Random) -> String {
    let mut bytes = [0; BYTES];
    random.fill(&mut bytes);
    let bit = |i: usize| bytes.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1);
    let letter = |n: usize| (0..5).fold(0, |v, i| v << 1 | usize::from(bit(5 * n + i)));
    (0..(BYTES * 8).div_ceil(5)).map(|n| char::from(ALPHABET[letter(n)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed;

    impl Random for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0xa5);
        }
    }

    #[test]
    fn the_public_part_is_taken_from_keys_alone() {
        let (key, prefix) = api_key(&Fixed);
        assert_eq!(public_part(&key), Some(prefix.as_str()));
        let shorter = &key[..key.len() - 1];
        let others = [
            String::new(),
            prefix,
            shorter.to_owned(),
            format!("{shorter}\n"),
            format!("{key}0"),
            key.to_uppercase(),
            key.replacen(API_KEY, "sk_live_", 1),
            key.replacen('_', "-", 3),
            refresh_token(&Fixed),
        ];
        for text in others {
            assert_eq!(public_part(&text), None, "{text:?}");
        }
        assert!(is_refresh_token(&refresh_token(&Fixed)) && !is_refresh_token(&key));
    }
}
