use super::additions::Additions;
use crate::error::Error;
use crate::identity::Identity;
use crate::input::{InputEvent, Location, Source};
use crate::journal::fingerprint_of;
use crate::pipeline::Worker;
use cutover_core::Zone;
use cutover_model::certificate::{LeafTotals, account_content, certified_content};
use cutover_model::{ContentHash, RowCounts, Totals, decode_account};
use std::collections::HashMap;
use std::sync::Arc;

/// An account of the files.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    location: Location,
    /// Fingerprint of its bytes.
    fingerprint: u64,
    /// The hash of everything that was sent of it.
    pub(super) content: ContentHash,
    /// A hash of its totals; `None` if something was added to it, or if they cannot be computed.
    pub(super) totals: Option<TotalsHash>,
}

/// Hashes of totals: with the numbers of rows, and without for leaves that have none.
#[derive(Debug, Clone, Copy)]
pub(super) struct TotalsHash {
    all: [u8; 16],
    without_rows: [u8; 16],
}

impl TotalsHash {
    fn of(totals: &LeafTotals) -> Self {
        let without_rows = LeafTotals { counts: RowCounts::default(), ..totals.clone() };
        Self { all: hash_of(totals), without_rows: hash_of(&without_rows) }
    }

    /// Returns true if a leaf states these totals.
    pub(super) fn is_stated_by(&self, stated: &LeafTotals) -> bool {
        hash_of(stated) == if stated.counts.is_empty() { self.without_rows } else { self.all }
    }
}

fn hash_of(totals: &LeafTotals) -> [u8; 16] {
    let LeafTotals { counts, ledger_balance, readings, transactions, documents } = totals;
    let mut text = format!("{ledger_balance} {readings} {transactions} {documents}");
    text.extend(counts.iter().map(|(table, rows)| format!(" {table} {rows}")));
    let mut hash = [0; 16];
    hash.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    hash
}

/// An account as a worker has read it.
#[derive(Debug)]
pub(super) struct Hashed {
    supplier: Box<str>,
    number: Box<str>,
    sent: Sent,
}

/// Hashes accounts.
pub(super) struct Hasher {
    pub(super) zone: Zone,
    pub(super) additions: Arc<Additions>,
}

impl Worker for Hasher {
    /// `None` for what is no account.
    type Output = Option<Hashed>;

    fn process(&self, location: Location, body: &[u8]) -> Option<Hashed> {
        let decoded = decode_account(body, self.zone).ok()?;
        let Identity { supplier, number } = Identity::of(&decoded)?;
        let (supplier, number, request) = (supplier?, number?, decoded.draft?);
        let account = request.into_valid().map(|(account, _)| account);
        let payload = account_content(body).ok()?;
        let added = self.additions.of(&number, account.as_ref(), self.zone);
        let totals = account.filter(|_| added.is_empty());
        let totals = totals.map(|account| TotalsHash::of(&LeafTotals::from(Totals::of(&account, self.zone))));
        let fingerprint = fingerprint_of(body);
        let sent = Sent { location, fingerprint, content: certified_content(payload, added), totals };
        Some(Hashed { supplier, number, sent })
    }
}

/// The accounts of the files by their numbers.
#[derive(Debug)]
pub(super) struct Accounts {
    supplier: String,
    by_number: HashMap<Box<str>, Sent>,
    /// The places of copies that differ, at most ten.
    pub(super) differing: (Vec<String>, u64),
    /// Accounts of other suppliers.
    pub(super) of_others: u64,
    /// The places of accounts that cannot be read, at most ten, and their number.
    pub(super) unreadable: (Vec<String>, u64),
}

/// Maximum number of places that are named.
const NAMED: usize = 10;

impl Accounts {
    pub(super) fn new(supplier: String) -> Self {
        Self {
            supplier,
            by_number: HashMap::new(),
            differing: (Vec::new(), 0),
            of_others: 0,
            unreadable: (Vec::new(), 0),
        }
    }

    /// Adds the next account. Of one that occurs again the last copy counts.
    pub(super) fn see(
        &mut self,
        sources: &[Source],
        location: Location,
        event: InputEvent<Option<Hashed>>,
    ) -> Result<(), Error> {
        let place = |at: Location| sources[at.source as usize].place(at.line).to_string();
        match event {
            InputEvent::Opened => {}
            InputEvent::Account(Some(account)) if *account.supplier != *self.supplier => self.of_others += 1,
            InputEvent::Account(Some(account)) => {
                let Hashed { number, sent, .. } = account;
                let Some(before) = self.by_number.insert(number.clone(), sent) else { return Ok(()) };
                if before.fingerprint != sent.fingerprint {
                    let (before, here) = (place(before.location), place(sent.location));
                    let (texts, count) = &mut self.differing;
                    *count += 1;
                    if texts.len() < NAMED {
                        texts.push(format!(
                            "{number} is in {before} and, with other content, in {here}; the last one counts"
                        ));
                    }
                }
            }
            InputEvent::Account(None) | InputEvent::TooLarge => {
                let (places, count) = &mut self.unreadable;
                *count += 1;
                if places.len() < NAMED {
                    places.push(place(location));
                }
            }
            InputEvent::Unreadable(why) => {
                let file = &sources[location.source as usize].name;
                return Err(Error::refused(format!("{file} cannot be read: {why}")));
            }
        }
        Ok(())
    }

    /// Takes an account out.
    pub(super) fn take(&mut self, number: &str) -> Option<Sent> {
        self.by_number.remove(number)
    }

    /// Returns the numbers of the accounts that were not taken out, in order.
    pub(super) fn rest(self) -> Vec<Box<str>> {
        let mut rest: Vec<_> = self.by_number.into_keys().collect();
        rest.sort_unstable();
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_of_earlier_versions_have_no_rows() {
        let own = LeafTotals {
            counts: RowCounts::of([("notes", 2)]),
            ledger_balance: "1.00".into(),
            readings: 0,
            transactions: 0,
            documents: 0,
        };
        let stated = |counts: RowCounts| LeafTotals { counts, ..own.clone() };
        let hash = TotalsHash::of(&own);
        assert!(hash.is_stated_by(&own) && hash.is_stated_by(&stated(RowCounts::default())));
        assert!(!hash.is_stated_by(&stated(RowCounts::of([("notes", 3)]))));
        let other = LeafTotals { readings: 1, ..stated(RowCounts::default()) };
        assert!(!hash.is_stated_by(&other));
    }
}
