use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::ExternalAccountNumber;
use cutover_model::certificate::Hash;
use cutover_model::{ContentHash, Totals};
use cutover_process::State;
use std::fmt;

/// A key that signs certificates, or did (contract D17). All nodes share them through the store.
#[derive(Clone, PartialEq, Eq)]
pub struct CertificateKey {
    /// Its id, which certificates name.
    pub key_id: String,
    /// The public key.
    pub public_key: [u8; 32],
    /// The seed of the private key, or the reason why this process cannot read it, as of a
    /// [signing key](super::SigningKey).
    pub secret: Result<[u8; 32], StoreError>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time at which another key took its place; `None` for the one that signs.
    pub retired_at: Option<DateTime<Utc>>,
}

impl fmt::Debug for CertificateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CertificateKey").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}

/// An account as certificates show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertifiedAccount {
    /// The store's key of its process.
    pub id: i64,
    /// Its number at its previous supplier.
    pub number: ExternalAccountNumber,
    /// Its status: the nearest known one for a status of a newer version.
    pub state: State,
    /// Its totals, if it is imported.
    pub totals: Option<Totals>,
    /// The hash of everything that was sent of it; `None` if its payload has not been hashed: it waits, or an earlier version
    /// imported it.
    pub content: Option<ContentHash>,
}

/// A certificate as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCertificate {
    /// The store's key.
    pub id: i64,
    /// The id that clients know.
    pub name: String,
    /// The key of its supplier.
    pub supplier_id: i64,
    /// Time at which its issue was begun.
    pub begun_at: DateTime<Utc>,
    /// The signed text; `None` while it is being issued, or if that was interrupted.
    pub document: Option<String>,
    /// True while its leaves are kept.
    pub has_leaves: bool,
    /// True if later ones may take the place of its leaves: a supplier or a reader asked for it.
    pub is_replaceable: bool,
}

/// Consecutive leaves of a certificate.
#[derive(Clone, PartialEq, Eq)]
pub struct CertificateSubtree {
    /// Its position among those of the certificate, from 0.
    pub position: i64,
    /// The smallest account number in it; `None` if all of its accounts were erased.
    pub first_number: Option<String>,
    /// The root over its leaves.
    pub root: Hash,
    /// Its leaves, compressed.
    pub leaves: Vec<u8>,
}

masked! { CertificateSubtree }

/// Queries of certificates and their keys, and of what they certify.
pub trait Certificates {
    /// Stores a key as the one that signs, and retires the others.
    fn add_certificate_key(&mut self, key: &CertificateKey) -> Result<(), StoreError>;

    /// Returns every key, newest first, including keys whose private part cannot be read.
    fn certificate_keys(&mut self) -> Result<Vec<CertificateKey>, StoreError>;

    /// Keeps what was added to an account, which is locked: hashes of the content, each of which counts once more, and
    /// the change of its totals.
    fn certify_addition(
        &mut self,
        account_id: i64,
        contents: &[ContentHash],
        added: &Totals,
    ) -> Result<(), StoreError>;

    /// Returns the accounts of a supplier with greater numbers than `after`, by number, as many as `limit` or all that
    /// follow.
    fn accounts_to_certify(
        &mut self,
        supplier_id: i64,
        after: &str,
        limit: u32,
    ) -> Result<Vec<CertifiedAccount>, StoreError>;

    /// Begins a certificate, without its document and its leaves. Returns the store's key.
    fn begin_certificate(
        &mut self,
        supplier_id: i64,
        name: &str,
        at: DateTime<Utc>,
        is_replaceable: bool,
    ) -> Result<i64, StoreError>;

    /// Adds the next leaves of a certificate.
    fn add_certificate_subtree(
        &mut self,
        certificate_id: i64,
        subtree: &CertificateSubtree,
    ) -> Result<(), StoreError>;

    /// Sets the document of a certificate, which is issued with it. Returns false if there is no such certificate.
    fn complete_certificate(&mut self, certificate_id: i64, document: &str) -> Result<bool, StoreError>;

    /// Returns a certificate of a supplier by its id; without one the latest that is issued.
    fn certificate(
        &mut self,
        supplier_id: i64,
        name: Option<&str>,
    ) -> Result<Option<StoredCertificate>, StoreError>;

    /// Returns certificates of a supplier, the latest first, at most `limit`, including those that are being issued.
    fn certificates(&mut self, supplier_id: i64, limit: u32) -> Result<Vec<StoredCertificate>, StoreError>;

    /// Returns certificates of a supplier with leaves that are replaceable or not issued, the latest first, at most `limit`.
    fn replaceable_certificates(
        &mut self,
        supplier_id: i64,
        limit: u32,
    ) -> Result<Vec<StoredCertificate>, StoreError>;

    /// Returns all certificates of a supplier with leaves in the order of their begin, and locks them until the transaction ends.
    fn lock_certificates(&mut self, supplier_id: i64) -> Result<Vec<StoredCertificate>, StoreError>;

    /// Returns the leaves of a certificate at a position.
    fn certificate_subtree(
        &mut self,
        certificate_id: i64,
        position: i64,
    ) -> Result<Option<CertificateSubtree>, StoreError>;

    /// Returns the leaves of a certificate among which those of an account are, if it has a leaf.
    fn certificate_subtree_of(
        &mut self,
        certificate_id: i64,
        number: &str,
    ) -> Result<Option<CertificateSubtree>, StoreError>;

    /// Returns the roots over the leaves of a certificate, in their order.
    fn certificate_roots(&mut self, certificate_id: i64) -> Result<Vec<Hash>, StoreError>;

    /// Replaces leaves of a certificate, whose root stays.
    fn replace_certificate_subtree(
        &mut self,
        certificate_id: i64,
        subtree: &CertificateSubtree,
    ) -> Result<(), StoreError>;

    /// Notes that an account was erased while a certificate is being issued.
    fn add_certificate_erasure(&mut self, certificate_id: i64, number: &str) -> Result<(), StoreError>;

    /// Removes and returns the accounts that were erased while a certificate was being issued.
    fn take_certificate_erasures(&mut self, certificate_id: i64) -> Result<Vec<String>, StoreError>;

    /// Removes some leaves of a certificate, at most `limit` subtrees, and returns true if more are left. After the last
    /// ones `has_leaves` is false, if the certificate is issued.
    fn remove_certificate_leaves(&mut self, certificate_id: i64, limit: u32) -> Result<bool, StoreError>;

    /// Removes a certificate that has no leaves.
    fn remove_certificate(&mut self, certificate_id: i64) -> Result<(), StoreError>;
}
