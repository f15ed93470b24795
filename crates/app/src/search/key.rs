//! The terms of words: their keyed hashes.

use super::Word;
use crate::port::{Random, SearchKey, SearchTerm, Store, StoreError, read_committed, write};
use std::sync::OnceLock;

/// Number of bytes of a hash that are kept: among the words of five million accounts, two have the same with a probability of about
/// one in four thousand, and it would only show an account too many.
const HASH: usize = 8;

/// The first bytes of terms, by what they are of.
const OF_WORD: u8 = 0;
const OF_NUMBER: u8 = 1;

/// The key of the words, once it was read.
#[derive(Default)]
pub(crate) struct SearchKeys(OnceLock<Option<[u8; 32]>>);

/// Makes the terms of words.
pub(crate) struct Terms {
    /// `None`: no process can read it any more.
    key: Option<[u8; 32]>,
    /// The supplier, or the organisation for words of businesses.
    owner_id: i64,
}

impl Terms {
    /// Returns what makes the terms of accounts of a supplier, or of businesses of an organisation.
    pub(crate) fn at(&self, owner_id: i64) -> Self {
        Self { owner_id, ..*self }
    }

    /// Returns true if words have terms.
    pub(crate) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// The term of a word; `None` without a key.
    pub(super) fn of(&self, word: &Word) -> Option<SearchTerm> {
        let (kind, first, second) = match word {
            Word::Name(name) => (0, name.as_str(), ""),
            Word::NamePair(first, second) => (1, first.as_str(), second.as_str()),
            Word::Email(email) => (2, email.as_str(), ""),
            Word::Phone(digits) => (3, digits.as_str(), ""),
            Word::Address(postcode, word) => (4, postcode.as_str(), word.as_str()),
            Word::MeterPoint(mpxn) => (5, mpxn.as_str(), ""),
            Word::MeterSerial(serial) => (6, serial.as_str(), ""),
            Word::Contract(identifier) => (7, identifier.as_str(), ""),
            Word::Company(name) => (8, name.as_str(), ""),
            Word::CompanyPair(first, second) => (9, first.as_str(), second.as_str()),
            Word::CompanyNumber(kind, digits) => (10, *kind, digits.as_str()),
        };
        let mut hasher = blake3::Hasher::new_keyed(self.key.as_ref()?);
        hasher.update(&self.owner_id.to_be_bytes()).update(&[kind]);
        // No word contains the separator.
        hasher.update(first.as_bytes()).update(b"\0").update(second.as_bytes());
        let hash = hasher.finalize();
        let mut term = vec![OF_WORD];
        term.extend_from_slice(&hash.as_bytes()[..HASH]);
        Some(SearchTerm(term))
    }

    /// The term of a part of an account number at its end. The terms of all ends that begin with a text begin with its term.
    pub(super) fn of_number(&self, part: &str) -> SearchTerm {
        let mut term = vec![OF_NUMBER];
        term.extend_from_slice(&self.owner_id.to_be_bytes());
        term.extend_from_slice(part.to_ascii_uppercase().as_bytes());
        SearchTerm(term)
    }
}

impl SearchKeys {
    /// Returns what makes terms, for no owner yet, if the key was read before.
    pub(crate) fn known_terms(&self) -> Option<Terms> {
        Some(Terms { key: *self.0.get()?, owner_id: 0 })
    }

    /// Returns what makes terms, for no owner yet. Reads the key, if it was not read before, and draws it if the installation has none.
    ///
    /// # Errors
    /// [`StoreError::KeyMissing`] if this process lacks the encryption key.
    pub(crate) fn terms(&self, store: &dyn Store, random: &dyn Random) -> Result<Terms, StoreError> {
        if let Some(terms) = self.known_terms() {
            return Ok(terms);
        }
        let stored = || read_committed(store, |tx| tx.search_key());
        let key = match stored() {
            Ok(Some(SearchKey(secret))) => Some(secret),
            Ok(None) => {
                let mut secret = [0; 32];
                random.fill(&mut secret);
                write(store, move |tx| tx.add_search_key(&SearchKey(secret)))?;
                // Another process may have been faster.
                let lost = || StoreError::Failed("the key of the search was not stored".into());
                Some(stored()?.ok_or_else(lost)?.0)
            }
            Err(StoreError::Corrupt(_)) => {
                tracing::error!("the key of the search is lost: accounts are found by their numbers alone");
                None
            }
            Err(error) => return Err(error),
        };
        Ok(Terms { key: *self.0.get_or_init(|| key), owner_id: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_depends_on_key_owner_and_kind_and_shows_no_word() {
        let terms = |key, owner_id| Terms { key: Some([key; 32]), owner_id };
        let name = Word::Name("smith".into());
        let first = terms(1, 1).of(&name).unwrap();
        assert_eq!(terms(1, 1).of(&name).unwrap(), first);
        for other in
            [terms(2, 1).of(&name), terms(1, 2).of(&name), terms(1, 1).of(&Word::Contract("smith".into()))]
        {
            assert_ne!(other.unwrap(), first);
        }
        assert_eq!(first.0.len(), 1 + HASH);
    }

    #[test]
    fn the_end_of_a_number_begins_with_its_beginnings() {
        let terms = Terms { key: None, owner_id: 7 };
        assert!(terms.of_number("ab-123").0.starts_with(&terms.of_number("AB-1").0));
    }
}
