use super::record::{Outcome, Record};
use crate::request::Kind;
use cutover_core::Code;
use std::collections::HashMap;

/// Last outcome of each account, at 20 to 40 bytes per account.
///
/// Hashes of eight bytes suffice: if two accounts collided, one of them would be sent again.
#[derive(Debug, Default)]
pub(crate) struct Index(HashMap<u64, Last>);

/// The last record of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Last {
    fingerprint: u64,
    outcome: Outcome,
    /// True if the service refuses exactly these bytes, whatever it may know.
    is_lasting: bool,
}

/// The code of a refusal that does not pass: the rules were checked before, and what they need of the service changes.
const TOO_LARGE: Code = Code::PayloadTooLarge;

impl Index {
    /// Adds a record; it replaces an earlier one of the same account.
    pub(super) fn add(&mut self, record: &Record) {
        if let Ok(fingerprint) = u64::from_str_radix(&record.fingerprint, 16) {
            let key = key_of(record);
            let is_lasting = record.errors.iter().any(|error| error.code == TOO_LARGE.as_str());
            self.0.insert(key, Last { fingerprint, outcome: record.outcome, is_lasting });
        }
    }

    /// Returns the outcome of an account if its last record is of exactly these bytes.
    pub(crate) fn outcome(&self, key: u64, fingerprint: u64) -> Option<Outcome> {
        self.0.get(&key).filter(|last| last.fingerprint == fingerprint).map(|last| last.outcome)
    }

    /// True if the service has the account by its last record.
    pub(crate) fn is_stored(&self, key: u64) -> bool {
        self.0.get(&key).is_some_and(|last| last.outcome.is_stored())
    }

    /// True if the last record is a refusal that nothing but another account, or another limit of the service, changes.
    pub(crate) fn is_refused_for_good(&self, key: u64) -> bool {
        self.0.get(&key).is_some_and(|last| last.outcome == Outcome::Refused && last.is_lasting)
    }

    /// True if the service has the account by its last record, but with other bytes.
    pub(crate) fn has_other(&self, key: u64, fingerprint: u64) -> bool {
        self.0.get(&key).is_some_and(|last| last.fingerprint != fingerprint && last.outcome.is_stored())
    }

    /// Number of accounts.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Key of an account: a hash of its supplier and number, or else its fingerprint.
pub(crate) fn key(supplier: Option<&str>, number: Option<&str>, fingerprint: u64) -> u64 {
    let (Some(supplier), Some(number)) = (supplier, number) else { return fingerprint };
    beginning(&account_hash(supplier, number))
}

/// Key of a request: of an account as [`key`], of a document a hash of its supplier and path, of others one of their kind and
/// bytes.
pub(crate) fn request_key(kind: Kind, supplier: Option<&str>, number: Option<&str>, fingerprint: u64) -> u64 {
    match kind {
        Kind::Account | Kind::Document => key(supplier, number, fingerprint),
        _ => beginning(&account_hash(kind.as_str(), &format!("{fingerprint:016x}"))),
    }
}

/// Hash of an account's identity. The length prefix distinguishes `A`, `BC` from `AB`, `C`.
pub(crate) fn account_hash(supplier: &str, number: &str) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&supplier.len().to_le_bytes()).update(supplier.as_bytes()).update(number.as_bytes());
    hasher.finalize()
}

/// Fingerprint of an account's bytes.
pub(crate) fn fingerprint_of(account: &[u8]) -> u64 {
    beginning(&blake3::hash(account.trim_ascii()))
}

fn beginning(hash: &blake3::Hash) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Key of a record's account.
pub(crate) fn key_of(record: &Record) -> u64 {
    let (supplier, number) = (record.import_supplier.as_deref(), record.external_account_number.as_deref());
    request_key(record.request, supplier, number, fingerprint_in(record))
}

/// Fingerprint in a record.
pub(super) fn fingerprint_in(record: &Record) -> u64 {
    u64::from_str_radix(&record.fingerprint, 16).unwrap_or_default()
}
