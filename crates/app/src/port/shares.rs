//! The division of the workers' time among suppliers.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Least import time that is counted for an account: suppliers take turns even if their accounts take no time.
const LEAST: Duration = Duration::from_micros(100);
/// Expected import time at which a claim takes no further account. It bounds how long a newly accepted account waits
/// for a worker, unless a single account takes longer.
const TURN: Duration = Duration::from_millis(250);

/// The import time that each supplier has used of the workers of one process.
///
/// Claims take accounts of the supplier that has used least. A supplier whose accounts take long so has fewer of
/// them in a claim, and does not slow the others by more than its share of time. A supplier without due accounts
/// saves no time up: when it returns, it begins with the time of the one that has used least.
#[derive(Debug, Default)]
pub struct FairShares(Mutex<Shares>);

#[derive(Debug, Default)]
struct Shares {
    /// Time of the supplier that had used least at the last claim.
    least_used: Duration,
    suppliers: HashMap<i64, Share>,
}

#[derive(Debug, Clone, Copy)]
struct Share {
    used: Duration,
    /// Average import time of an account.
    per_account: Duration,
}

impl Shares {
    fn share(&self, supplier_id: i64) -> Share {
        let known = self.suppliers.get(&supplier_id).copied();
        let known = known.unwrap_or(Share { used: Duration::ZERO, per_account: LEAST });
        Share { used: known.used.max(self.least_used), ..known }
    }
}

impl FairShares {
    /// Divides at most `limit` accounts among suppliers with due accounts, given by their keys and the maximum
    /// number of accounts of each. Of suppliers that have used the same time, the earlier comes first.
    pub fn divide(&self, suppliers: impl IntoIterator<Item = (i64, i64)>, limit: i64) -> Division {
        let mut shares = self.lock();
        let candidate = |(place, (id, room))| Candidate { place, room, share: shares.share(id) };
        let mut waiting: Vec<_> = suppliers.into_iter().enumerate().map(candidate).collect();
        // The sort is stable: equals keep their order.
        waiting.sort_by_key(|candidate| candidate.share.used);
        if let Some(first) = waiting.first() {
            shares.least_used = first.share.used;
        }
        Division { waiting, asked: None, left: limit, time: TURN }
    }

    /// Notes that accounts of a supplier were claimed: until it is known how long they take, they count with the
    /// average.
    pub fn claimed(&self, supplier_id: i64, accounts: u32) {
        let mut shares = self.lock();
        let share = shares.share(supplier_id);
        let used = share.used + share.per_account * accounts;
        shares.suppliers.insert(supplier_id, Share { used, ..share });
    }

    /// Notes how long claimed accounts of a supplier took together.
    pub fn imported(&self, supplier_id: i64, accounts: u32, took: Duration) {
        let mut shares = self.lock();
        let Some(share) = shares.suppliers.get_mut(&supplier_id).filter(|_| accounts > 0) else { return };
        share.used = (share.used + took).saturating_sub(share.per_account * accounts);
        share.per_account = ((share.per_account * 3 + took / accounts) / 4).max(LEAST);
    }

    fn lock(&self) -> MutexGuard<'_, Shares> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The division of one claim.
#[derive(Debug)]
pub struct Division {
    /// The suppliers that were not asked yet, by the time that they have used.
    waiting: Vec<Candidate>,
    /// The supplier that is being asked.
    asked: Option<Candidate>,
    /// Accounts that may still be claimed.
    left: i64,
    /// Import time that may still be claimed.
    time: Duration,
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    place: usize,
    room: i64,
    share: Share,
}

impl Division {
    /// Returns the place of the next supplier to claim from and its number of accounts, or `None` once the claim
    /// is full.
    pub fn next_supplier(&mut self) -> Option<(usize, i64)> {
        if self.left <= 0 || self.time.is_zero() || self.waiting.is_empty() {
            return None;
        }
        let share = self.share_of_first();
        let first = self.waiting.remove(0);
        self.asked = Some(first);
        Some((first.place, share))
    }

    /// Notes how many accounts the supplier had. What is left of its share goes to those after it.
    pub fn took(&mut self, accounts: usize) {
        let Some(asked) = self.asked.take() else { return };
        let count = u32::try_from(accounts).unwrap_or(u32::MAX);
        self.left -= i64::from(count);
        self.time = self.time.saturating_sub(asked.share.per_account.saturating_mul(count));
    }

    /// Gives one account after another to the supplier that has then used least.
    fn share_of_first(&self) -> i64 {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.waiting.len());
        let mut suppliers = self.waiting[..most].to_vec();
        let (mut of_first, mut time) = (0, self.time);
        for _ in 0..self.left {
            let open = suppliers.iter_mut().enumerate().filter(|(_, supplier)| supplier.room > 0);
            let Some((n, next)) = open.min_by_key(|(_, supplier)| supplier.share.used) else { break };
            next.room -= 1;
            next.share.used += next.share.per_account;
            time = time.saturating_sub(next.share.per_account);
            of_first += i64::from(n == 0);
            if time.is_zero() {
                break;
            }
        }
        of_first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Claims up to 16 accounts of suppliers, of which each has as many due as it is given room.
    fn claim(shares: &FairShares, suppliers: &[(i64, i64)]) -> Vec<(i64, i64)> {
        let mut division = shares.divide(suppliers.iter().copied(), 16);
        let mut taken = Vec::new();
        while let Some((place, share)) = division.next_supplier() {
            let (id, room) = suppliers[place];
            assert!((1..=room).contains(&share));
            division.took(share as usize);
            shares.claimed(id, share as u32);
            taken.push((id, share));
        }
        taken
    }

    #[test]
    fn equal_suppliers_get_equal_shares_in_their_order() {
        let shares = FairShares::default();
        assert_eq!(claim(&shares, &[(7, 16), (3, 16), (5, 16)]), [(7, 6), (3, 5), (5, 5)]);
        assert_eq!(claim(&shares, &[(3, 2), (5, 16)]), [(3, 2), (5, 14)]);
        let many: Vec<_> = (1..=20).map(|id| (id, 16)).collect();
        let first = claim(&FairShares::default(), &many);
        assert_eq!(first, (1..=16).map(|id| (id, 1)).collect::<Vec<_>>());
    }

    #[test]
    fn what_a_supplier_does_not_have_goes_to_the_others() {
        let shares = FairShares::default();
        let mut division = shares.divide([(1, 16), (2, 16)], 16);
        assert_eq!(division.next_supplier(), Some((0, 8)));
        division.took(1);
        assert_eq!(division.next_supplier(), Some((1, 15)));
        division.took(15);
        assert_eq!(division.next_supplier(), None);
    }

    #[test]
    fn a_supplier_whose_accounts_take_long_gets_fewer() {
        let shares = FairShares::default();
        let both = [(1, 16), (2, 16)];
        for (id, accounts) in claim(&shares, &both) {
            let of_each = Duration::from_millis(if id == 1 { 200 } else { 1 });
            shares.imported(id, accounts as u32, of_each * accounts as u32);
        }
        // The other one makes up for the time that it did not get.
        assert_eq!(claim(&shares, &both), [(2, 16)]);
        // Alone it gets what fits in a turn.
        assert_eq!(claim(&shares, &[(1, 16)]), [(1, 5)]);
    }

    #[test]
    fn a_supplier_without_accounts_saves_no_time_up() {
        let shares = FairShares::default();
        for _ in 0..100 {
            claim(&shares, &[(1, 16)]);
        }
        assert_eq!(claim(&shares, &[(2, 16), (1, 16)]), [(2, 16)]);
        let next: i64 =
            claim(&shares, &[(2, 16), (1, 16)]).iter().map(|(id, n)| if *id == 1 { *n } else { 0 }).sum();
        assert!(next >= 7, "{next}");
    }

    proptest! {
        /// Suppliers that always have accounts have used about the same time, whatever these take.
        #[test]
        fn time_is_divided_equally(costs in prop::collection::vec(1_u64..300_000, 2..6)) {
            let shares = FairShares::default();
            let suppliers: Vec<_> = (0..costs.len()).map(|n| (n as i64, 16)).collect();
            let mut used = vec![Duration::ZERO; costs.len()];
            for _ in 0..2_000 {
                for (id, accounts) in claim(&shares, &suppliers) {
                    let took = Duration::from_micros(costs[id as usize].max(100)) * accounts as u32;
                    shares.imported(id, accounts as u32, took);
                    used[id as usize] += took;
                }
            }
            // The first claims, before any average is known, and the last account of each.
            let allowed = Duration::from_micros(300_000) * 17;
            let (least, most) = (used.iter().min().unwrap(), used.iter().max().unwrap());
            prop_assert!(*most - *least <= allowed, "{used:?}");
        }
    }
}
