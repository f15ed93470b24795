//! The progress of a supplier's migration (contract D12).

use super::money::money;
use super::{HoldShown, ManifestShown, Timestamp};
use crate::describe::{AnswerKind, Shown};
use crate::{RowCounts, Totals};
use cutover_core::{Code, State, Word};
use serde::de::Deserializer;
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

answers! {
    /// The progress of a supplier's migration (contract D12).
    SupplierProgress (Debug, Eq, Serialize) {
        /// The number of accounts of each status of contract 3.
        counts: StatusCounts;
        /// The number of accounts among those that are CANCELLED whose import was undone (contract D18).
        undone: u64;
        /// The most frequent errors of failed accounts, the most frequent first; at most ten. They are those of
        /// the items, if a failure has items.
        top_errors: Vec<TopCause>;
        /// The errors beside these.
        other_errors: Others;
        /// The most frequent warnings of accounts, the most frequent first; at most ten.
        top_warnings: Vec<TopCause>;
        /// The warnings beside these.
        other_warnings: Others;
        /// Accounts imported or failed per minute, dry runs included, since the first one of the current stretch
        /// of work. Five minutes without one end a stretch.
        rate_per_minute: String, decimal;
        /// Time at which, at this rate, no account waits any longer, with the offset of the supplier's zone.
        /// `null` if none waits, nothing moves, or the supplier is not Ongoing.
        estimated_finish_at: Option<String>, datetime;
        /// Totals of the imported accounts, including what was added to them since.
        totals: ControlTotals;
        /// Accounts whose create was refused, and which were not accepted since (contract D13).
        refused: RefusedShown;
        /// The hold of the imports; `null` while there is none.
        hold: Option<HoldShown>;
        /// What the supplier has declared, beside what it has sent and what was imported; `null` without a manifest
        /// (contract D17).
        manifest: Option<ManifestShown>;
    }

    /// Figures of refused creates (contract D13).
    RefusedShown (Debug, Eq, Serialize) {
        /// Accounts that were refused and not accepted since; at most the last 100,000.
        accounts: u64;
        /// Refused payloads without a usable number.
        without_number: u64;
        /// The most frequent faults of these accounts, the most frequent first; at most ten.
        top_errors: Vec<RefusedCauseShown>;
        /// The faults beside these.
        other_errors: Others;
    }

    /// A fault of refused creates (contract D13).
    RefusedCauseShown (Debug, Eq, Serialize) {
        /// The stable code.
        code: String, code;
        /// The path of the input, with `#` for indexes and `*` for undocumented names.
        attr: String;
        /// Number of accounts that have it.
        count: u64;
    }

    /// The last refused create of an account that was not accepted since (contract D13).
    RefusedCreateShown (Debug, Eq, Serialize) {
        /// The account's number at its previous supplier.
        external_account_number: String;
        /// When the create was refused, with the offset of the supplier's zone.
        refused_at: Timestamp;
        /// Its faults, each once.
        errors: Vec<RefusedItem>;
    }

    /// A fault of a refused create (contract D13).
    RefusedItem (Debug, Eq, Serialize) {
        /// The stable code.
        code: String, code;
        /// The path of the input, with `#` for indexes and `*` for undocumented names.
        attr: String;
    }

    /// An error or a warning that accounts have (contract D13).
    TopCause (Debug, Eq, Serialize) {
        /// The stable code.
        code: Word<Code>;
        /// The pattern of its path: `#` stands for an index, `*` for the name of a member that is not documented.
        /// `null` for an error that is about no part of the payload, such as a missed window.
        attr: Option<String>;
        /// Number of accounts that have it; each counts once.
        count: u64;
        /// Numbers of at most three of them, the first ones sent.
        examples: Vec<String>;
    }

    /// Errors, warnings or faults beside those that are listed (contract D13).
    Others (Debug, Eq, Copy, Default, Serialize, Deserialize) {
        /// Number of their kinds: a code with the pattern of a path.
        kinds: u64;
        /// Sum of the numbers of accounts that have each kind.
        count: u64;
    }

    /// Totals of one imported account, including what was added to it since (contract D13).
    AccountTotals (Debug, Eq, Serialize) {
        /// The account's number at its previous supplier.
        external_account_number: String;
        /// Sum of the balances of its ledgers, exact, in the main currency unit; above 0 = in credit.
        ledger_balance: String, decimal;
        /// Readings of its meters.
        readings: u64;
        /// Transactions of its ledgers.
        transactions: u64;
        /// Documents of its notes and statements.
        documents: u64;
    }

    /// Totals of accounts (contract D12).
    ControlTotals (Debug, Eq, Serialize, Deserialize) {
        /// Accounts.
        accounts: u64;
        /// Sum of the balances of their ledgers, exact, in the main currency unit; above 0 = in credit.
        ledger_balance: String, decimal;
        /// Readings of their meters.
        readings: u64;
        /// Transactions of their ledgers.
        transactions: u64;
        /// Documents of their notes and statements.
        documents: u64;
        /// Their rows, by table; tables without rows are left out.
        counts [serde(default, skip_serializing_if = "RowCounts::is_empty")]: RowCounts;
    }
}

/// The number of accounts of each status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusCounts([u64; State::ALL.len()]);

impl StatusCounts {
    /// The counts that the function returns for each status.
    pub fn new(count: impl FnMut(State) -> u64) -> Self {
        Self(State::ALL.map(count))
    }

    /// The counts, each with its status.
    pub fn iter(&self) -> impl Iterator<Item = (State, u64)> {
        State::ALL.into_iter().zip(self.0)
    }
}

impl Serialize for StatusCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        State::ALL.iter().zip(&self.0).try_for_each(|(state, count)| map.serialize_entry(state, count))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for StatusCounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let counts = BTreeMap::<String, u64>::deserialize(deserializer)?;
        Ok(Self::new(|state| counts.get(state.as_str()).copied().unwrap_or_default()))
    }
}

impl Shown for StatusCounts {
    const KIND: AnswerKind = AnswerKind::Counts(State::WORDS);
}

impl Others {
    /// Leaves the first kinds in a list, and returns what the others come to.
    pub fn beyond<K>(list: &mut Vec<K>, most: usize, count: impl Fn(&K) -> u64) -> Self {
        let others = list.split_off(most.min(list.len()));
        Self { kinds: others.len() as u64, count: others.iter().map(count).sum() }
    }

    /// Says what they come to, for people; `None` if there are none.
    pub fn words(&self) -> Option<String> {
        let [count, kinds] =
            [self.count, self.kinds].map(|number| cutover_core::grouped(&number.to_string()));
        let s = if self.kinds == 1 { "" } else { "s" };
        (self.kinds > 0).then(|| format!("{count} of {kinds} other kind{s}"))
    }
}

impl From<Totals> for ControlTotals {
    fn from(totals: Totals) -> Self {
        let Totals { accounts, ledger_balance, readings, transactions, documents, rows: counts } = totals;
        Self { accounts, ledger_balance: money(ledger_balance), readings, transactions, documents, counts }
    }
}

impl AccountTotals {
    /// Returns the totals of the account with this number.
    pub fn new(external_account_number: String, totals: Totals) -> Self {
        let Totals { ledger_balance, readings, transactions, documents, .. } = totals;
        let ledger_balance = money(ledger_balance);
        Self { external_account_number, ledger_balance, readings, transactions, documents }
    }
}
