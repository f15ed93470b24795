//! Keys and refresh tokens: made of randomness, known by a prefix, kept as a hash.

use crate::port::Random;
use sha2::{Digest, Sha256};

/// No vowels and nothing that is misread: 32 letters and digits.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A new API key and the part of it that lists show: `cut_live_` and 8 characters; a secret of 256
/// random bits follows (contract D2).
pub(crate) fn api_key(random: &dyn Random) -> (String, String) {
    let prefix = format!("cut_live_{}", letters::<5>(random));
    (format!("{prefix}_{}", letters::<32>(random)), prefix)
}

/// A new refresh token.
pub(crate) fn refresh_token(random: &dyn Random) -> String {
    format!("cut_refresh_{}", letters::<32>(random))
}

/// What a new session is known by.
pub(crate) fn session_id(random: &dyn Random) -> String {
    format!("cut_session_{}", letters::<32>(random))
}

/// What is stored of a key or a token: enough to know it again, nothing to use.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// So many random bytes as text, five bits a character.
fn letters<const BYTES: usize>(random: &dyn Random) -> String {
    let mut bytes = [0; BYTES];
    random.fill(&mut bytes);
    let bit = |i: usize| bytes.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1);
    let letter = |n: usize| (0..5).fold(0, |v, i| v << 1 | usize::from(bit(5 * n + i)));
    (0..(BYTES * 8).div_ceil(5)).map(|n| char::from(ALPHABET[letter(n)])).collect()
}
