use crate::journal::Outcome;
use cutover_model::Totals;
use serde::Serialize;

/// What became of accounts; each is in one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(super) struct Counts {
    pub(super) accepted: u64,
    pub(super) already_there: u64,
    pub(super) refused: u64,
    pub(super) failed: u64,
    pub(super) in_progress: u64,
    pub(super) faulty: u64,
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

    /// All of them.
    pub(super) fn all(&self) -> u64 {
        self.accepted + self.already_there + self.not_taken()
    }

    /// Those that the next run sends anew, though nothing in them changes.
    pub(super) fn not_done(&self) -> u64 {
        self.failed + self.in_progress
    }

    /// Those that the service does not have.
    pub(super) fn not_taken(&self) -> u64 {
        self.refused + self.not_done() + self.faulty
    }
}

/// What the accounts come to that the service has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Sent {
    pub(super) totals: Totals,
    /// Whether there is one that is not in the totals.
    pub(super) is_incomplete: bool,
}

impl Sent {
    pub(super) fn add(&mut self, account: Option<Totals>) {
        match account.and_then(|account| self.totals.checked_add(account)) {
            Some(totals) => self.totals = totals,
            None => self.is_incomplete = true,
        }
    }
}
