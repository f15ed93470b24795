//! Runs of a supplier, and their comparison (contract D15, D23).

use super::money::money;
use super::{ControlTotals, Others, Timestamp};
use crate::Totals;
use rust_decimal::Decimal;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

answers! {
    /// A run: a named stretch of a supplier's work (contract D15).
    RunShown (Debug, Eq, Serialize) {
        /// Its name, which no other run of the supplier has.
        name: String;
        /// When it was started, with the offset of the supplier's zone.
        started_at: Timestamp;
        /// When it was ended; `null` while it is open.
        ended_at: Option<Timestamp>;
        /// Accounts by the last outcome that each had in the run.
        counts: RunCounts;
        /// Totals of the accounts that passed.
        totals: ControlTotals;
        /// The most frequent errors, the most frequent first; at most ten.
        top_errors: Vec<RunCause>;
        /// The errors beside these.
        other_errors: Others;
        /// Accounts that were sent and refused, and have no outcome in the run.
        refused: RunRefusedShown;
        /// When the first account ended; `null` if none has.
        first_at: Option<Timestamp>;
        /// When the last account ended; `null` if none has.
        last_at: Option<Timestamp>;
        /// Ends of accounts per minute, without pauses of more than five minutes.
        rate_per_minute: String, decimal;
    }

    /// Accounts of a run by outcome (contract D15).
    RunCounts (Debug, Eq) {
        /// Imported.
        processed as "PROCESSED": u64;
        /// Not imported.
        errored as "ERRORED": u64;
        /// The dry run succeeded.
        dry_run_succeeded as "DRY_RUN_SUCCEEDED": u64;
        /// The dry run failed.
        dry_run_errored as "DRY_RUN_ERRORED": u64;
    }

    /// Accounts that were refused in a run (contract D23).
    RunRefusedShown (Debug, Eq, Serialize) {
        /// Their number.
        accounts: u64;
        /// The most frequent faults, the most frequent first; at most ten.
        top_errors: Vec<RunCause>;
        /// The faults beside these.
        other_errors: Others;
    }

    /// An error that accounts of a run have (contract D15).
    RunCause (Debug, Eq, Serialize) {
        /// The stable code.
        code: String, code;
        /// The pattern of its path; `null` for an error that is about no part of the payload.
        attr: Option<String>;
        /// Number of accounts that have it.
        count: u64;
    }

    /// The comparison of two runs (contract D15, D23).
    RunDiffShown (Debug, Eq, Serialize) {
        /// Accounts that are only in the second run.
        new: RunAccounts;
        /// Accounts that are only in the first run.
        gone: RunAccounts;
        /// Accounts whose content differs.
        changed: RunAccounts;
        /// Accounts that failed or were refused in the first run, and passed in the second.
        fixed: RunAccounts;
        /// Accounts that passed in the first run, and failed or were refused in the second.
        broken: RunAccounts;
        /// The examples of changed accounts, with the paths at which they differ.
        changed_accounts: Vec<ChangedAccount>;
        /// The paths at which changed accounts differ, those first that have most accounts.
        changed_attrs: Vec<ChangedAttr>;
        /// The causes of failures and refusals in either run, those first whose numbers differ most.
        codes: Vec<RunCodeShown>;
        /// The totals of the accounts that passed, in each run.
        totals: RunTotalsShown;
    }

    /// Accounts with a difference between two runs (contract D15).
    RunAccounts (Debug, Eq, Serialize) {
        /// Their number.
        count: u64;
        /// The external numbers of at most ten of them.
        examples: Vec<String>;
    }

    /// An account whose content differs between two runs (contract D23).
    ChangedAccount (Debug, Eq, Serialize) {
        /// The account's number at its previous supplier.
        external_account_number: String;
        /// The patterns of the paths at which it differs; `null` if they are not known, because an earlier version kept one of
        /// the runs.
        attrs: Option<Vec<String>>;
    }

    /// A path at which changed accounts differ (contract D23).
    ChangedAttr (Debug, Eq, Serialize) {
        /// The pattern of the path.
        attr: String;
        /// Number of changed accounts that differ there.
        count: u64;
    }

    /// The number of accounts that failed or were refused for a cause in each of two runs (contract D15).
    RunCodeShown (Debug, Eq, Serialize) {
        /// The stable code.
        code: String, code;
        /// The pattern of its path; `null` for an error that is about no part of the payload.
        attr: Option<String>;
        /// Number of accounts in the first run.
        a: u64;
        /// Number of accounts in the second run.
        b: u64;
    }

    /// The totals of two runs (contract D15).
    RunTotalsShown (Debug, Eq, Serialize) {
        /// Accounts.
        accounts: RunFigureShown;
        /// Balances of their ledgers, exact, in the main currency unit.
        ledger_balance: RunBalanceShown;
        /// Readings of their meters.
        readings: RunFigureShown;
        /// Transactions of their ledgers.
        transactions: RunFigureShown;
        /// Documents of their notes and statements.
        documents: RunFigureShown;
    }

    /// A figure of two runs (contract D15).
    RunFigureShown (Debug, Eq, Serialize) {
        /// In the first run.
        a: u64;
        /// In the second run.
        b: u64;
        /// The second minus the first.
        difference: i64;
    }

    /// A balance of two runs (contract D15).
    RunBalanceShown (Debug, Eq, Serialize) {
        /// In the first run.
        a: String, decimal;
        /// In the second run.
        b: String, decimal;
        /// The second minus the first.
        difference: String, decimal;
    }
}

impl Serialize for RunCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("PROCESSED", &self.processed)?;
        map.serialize_entry("ERRORED", &self.errored)?;
        map.serialize_entry("DRY_RUN_SUCCEEDED", &self.dry_run_succeeded)?;
        map.serialize_entry("DRY_RUN_ERRORED", &self.dry_run_errored)?;
        map.end()
    }
}

impl From<[Totals; 2]> for RunTotalsShown {
    fn from([a, b]: [Totals; 2]) -> Self {
        let count = |of: fn(&Totals) -> u64| {
            let (a, b) = (of(&a), of(&b));
            RunFigureShown { a, b, difference: b.cast_signed().wrapping_sub(a.cast_signed()) }
        };
        let difference = b.ledger_balance.checked_sub(a.ledger_balance).unwrap_or(Decimal::MAX);
        Self {
            accounts: count(|totals| totals.accounts),
            ledger_balance: RunBalanceShown {
                a: money(a.ledger_balance),
                b: money(b.ledger_balance),
                difference: money(difference),
            },
            readings: count(|totals| totals.readings),
            transactions: count(|totals| totals.transactions),
            documents: count(|totals| totals.documents),
        }
    }
}
