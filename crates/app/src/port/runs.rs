use super::{Cause, RefusedCreate, StoreError};
use chrono::{DateTime, TimeDelta, Utc};
use cutover_core::{SupplierCode, Word};
use cutover_model::rust_decimal::Decimal;
use cutover_model::service::exact_sum;
use cutover_model::{ContentHash, PathHashes, Totals};
use cutover_process::State;
use std::collections::BTreeMap;

/// Time without an end of an account after which a stretch of work is over.
pub const PAUSE: TimeDelta = TimeDelta::minutes(5);

/// A named stretch of a supplier's work (contract D15).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The store's key.
    pub id: i64,
    /// The store's key of the supplier.
    pub supplier_id: i64,
    /// Its name, unique among the runs of the supplier.
    pub name: String,
    /// When it was started.
    pub started_at: DateTime<Utc>,
    /// When it was ended; `None` while it is open.
    pub ended_at: Option<DateTime<Utc>>,
}

/// The last outcome of an account in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The key of its process.
    pub process_id: i64,
    /// The state in which it ended.
    pub state: Word<State>,
    /// When it ended. The import of an account has the same time.
    pub ended_at: DateTime<Utc>,
    /// The hash of the payload as it was sent; `None` if the payload could not be read.
    pub content: Option<ContentHash>,
    /// The hashes of the values of that payload by path; `None` if they were not computed.
    pub paths: Option<PathHashes>,
    /// The causes of its error, sorted.
    pub causes: Vec<Cause>,
    /// Its totals; nothing if it failed.
    pub totals: Totals,
}

impl Outcome {
    /// Returns true if the account passed: it was imported, or its dry run succeeded.
    pub fn has_passed(&self) -> bool {
        self.state == State::Processed || self.state == State::DryRunSucceeded
    }
}

/// A time in which accounts ended, without a [pause](PAUSE) between one and the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// The first end.
    pub first_at: DateTime<Utc>,
    /// The last end.
    pub last_at: DateTime<Utc>,
    /// Number of ends.
    pub ends: u64,
}

/// Figures of a run. Parts of them are kept apart, so a number of a part may be below 0; a sum of all parts is not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunFigures {
    /// Number of accounts by state.
    pub states: BTreeMap<String, i64>,
    /// Number of accounts by the cause of their failure.
    pub causes: BTreeMap<Cause, i64>,
    /// Number of accounts that were refused.
    pub refused: i64,
    /// Number of these by the cause of the refusal.
    pub refused_causes: BTreeMap<Cause, i64>,
    /// Number of accounts that passed, their readings, transactions and documents.
    pub counts: [i64; 4],
    /// Sum of the balances of the ledgers of these.
    pub ledger_balance: Decimal,
    /// The times in which accounts ended, oldest first.
    pub stretches: Vec<Stretch>,
}

impl RunFigures {
    /// Adds an outcome that replaces another one. An end is counted each time.
    ///
    /// # Errors
    /// [`StoreError::Failed`] if a sum cannot be held exactly.
    pub fn replace(&mut self, old: Option<&Outcome>, new: Option<&Outcome>) -> Result<(), StoreError> {
        if let Some(old) = old {
            self.count(old, -1)?;
        }
        if let Some(new) = new {
            self.count(new, 1)?;
            self.add_stretch(Stretch { first_at: new.ended_at, last_at: new.ended_at, ends: 1 });
        }
        Ok(())
    }

    /// Adds accounts that were refused, or takes them away.
    pub fn count_refusals(&mut self, refusals: &[RefusedCreate], sign: i64) {
        for refusal in refusals {
            self.refused += sign;
            refusal.causes.iter().for_each(|fault| add(&mut self.refused_causes, fault.into(), sign));
        }
    }

    /// Adds the figures of another part.
    ///
    /// # Errors
    /// [`StoreError::Failed`] if a sum cannot be held exactly.
    pub fn merge(&mut self, part: Self) -> Result<(), StoreError> {
        part.states.into_iter().for_each(|(state, accounts)| add(&mut self.states, state, accounts));
        part.causes.into_iter().for_each(|(cause, accounts)| add(&mut self.causes, cause, accounts));
        self.refused += part.refused;
        let refused = part.refused_causes.into_iter();
        refused.for_each(|(cause, accounts)| add(&mut self.refused_causes, cause, accounts));
        self.add_totals(part.counts, part.ledger_balance)?;
        part.stretches.into_iter().for_each(|stretch| self.add_stretch(stretch));
        Ok(())
    }

    /// Returns the totals of the accounts that passed.
    pub fn totals(&self) -> Totals {
        let [accounts, readings, transactions, documents] =
            self.counts.map(|count| u64::try_from(count).unwrap_or_default());
        Totals {
            accounts,
            ledger_balance: self.ledger_balance.normalize(),
            readings,
            transactions,
            documents,
            ..Totals::default()
        }
    }

    fn count(&mut self, outcome: &Outcome, sign: i64) -> Result<(), StoreError> {
        add(&mut self.states, outcome.state.as_str().to_owned(), sign);
        outcome.causes.iter().for_each(|cause| add(&mut self.causes, cause.clone(), sign));
        let Totals { accounts, ledger_balance, readings, transactions, documents, .. } = outcome.totals;
        let counts = [accounts, readings, transactions, documents]
            .map(|count| i64::try_from(count).unwrap_or(i64::MAX).saturating_mul(sign));
        self.add_totals(counts, ledger_balance * Decimal::from(sign))
    }

    fn add_totals(&mut self, counts: [i64; 4], balance: Decimal) -> Result<(), StoreError> {
        for (sum, count) in self.counts.iter_mut().zip(counts) {
            *sum = sum.saturating_add(count);
        }
        let out_of_range = || StoreError::Failed("a sum of balances is out of range".into());
        self.ledger_balance = exact_sum(self.ledger_balance.normalize(), balance.normalize())
            .ok_or_else(out_of_range)?
            .normalize();
        Ok(())
    }

    /// Adds a stretch, and joins it with those from which no pause divides it.
    fn add_stretch(&mut self, new: Stretch) {
        let place = self.stretches.partition_point(|known| known.first_at <= new.first_at);
        self.stretches.insert(place, new);
        let mut joined: Vec<Stretch> = Vec::with_capacity(self.stretches.len());
        for stretch in self.stretches.drain(..) {
            match joined.last_mut() {
                Some(last) if stretch.first_at - last.last_at <= PAUSE => {
                    last.last_at = last.last_at.max(stretch.last_at);
                    last.ends += stretch.ends;
                }
                _ => joined.push(stretch),
            }
        }
        self.stretches = joined;
    }
}

/// Adds to a count, which is removed at 0.
fn add<K: Ord + Clone>(counts: &mut BTreeMap<K, i64>, key: K, number: i64) {
    let count = counts.entry(key.clone()).or_default();
    *count += number;
    if *count == 0 {
        counts.remove(&key);
    }
}

/// Runs, and the last outcome of each account in them.
///
/// The store keeps the [figures](RunFigures) of a run up to date, so that reading them costs the same for any number of
/// accounts. Writers do not wait for each other's figures.
pub trait Runs {
    /// Waits until every transaction that has [looked for open runs](AnyRuns::lock_open_runs) has ended, and makes those wait
    /// that look for them from now on. A time taken after it divides their steps: those before are dated earlier and
    /// committed, those after are dated later and see what this transaction has written.
    fn lock_runs(&mut self) -> Result<(), StoreError>;

    /// Starts a run. The runs are [locked](Self::lock_runs).
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the supplier has an open run, or one with this name.
    fn start_run(&mut self, supplier_id: i64, name: &str, at: DateTime<Utc>) -> Result<(), StoreError>;

    /// Ends a run. The runs are [locked](Self::lock_runs). Returns false if it has ended already.
    fn end_run(&mut self, run_id: i64, at: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Returns the run of a supplier with this name.
    fn run(&mut self, supplier_id: i64, name: &str) -> Result<Option<Run>, StoreError>;

    /// Returns the open run of a supplier.
    fn open_run(&mut self, supplier_id: i64) -> Result<Option<Run>, StoreError>;

    /// Returns runs of a supplier, the last first: those before a key, at most `limit`.
    fn runs(&mut self, supplier_id: i64, before: Option<i64>, limit: u32) -> Result<Vec<Run>, StoreError>;

    /// Adds or replaces the outcomes of accounts in a run, which is locked. The caller has locked their processes.
    fn record_outcomes(&mut self, run_id: i64, outcomes: &[Outcome]) -> Result<(), StoreError>;

    /// Removes the outcomes of accounts from a run. The caller has locked their processes.
    fn forget_outcomes(&mut self, run_id: i64, process_ids: &[i64]) -> Result<(), StoreError>;

    /// Returns the outcomes of a run by the keys of their processes: those after a key, at most `limit`.
    fn outcomes(&mut self, run_id: i64, after: i64, limit: u32) -> Result<Vec<Outcome>, StoreError>;

    /// Returns those outcomes of a run that are of these processes.
    fn outcomes_of(&mut self, run_id: i64, process_ids: &[i64]) -> Result<Vec<Outcome>, StoreError>;

    /// Returns the accounts that were refused in a run, by number: those with greater numbers than `after`, at most `limit`.
    /// An account that has an outcome in the run is none of them. Of an open run they are read from the [refused
    /// creates](super::Refusals) of its supplier.
    fn refused_in_run(
        &mut self,
        run: &Run,
        after: &str,
        limit: u32,
    ) -> Result<Vec<RefusedCreate>, StoreError>;

    /// Keeps accounts that were refused in a run, which ends with them. The runs are [locked](Self::lock_runs).
    fn keep_refused(&mut self, run_id: i64, refused: &[RefusedCreate]) -> Result<(), StoreError>;

    /// Returns the figures of a run. Those of an open run leave out what was refused.
    fn run_figures(&mut self, run_id: i64) -> Result<RunFigures, StoreError>;
}

/// Queries that find runs of any supplier.
pub trait AnyRuns {
    /// Returns the open runs of those of these suppliers that have one. They stay open, and no other is started, until the
    /// transaction ends.
    fn lock_open_runs(&mut self, suppliers: &[SupplierCode]) -> Result<Vec<(SupplierCode, i64)>, StoreError>;
}
