use super::claim::{Claimed, illegal, in_time};
use super::outcome::Outcome;
use super::prepare::{Hashes, Prepared};
use crate::account::{Imports, Known, changed_since};
use crate::fault::{self, Point};
use crate::gate::{self, Ending};
use crate::port::{Clock, NewAccount, Sent, StepWrite, StoreError, StoredIssues, Tx};
use crate::run::RunHints;
use cutover_core::ServiceAccountNumber;
use cutover_model::{Account, Totals};
use cutover_process::{Actor, Event, HistoryEntry, Process, on_rejection, on_success};
use std::collections::BTreeMap;

/// A checked account with everything to write for it.
pub(super) struct Ready {
    pub(super) claimed: Claimed,
    end: End,
    /// The facts that it was checked with.
    known: Known,
    /// Set if these have changed when it was to be written.
    pub(super) is_outdated: bool,
    pub(super) issues: StoredIssues,
    pub(super) size: Size,
    sent: OwnSent,
}

/// The parts of a payload that the step keeps.
struct OwnSent {
    hashes: Hashes,
    totals: Totals,
}

impl OwnSent {
    fn get(&self) -> Sent<'_> {
        let Hashes { content, paths } = &self.hashes;
        Sent { content: Some(*content), totals: self.totals, paths: paths.as_ref() }
    }
}

/// The end of a process.
enum End {
    Import(Box<NewAccount>),
    /// A dry run or a rejected payload: only the step is written.
    Step(Event),
}

/// Measures a batch, to bound its commit and the memory that its accounts take until then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// Size of the decompressed payloads.
    bytes: usize,
    /// Rows in all tables.
    pub(super) rows: u64,
}

impl Size {
    /// A batch is written once it has more rows.
    const MOST_ROWS: u64 = 20_000;

    pub(super) fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.rows += other.rows;
    }

    /// Returns true once a batch of at most so many bytes is to be written. Repetitive payloads compress to a hundredth, so
    /// the compressed size says nothing about their memory and rows.
    pub(super) fn is_full(self, most_bytes: usize) -> bool {
        self.bytes > most_bytes || self.rows > Self::MOST_ROWS
    }
}

impl Ready {
    pub(super) fn new(claimed: &Claimed, prepared: Prepared, known: Known) -> Self {
        match prepared {
            Prepared::Account { account, issues, bytes, hashes } => {
                Self::passed(claimed, account, issues, bytes, hashes, known)
            }
            Prepared::Rejected(issues, hashes) => {
                let sent = OwnSent { hashes, totals: Totals::default() };
                Self::ended(claimed, on_rejection(&claimed.process), issues, sent, known)
            }
        }
    }

    /// For an account that passed every check. A dry run does not write it.
    fn passed(
        claimed: &Claimed,
        account: Box<NewAccount>,
        issues: StoredIssues,
        bytes: usize,
        hashes: Hashes,
        known: Known,
    ) -> Self {
        let process = &claimed.process;
        let sent = OwnSent { hashes, totals: account.totals };
        if process.is_dry_run() {
            return Self::ended(claimed, on_success(process, account.number), issues, sent, known);
        }
        let size = Size { bytes, rows: rows(&account.account, &account.totals) };
        let (claimed, end) = (claimed.clone(), End::Import(account));
        Self { claimed, end, known, is_outdated: false, issues, size, sent }
    }

    /// For a process of which only the step is written.
    fn ended(claimed: &Claimed, event: Event, issues: StoredIssues, sent: OwnSent, known: Known) -> Self {
        let size = Size { bytes: 0, rows: 1 };
        let (claimed, end) = (claimed.clone(), End::Step(event));
        Self { claimed, end, known, is_outdated: false, issues, size, sent }
    }

    /// Adds what it imports to facts about accounts that are written after it.
    pub(super) fn add_to(&self, imports: &mut Imports) {
        if let Some(account) = self.account() {
            imports.add(account, &self.claimed.supplier.code);
        }
    }

    /// Gives the imported account another number.
    pub(super) fn renumber(&mut self, number: ServiceAccountNumber) {
        if let End::Import(account) = &mut self.end {
            account.number = number;
        }
    }

    /// The external account number, which [fault points](Point) are about.
    pub(super) fn number(&self) -> &str {
        self.claimed.number()
    }

    fn account(&self) -> Option<&NewAccount> {
        if let End::Import(account) = &self.end { Some(account) } else { None }
    }

    fn event(&self) -> Event {
        match &self.end {
            End::Import(account) => on_success(&self.claimed.process, account.number.clone()),
            End::Step(event) => event.clone(),
        }
    }
}

/// Estimates the rows of an account by the lists that grow with its history.
fn rows(account: &Account<'_>, totals: &Totals) -> u64 {
    fn items<T>(list: &Option<Vec<T>>) -> u64 {
        list.as_ref().map_or(0, |list| list.len() as u64)
    }
    let ledgers = account.ledgers.iter().flatten();
    let transactions = ledgers.flat_map(|ledger| {
        [&ledger.current_statement_transactions, &ledger.historical_statement_transactions]
    });
    let parts = transactions.flatten().flatten().map(|t| items(&t.line_items) + items(&t.tax_items));
    let points = account.supply_addresses.iter().flatten().map(|entry| 1 + entry.meter_points.len() as u64);
    let lists = [
        items(&account.customers),
        items(&account.ledgers),
        items(&account.payment_instructions),
        items(&account.payment_schedules),
        items(&account.statements),
        items(&account.notes),
        items(&account.events),
    ];
    let lists: u64 = lists.into_iter().sum();
    1 + totals.readings
        + totals.transactions
        + totals.documents
        + parts.sum::<u64>()
        + points.sum::<u64>()
        + lists
}

/// Writes accounts with their steps, and the steps of dry runs and rejected payloads, in one transaction.
///
/// The steps are written first: if the worker is late, their versions are stale and nothing of those accounts
/// is written. They are dated here, because clients that poll by the time of the last step miss steps that
/// are committed long after their date.
pub(super) fn write_ready(
    tx: &mut dyn Tx,
    ready: &mut [Ready],
    clock: &dyn Clock,
    actor: &Actor,
    hints: &RunHints,
) -> Result<Vec<Outcome>, StoreError> {
    let ending = Ending::of(tx, clock, ready.iter().map(|one| &one.claimed.process))?;
    hints.remember(ready.iter().map(|one| &one.claimed.supplier.code), ending.open_runs());
    let at = ending.at;
    let stepped =
        |one: &Ready| one.claimed.process.clone().step(one.event(), at, actor.clone()).map_err(illegal);
    let stepped: Vec<(Process, HistoryEntry)> = ready.iter().map(stepped).collect::<Result<_, _>>()?;
    for ((process, _), one) in stepped.iter().zip(&mut *ready) {
        if let End::Import(account) = &mut one.end {
            account.imported_at = process.snapshot().modified_at;
        }
    }
    let steps = stepped.iter().zip(&*ready).map(|((process, entry), one)| StepWrite {
        process,
        entry,
        issues: Some(&one.issues),
        sent: Some(one.sent.get()),
    });
    let written = gate::end_processes(tx, &steps.collect::<Vec<_>>(), ending)?;
    if mark_outdated(tx, ready, &written)? {
        return Err(StoreError::Conflict("facts about an account have changed".into()));
    }
    let imports = ready.iter().zip(&written).filter(|(_, is_written)| **is_written);
    let imports: Vec<&NewAccount> = imports.filter_map(|(one, _)| one.account()).collect();
    tx.insert_accounts(&imports)?;
    add_totals(tx, &imports)?;
    fault::reached(Point::ImportWritten, "");
    in_time(clock, at)?;
    let outcome = |((process, _), is_written): (&(Process, _), _)| Outcome::of(process, is_written);
    Ok(stepped.iter().zip(written).map(outcome).collect())
}

/// Marks accounts that were checked with facts which are different now, where those before them are imported. Returns true
/// if there are any.
fn mark_outdated(tx: &mut dyn Tx, ready: &mut [Ready], written: &[bool]) -> Result<bool, StoreError> {
    let known: Vec<&Known> = ready.iter().map(|one| &one.known).collect();
    let import = |place: usize, imports: &mut Imports| {
        if written[place] {
            ready[place].add_to(imports);
        }
    };
    let changed = changed_since(tx, &known, import)?;
    // A claim that was lost is nobody's to check again.
    let outdated: Vec<bool> =
        changed.iter().zip(written).map(|(changed, written)| *changed && *written).collect();
    ready.iter_mut().zip(&outdated).for_each(|(one, is_outdated)| one.is_outdated = *is_outdated);
    Ok(outdated.contains(&true))
}

/// Adds the totals of the accounts, summed by supplier.
fn add_totals(tx: &mut dyn Tx, imports: &[&NewAccount]) -> Result<(), StoreError> {
    let mut totals = BTreeMap::<i64, Totals>::new();
    for one in imports {
        let all = totals.entry(one.supplier_id).or_default();
        let out_of_range = || StoreError::Failed("a sum of balances is out of range".into());
        *all = all.checked_add(one.totals).ok_or_else(out_of_range)?;
    }
    totals.iter().try_for_each(|(supplier_id, totals)| tx.add_totals(*supplier_id, totals))
}
