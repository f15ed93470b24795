//! Certificates of what the service has of a supplier's accounts (contract D17): what is hashed, the Merkle tree over all
//! accounts, inclusion proofs, and the signature. `docs/certificate.md` is the format for other programs.
//!
//! Service and client compute everything here in the same way. Nothing does I/O, draws random numbers or holds a private
//! key.

mod additions;
mod canonical;
mod document;
mod hex;
mod leaf;
mod merkle;

pub use additions::{
    Addition, CertifiedContent, account_content, account_paths, addition_contents, certified_content,
};
pub use document::{
    Certificate, CertificateCause, CertificateKeyShown, CertificateManifest, CertificateRefused,
    InclusionProof, InvalidCertificate, key_id, signed_bytes, verify_signature,
};
pub use hex::{from_hex, to_hex};
pub use leaf::{InvalidLeaf, Leaf, LeafTotals, erased_line, hash_of_line};
pub use merkle::{Hash, MerkleRoot, inclusion_path, leaf_hash, root_by_path, root_of};

/// The `type` of certificates of this format.
pub const CERTIFICATE_TYPE: &str = "cutover-certificate/1";
/// Number of random bytes in the salt of a leaf.
pub const SALT_BYTES: usize = 16;
