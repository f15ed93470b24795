//! Undoing imports of accounts to which nothing was added and which nobody has billed (contract D18).

use super::jobs::{ITEMS, MAX_NUMBERS, PAGE};
use super::reason::check_reason;
use super::runs::run_of;
use super::{JobOwner, Operations, OperatorError};
use crate::job::{imports_of_run, imports_of_wave, new_job};
use crate::port::{ImportedHead, Job, JobFilter, JobKind, KeptBecause, Supplier, WaveSpan};
use chrono::{DateTime, Utc};
use cutover_core::ExternalAccountNumber;
use std::collections::BTreeSet;

/// Maximum number of numbers that are given as examples.
const EXAMPLES: usize = 10;

/// Imports of a supplier that are to be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoRequest {
    /// Code of the supplier.
    pub supplier: String,
    /// The accounts.
    pub which: UndoScope,
}

/// The accounts whose imports are to be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoScope {
    /// Those that were imported at this time or later.
    Since(DateTime<Utc>),
    /// Those with these numbers at the previous supplier.
    Numbers(Vec<String>),
    /// Those that the run with this name imported.
    Run(String),
    /// Those that the wave with this number imported.
    Wave(u32),
}

/// A number of accounts, with the first of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccountGroup {
    /// Number of accounts.
    pub count: u64,
    /// Numbers of the first accounts at the previous supplier.
    pub examples: Vec<String>,
}

impl AccountGroup {
    pub(super) fn add(&mut self, number: &str) {
        self.count += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(number.to_owned());
        }
    }
}

/// The effect of an undo if it began now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undoable {
    /// Accounts that are unchanged since their import.
    pub undo: AccountGroup,
    /// Accounts that stay, by reason; without reasons that none has.
    pub kept: Vec<(KeptBecause, AccountGroup)>,
    /// Numbers without an imported account.
    pub unknown: AccountGroup,
}

impl Undoable {
    /// Returns the number of accounts that stay.
    pub fn kept_count(&self) -> u64 {
        self.kept.iter().map(|(_, group)| group.count).sum()
    }

    fn add(&mut self, head: &ImportedHead) {
        let number = head.external_account_number.as_str();
        let Some(reason) = head.kept_because() else { return self.undo.add(number) };
        let place = self.kept.binary_search_by_key(&reason, |(reason, _)| *reason).unwrap_or_else(|place| {
            self.kept.insert(place, (reason, AccountGroup::default()));
            place
        });
        if let Some((_, group)) = self.kept.get_mut(place) {
            group.add(number);
        }
    }
}

impl Operations<'_> {
    /// Returns what an undo would do. Changes nothing.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such supplier, or there are too many numbers.
    pub fn undoable(&self, request: &UndoRequest) -> Result<Undoable, OperatorError> {
        let supplier = self.show_supplier(&request.supplier)?;
        let mut undoable = Undoable::default();
        let selected = (&request.which, self.app.clock.now());
        let unknown = self.each_selected(&supplier, selected, &mut |head| undoable.add(head))?;
        unknown.iter().for_each(|number| undoable.unknown.add(number));
        Ok(undoable)
    }

    /// Begins to undo imports, as a job that records the reason.
    ///
    /// # Errors
    /// As [`undoable`](Self::undoable); [`OperatorError::Refused`] if the reason is blank or too long.
    pub fn begin_undo(
        &self,
        request: &UndoRequest,
        because: &str,
        owner: JobOwner,
    ) -> Result<Job, OperatorError> {
        check_reason(Some(because))?;
        let supplier = self.show_supplier(&request.supplier)?;
        let begun_at = self.app.clock.now();
        let (mut matched, mut listed) = (0, Vec::new());
        let filter = self.filter_of(&supplier, &request.which)?;
        let is_list = filter.is_list;
        self.each_selected(&supplier, (&request.which, begun_at), &mut |head| {
            matched += 1;
            if is_list {
                listed.push(head.id);
            }
        })?;
        let name = format!("job_{:016x}", self.app.random.number());
        let because = Some(because.to_owned());
        let job = new_job(name, JobKind::Undo, &supplier, &self.operator, begun_at);
        let job = Job { filter, because, matched, ..job };
        self.begin_job(&supplier, job, &listed, owner)
    }

    /// Calls a function with each imported account of a selection, imported at this time at the latest. Returns the numbers
    /// that have none.
    fn each_selected(
        &self,
        supplier: &Supplier,
        (which, until): (&UndoScope, DateTime<Utc>),
        each: &mut dyn FnMut(&ImportedHead),
    ) -> Result<Vec<String>, OperatorError> {
        match which {
            UndoScope::Since(since) => {
                self.each_imported(supplier, (*since, until), each).map(|()| Vec::new())
            }
            UndoScope::Numbers(numbers) if numbers.len() > MAX_NUMBERS => {
                Err(OperatorError::Refused(format!("there are more than {MAX_NUMBERS} numbers")))
            }
            UndoScope::Numbers(numbers) => self.each_numbered(supplier, numbers, each),
            UndoScope::Run(name) => self.each_of_run(supplier, name, until, each).map(|()| Vec::new()),
            UndoScope::Wave(wave) => {
                let span = self.wave_of(supplier, *wave)?;
                self.each_of_wave(supplier, span, until, each).map(|()| Vec::new())
            }
        }
    }

    /// Returns the filter of a job that undoes a selection.
    fn filter_of(&self, supplier: &Supplier, which: &UndoScope) -> Result<JobFilter, OperatorError> {
        let filter = JobFilter::default();
        Ok(match which {
            UndoScope::Since(since) => JobFilter { imported_since: Some(*since), ..filter },
            UndoScope::Numbers(_) => JobFilter { is_list: true, ..filter },
            UndoScope::Run(name) => JobFilter { run: Some(name.clone()), ..filter },
            UndoScope::Wave(wave) => {
                let span = self.wave_of(supplier, *wave)?;
                let (imported_since, imported_until) = (Some(span.began_at), span.until);
                JobFilter { imported_since, imported_until, wave: Some(*wave), ..filter }
            }
        })
    }

    fn wave_of(&self, supplier: &Supplier, wave: u32) -> Result<WaveSpan, OperatorError> {
        let found = self.read_committed(|tx| Ok(tx.wave_span(supplier.id, wave)?))?;
        found.filter(|_| wave > 0).ok_or_else(|| OperatorError::not_found("wave", wave.to_string()))
    }

    fn each_of_run(
        &self,
        supplier: &Supplier,
        name: &str,
        until: DateTime<Utc>,
        each: &mut dyn FnMut(&ImportedHead),
    ) -> Result<(), OperatorError> {
        let run = self.read_committed(|tx| run_of(tx, supplier, name))?;
        let mut after = Some(0);
        while let Some(id) = after {
            let (heads, next) = self.read_committed(|tx| Ok(imports_of_run(tx.rows(), run.id, id, PAGE)?))?;
            heads.iter().filter(|head| head.imported_at <= until).for_each(&mut *each);
            after = next;
        }
        Ok(())
    }

    fn each_of_wave(
        &self,
        supplier: &Supplier,
        span: WaveSpan,
        until: DateTime<Utc>,
        each: &mut dyn FnMut(&ImportedHead),
    ) -> Result<(), OperatorError> {
        let mut after = Some((span.began_at, 0));
        while let Some(from) = after {
            let (heads, next) =
                self.read_committed(|tx| Ok(imports_of_wave(tx.rows(), supplier.id, span, from, PAGE)?))?;
            heads.iter().filter(|head| head.imported_at <= until).for_each(&mut *each);
            after = next.filter(|(at, _)| *at <= until);
        }
        Ok(())
    }

    fn each_imported(
        &self,
        supplier: &Supplier,
        (since, until): (DateTime<Utc>, DateTime<Utc>),
        each: &mut dyn FnMut(&ImportedHead),
    ) -> Result<(), OperatorError> {
        let mut after = (since, 0);
        loop {
            let heads = self.read_committed(|tx| Ok(tx.imported_heads(supplier.id, after, PAGE)?))?;
            let is_full = heads.len() == PAGE as usize;
            for head in heads.iter().filter(|head| head.imported_at <= until) {
                each(head);
            }
            match heads.last().filter(|last| is_full && last.imported_at <= until) {
                Some(last) => after = last.position(),
                None => return Ok(()),
            }
        }
    }

    fn each_numbered(
        &self,
        supplier: &Supplier,
        numbers: &[String],
        each: &mut dyn FnMut(&ImportedHead),
    ) -> Result<Vec<String>, OperatorError> {
        let mut unknown = Vec::new();
        let distinct: BTreeSet<&str> = numbers.iter().map(|number| cutover_core::trimmed(number)).collect();
        let distinct: Vec<&str> = distinct.into_iter().collect();
        for some in distinct.chunks(ITEMS) {
            let valid: Vec<ExternalAccountNumber> =
                some.iter().filter_map(|number| number.parse().ok()).collect();
            let heads = self.read_committed(|tx| {
                let ids: Vec<i64> = tx.imported_ids(supplier.id, &valid)?.into_iter().flatten().collect();
                Ok(tx.heads_of(&ids)?)
            })?;
            heads.iter().for_each(&mut *each);
            let found: BTreeSet<&str> =
                heads.iter().map(|head| head.external_account_number.as_str()).collect();
            unknown.extend(some.iter().filter(|number| !found.contains(**number)).map(|n| (*n).to_owned()));
        }
        Ok(unknown)
    }
}
