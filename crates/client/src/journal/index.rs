use super::record::{Outcome, Record};
use std::collections::HashMap;

/// What was answered to each account last, some 20 to 40 bytes for each.
///
/// Hashes of eight bytes are enough: where two accounts fell together, one of them would be sent again.
#[derive(Debug, Default)]
pub(crate) struct Index(HashMap<u64, (u64, Outcome)>);

impl Index {
    /// Takes up a record; it counts over those before.
    pub(super) fn add(&mut self, record: &Record) {
        if let Ok(print) = u64::from_str_radix(&record.fingerprint, 16) {
            let supplier = record.import_supplier.as_deref();
            self.0.insert(
                key(supplier, record.external_account_number.as_deref(), print),
                (print, record.outcome),
            );
        }
    }

    /// What became of an account with exactly these bytes, if that was the last of it.
    pub(crate) fn outcome(&self, key: u64, print: u64) -> Option<Outcome> {
        self.0.get(&key).filter(|(last, _)| *last == print).map(|(_, outcome)| *outcome)
    }

    /// Whether the service has the account by what was answered last, and with other bytes.
    pub(crate) fn has_other(&self, key: u64, print: u64) -> bool {
        self.0.get(&key).is_some_and(|(last, outcome)| *last != print && outcome.is_there())
    }

    /// How many accounts are in it.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// By which an account is known again, wherever it stands: its supplier and number, or else its bytes.
pub(crate) fn key(supplier: Option<&str>, number: Option<&str>, print: u64) -> u64 {
    let (Some(supplier), Some(number)) = (supplier, number) else { return print };
    let mut hasher = blake3::Hasher::new();
    hasher.update(&supplier.len().to_le_bytes()).update(supplier.as_bytes()).update(number.as_bytes());
    beginning(&hasher.finalize())
}

/// The fingerprint of an account's bytes.
pub(crate) fn print_of(account: &[u8]) -> u64 {
    beginning(&blake3::hash(account.trim_ascii()))
}

fn beginning(hash: &blake3::Hash) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// The same of a record.
pub(super) fn key_of(record: &Record) -> u64 {
    let print = u64::from_str_radix(&record.fingerprint, 16).unwrap_or_default();
    key(record.import_supplier.as_deref(), record.external_account_number.as_deref(), print)
}
