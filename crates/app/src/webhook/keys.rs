//! The keys of a webhook and its signatures, according to Standard Webhooks 1.0.

use crate::port::{Random, StoreError};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use ring::signature::{Ed25519KeyPair, KeyPair};
use sha2::Sha256;

/// Prefix of a key for HMAC-SHA256, which the receiver has as well.
const SYMMETRIC: &str = "whsec_";
/// Prefix of the private key for Ed25519, which nobody else has.
const PRIVATE: &str = "whsk_";
/// Prefix of its public key.
const PUBLIC: &str = "whpk_";

/// The keys that sign together.
pub(crate) struct WebhookKeys {
    symmetric: Vec<u8>,
    pair: Option<Ed25519KeyPair>,
}

impl WebhookKeys {
    /// Returns new keys in their stored form.
    pub(crate) fn generate(random: &dyn Random, with_ed25519: bool) -> String {
        let encoded = || {
            let mut bytes = [0; 32];
            random.fill(&mut bytes);
            BASE64_STANDARD.encode(bytes)
        };
        let symmetric = encoded();
        match with_ed25519 {
            true => format!("{SYMMETRIC}{symmetric} {PRIVATE}{}", encoded()),
            false => format!("{SYMMETRIC}{symmetric}"),
        }
    }

    /// Reads keys from their stored form.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if it is none.
    pub(crate) fn read(stored: &str) -> Result<Self, StoreError> {
        Self::parse(stored).ok_or_else(|| StoreError::Corrupt("the keys of a webhook cannot be read".into()))
    }

    fn parse(stored: &str) -> Option<Self> {
        let (symmetric, private) = match stored.split_once(' ') {
            Some((symmetric, private)) => (symmetric, Some(private)),
            None => (stored, None),
        };
        let pair = |private: &str| {
            let seed = BASE64_STANDARD.decode(private.strip_prefix(PRIVATE)?).ok()?;
            Ed25519KeyPair::from_seed_unchecked(&seed).ok()
        };
        let pair = match private {
            Some(private) => Some(pair(private)?),
            None => None,
        };
        Some(Self { symmetric: BASE64_STANDARD.decode(symmetric.strip_prefix(SYMMETRIC)?).ok()?, pair })
    }

    /// Returns the part of the stored form that the receiver gets: `whsec_…`.
    pub(crate) fn shared(stored: &str) -> &str {
        stored.split(' ').next().unwrap_or_default()
    }

    /// Returns the public key, if there is one: `whpk_…`.
    pub(crate) fn public(&self) -> Option<String> {
        let public = self.pair.as_ref()?.public_key();
        Some(format!("{PUBLIC}{}", BASE64_STANDARD.encode(public)))
    }

    /// Returns true if they have a key for Ed25519.
    pub(crate) fn has_ed25519(&self) -> bool {
        self.pair.is_some()
    }

    /// Returns the signatures of a message, separated by a space.
    pub(crate) fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> Result<String, StoreError> {
        let signed = [format!("{id}.{timestamp}.").as_bytes(), body].concat();
        let mac = Hmac::<Sha256>::new_from_slice(&self.symmetric);
        let mut mac = mac.map_err(|_| StoreError::Corrupt("a key of a webhook has no length".into()))?;
        mac.update(&signed);
        let mut signatures = format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()));
        if let Some(pair) = &self.pair {
            signatures.push_str(" v1a,");
            BASE64_STANDARD.encode_string(pair.sign(&signed), &mut signatures);
        }
        Ok(signatures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{ED25519, UnparsedPublicKey};

    struct Counting;

    impl Random for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.iter_mut().zip(0..).for_each(|(byte, n)| *byte = n);
        }
    }

    /// The example of the specification's reference implementations.
    #[test]
    fn the_example_of_the_standard_is_signed_alike() {
        let keys = WebhookKeys::read("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let body = br#"{"test": 2432232314}"#;
        let signed = keys.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body).unwrap();
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert_eq!(keys.public(), None);
    }

    #[test]
    fn the_public_key_verifies_what_the_private_one_signs() {
        let stored = WebhookKeys::generate(&Counting, true);
        assert!(stored.starts_with("whsec_") && stored.contains(" whsk_"));
        assert!(!WebhookKeys::shared(&stored).contains("whsk_"));
        let keys = WebhookKeys::read(&stored).unwrap();
        let signed = keys.sign("msg_1", 7, b"{}").unwrap();
        let signature = BASE64_STANDARD.decode(signed.split_once(" v1a,").unwrap().1).unwrap();
        let public = keys.public().unwrap();
        let public = BASE64_STANDARD.decode(public.strip_prefix("whpk_").unwrap()).unwrap();
        let public = UnparsedPublicKey::new(&ED25519, public);
        public.verify(b"msg_1.7.{}", &signature).unwrap();
        public.verify(b"msg_1.8.{}", &signature).unwrap_err();
    }

    #[test]
    fn other_texts_are_no_keys() {
        for text in ["", "whsec_%", "secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw whsk_AAAA"] {
            assert!(WebhookKeys::read(text).is_err(), "{text}");
        }
    }
}
