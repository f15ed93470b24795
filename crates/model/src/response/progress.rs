//! How far a supplier's migration has come (contract D12).

use crate::Totals;
use rust_decimal::Decimal;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::borrow::Cow;

answers! {
    /// How far a supplier's migration has come (contract D12).
    SupplierProgress (Debug, Eq, Serialize) {
        /// How many accounts have each status; each status of contract 3 is there.
        counts: StatusCounts, counts(
            "PENDING",
            "IN_PROGRESS",
            "PROCESSED",
            "ERRORED",
            "CANCELLED",
            "DRY_RUN_SUCCEEDED",
            "DRY_RUN_ERRORED"
        );
        /// The errors that most accounts stand with, the most frequent first; at most ten.
        top_errors: Vec<TopError>;
        /// How many accounts were imported or failed, dry runs too, in a minute: on average of the last five
        /// minutes, or since work began in them.
        rate_per_minute: String, decimal;
        /// When, at this rate, no account waits any more; with the offset of the supplier's zone. `null` if
        /// none waits, nothing moves, or the supplier is not Ongoing.
        estimated_finish_at: Option<String>, datetime;
        /// What the imported accounts come to, with all that was added to them since.
        totals: ControlTotals;
    }

    /// An error that accounts stand with (contract D12).
    TopError (Debug, Eq, Serialize) {
        /// The stable code.
        code: Cow<'static, str>, code;
        /// How many accounts stand with it.
        count: u64;
        /// Numbers of some of them, those that were sent first; at most three.
        examples: Vec<String>;
    }

    /// What accounts come to (contract D12).
    ControlTotals (Debug, Eq, Serialize) {
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
    }
}

/// How many accounts have each status, by its word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusCounts(pub Vec<(&'static str, u64)>);

impl Serialize for StatusCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(word, count)| map.serialize_entry(word, count))?;
        map.end()
    }
}

impl crate::describe::Shown for StatusCounts {
    const KIND: crate::describe::AnswerKind = crate::describe::AnswerKind::Counts(&[]);
}

impl From<Totals> for ControlTotals {
    fn from(totals: Totals) -> Self {
        let Totals { accounts, ledger_balance, readings, transactions, documents } = totals;
        Self { accounts, ledger_balance: money(ledger_balance), readings, transactions, documents }
    }
}

/// An amount, exact: to the cent, and further where there is something.
fn money(amount: Decimal) -> String {
    let amount = amount.normalize();
    let places = amount.scale().max(2) as usize;
    format!("{amount:.places$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact_to_the_cent_or_further() {
        for (amount, shown) in [
            ("0", "0.00"),
            ("-0.0", "0.00"),
            ("12.5", "12.50"),
            ("-3.1250", "-3.125"),
            ("79228162514264337593543950335", "79228162514264337593543950335.00"),
        ] {
            assert_eq!(money(amount.parse().unwrap()), shown);
        }
    }
}
