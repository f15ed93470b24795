use serde::Serialize;
use std::collections::BTreeMap;

/// The numbers of rows that accounts have in a table. A number costs memory once, however many accounts have it.
#[derive(Debug, Default)]
pub(super) struct Spread(BTreeMap<u64, u64>);

/// The rows of a table for each account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct PerAccount {
    pub(super) least: u64,
    pub(super) median: u64,
    pub(super) greatest: u64,
    pub(super) accounts_without: u64,
}

impl Spread {
    /// Takes the number of rows of an account.
    pub(super) fn see(&mut self, rows: u64) {
        *self.0.entry(rows).or_default() += 1;
    }

    pub(super) fn per_account(&self) -> PerAccount {
        PerAccount {
            least: self.0.keys().next().copied().unwrap_or_default(),
            median: self.median(),
            greatest: self.0.keys().next_back().copied().unwrap_or_default(),
            accounts_without: self.0.get(&0).copied().unwrap_or_default(),
        }
    }

    /// Of two numbers in the middle the smaller one.
    fn median(&self) -> u64 {
        let (accounts, mut before) = (self.0.values().sum::<u64>(), 0);
        for (rows, count) in &self.0 {
            before += count;
            if before * 2 >= accounts {
                return *rows;
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn per_account(rows: &[u64]) -> [u64; 4] {
        let mut spread = Spread::default();
        rows.iter().for_each(|rows| spread.see(*rows));
        let PerAccount { least, median, greatest, accounts_without } = spread.per_account();
        [least, median, greatest, accounts_without]
    }

    #[test]
    fn accounts_without_rows_count() {
        assert_eq!(per_account(&[0, 5, 0, 1, 2]), [0, 1, 5, 2]);
        assert_eq!(per_account(&[4, 1, 3, 2]), [1, 2, 4, 0]);
        assert_eq!(per_account(&[7]), [7, 7, 7, 0]);
        assert_eq!(per_account(&[]), [0; 4]);
    }
}
