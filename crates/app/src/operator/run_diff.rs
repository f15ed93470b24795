//! The comparison of two runs: one merge of their outcomes, which have the same order, in constant memory (contract D15).

use super::runs::run_of;
use super::{AccountGroup, Operations, OperatorError};
use crate::port::{Cause, Outcome, Run, StoreError, StoredProcess};
use cutover_core::string_enum;
use cutover_model::Totals;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Number of outcomes that are read at once, and of accounts whose numbers are.
const PAGE: u32 = 1_000;
/// Number of examples of a difference.
const EXAMPLES: usize = 10;

string_enum! {
    "a difference of runs";
    /// A difference of an account between two runs. An account can have two: it was changed, and was fixed.
    pub enum Difference {
        /// It is only in the second run.
        New = "new",
        /// It is only in the first run.
        Gone = "gone",
        /// Its content differs.
        Changed = "changed",
        /// It failed in the first run and passed in the second.
        Fixed = "fixed",
        /// It passed in the first run and failed in the second.
        Broken = "broken",
    }
}

impl Difference {
    /// Returns true if an account has this difference.
    fn is_of(self, a: Option<&Outcome>, b: Option<&Outcome>) -> bool {
        match (self, a, b) {
            (Self::New, None, Some(_)) | (Self::Gone, Some(_), None) => true,
            // A payload that could not be read is not known to be another one.
            (Self::Changed, Some(a), Some(b)) => a.content.zip(b.content).is_some_and(|(a, b)| a != b),
            (Self::Fixed, Some(a), Some(b)) => has_failed(a) && b.has_passed(),
            (Self::Broken, Some(a), Some(b)) => a.has_passed() && has_failed(b),
            _ => false,
        }
    }
}

fn has_failed(outcome: &Outcome) -> bool {
    outcome.state.known().is_some_and(|state| state.is_error())
}

/// The number of accounts that failed for a cause in each of two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeDiff {
    /// The cause.
    pub cause: Cause,
    /// Number of accounts in the first run.
    pub a: u64,
    /// Number of accounts in the second run.
    pub b: u64,
}

/// The differences of two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDiff {
    /// The accounts with each difference, in the order of [`Difference::ALL`].
    pub groups: Vec<(Difference, AccountGroup)>,
    /// The causes of failures in either run, those first whose numbers differ most.
    pub codes: Vec<CodeDiff>,
    /// The totals of the accounts that passed, in each run.
    pub totals: [Totals; 2],
}

impl Operations<'_> {
    /// Compares two runs of a supplier.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or run.
    pub fn diff_runs(&self, supplier: &str, a: &str, b: &str) -> Result<RunDiff, OperatorError> {
        let runs = self.two_runs(supplier, a, b)?;
        let mut found: HashMap<Difference, (u64, Vec<i64>)> = HashMap::new();
        let (mut codes, mut totals) = (BTreeMap::<Cause, (u64, u64)>::new(), [Totals::default(); 2]);
        self.merge(&runs, &mut |a, b| {
            for difference in Difference::ALL.into_iter().filter(|difference| difference.is_of(a, b)) {
                let (count, examples) = found.entry(difference).or_default();
                *count += 1;
                if examples.len() < EXAMPLES {
                    examples.extend(a.or(b).map(|outcome| outcome.process_id));
                }
            }
            a.iter().flat_map(|a| &a.causes).for_each(|cause| codes.entry(cause.clone()).or_default().0 += 1);
            b.iter().flat_map(|b| &b.causes).for_each(|cause| codes.entry(cause.clone()).or_default().1 += 1);
            for (sum, outcome) in totals.iter_mut().zip([a, b]) {
                let share = outcome.map(|outcome| outcome.totals).unwrap_or_default();
                let out_of_range = || StoreError::Failed("a sum of balances is out of range".into());
                *sum = sum.checked_add(share).ok_or_else(out_of_range)?;
            }
            Ok(())
        })?;
        let mut groups = Vec::new();
        for difference in Difference::ALL {
            let (count, ids) = found.remove(&difference).unwrap_or_default();
            groups.push((difference, AccountGroup { count, examples: self.numbers_of(&runs, &ids)? }));
        }
        let mut codes: Vec<CodeDiff> =
            codes.into_iter().map(|(cause, (a, b))| CodeDiff { cause, a, b }).collect();
        codes.sort_by_key(|code| std::cmp::Reverse(code.a.abs_diff(code.b)));
        Ok(RunDiff { groups, codes, totals })
    }

    /// Calls a function with the number of each account that has a difference, in the order of their first create.
    ///
    /// # Errors
    /// As [`diff_runs`](Self::diff_runs), or the error of the function.
    pub fn each_difference<E: From<OperatorError>>(
        &self,
        (supplier, a, b): (&str, &str, &str),
        difference: Difference,
        each: &mut dyn FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let runs = self.two_runs(supplier, a, b)?;
        let (mut merge, mut ids) = (Merge::new(&runs), Vec::new());
        while let Some((a, b)) = merge.next(self)? {
            if difference.is_of(a.as_ref(), b.as_ref()) {
                ids.extend(a.or(b).map(|outcome| outcome.process_id));
            }
            if ids.len() >= PAGE as usize {
                self.numbers_of(&runs, &ids)?.iter().try_for_each(|number| each(number))?;
                ids.clear();
            }
        }
        self.numbers_of(&runs, &ids)?.iter().try_for_each(|number| each(number))
    }

    fn two_runs(&self, supplier: &str, a: &str, b: &str) -> Result<[Run; 2], OperatorError> {
        self.read_committed(|tx| {
            let supplier = tx.supplier(supplier)?;
            Ok([run_of(tx, &supplier, a)?, run_of(tx, &supplier, b)?])
        })
    }

    fn merge(&self, runs: &[Run; 2], visit: &mut Visit<'_>) -> Result<(), OperatorError> {
        let mut merge = Merge::new(runs);
        while let Some((a, b)) = merge.next(self)? {
            visit(a.as_ref(), b.as_ref())?;
        }
        Ok(())
    }

    /// Returns the numbers of accounts by their keys, in their order. Accounts that were erased meanwhile are left out.
    fn numbers_of(&self, [run, _]: &[Run; 2], ids: &[i64]) -> Result<Vec<String>, OperatorError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.read_committed(|tx| Ok(tx.processes_by_id(ids)?))?;
        let number = |stored: StoredProcess| stored.process.snapshot().external_account_number.to_string();
        // SQLite uses the keys of an erased supplier's processes again.
        Ok(found.into_iter().filter(|stored| stored.supplier_id == run.supplier_id).map(number).collect())
    }
}

/// Takes the outcomes of an account in both runs.
type Visit<'v> = dyn FnMut(Option<&Outcome>, Option<&Outcome>) -> Result<(), StoreError> + 'v;

/// The outcomes of a run, page by page.
struct Outcomes {
    run_id: i64,
    page: VecDeque<Outcome>,
    /// The last key that was read; `None` at the end.
    after: Option<i64>,
}

impl Outcomes {
    fn new(run: &Run) -> Self {
        Self { run_id: run.id, page: VecDeque::new(), after: Some(0) }
    }

    /// Returns the key of the next outcome.
    fn peek(&mut self, by: &Operations<'_>) -> Result<Option<i64>, OperatorError> {
        if let (true, Some(after)) = (self.page.is_empty(), self.after) {
            self.page = by.read_committed(|tx| Ok(tx.outcomes(self.run_id, after, PAGE)?))?.into();
            let is_full = self.page.len() == PAGE as usize;
            self.after = self.page.back().filter(|_| is_full).map(|last| last.process_id);
        }
        Ok(self.page.front().map(|outcome| outcome.process_id))
    }
}

/// The outcomes of two runs, side by side.
struct Merge {
    a: Outcomes,
    b: Outcomes,
}

/// The outcomes of an account in two runs.
type Pair = (Option<Outcome>, Option<Outcome>);

impl Merge {
    fn new([a, b]: &[Run; 2]) -> Self {
        Self { a: Outcomes::new(a), b: Outcomes::new(b) }
    }

    fn next(&mut self, by: &Operations<'_>) -> Result<Option<Pair>, OperatorError> {
        let order = match (self.a.peek(by)?, self.b.peek(by)?) {
            (None, None) => return Ok(None),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.cmp(&b),
        };
        let a = if order.is_le() { self.a.page.pop_front() } else { None };
        let b = if order.is_ge() { self.b.page.pop_front() } else { None };
        Ok(Some((a, b)))
    }
}
