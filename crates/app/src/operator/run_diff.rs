//! The comparison of two runs (contracts D15 and D23): a merge of what was refused in them, which is bounded, and one of their
//! outcomes, which have the same order.

use super::runs::run_of;
use super::{AccountGroup, Operations, OperatorError};
use crate::port::{Cause, Outcome, RefusedCreate, Run, StoreError, StoredProcess};
use cutover_core::string_enum;
use cutover_model::{ContentHash, PathHashes, Totals};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// Number of outcomes or refused accounts that are read at once, and of accounts whose numbers are.
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
        /// It failed in the first run, or was refused, and passed in the second.
        Fixed = "fixed",
        /// It passed in the first run, and failed in the second or was refused.
        Broken = "broken",
    }
}

impl Difference {
    /// Returns true if an account has this difference.
    fn is_of(self, account: &Compared) -> bool {
        match (self, &account.a, &account.b) {
            (Self::New, None, Some(_)) | (Self::Gone, Some(_), None) => true,
            // A payload that is not known or could not be read is not known to be another one.
            (Self::Changed, Some(a), Some(b)) => a.content().zip(b.content()).is_some_and(|(a, b)| a != b),
            (Self::Fixed, Some(a), Some(b)) => a.has_failed() && b.has_passed(),
            (Self::Broken, Some(a), Some(b)) => a.has_passed() && b.has_failed(),
            _ => false,
        }
    }
}

/// The result of an account in a run: its last outcome, or its refusal.
#[derive(Debug, Clone)]
enum RunResult {
    Ended(Box<Outcome>),
    Refused(RefusedCreate),
}

impl RunResult {
    fn ended(outcome: Outcome) -> Self {
        Self::Ended(Box::new(outcome))
    }

    fn has_passed(&self) -> bool {
        matches!(self, Self::Ended(outcome) if outcome.has_passed())
    }

    fn has_failed(&self) -> bool {
        match self {
            Self::Ended(outcome) => outcome.state.known().is_some_and(|state| state.is_error()),
            Self::Refused(_) => true,
        }
    }

    /// Returns the hash of the payload, which is not kept of a refused one.
    fn content(&self) -> Option<ContentHash> {
        match self {
            Self::Ended(outcome) => outcome.content,
            Self::Refused(_) => None,
        }
    }

    fn paths(&self) -> Option<&PathHashes> {
        match self {
            Self::Ended(outcome) => outcome.paths.as_ref(),
            Self::Refused(_) => None,
        }
    }

    fn causes(&self) -> Vec<Cause> {
        match self {
            Self::Ended(outcome) => outcome.causes.clone(),
            Self::Refused(refused) => refused.causes.iter().map(Cause::from).collect(),
        }
    }

    fn totals(&self) -> Totals {
        match self {
            Self::Ended(outcome) => outcome.totals,
            Self::Refused(_) => Totals::default(),
        }
    }
}

/// An account, by what is known of it without another read.
#[derive(Debug, Clone)]
enum Account {
    Process(i64),
    Number(String),
}

/// An account that has a difference, before its number is looked up.
#[derive(Debug)]
struct Noted {
    account: Account,
    paths: Option<Vec<&'static str>>,
}

impl Noted {
    fn new(compared: &Compared, difference: Difference) -> Self {
        let is_changed = difference == Difference::Changed;
        let paths = if is_changed { compared.changed_paths() } else { None };
        Self { account: compared.account.clone(), paths }
    }
}

/// An account in two runs.
#[derive(Debug)]
struct Compared {
    account: Account,
    a: Option<RunResult>,
    b: Option<RunResult>,
}

impl Compared {
    /// Returns the patterns of the paths at which its contents differ; `None` if that is not known, because a run of an
    /// earlier version has it, or its key is lost.
    fn changed_paths(&self) -> Option<Vec<&'static str>> {
        self.a.as_ref()?.paths()?.differing(self.b.as_ref()?.paths()?)
    }
}

/// An account that has a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differing {
    /// Its external number.
    pub number: String,
    /// The patterns of the paths at which its contents differ, such as `customers.#.mobile`; `None` if that is not known. Only
    /// for [`Difference::Changed`].
    pub paths: Option<Vec<&'static str>>,
}

/// The number of accounts that failed or were refused for a cause in each of two runs.
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
    /// The examples of changed accounts with the paths at which they differ.
    pub changed: Vec<Differing>,
    /// The patterns of these paths with their numbers of changed accounts, those first that have most.
    pub paths: Vec<(&'static str, u64)>,
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
        let mut found: HashMap<Difference, (u64, Vec<Noted>)> = HashMap::new();
        let mut paths: BTreeMap<&'static str, u64> = BTreeMap::new();
        let (mut codes, mut totals) = (BTreeMap::<Cause, [u64; 2]>::new(), [Totals::default(); 2]);
        let mut merge = Merge::new(self, &runs);
        while let Some(compared) = merge.next()? {
            for difference in Difference::ALL.into_iter().filter(|difference| difference.is_of(&compared)) {
                let noted = Noted::new(&compared, difference);
                noted.paths.iter().flatten().for_each(|path| *paths.entry(path).or_default() += 1);
                let (count, examples) = found.entry(difference).or_default();
                *count += 1;
                if examples.len() < EXAMPLES {
                    examples.push(noted);
                }
            }
            for (run, result) in [&compared.a, &compared.b].into_iter().enumerate() {
                let Some(result) = result else { continue };
                result.causes().into_iter().for_each(|cause| codes.entry(cause).or_default()[run] += 1);
                let out_of_range = || StoreError::Failed("a sum of balances is out of range".into());
                totals[run] = totals[run].checked_add(result.totals()).ok_or_else(out_of_range)?;
            }
        }
        let (mut groups, mut changed) = (Vec::new(), Vec::new());
        for difference in Difference::ALL {
            let (count, noted) = found.remove(&difference).unwrap_or_default();
            let examples = self.differing(&runs, noted)?;
            let numbers = examples.iter().map(|one| one.number.clone()).collect();
            groups.push((difference, AccountGroup { count, examples: numbers }));
            if difference == Difference::Changed {
                changed = examples;
            }
        }
        let mut paths: Vec<(&'static str, u64)> = paths.into_iter().collect();
        paths.sort_by_key(|(_, accounts)| std::cmp::Reverse(*accounts));
        let mut codes: Vec<CodeDiff> =
            codes.into_iter().map(|(cause, [a, b])| CodeDiff { cause, a, b }).collect();
        codes.sort_by_key(|code| std::cmp::Reverse(code.a.abs_diff(code.b)));
        Ok(RunDiff { groups, codes, changed, paths, totals })
    }

    /// Calls a function with each account that has a difference: first those that were refused in a run, by
    /// number, then the others in the order of their first create.
    ///
    /// # Errors
    /// As [`diff_runs`](Self::diff_runs), or the error of the function.
    pub fn each_difference<E: From<OperatorError>>(
        &self,
        (supplier, a, b): (&str, &str, &str),
        difference: Difference,
        each: &mut dyn FnMut(&Differing) -> Result<(), E>,
    ) -> Result<(), E> {
        let runs = self.two_runs(supplier, a, b)?;
        let (mut merge, mut noted) = (Merge::new(self, &runs), Vec::new());
        while let Some(compared) = merge.next()? {
            if difference.is_of(&compared) {
                noted.push(Noted::new(&compared, difference));
            }
            if noted.len() >= PAGE as usize {
                self.differing(&runs, std::mem::take(&mut noted))?.iter().try_for_each(&mut *each)?;
            }
        }
        self.differing(&runs, noted)?.iter().try_for_each(each)
    }

    fn two_runs(&self, supplier: &str, a: &str, b: &str) -> Result<[Run; 2], OperatorError> {
        self.read_committed(|tx| {
            let supplier = tx.supplier(supplier)?;
            Ok([run_of(tx, &supplier, a)?, run_of(tx, &supplier, b)?])
        })
    }

    /// Looks up the numbers of accounts. Those that were erased meanwhile are left out.
    fn differing(&self, [run, _]: &[Run; 2], noted: Vec<Noted>) -> Result<Vec<Differing>, OperatorError> {
        let id = |account: &Account| match account {
            Account::Process(id) => Some(*id),
            Account::Number(_) => None,
        };
        let ids: Vec<i64> = noted.iter().filter_map(|noted| id(&noted.account)).collect();
        let found = match ids.is_empty() {
            true => Vec::new(),
            false => self.read_committed(|tx| Ok(tx.processes_by_id(&ids)?))?,
        };
        // SQLite uses the keys of an erased supplier's processes again.
        let own = found.into_iter().filter(|stored| stored.supplier_id == run.supplier_id);
        let number = |stored: StoredProcess| stored.process.snapshot().external_account_number.to_string();
        let numbers: HashMap<i64, String> = own.map(|stored| (stored.process.id(), number(stored))).collect();
        let number = |account: Account| match account {
            Account::Process(id) => numbers.get(&id).cloned(),
            Account::Number(number) => Some(number),
        };
        let differing = |noted: Noted| Some(Differing { number: number(noted.account)?, paths: noted.paths });
        Ok(noted.into_iter().filter_map(differing).collect())
    }
}

/// Outcomes or refused accounts of a run, read page by page in the order of a key.
struct Pages<T> {
    run: Run,
    page: VecDeque<T>,
    /// The last that was read; `None` before the first page.
    last: Option<T>,
    is_at_end: bool,
}

/// Reads those that follow one.
type ReadPage<T> = fn(&Operations<'_>, &Run, Option<&T>) -> Result<Vec<T>, OperatorError>;

impl<T: Clone> Pages<T> {
    fn new(run: &Run) -> Self {
        Self { run: run.clone(), page: VecDeque::new(), last: None, is_at_end: false }
    }

    /// Returns the next one, which stays.
    fn peek(&mut self, by: &Operations<'_>, read: ReadPage<T>) -> Result<Option<&T>, OperatorError> {
        if self.page.is_empty() && !self.is_at_end {
            self.page = read(by, &self.run, self.last.as_ref())?.into();
            self.is_at_end = self.page.len() < PAGE as usize;
            self.last = self.page.back().cloned();
        }
        Ok(self.page.front())
    }
}

fn read_outcomes(
    by: &Operations<'_>,
    run: &Run,
    last: Option<&Outcome>,
) -> Result<Vec<Outcome>, OperatorError> {
    let after = last.map_or(0, |last| last.process_id);
    by.read_committed(|tx| Ok(tx.outcomes(run.id, after, PAGE)?))
}

fn read_refused(
    by: &Operations<'_>,
    run: &Run,
    last: Option<&RefusedCreate>,
) -> Result<Vec<RefusedCreate>, OperatorError> {
    let after = last.map_or("", |last| &last.number);
    by.read_committed(|tx| Ok(tx.refused_in_run(run, after, PAGE)?))
}

/// The next of two sequences that have the same order: of one, or of both.
fn next_of<T: Clone, K: Ord>(
    by: &Operations<'_>,
    [a, b]: &mut [Pages<T>; 2],
    read: ReadPage<T>,
    key: fn(&T) -> K,
) -> Result<Option<[Option<T>; 2]>, OperatorError> {
    let order = match (a.peek(by, read)?.map(key), b.peek(by, read)?.map(key)) {
        (None, None) => return Ok(None),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (Some(a), Some(b)) => a.cmp(&b),
    };
    let a = if order.is_le() { a.page.pop_front() } else { None };
    let b = if order.is_ge() { b.page.pop_front() } else { None };
    Ok(Some([a, b]))
}

/// The accounts of two runs: first those that were refused in one, by number, then the others by the key of their process.
struct Merge<'a> {
    by: &'a Operations<'a>,
    refused: [Pages<RefusedCreate>; 2],
    /// Accounts that were refused in a run, with their result in the other.
    ready: VecDeque<Compared>,
    /// The keys of those among them that have a process; of each run at most as many as are kept of a supplier.
    met: HashSet<i64>,
    outcomes: [Pages<Outcome>; 2],
}

impl<'a> Merge<'a> {
    fn new(by: &'a Operations<'a>, runs: &[Run; 2]) -> Self {
        Self {
            by,
            refused: [Pages::new(&runs[0]), Pages::new(&runs[1])],
            ready: VecDeque::new(),
            met: HashSet::new(),
            outcomes: [Pages::new(&runs[0]), Pages::new(&runs[1])],
        }
    }

    fn next(&mut self) -> Result<Option<Compared>, OperatorError> {
        if self.ready.is_empty() {
            self.read_refused()?;
        }
        if let Some(compared) = self.ready.pop_front() {
            return Ok(Some(compared));
        }
        while let Some([a, b]) =
            next_of(self.by, &mut self.outcomes, read_outcomes, |outcome| outcome.process_id)?
        {
            let Some(id) = a.as_ref().or(b.as_ref()).map(|outcome| outcome.process_id) else { continue };
            if !self.met.contains(&id) {
                let [a, b] = [a, b].map(|outcome| outcome.map(RunResult::ended));
                return Ok(Some(Compared { account: Account::Process(id), a, b }));
            }
        }
        Ok(None)
    }

    /// Reads further accounts that were refused in a run, and their outcomes in the other.
    fn read_refused(&mut self) -> Result<(), OperatorError> {
        let mut refused = Vec::new();
        while refused.len() < PAGE as usize
            && let Some(next) =
                next_of(self.by, &mut self.refused, read_refused, |refused| refused.number.clone())?
        {
            refused.push(next);
        }
        let number = |[a, b]: &[Option<RefusedCreate>; 2]| {
            a.as_ref().or(b.as_ref()).map(|refused| refused.number.clone()).unwrap_or_default()
        };
        let numbers: Vec<String> = refused.iter().map(number).collect();
        if numbers.is_empty() {
            return Ok(());
        }
        let [a, b] = &self.outcomes;
        let (known, ended) = self.by.read_committed(|tx| {
            let known = tx.processes_among(a.run.supplier_id, &numbers)?;
            let ids: Vec<i64> = known.iter().map(|(_, id, _)| *id).collect();
            Ok((known, [tx.outcomes_of(a.run.id, &ids)?, tx.outcomes_of(b.run.id, &ids)?]))
        })?;
        let ids: HashMap<String, i64> = known.into_iter().map(|(number, id, _)| (number, id)).collect();
        self.met.extend(ids.values());
        let mut ended = ended.map(|outcomes| {
            let by_id = outcomes.into_iter().map(|outcome| (outcome.process_id, outcome));
            by_id.collect::<HashMap<i64, Outcome>>()
        });
        for (number, [a, b]) in numbers.into_iter().zip(refused) {
            let id = ids.get(&number);
            let [of_a, of_b] = &mut ended;
            let result = |refused: Option<RefusedCreate>, ended: &mut HashMap<i64, Outcome>| {
                let outcome = id.and_then(|id| ended.remove(id)).map(RunResult::ended);
                refused.map(RunResult::Refused).or(outcome)
            };
            let (a, b) = (result(a, of_a), result(b, of_b));
            self.ready.push_back(Compared { account: Account::Number(number), a, b });
        }
        Ok(())
    }
}
