//! The certificate itself, and its signature.

use super::canonical::canonical;
use super::leaf::Leaf;
use super::merkle::{Hash, root_by_path};
use super::{CERTIFICATE_TYPE, from_hex, hash_of_line, to_hex};
use crate::{ControlTotals, StatusCounts, Timestamp};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

answers! {
    /// A certificate of what the service has of a supplier's accounts (contract D17).
    Certificate (Debug, Eq, Serialize, Deserialize) {
        /// The format: `cutover-certificate/1`.
        kind as "type" [serde(rename = "type")]: String;
        /// Identifies the certificate.
        id: String;
        /// Identifies the installation that issued it.
        installation: String;
        /// The code of the import supplier.
        import_supplier: String;
        /// The moment that it is about, in UTC.
        issued_at: String, datetime;
        /// The number of accounts, each of which has a leaf.
        accounts: u64;
        /// The number of accounts of each status of contract 3.
        counts: StatusCounts;
        /// The totals declared, sent and imported.
        manifest: CertificateManifest;
        /// The most frequent errors of failed accounts, at most 1,000.
        failed: Vec<CertificateCause>;
        /// The time before which every refused create is counted, in UTC: at most some seconds before `issued_at`, unless
        /// there are too many. Earlier versions left it out.
        refused_as_of: Option<String>, datetime;
        /// The number of accounts whose create was refused and which were not accepted since.
        refused_accounts: u64;
        /// The number of refused payloads without a usable account number.
        refused_without_number: u64;
        /// The most frequent faults of refused accounts, at most 1,000.
        refused: Vec<CertificateCause>;
        /// The root of the Merkle tree over the leaves of all accounts, in hexadecimal digits.
        merkle_root: String;
        /// The key that signed it.
        key_id: String;
        /// The signature in base64.
        signature: String;
    }

    /// The totals of a certificate (contract D17).
    CertificateManifest (Debug, Eq, Serialize, Deserialize) {
        /// The totals that the supplier declared; `null` if it declared none.
        declared: Option<ControlTotals>;
        /// The totals of the payloads that were sent; `null` if they are not known.
        sent: Option<ControlTotals>;
        /// The totals of the imported accounts, including what was added to them since: the sums over the leaves.
        imported: ControlTotals;
    }

    /// An error that accounts of a certificate have (contract D17).
    CertificateCause (Debug, Eq, Serialize, Deserialize) {
        /// The stable code.
        code: String, code;
        /// The pattern of its path; `null` for an error that is about no part of the payload.
        attr: Option<String>;
        /// The number of accounts that have it.
        count: u64;
    }

    /// A key that signs certificates, or did (contract D17).
    CertificateKeyShown (Debug, Eq, Serialize) {
        /// Identifies the key: the first 16 hexadecimal digits of the SHA-256 hash of the public key.
        key_id: String;
        /// The algorithm: `Ed25519`.
        algorithm: &'static str;
        /// The 32 bytes of the public key in base64.
        public_key: String;
        /// When it was created, in UTC.
        created_at: Timestamp;
        /// When another key took its place, in UTC; `null` for the key that signs now.
        retired_at: Option<Timestamp>;
    }

    /// The proof that a certificate covers an account (contract D17).
    InclusionProof (Debug, Eq, Serialize, Deserialize) {
        /// The id of the certificate.
        certificate: String;
        /// The position of the leaf, from 0.
        leaf_index: u64;
        /// The number of leaves.
        tree_size: u64;
        /// The leaf.
        leaf: Leaf;
        /// The hashes that lead from the leaf to the root, the lowest first, in hexadecimal digits.
        path: Vec<String>;
        /// The root of the tree, in hexadecimal digits.
        merkle_root: String;
    }
}

/// Reason why a certificate cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the certificate has no canonical form: {0}")]
pub struct CertificateRefused(String);

/// Reason why a certificate or a proof is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCertificate {
    /// It is not a JSON object of the documented members.
    #[error("this is no certificate: {0}")]
    Form(String),
    /// It is of another format.
    #[error("the type of the certificate is not {CERTIFICATE_TYPE}")]
    Type,
    /// The public key is not 32 bytes in base64.
    #[error("the public key is not 32 bytes in base64")]
    PublicKey,
    /// It names another key.
    #[error("the certificate is signed with the key {0}, and this is another one")]
    OtherKey(String),
    /// The signature is not that of the key, or the certificate was changed.
    #[error("the signature does not match: the certificate was changed, or signed with another key")]
    Signature,
}

/// Returns the id of a public key.
pub fn key_id(public_key: &[u8]) -> String {
    to_hex(&Sha256::digest(public_key)[..8])
}

/// Returns what is signed of a certificate: its canonical form (RFC 8785) without the member `signature`.
///
/// # Errors
/// [`InvalidCertificate::Form`] if it is not a JSON object.
pub fn signed_bytes(json: &[u8]) -> Result<Vec<u8>, InvalidCertificate> {
    let form = |error: serde_json::Error| InvalidCertificate::Form(error.to_string());
    let mut value: Value = serde_json::from_slice(json).map_err(form)?;
    let members = value.as_object_mut().ok_or_else(|| InvalidCertificate::Form("it is no object".into()))?;
    members.shift_remove("signature");
    canonical(value).ok_or_else(|| InvalidCertificate::Form("a number is not whole".into()))
}

/// Reads a certificate and verifies its signature with a public key in base64.
///
/// # Errors
/// [`InvalidCertificate`].
pub fn verify_signature(json: &[u8], public_key: &str) -> Result<Certificate, InvalidCertificate> {
    let form = |error: serde_json::Error| InvalidCertificate::Form(error.to_string());
    let certificate: Certificate = serde_json::from_slice(json).map_err(form)?;
    if certificate.kind != CERTIFICATE_TYPE {
        return Err(InvalidCertificate::Type);
    }
    let public_key = BASE64_STANDARD.decode(public_key).map_err(|_| InvalidCertificate::PublicKey)?;
    if public_key.len() != 32 {
        return Err(InvalidCertificate::PublicKey);
    }
    if certificate.key_id != key_id(&public_key) {
        return Err(InvalidCertificate::OtherKey(certificate.key_id));
    }
    let signature =
        BASE64_STANDARD.decode(&certificate.signature).map_err(|_| InvalidCertificate::Signature)?;
    let signed = signed_bytes(json)?;
    let key = UnparsedPublicKey::new(&ED25519, public_key);
    key.verify(&signed, &signature).map_err(|_| InvalidCertificate::Signature)?;
    Ok(certificate)
}

impl Certificate {
    /// Signs the certificate, whose key id is set already, and returns its canonical form.
    ///
    /// # Errors
    /// [`CertificateRefused`] if a number is too large for that form.
    pub fn signed(mut self, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> Result<Vec<u8>, CertificateRefused> {
        let refused = |error: serde_json::Error| CertificateRefused(error.to_string());
        let unsigned = serde_json::to_vec(&self).map_err(refused)?;
        let signed = signed_bytes(&unsigned).map_err(|error| CertificateRefused(error.to_string()))?;
        self.signature = BASE64_STANDARD.encode(sign(&signed));
        let signed = serde_json::to_value(&self).map_err(refused)?;
        canonical(signed).ok_or_else(|| CertificateRefused("a number is too large".into()))
    }

    /// Returns the root of its tree; `None` if the text is no hash.
    pub fn root(&self) -> Option<Hash> {
        from_hex(&self.merkle_root)
    }
}

impl InclusionProof {
    /// Returns true if the leaf is part of the tree of a certificate, whose signature was verified.
    pub fn proves(&self, certificate: &Certificate) -> bool {
        let path: Option<Vec<Hash>> = self.path.iter().map(|hash| from_hex(hash)).collect();
        let leaf = serde_json::to_vec(&self.leaf).ok().and_then(|line| hash_of_line(&line).ok());
        let (Some(path), Some((leaf, _))) = (path, leaf) else { return false };
        self.certificate == certificate.id
            && self.tree_size == certificate.accounts
            && self.leaf.import_supplier == certificate.import_supplier
            && certificate.root().is_some()
            && root_by_path(&leaf, self.leaf_index, self.tree_size, &path) == certificate.root()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{inclusion_path, leaf_hash, root_of};
    use super::*;
    use crate::RowCounts;
    use ring::signature::{Ed25519KeyPair, KeyPair};

    fn totals() -> ControlTotals {
        ControlTotals {
            accounts: 1,
            ledger_balance: "10.10".into(),
            readings: 2,
            transactions: 3,
            documents: 4,
            counts: RowCounts::of([("accounts", 1), ("readings", 2), ("transactions", 3)]),
        }
    }

    fn leaves() -> Vec<Leaf> {
        let leaf = |number: u32| Leaf {
            import_supplier: "ACME".into(),
            external_account_number: number.to_string(),
            status: "PENDING".into(),
            totals: None,
            content: None,
            salt: format!("{number:032x}"),
        };
        (0..5).map(leaf).collect()
    }

    fn hashes() -> Vec<Hash> {
        leaves().iter().map(|leaf| leaf_hash(&leaf.to_line().unwrap())).collect()
    }

    fn pair() -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
    }

    fn public() -> String {
        BASE64_STANDARD.encode(pair().public_key())
    }

    fn json() -> String {
        let certificate = Certificate {
            kind: CERTIFICATE_TYPE.into(),
            id: "c1".into(),
            installation: "i1".into(),
            import_supplier: "ACME".into(),
            issued_at: "2026-11-24T20:00:00Z".into(),
            accounts: 5,
            counts: StatusCounts::new(|_| 0),
            manifest: CertificateManifest { declared: None, sent: Some(totals()), imported: totals() },
            failed: vec![CertificateCause {
                code: "required".into(),
                attr: Some("notes.#".into()),
                count: 7,
            }],
            refused_as_of: Some("2026-11-24T19:59:59.500000Z".into()),
            refused_accounts: 1,
            refused_without_number: 0,
            refused: Vec::new(),
            merkle_root: to_hex(&root_of(&hashes())),
            key_id: key_id(pair().public_key().as_ref()),
            signature: String::new(),
        };
        let signed = certificate.signed(|bytes| pair().sign(bytes).as_ref().to_vec()).unwrap();
        String::from_utf8(signed).unwrap()
    }

    #[test]
    fn a_certificate_has_one_text() {
        insta::assert_snapshot!(json());
    }

    #[test]
    fn the_signature_is_that_of_the_text_without_it() {
        let json = json();
        let certificate = verify_signature(json.as_bytes(), &public()).unwrap();
        assert_eq!((certificate.accounts, certificate.root()), (5, Some(root_of(&hashes()))));
        let pretty: Value = serde_json::from_str(&json).unwrap();
        verify_signature(format!("{pretty:#}").as_bytes(), &public()).unwrap();
    }

    #[test]
    fn each_change_is_found() {
        let json = json();
        let verify = |json: &str| verify_signature(json.as_bytes(), &public()).unwrap_err();
        for (from, to) in [
            ("10.10", "10.1"),
            ("\"accounts\":5", "\"accounts\":6"),
            ("ACME", "ACMF"),
            ("\"id\":\"c1\"", "\"id\":\"c2\""),
        ] {
            assert_eq!(verify(&json.replace(from, to)), InvalidCertificate::Signature, "{from}");
        }
        assert_eq!(
            verify(&json.replace("\"failed\"", "\"more\":1,\"failed\"")),
            InvalidCertificate::Signature
        );
        assert_eq!(verify(&json.replace("certificate/1", "certificate/2")), InvalidCertificate::Type);
        assert!(matches!(verify("{}"), InvalidCertificate::Form(_)));
    }

    #[test]
    fn other_keys_do_not_verify() {
        let other = Ed25519KeyPair::from_seed_unchecked(&[8; 32]).unwrap();
        let other = BASE64_STANDARD.encode(other.public_key());
        let verify = |key: &str| verify_signature(json().as_bytes(), key).unwrap_err();
        assert_eq!(verify(&other), InvalidCertificate::OtherKey(key_id(pair().public_key().as_ref())));
        for key in ["", "AAAA", "%"] {
            assert_eq!(verify(key), InvalidCertificate::PublicKey, "{key}");
        }
    }

    #[test]
    fn a_proof_is_about_its_certificate_and_its_leaf() {
        let certificate = verify_signature(json().as_bytes(), &public()).unwrap();
        let proof = |index: usize| InclusionProof {
            certificate: "c1".into(),
            leaf_index: index as u64,
            tree_size: 5,
            leaf: leaves().swap_remove(index),
            path: inclusion_path(&hashes(), index).unwrap().iter().map(|hash| to_hex(hash)).collect(),
            merkle_root: certificate.merkle_root.clone(),
        };
        for index in 0..5 {
            let proof = proof(index);
            assert!(proof.proves(&certificate), "{index}");
            assert!(!InclusionProof { certificate: "c2".into(), ..proof.clone() }.proves(&certificate));
            assert!(
                !InclusionProof { leaf_index: 4 - proof.leaf_index + 1, ..proof.clone() }
                    .proves(&certificate)
            );
            assert!(!InclusionProof { path: Vec::new(), ..proof.clone() }.proves(&certificate));
            let leaf = Leaf { status: "PROCESSED".into(), ..proof.leaf.clone() };
            assert!(!InclusionProof { leaf, ..proof }.proves(&certificate));
        }
    }
}
