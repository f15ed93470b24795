use super::claim::illegal;
use super::import::Outcome;
use crate::fault::{self, Point};
use crate::port::{Clock, NewAccount, StepWrite, StoreError, StoredIssues, Tx};
use chrono::{DateTime, Utc};
use cutover_core::ServiceAccountNumber;
use cutover_model::{Account, Totals};
use cutover_process::{Actor, Event, HistoryEntry, LEASE, Process, on_success};
use std::collections::BTreeMap;

/// An account that was checked, with all that is to be written of it.
pub(super) struct Ready {
    pub(super) process: Process,
    end: End,
    pub(super) issues: StoredIssues,
    pub(super) size: Size,
}

/// How a process ends, and what is written beside its step.
enum End {
    Import(Box<Import>),
    /// Of a dry run, and of what was rejected, the step is all that is kept.
    Step(Event),
}

/// What an import writes beside its step.
struct Import {
    account: NewAccount,
    totals: Totals,
}

/// What bounds a commit, and the memory that accounts take until it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// Of the unpacked payloads.
    bytes: usize,
    /// Of the tables.
    rows: u64,
}

impl Size {
    /// A batch that has reached either is written. Repetitive payloads pack to a hundredth, so the packed size says
    /// nothing of the memory and of the rows that they unpack to.
    const MOST: Self = Self { bytes: 4 << 20, rows: 20_000 };

    pub(super) fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.rows += other.rows;
    }

    pub(super) fn is_full(self) -> bool {
        self.bytes > Self::MOST.bytes || self.rows > Self::MOST.rows
    }
}

impl Ready {
    /// Of an account that passed every check; a dry run keeps nothing of it.
    pub(super) fn passed(process: &Process, account: NewAccount, issues: StoredIssues, bytes: usize) -> Self {
        if process.is_dry_run() {
            return Self::ended(process, on_success(process, account.number), issues);
        }
        let totals = Totals::of(&account.account, account.zone);
        let size = Size { bytes, rows: rows(&account.account, &totals) };
        let end = End::Import(Box::new(Import { account, totals }));
        Self { process: process.clone(), end, issues, size }
    }

    /// Of an account of which only the step is written.
    pub(super) fn ended(process: &Process, event: Event, issues: StoredIssues) -> Self {
        let size = Size { bytes: 0, rows: 1 };
        Self { process: process.clone(), end: End::Step(event), issues, size }
    }

    /// Gives an account that is imported another number.
    pub(super) fn renumber(&mut self, number: ServiceAccountNumber) {
        if let End::Import(import) = &mut self.end {
            import.account.number = number;
        }
    }

    /// The number by which points know it.
    pub(super) fn number(&self) -> &str {
        self.process.snapshot().external_account_number.as_str()
    }

    fn import(&self) -> Option<&Import> {
        if let End::Import(import) = &self.end { Some(import) } else { None }
    }

    fn event(&self) -> Event {
        match &self.end {
            End::Import(import) => on_success(&self.process, import.account.number.clone()),
            End::Step(event) => event.clone(),
        }
    }
}

/// How many rows an account comes to, counted by the lists that grow with its history.
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

/// Writes accounts with their steps, and the steps of dry runs and of what was rejected, in one transaction.
///
/// The steps go first: of a worker that comes back late, the versions are stale here, and nothing of those accounts is
/// written. They are dated here and not before: what reads by the time of the last step misses those that are committed
/// long after it.
pub(super) fn write_ready(
    tx: &mut dyn Tx,
    ready: &mut [Ready],
    clock: &dyn Clock,
    actor: &Actor,
) -> Result<Vec<Outcome>, StoreError> {
    let at = clock.now();
    let stepped = |one: &Ready| one.process.clone().step(one.event(), at, actor.clone()).map_err(illegal);
    let stepped: Vec<(Process, HistoryEntry)> = ready.iter().map(stepped).collect::<Result<_, _>>()?;
    for ((process, _), one) in stepped.iter().zip(&mut *ready) {
        if let End::Import(import) = &mut one.end {
            import.account.imported_at = process.snapshot().modified_at;
        }
    }
    let ready = &*ready;
    let steps = stepped.iter().zip(ready).map(|((process, entry), one)| StepWrite {
        process,
        entry,
        issues: Some(&one.issues),
    });
    let written = tx.step_processes(&steps.collect::<Vec<_>>())?;
    let imports = ready.iter().zip(&written).filter(|(_, is_written)| **is_written);
    let imports: Vec<&Import> = imports.filter_map(|(one, _)| one.import()).collect();
    tx.insert_accounts(&imports.iter().map(|one| &one.account).collect::<Vec<_>>())?;
    add_totals(tx, &imports)?;
    fault::reached(Point::ImportWritten, "");
    in_time(clock, at)?;
    let outcome = |((process, _), is_written): (&(Process, _), _)| Outcome::of(process, is_written);
    Ok(stepped.iter().zip(written).map(outcome).collect())
}

/// What accounts come to, a change a supplier.
fn add_totals(tx: &mut dyn Tx, imports: &[&Import]) -> Result<(), StoreError> {
    let mut totals = BTreeMap::<i64, Totals>::new();
    for one in imports {
        let all = totals.entry(one.account.supplier_id).or_default();
        let out_of_range = || StoreError::Failed("a sum of balances is out of range".into());
        *all = all.checked_add(one.totals).ok_or_else(out_of_range)?;
    }
    totals.iter().try_for_each(|(supplier_id, totals)| tx.add_totals(*supplier_id, totals))
}

/// Refuses to commit steps that were dated longer ago than a lease: their claims have run out, and who polls by the time
/// of the last step counts on seeing it soon after.
pub(super) fn in_time(clock: &dyn Clock, at: DateTime<Utc>) -> Result<(), StoreError> {
    if clock.now() - at <= LEASE {
        Ok(())
    } else {
        Err(StoreError::Busy("a write took longer than a lease".into()))
    }
}
