use super::firsts::{Firsts, Seen};
use crate::identity::Identity;
use crate::input::Location;
use cutover_core::folded;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Maximum number of keys that are kept, in about 140 MB.
const MAX_KEYS: usize = 7_000_000;

/// Keys of an account number: accounts of a supplier that have one in common have numbers that look alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberKeys {
    /// Ignores case, Unicode form, separators and leading zeros.
    plain: u64,
    /// Also takes letters for the digits that they look like; `None` if the number has no such letter.
    alike: Option<u64>,
}

impl NumberKeys {
    /// Keys of an account with supplier and number; `None` if the number has only separators.
    pub(super) fn of(identity: &Identity) -> Option<Self> {
        let (supplier, number) = (identity.supplier.as_deref()?, identity.number.as_deref()?);
        // A hash, because the numbers of a million accounts would fill the memory. Of a million, two have the same by
        // chance once in 30 million runs.
        let hash = |folded: String| {
            let mut hasher = DefaultHasher::new();
            (supplier, folded).hash(&mut hasher);
            hasher.finish()
        };
        let plain = hash(without_separators(number, |c| c)?);
        let is_numeric = number.bytes().any(|byte| byte.is_ascii_digit());
        let has_letters = is_numeric && number.contains(|c| digit_like(c) != c);
        // The plain key stays beside it: A-l1 and A-L1 differ only in case, but L is not taken for 1.
        let alike = has_letters.then(|| without_separators(number, digit_like)).flatten().map(hash);
        Some(Self { plain, alike })
    }

    fn all(self) -> impl Iterator<Item = u64> {
        [Some(self.plain), self.alike].into_iter().flatten()
    }
}

/// The digit that a letter looks like, or the character itself.
fn digit_like(c: char) -> char {
    match c {
        'O' => '0',
        'I' | 'l' => '1',
        c => c,
    }
}

/// A folded number without separators; `None` if nothing is left.
fn without_separators(number: &str, read: impl Fn(char) -> char) -> Option<String> {
    let is_separator = |c: &char| c.is_whitespace() || matches!(c, '-' | '/' | '.' | '_');
    let text: String = number.chars().filter(|c| !is_separator(c)).map(read).collect();
    Some(folded(&text).into_owned()).filter(|folded| !folded.is_empty())
}

/// Finds numbers that look alike. Most accounts have one key.
#[derive(Debug)]
pub(super) struct Numbers(Firsts);

impl Default for Numbers {
    fn default() -> Self {
        Self(Firsts::with_room_for(MAX_KEYS))
    }
}

impl Numbers {
    /// Takes the next account. Returns the first one whose number looks like its own, and whether later accounts are
    /// compared with it.
    pub(super) fn see(&mut self, keys: NumberKeys, location: Location) -> (Option<Location>, bool) {
        let (mut similar, mut is_kept) = (None, true);
        for key in keys.all() {
            match self.0.see(key, location) {
                Seen::First => {}
                Seen::Earlier(earlier) => similar = similar.or(Some(earlier)),
                Seen::NoRoom => is_kept = false,
            }
        }
        (similar, is_kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(supplier: &str, number: &str) -> Option<NumberKeys> {
        NumberKeys::of(&Identity { supplier: Some(supplier.into()), number: Some(number.into()) })
    }

    fn at(line: u32) -> Location {
        Location { source: 0, line }
    }

    /// Lines of the earlier numbers that each looks like.
    fn similar(numbers: &mut Numbers, given: &[&str]) -> Vec<Option<u32>> {
        let see = |(line, number): (u32, &&str)| {
            numbers.see(keys("A", number)?, at(line)).0.map(|location| location.line)
        };
        (1..).zip(given).map(see).collect()
    }

    #[test]
    fn numbers_that_look_alike_are_found_in_both_orders() {
        for (one, other) in [
            ("A-1001", "A1001"),
            ("a1001", "A1001"),
            ("A_10.01", "A/10 01"),
            ("A\u{a0}1001", "A1001"),
            ("0012", "12"),
            ("00", "0"),
            ("O012", "12"),
            ("AO1", "A01"),
            ("AI1", "Al1"),
            ("AI1", "A11"),
            // Only the case differs, of letters that look like digits as well.
            ("ACL-1O", "acl-1o"),
            ("\u{c4}1", "\u{e4}1"),
            ("\u{c4}1", "a\u{308}1"),
            ("\u{ff11}2", "12"),
        ] {
            for pair in [[one, other], [other, one]] {
                assert_eq!(similar(&mut Numbers::default(), &pair), [None, Some(1)], "{pair:?}");
            }
        }
    }

    #[test]
    fn other_numbers_do_not_look_alike() {
        for (one, other) in [
            ("A-1001", "A-1002"),
            // Zeros inside count.
            ("A-1001", "A-101"),
            ("A-0012", "A-12"),
            ("120", "12"),
            // Without a digit, letters are letters.
            ("OIL", "011"),
            ("OIl", "OII"),
            // Letters that look like no digit in this case.
            ("L1", "I1"),
            ("o1", "01"),
            ("i1", "11"),
            ("S1", "51"),
            ("B1", "81"),
            // Only ASCII is compared by look: this is the Greek letter.
            ("\u{39f}1", "01"),
            ("A+1", "A1"),
        ] {
            for pair in [[one, other], [other, one]] {
                assert_eq!(similar(&mut Numbers::default(), &pair), [None, None], "{pair:?}");
            }
        }
        assert_eq!(keys("A", "-_-"), None);
    }

    #[test]
    fn suppliers_are_not_compared_with_each_other() {
        let mut numbers = Numbers::default();
        assert_eq!(numbers.see(keys("A", "A-1").unwrap(), at(1)).0, None);
        assert_eq!(numbers.see(keys("B", "A1").unwrap(), at(2)).0, None);
        assert_eq!(numbers.see(keys("A", "A1").unwrap(), at(3)).0, Some(at(1)));
    }

    #[test]
    fn each_of_a_group_is_found_and_names_the_first() {
        let given = ["12", "7", "0012", "1-2", "l2"];
        assert_eq!(similar(&mut Numbers::default(), &given), [None, None, Some(1), Some(1), Some(1)]);
    }

    #[test]
    fn without_room_numbers_are_compared_with_earlier_ones_only() {
        let mut numbers = Numbers(Firsts::with_room_for(2));
        let found = similar(&mut numbers, &["1", "2", "3", "03", "01", "02"]);
        assert_eq!(found, [None, None, None, None, Some(1), Some(2)]);
        assert_eq!(numbers.see(keys("A", "3").unwrap(), at(7)), (None, false));
        assert_eq!(numbers.see(keys("A", "1").unwrap(), at(8)), (Some(at(1)), true));
    }
}
