//! Secrets: API keys, refresh tokens and session ids, stored as a hash.

use crate::port::Random;
use sha2::{Digest, Sha256};

/// 32 letters and digits without those that are easily misread.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Creates an API key and its public part: `cut_live_` and 8 characters, followed in the key by 256 random
/// bits (contract D2).
pub(crate) fn api_key(random: &dyn Random) -> (String, String) {
    let prefix = format!("cut_live_{}", letters::<5>(random));
    (format!("{prefix}_{}", letters::<32>(random)), prefix)
}

/// Creates a refresh token.
pub(crate) fn refresh_token(random: &dyn Random) -> String {
    format!("cut_refresh_{}", letters::<32>(random))
}

/// Creates the id of a session.
pub(crate) fn session_id(random: &dyn Random) -> String {
    format!("cut_session_{}", letters::<32>(random))
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
