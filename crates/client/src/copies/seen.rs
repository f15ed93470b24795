use crate::identity::IdentityHash;
use crate::input::Location;
use std::collections::HashMap;

/// The last copy so far of each account, to detect repeated ones. An account costs 40 to 80 bytes.
#[derive(Debug, Default)]
pub(crate) struct SeenAccounts(HashMap<IdentityHash, (Location, u64)>);

/// An earlier copy of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Earlier {
    pub(crate) location: Location,
    /// True if its bytes are other ones.
    pub(crate) differs: bool,
}

impl SeenAccounts {
    /// Returns the copy before this one, if there is one.
    pub(crate) fn see(
        &mut self,
        account: IdentityHash,
        location: Location,
        fingerprint: u64,
    ) -> Option<Earlier> {
        let before = self.0.insert(account, (location, fingerprint));
        before.map(|(location, known)| Earlier { location, differs: known != fingerprint })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Identity;

    #[test]
    fn each_copy_is_compared_with_the_one_before() {
        let mut seen = SeenAccounts::default();
        let account = Identity { supplier: Some("A".into()), number: Some("1".into()) }.hash().unwrap();
        let mut see = |line, fingerprint| {
            let earlier = seen.see(account, Location { source: 0, line }, fingerprint);
            earlier.map(|earlier| (earlier.location.line, earlier.differs))
        };
        assert_eq!(see(1, 7), None);
        assert_eq!(see(2, 8), Some((1, true)));
        assert_eq!(see(3, 8), Some((2, false)));
    }
}
