use super::additions::Additions;
use crate::error::Error;
use crate::input::{InputEvent, Location};
use crate::pipeline::Worker;
use cutover_core::Zone;
use cutover_model::certificate::{LeafTotals, account_content, certified_content};
use cutover_model::{ContentHash, Totals, decode_account};
use std::collections::HashMap;
use std::sync::Arc;

/// An account of the files.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    /// The hash of everything that was sent of it.
    pub(super) content: ContentHash,
    /// A hash of its totals; `None` if something was added to it, or if they cannot be computed.
    pub(super) totals: Option<[u8; 16]>,
}

/// Returns a hash of totals.
pub(super) fn hash_of(totals: &LeafTotals) -> [u8; 16] {
    let LeafTotals { ledger_balance, readings, transactions, documents } = totals;
    let text = format!("{ledger_balance} {readings} {transactions} {documents}");
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

    fn process(&self, _: Location, body: &[u8]) -> Option<Hashed> {
        let decoded = decode_account(body, self.zone).ok()?;
        let request = decoded.draft?;
        let (supplier, number): (Box<str>, Box<str>) = {
            let account = request.account.usable()?;
            let supplier = account.import_supplier.usable()?;
            let number = account.external_account_number.usable()?;
            (supplier.trimmed().into(), number.trimmed().into())
        };
        let account = request.into_valid().map(|(account, _)| account);
        let payload = account_content(body).ok()?;
        let added = self.additions.of(&number, account.as_ref(), self.zone);
        let totals = account.filter(|_| added.is_empty());
        let totals = totals.map(|account| hash_of(&LeafTotals::from(Totals::of(&account, self.zone))));
        let sent = Sent { content: certified_content(payload, added), totals };
        Some(Hashed { supplier, number, sent })
    }
}

/// The accounts of the files by their numbers.
#[derive(Debug)]
pub(super) struct Accounts {
    supplier: String,
    by_number: HashMap<Box<str>, Sent>,
    /// Accounts of other suppliers.
    pub(super) of_others: u64,
    /// The places of accounts that cannot be read, at most ten, and their number.
    pub(super) unreadable: (Vec<String>, u64),
}

/// Maximum number of places that are named.
const NAMED: usize = 10;

impl Accounts {
    pub(super) fn new(supplier: String) -> Self {
        Self { supplier, by_number: HashMap::new(), of_others: 0, unreadable: (Vec::new(), 0) }
    }

    /// Adds the next account. One that occurs again replaces what was sent before.
    pub(super) fn see(
        &mut self,
        file: &str,
        line: u32,
        event: InputEvent<Option<Hashed>>,
    ) -> Result<(), Error> {
        match event {
            InputEvent::Opened => {}
            InputEvent::Account(Some(account)) if *account.supplier != *self.supplier => self.of_others += 1,
            InputEvent::Account(Some(account)) => {
                self.by_number.insert(account.number, account.sent);
            }
            InputEvent::Account(None) | InputEvent::TooLarge => {
                let (places, count) = &mut self.unreadable;
                *count += 1;
                if places.len() < NAMED {
                    places.push(format!("{file}:{line}"));
                }
            }
            InputEvent::Unreadable(why) => {
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
