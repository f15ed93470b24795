use super::check::Identity;
use crate::input::Location;
use crate::journal::account_hash;
use std::collections::HashMap;

/// Accounts seen so far, to detect repeated ones.
///
/// Each costs 30 to 60 bytes: a hash of 16 bytes and a location. Collisions of such hashes are less likely
/// than hardware faults.
#[derive(Debug, Default)]
pub(crate) struct SeenAccounts(HashMap<[u8; 16], Location>);

impl SeenAccounts {
    /// Returns the first location of the account if it was seen before. An account without supplier or number
    /// is not compared.
    pub(crate) fn first_location(&mut self, identity: &Identity, location: Location) -> Option<Location> {
        let (supplier, number) = (identity.supplier.as_deref()?, identity.number.as_deref()?);
        let first = *self.0.entry(hash(supplier, number)).or_insert(location);
        (first != location).then_some(first)
    }
}

fn hash(supplier: &str, number: &str) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&account_hash(supplier, number).as_bytes()[..16]);
    half
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_identified_by_supplier_and_number() {
        let mut repeated = SeenAccounts::default();
        let mut meet = |supplier: Option<&str>, number: Option<&str>, line| {
            let identity = Identity { supplier: supplier.map(Into::into), number: number.map(Into::into) };
            repeated.first_location(&identity, Location { source: 0, line }).map(|location| location.line)
        };
        assert_eq!(meet(Some("A"), Some("BC"), 1), None);
        assert_eq!(meet(Some("AB"), Some("C"), 2), None);
        assert_eq!(meet(Some("A"), Some("bc"), 3), None);
        assert_eq!(meet(Some("X"), Some("BC"), 3), None);
        assert_eq!(meet(Some("A"), Some("BC"), 4), Some(1));
        assert_eq!(meet(Some("A"), Some("BC"), 5), Some(1));
        assert_eq!(meet(None, Some("BC"), 6), None);
        assert_eq!(meet(None, Some("BC"), 7), None);
        assert_eq!(meet(Some("A"), None, 8), None);
        assert_eq!(meet(Some("A"), None, 9), None);
    }
}
