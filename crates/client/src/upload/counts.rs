use super::sender::Items;
use crate::assemble::TableCounts;
use crate::journal::{Outcome, StoredTotals};
use serde::Serialize;

/// Numbers of accounts by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(super) struct Counts {
    pub(super) accepted: u64,
    pub(super) already_there: u64,
    pub(super) refused: u64,
    pub(super) failed: u64,
    pub(super) in_progress: u64,
    pub(super) faulty: u64,
    /// Accepted in an earlier run and cancelled at the service since, or their import was undone.
    pub(super) cancelled: u64,
}

impl Counts {
    pub(super) fn add(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::Accepted => &mut self.accepted,
            Outcome::AlreadyThere => &mut self.already_there,
            Outcome::Refused => &mut self.refused,
            Outcome::Failed => &mut self.failed,
            Outcome::InProgress => &mut self.in_progress,
            Outcome::Faulty => &mut self.faulty,
        };
        *count += 1;
    }

    /// Number of all accounts that have an outcome.
    pub(super) fn all(&self) -> u64 {
        self.accepted + self.already_there + self.not_taken()
    }

    /// Number of accounts that the next run sends again, unchanged.
    pub(super) fn not_done(&self) -> u64 {
        self.failed + self.in_progress
    }

    /// Number of accounts that the service does not have.
    pub(super) fn not_taken(&self) -> u64 {
        self.refused + self.not_done() + self.faulty + self.cancelled
    }
}

/// Numbers of a run so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// The tables that accounts were made of.
    pub(super) tables: Option<TableCounts>,
    pub(super) files: u64,
    pub(super) unreadable_files: u64,
    pub(super) accounts: u64,
    /// Accounts that a dry run skipped.
    pub(super) left_out: u64,
    /// Accounts of these inputs that are to be sent again because the service has lost them.
    pub(super) lost: u64,
    /// Those of them that the service does not have.
    pub(super) missing_found: u64,
    /// Those of them that are sent.
    pub(super) sent_again: u64,
    /// Accounts that are sent again because their import has failed.
    pub(super) errored_again: u64,
    /// Accounts that are sent again because what they were refused for may have changed.
    pub(super) refused_again: u64,
    /// Refused accounts that are not sent again.
    pub(super) refused_before: u64,
    /// Copies of accounts of which another copy counts.
    pub(super) repeated: u64,
    /// Copies that differ from the one before.
    pub(super) differing: u64,
    /// Accounts that the service has lost since an earlier run and that these inputs do not contain.
    pub(super) missing: u64,
    /// Accounts that the service has lost during this run.
    pub(super) lost_meanwhile: u64,
    /// Outcomes of this and earlier runs.
    pub(super) counts: Counts,
    pub(super) in_earlier_runs: Counts,
    pub(super) stored: StoredTotals,
    /// Notes or transactions of the requests that were sent.
    pub(super) items: Items,
}
