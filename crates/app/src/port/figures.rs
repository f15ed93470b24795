use super::{Cause, CauseCount, StoreError};
use chrono::{DateTime, Utc};
use cutover_core::{Code, ExternalAccountNumber, Level, SupplierCode, Word, string_enum};
use cutover_model::Totals;
use cutover_process::{State, StoredFacts};

/// Number of processes of a supplier in a state, by error. Cancelled ones are counted apart if their import was undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateCount {
    /// The state.
    pub state: Word<State>,
    /// The error that they ended with, if any.
    pub error: Option<Word<Code>>,
    /// True for those that are cancelled because their import was undone.
    pub is_undone: bool,
    /// Their number.
    pub processes: u64,
}

impl StateCount {
    /// Returns the state that the API counts them in: the nearest known one for a state of a newer version.
    pub fn nearest(&self) -> State {
        let of = StoredFacts { has_error: self.error.is_some(), ..StoredFacts::default() };
        self.state.known().copied().unwrap_or_else(|| State::nearest(of))
    }
}

/// Number of processes of a supplier that reached their current state in a minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinuteCount {
    /// Start of the minute.
    pub minute: DateTime<Utc>,
    /// The state: imported, ended dry run, or failed.
    pub state: Word<State>,
    /// Their number.
    pub processes: u64,
    /// Time of the first step to this state in the minute. The process may have taken another one since.
    pub first_at: DateTime<Utc>,
    /// Time of the last such step.
    pub last_at: DateTime<Utc>,
}

string_enum! {
    "a kind of activity";
    /// What happened to accounts of a supplier. A step is counted when it is taken and never again, whatever becomes of the
    /// account.
    #[derive(PartialOrd, Ord)]
    pub enum ActivityKind {
        /// A new account was accepted.
        Accepted = "accepted",
        /// An account that had ended waits again: it was sent again or retried.
        QueuedAgain = "queued_again",
        /// An account was imported.
        Imported = "imported",
        /// A dry run passed.
        DryRunPassed = "dry_run_passed",
        /// An account failed.
        Failed = "failed",
        /// A dry run failed.
        DryRunFailed = "dry_run_failed",
        /// A create was refused.
        Refused = "refused",
        /// An account was cancelled.
        Cancelled = "cancelled",
        /// An import was undone.
        Undone = "undone",
    }
}

impl ActivityKind {
    /// Returns what a step of a process is counted as, if it is; without a state before, the process is new.
    pub fn of_step(before: Option<State>, after: State) -> Option<Self> {
        Some(match (before, after) {
            (Some(before), after) if before == after => return None,
            (_, State::Processed) => Self::Imported,
            (_, State::DryRunSucceeded) => Self::DryRunPassed,
            (_, State::Errored) => Self::Failed,
            (_, State::DryRunErrored) => Self::DryRunFailed,
            (Some(State::Processed), State::Cancelled) => Self::Undone,
            (_, State::Cancelled) => Self::Cancelled,
            (None, State::Pending) => Self::Accepted,
            (_, State::InProgress) | (Some(State::InProgress), State::Pending) => return None,
            (Some(_), State::Pending) => Self::QueuedAgain,
        })
    }

    /// Returns true if accounts failed or were refused.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::DryRunFailed | Self::Refused)
    }

    /// Returns true if imports ended, well or not, rehearsals apart.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Imported | Self::Failed)
    }

    /// Returns true if accounts were imported, or dry runs passed.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Imported | Self::DryRunPassed)
    }
}

/// Number of accounts of a supplier to which something happened in a minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityCount {
    /// Start of the minute.
    pub minute: DateTime<Utc>,
    /// What happened.
    pub kind: Word<ActivityKind>,
    /// Number of accounts; one to which it happened twice counts twice.
    pub accounts: u64,
}

/// What a supplier declares that its files come to (contract D17).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manifest {
    /// The declared totals.
    pub declared: Totals,
    /// Time of the declaration.
    pub declared_at: DateTime<Utc>,
}

/// The state of the account numbers that a supplier has declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NumberLists {
    /// Number of account numbers of the list in force; `None` if none is.
    pub declared: Option<u64>,
    /// Number of account numbers of the list that is being sent; `None` if none is.
    pub loading: Option<u64>,
    /// The last part that was stored, of either.
    pub part: u32,
}

/// The declared totals of a supplier beside those that were sent and imported (contract D17). It is without a declaration
/// too, because what was sent and imported is known anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reconciliation {
    /// The manifest; `None` if none was declared.
    pub manifest: Option<Manifest>,
    /// Totals of what was sent: see [`Figures::sent`].
    pub sent: Totals,
    /// Totals of the imported accounts, with all additions: see [`Figures::totals`].
    pub imported: Totals,
}

impl Reconciliation {
    /// Returns true if a manifest is declared and something else was sent.
    pub fn differs(&self) -> bool {
        self.manifest.is_some_and(|manifest| !self.sent.agree_with(&manifest.declared))
    }
}

/// Figures of the processes of a supplier, for monitoring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplierFigures {
    /// The supplier.
    pub supplier: SupplierCode,
    /// True if pending processes may be imported: the supplier is neither paused nor complete.
    pub is_ongoing: bool,
    /// Time at which the first pending process is or was due.
    pub first_due_at: Option<DateTime<Utc>>,
    /// Number of processes in each state. States without any may be missing.
    pub states: Vec<(State, u64)>,
}

/// Counts and totals that are kept up to date, so that reading them costs the same for any number of accounts
/// (contract D12). The store counts processes by itself.
///
/// Writers append changes, so that they do not wait for each other. Reads include the changes, and
/// [`Figures::fold`] merges them.
pub trait Figures {
    /// Adds to the totals of the imported accounts of a supplier.
    fn add_totals(&mut self, supplier_id: i64, added: &Totals) -> Result<(), StoreError>;

    /// Subtracts an erased account from the totals of a supplier.
    fn remove_totals(&mut self, supplier_id: i64, removed: &Totals) -> Result<(), StoreError>;

    /// Returns the totals of the imported accounts of a supplier, with all additions.
    ///
    /// # Errors
    /// [`StoreError::Failed`] if the sum of balances cannot be held exactly: see [`Totals::checked_add`].
    fn totals(&mut self, supplier_id: i64) -> Result<Totals, StoreError>;

    /// Returns the totals of the payloads that a supplier has sent: of each account the last one that was accepted, whatever
    /// became of it, except cancelled accounts. What was added after the import is not part of it. Costs the same for
    /// any number of accounts.
    ///
    /// # Errors
    /// As [`totals`](Self::totals).
    fn sent(&mut self, supplier_id: i64) -> Result<Totals, StoreError>;

    /// Returns the manifest of a supplier.
    fn manifest(&mut self, supplier_id: i64) -> Result<Option<Manifest>, StoreError>;

    /// Replaces or removes the manifest of a supplier.
    fn set_manifest(&mut self, supplier_id: i64, manifest: Option<&Manifest>) -> Result<(), StoreError>;

    /// Returns the state of the account numbers that a supplier has declared; `None` if it never did.
    fn number_lists(&mut self, supplier_id: i64) -> Result<Option<NumberLists>, StoreError>;

    /// Stores a part of a list of account numbers, at most 10,000. Part 1 begins a list, in place of one that is not complete;
    /// the last part puts the list in force, in place of the one before. A number that the list has already is left out.
    /// Returns false if the part is not the next one; nothing is changed then.
    fn add_numbers(
        &mut self,
        supplier_id: i64,
        part: u32,
        is_last: bool,
        numbers: &[ExternalAccountNumber],
    ) -> Result<bool, StoreError>;

    /// Puts no list in force, and ends the one that is being sent.
    fn drop_numbers(&mut self, supplier_id: i64) -> Result<(), StoreError>;

    /// Removes numbers of lists that are neither in force nor being sent, at most `limit`. Returns how many.
    fn remove_numbers(&mut self, supplier_id: i64, limit: u32) -> Result<u64, StoreError>;

    /// Returns account numbers of the list in force that are greater than `after`, in their order, at most `limit`.
    fn declared_numbers(
        &mut self,
        supplier_id: i64,
        after: &str,
        limit: u32,
    ) -> Result<Vec<String>, StoreError>;

    /// Returns those of these account numbers that the list in force has, in any order.
    fn declared_among(&mut self, supplier_id: i64, numbers: &[String]) -> Result<Vec<String>, StoreError>;

    /// Returns what a supplier has declared, sent and got imported.
    ///
    /// # Errors
    /// As [`totals`](Self::totals).
    fn reconciliation(&mut self, supplier_id: i64) -> Result<Reconciliation, StoreError> {
        Ok(Reconciliation {
            manifest: self.manifest(supplier_id)?,
            sent: self.sent(supplier_id)?,
            imported: self.totals(supplier_id)?,
        })
    }

    /// Counts the processes of a supplier by state and error, and apart those that were undone, without zero counts.
    fn state_counts(&mut self, supplier_id: i64) -> Result<Vec<StateCount>, StoreError>;

    /// Counts the processes of a supplier that were imported, ended a dry run or failed, by the minute and
    /// the state of their last step, since the minute of `since`, oldest first.
    fn minute_counts(
        &mut self,
        supplier_id: i64,
        since: DateTime<Utc>,
    ) -> Result<Vec<MinuteCount>, StoreError>;

    /// Returns what happened to accounts of a supplier from the minute of `since` until before `until`, by minute and kind,
    /// oldest first. It is kept for as long as the supplier; a later step of an account changes nothing of it.
    fn activity(
        &mut self,
        supplier_id: i64,
        since: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Vec<ActivityCount>, StoreError>;

    /// Returns the minutes before `until` in which at least so many accounts failed or were refused, the last first, at most
    /// `limit`, each with their number.
    fn failing_minutes(
        &mut self,
        supplier_id: i64,
        at_least: u64,
        until: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<(DateTime<Utc>, u64)>, StoreError>;

    /// Counts the processes of a supplier whose last step was a failure, since the minute of `since`: those that were
    /// sent again or retried have taken another step. Costs the same for any number of accounts.
    fn failed_since(&mut self, supplier_id: i64, since: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Returns the last minute that [`minute_counts`](Self::minute_counts) may have a count of.
    fn last_minute(&mut self, supplier_id: i64) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Returns the most frequent causes of a supplier, the most frequent first, equal ones by code and path:
    /// those of failed accounts (level error) or the warnings of all. Costs the same for any number of accounts.
    fn top_causes(
        &mut self,
        supplier_id: i64,
        level: Level,
        limit: u32,
    ) -> Result<Vec<CauseCount>, StoreError>;

    /// Returns accounts of a supplier with a cause, the first created first.
    fn accounts_with(
        &mut self,
        supplier_id: i64,
        level: Level,
        cause: &Cause,
        limit: u32,
    ) -> Result<Vec<ExternalAccountNumber>, StoreError>;

    /// Returns true if an account of a supplier has a cause with this code.
    fn has_cause(&mut self, supplier_id: i64, level: Level, code: &str) -> Result<bool, StoreError>;

    /// Returns true if there are changes to fold.
    fn has_changes(&mut self) -> Result<bool, StoreError>;

    /// Folds the oldest changes, at most `limit` of each kind, and returns their number: zero if another node
    /// is folding. Changes whose sum cannot be held exactly remain.
    fn fold(&mut self, limit: u32) -> Result<usize, StoreError>;
}

/// Figures of the whole installation.
pub trait AnyFigures {
    /// Returns the figures of every supplier, for monitoring. Its cost is bounded by the number of suppliers:
    /// while many changes wait to be folded, the oldest are left out. So are processes in a state that this
    /// version does not know.
    fn supplier_figures(&mut self, at: DateTime<Utc>) -> Result<Vec<SupplierFigures>, StoreError>;
}
