//! What a supplier declares, beside what it has sent and what was imported (contract D17).

use super::money::money;
use super::{ControlTotals, Timestamp};
use crate::{RowCounts, RowDifferences, Totals};
use rust_decimal::Decimal;
use serde::Serialize;

answers! {
    /// A manifest: what a supplier declares that its files come to (contract D17).
    ManifestDeclared (Debug, Eq, Serialize) {
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
        /// Their rows, by table; tables that were not declared are left out.
        counts [serde(skip_serializing_if = "RowCounts::is_empty")]: RowCounts;
        /// When it was declared, with the offset of the supplier's zone.
        declared_at: Timestamp;
    }

    /// The totals of a manifest beside those of what was sent and imported (contract D17).
    ManifestShown (Debug, Eq, Serialize) {
        /// What the supplier has declared.
        declared: ControlTotals;
        /// The last accepted payload of each account, whatever became of it, except cancelled accounts.
        sent: ControlTotals;
        /// The imported accounts, including what was added to them since.
        imported: ControlTotals;
        /// What was sent minus what is declared: below 0 if something is missing.
        difference: TotalsDifference;
        /// What was imported minus what is declared.
        imported_difference: TotalsDifference;
    }

    /// The account numbers that a supplier has declared so far (contract D17).
    ManifestNumbersShown (Debug, Eq, Serialize) {
        /// Number of account numbers that are stored of this list.
        account_numbers: u64;
        /// True once the list is in force.
        is_complete: bool;
    }

    /// An account that is declared and was not sent, or was sent and is not declared (contract D17).
    ManifestAccount (Debug, Eq, Serialize) {
        /// The account's number at its previous supplier.
        external_account_number: String;
    }

    /// A difference between totals (contract D17).
    TotalsDifference (Debug, Eq, Serialize) {
        /// Accounts.
        accounts: i64;
        /// Balances of their ledgers, exact, in the main currency unit.
        ledger_balance: String, decimal;
        /// Readings of their meters.
        readings: i64;
        /// Transactions of their ledgers.
        transactions: i64;
        /// Documents of their notes and statements.
        documents: i64;
        /// Their rows, for each declared table.
        counts [serde(skip_serializing_if = "RowDifferences::is_empty")]: RowDifferences;
    }
}

impl ManifestDeclared {
    /// Returns a declaration of these totals.
    pub fn new(declared: Totals, declared_at: Timestamp) -> Self {
        let ControlTotals { accounts, ledger_balance, readings, transactions, documents, counts } =
            declared.into();
        Self { accounts, ledger_balance, readings, transactions, documents, counts, declared_at }
    }
}

impl ManifestShown {
    /// Compares what was declared with what was sent and imported.
    pub fn new(declared: Totals, sent: Totals, imported: Totals) -> Self {
        let beside = |totals: Totals| Totals { rows: totals.rows.beside(&declared.rows), ..totals }.into();
        Self {
            declared: declared.into(),
            sent: beside(sent),
            imported: beside(imported),
            difference: TotalsDifference::of(sent, declared),
            imported_difference: TotalsDifference::of(imported, declared),
        }
    }
}

impl TotalsDifference {
    /// Returns `totals` minus `declared`.
    pub fn of(totals: Totals, declared: Totals) -> Self {
        let less = |a: u64, b: u64| i64::try_from(i128::from(a) - i128::from(b)).unwrap_or(i64::MAX);
        let balance = totals.ledger_balance.checked_sub(declared.ledger_balance);
        let less_balance = balance.unwrap_or(Decimal::MAX);
        Self {
            accounts: less(totals.accounts, declared.accounts),
            ledger_balance: money(less_balance),
            readings: less(totals.readings, declared.readings),
            transactions: less(totals.transactions, declared.transactions),
            documents: less(totals.documents, declared.documents),
            counts: totals.rows.minus(&declared.rows),
        }
    }

    /// Returns true if there is no difference.
    pub fn is_none(&self) -> bool {
        let same = Self { counts: self.counts, ..Self::of(Totals::default(), Totals::default()) };
        *self == same && self.counts.iter().all(|(_, difference)| difference == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_a_sign() {
        let declared = Totals {
            accounts: 3,
            rows: RowCounts::of([("notes", 2), ("events", 1)]),
            ledger_balance: "-10.50".parse().unwrap(),
            readings: 7,
            ..Totals::default()
        };
        let sent = Totals {
            accounts: 2,
            ledger_balance: "0.25".parse().unwrap(),
            documents: 1,
            rows: RowCounts::of([("notes", 1), ("meters", 4)]),
            ..declared
        };
        let shown = ManifestShown::new(declared, sent, declared);
        assert_eq!(shown.difference.accounts, -1);
        assert_eq!(shown.difference.ledger_balance, "10.75");
        assert_eq!((shown.difference.readings, shown.difference.documents), (0, 1));
        assert_eq!(shown.difference.counts.iter().collect::<Vec<_>>(), [("notes", -1), ("events", -1)]);
        assert_eq!(shown.sent.counts.get("events"), Some(0), "as it is declared");
        assert_eq!((shown.sent.counts.get("meters"), shown.difference.counts.get("meters")), (Some(4), None));
        assert!(shown.imported_difference.is_none() && !shown.difference.is_none());
    }
}
