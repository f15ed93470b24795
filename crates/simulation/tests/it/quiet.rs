//! End of a run without disturbances, in which every import has to end.

use crate::plan::Action;
use crate::planner::{NODES, NUMBERS};
use crate::simulation::Simulation;
use crate::specs::{AccountRef, CreateSpec, SUPPLIERS, When};
use cutover_app::port::{StoredIssues, read};
use cutover_core::{Code, SupplierStatus, Word};
use cutover_process::{BACKOFF_CAP, LEASE, SWEEP, State};
use std::sync::atomic::Ordering;

/// Maximum number of worker turns to process everything due.
const TURNS: usize = 30;
/// Longer than any window is open.
const WINDOWS: i64 = 5 * 86_400;

/// All possible accounts.
pub(crate) fn accounts() -> impl Iterator<Item = AccountRef> {
    (0..SUPPLIERS).flat_map(|supplier| (0..NUMBERS).map(move |number| AccountRef { supplier, number }))
}

impl Simulation {
    /// Ends the run. Within the guaranteed time no import is in progress without need (I5), after all windows
    /// have closed none is in progress at all, and what was paused or had failed can still be imported.
    pub(crate) fn quiet(&self) {
        self.calm();
        let deferred = self.deferred();
        self.calmly(Action::Pass((LEASE + SWEEP).num_seconds()));
        self.calmly(Action::Sweep);
        self.drain();
        self.calmly(Action::Pass(BACKOFF_CAP.num_seconds()));
        self.drain();
        self.expect_ended("the bound", |stored| stored == State::InProgress);
        self.calmly(Action::Pass(WINDOWS));
        self.calmly(Action::Sweep);
        self.drain();
        self.expect_ended("all windows", |stored| stored == State::InProgress);
        // At the end of the run no account has failed.
        self.check_causes();
        for supplier in 0..SUPPLIERS {
            self.calmly(Action::SetStatus(supplier, SupplierStatus::Ongoing));
            self.calmly(Action::SetLimit(supplier, None));
        }
        self.calmly(Action::Sweep);
        self.drain();
        self.expect_ended("all are resumed", |state| !state.has_ended());
        // Accounts that were not imported may name a contract that is gone.
        self.calmly(Action::ReplaceBusiness(0, 0));
        self.compare_verdicts();
        self.import_the_rest();
        self.calmly(Action::Fold);
        if self.deferred() != deferred {
            self.oracle().violate("an attempt was deferred although nothing was disturbed");
        }
    }

    fn deferred(&self) -> u64 {
        let of = |node| self.metrics(node).deferred.load(Ordering::SeqCst);
        (0..NODES).map(of).sum()
    }

    /// Lets workers run until nothing is due.
    pub(crate) fn drain(&self) {
        for turn in 0..TURNS {
            let next = read(&*self.truth, |tx| tx.next_due_at(self.now(0))).unwrap();
            if next.is_none_or(|at| at > self.now(0)) {
                return;
            }
            self.calmly(Action::Turn((turn % 2) as u8));
        }
        self.oracle().violate("I5: something is due, but no worker claims it");
    }

    fn expect_ended(&self, after: &str, is_late: impl Fn(State) -> bool) {
        for account in accounts() {
            if let Some(state) = self.process(account).map(|stored| stored.process.state())
                && is_late(state)
            {
                self.oracle().violate(format!("I5: after {after} {account:?} is {state}"));
            }
        }
    }

    /// Checks that a dry run has the same outcome as an import of the same right after it: one that is
    /// accepted, and one that is rejected because its documents have vanished.
    pub(crate) fn compare_verdicts(&self) {
        (0..SUPPLIERS).for_each(|supplier| self.calmly(Action::SetDryRun(supplier, false)));
        for account in accounts() {
            let state = self.process(account).map(|stored| stored.process.state());
            let last = self.last_submission(account).filter(|_| state != Some(State::Processed));
            let Some(last) = last else { continue };
            let [rehearsed, imported] = [true, false].map(|dry_run| {
                self.set_documents(true);
                self.calmly(Action::Create(CreateSpec { dry_run, when: When::Now, ..last.spec }));
                self.set_documents(false);
                self.drain();
                self.verdict(account)
            });
            self.coverage().add(if imported.0 { "verdict: accepted" } else { "verdict: rejected" }, 1);
            if rehearsed != imported {
                let found =
                    format!("{account:?}: its dry run came to {rehearsed:?}, its import to {imported:?}");
                self.oracle().violate(found);
            }
        }
        self.set_documents(true);
    }

    /// Outcome of an account: true if accepted, the code of its error, and its issues.
    fn verdict(&self, account: AccountRef) -> (bool, Option<Word<Code>>, StoredIssues) {
        let process = self.process(account).unwrap().process;
        let is_accepted = matches!(process.state(), State::Processed | State::DryRunSucceeded);
        let issues = read(&*self.truth, |tx| tx.issues(process.id())).unwrap();
        (is_accepted, process.latest_error().map(|error| error.code.clone()), issues)
    }

    /// Imports everything that ended without an account from its last accepted payload, to check that nothing
    /// was lost.
    fn import_the_rest(&self) {
        self.set_documents(true);
        (0..SUPPLIERS).for_each(|supplier| self.calmly(Action::SetDryRun(supplier, false)));
        for account in accounts() {
            let Some(stored) = self.process(account) else { continue };
            if stored.process.state() == State::Processed {
                continue;
            }
            let is_archived = read(&*self.truth, |tx| tx.archived_at(stored.process.id())).unwrap().is_some();
            if stored.process.is_dry_run() || is_archived {
                let Some(last) = self.last_submission(account) else { continue };
                self.calmly(Action::Create(CreateSpec { dry_run: false, when: When::Now, ..last.spec }));
            } else {
                self.calmly(Action::Retry(account));
            }
        }
        self.drain();
        self.expect_ended("another attempt", |state| state != State::Processed);
    }
}
