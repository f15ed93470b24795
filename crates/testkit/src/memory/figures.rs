use super::State;
use super::erasure::less;
use super::processes::Row;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use cutover_app::port::{
    ActivityCount, AnyFigures, Cause, CauseCount, Figures, Manifest, MinuteCount, NumberLists, StateCount,
    StoreError, Supplier, SupplierFigures,
};
use cutover_core::{Code, ExternalAccountNumber, Level, SupplierStatus, Word};
use cutover_model::Totals;
use cutover_process::State as Status;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Counts all processes, as there are few.
impl Figures for State {
    fn add_totals(&mut self, supplier_id: i64, added: &Totals) -> Result<(), StoreError> {
        let totals = self.totals.entry(supplier_id).or_default();
        let out_of_range = || StoreError::Failed("a sum of balances is out of range".into());
        *totals = totals.checked_add(*added).ok_or_else(out_of_range)?;
        Ok(())
    }

    fn remove_totals(&mut self, supplier_id: i64, removed: &Totals) -> Result<(), StoreError> {
        let totals = self.totals.entry(supplier_id).or_default();
        let below = || StoreError::Failed("a figure falls below 0".into());
        *totals = less(*totals, removed).ok_or_else(below)?;
        Ok(())
    }

    fn totals(&mut self, supplier_id: i64) -> Result<Totals, StoreError> {
        Ok(self.totals.get(&supplier_id).copied().unwrap_or_default())
    }

    fn sent(&mut self, supplier_id: i64) -> Result<Totals, StoreError> {
        let is_none = [Status::Cancelled, Status::DryRunSucceeded, Status::DryRunErrored];
        let mut sent = self.of(supplier_id).filter(|row| !is_none.contains(&row.process.state()));
        let out_of_range = || StoreError::Failed("a sum of balances is out of range".into());
        let add = |sum: Totals, row: &Row| sum.checked_add(Totals { accounts: 1, ..row.staged.totals });
        sent.try_fold(Totals::default(), add).ok_or_else(out_of_range)
    }

    fn manifest(&mut self, supplier_id: i64) -> Result<Option<Manifest>, StoreError> {
        Ok(self.manifests.get(&supplier_id).copied())
    }

    fn set_manifest(&mut self, supplier_id: i64, manifest: Option<&Manifest>) -> Result<(), StoreError> {
        match manifest {
            Some(manifest) => self.manifests.insert(supplier_id, *manifest),
            None => self.manifests.remove(&supplier_id),
        };
        Ok(())
    }

    fn number_lists(&mut self, supplier_id: i64) -> Result<Option<NumberLists>, StoreError> {
        Ok(self.lists_of(supplier_id))
    }

    fn add_numbers(
        &mut self,
        supplier_id: i64,
        part: u32,
        is_last: bool,
        numbers: &[ExternalAccountNumber],
    ) -> Result<bool, StoreError> {
        Ok(self.add_part(supplier_id, part, is_last, numbers))
    }

    fn drop_numbers(&mut self, supplier_id: i64) -> Result<(), StoreError> {
        self.drop_lists(supplier_id);
        Ok(())
    }

    /// A list that is replaced is gone at once.
    fn remove_numbers(&mut self, _: i64, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }

    fn declared_numbers(
        &mut self,
        supplier_id: i64,
        after: &str,
        limit: u32,
    ) -> Result<Vec<String>, StoreError> {
        let later = self.numbers_in_force(supplier_id).filter(|number| number.as_str() > after);
        Ok(later.take(limit as usize).cloned().collect())
    }

    fn declared_among(&mut self, supplier_id: i64, numbers: &[String]) -> Result<Vec<String>, StoreError> {
        Ok(self.numbers_in_force(supplier_id).filter(|number| numbers.contains(number)).cloned().collect())
    }

    fn state_counts(&mut self, supplier_id: i64) -> Result<Vec<StateCount>, StoreError> {
        let key = |row: &Row| (key(row), row.process.is_undone());
        let mut keys: Vec<((Status, Option<Code>), bool)> = self.of(supplier_id).map(key).collect();
        keys.sort_by_key(|((state, error), is_undone)| (state.as_str(), error.map(Code::as_str), *is_undone));
        let runs = keys.chunk_by(|one, other| one == other);
        let count = |run: &[((Status, Option<Code>), bool)]| StateCount {
            state: run[0].0.0.into(),
            error: run[0].0.1.map(Word::from),
            is_undone: run[0].1,
            processes: run.len() as u64,
        };
        Ok(runs.map(count).collect())
    }

    fn minute_counts(
        &mut self,
        supplier_id: i64,
        since: DateTime<Utc>,
    ) -> Result<Vec<MinuteCount>, StoreError> {
        let minute = |at: DateTime<Utc>| at.duration_trunc(TimeDelta::minutes(1)).unwrap_or(at);
        let ended = self.of(supplier_id).filter(|row| row.process.state().is_outcome());
        let of_row = |row: &Row| (row.process.snapshot().modified_at, row.process.state());
        let mut steps: Vec<_> = ended.map(of_row).filter(|(at, _)| *at >= minute(since)).collect();
        steps.sort_by_key(|(at, state)| (minute(*at), state.as_str(), *at));
        let key = |(at, state): &(DateTime<Utc>, Status)| (minute(*at), *state);
        let runs = steps.chunk_by(|one, other| key(one) == key(other));
        let count = |run: &[(DateTime<Utc>, Status)]| MinuteCount {
            minute: minute(run[0].0),
            state: run[0].1.into(),
            processes: run.len() as u64,
            first_at: run[0].0,
            last_at: run[run.len() - 1].0,
        };
        Ok(runs.map(count).collect())
    }

    fn activity(
        &mut self,
        supplier_id: i64,
        since: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Vec<ActivityCount>, StoreError> {
        let since = since.duration_trunc(TimeDelta::minutes(1)).unwrap_or(since);
        let own = self.activity.iter().filter(|(of, ..)| *of == supplier_id);
        let mut counts = BTreeMap::<(DateTime<Utc>, &str), u64>::new();
        for (_, minute, kind) in own.filter(|(_, minute, _)| (since..until).contains(minute)) {
            *counts.entry((*minute, kind.as_str())).or_default() += 1;
        }
        let count = |((minute, kind), accounts)| ActivityCount { minute, kind: Word::read(kind), accounts };
        Ok(counts.into_iter().map(count).collect())
    }

    fn failing_minutes(
        &mut self,
        supplier_id: i64,
        at_least: u64,
        until: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<(DateTime<Utc>, u64)>, StoreError> {
        let mut counts = BTreeMap::<DateTime<Utc>, u64>::new();
        for count in self.activity(supplier_id, DateTime::UNIX_EPOCH, until)? {
            let is_failure = count.kind.known().is_some_and(|kind| kind.is_failure());
            *counts.entry(count.minute).or_default() += if is_failure { count.accounts } else { 0 };
        }
        let failing = counts.into_iter().rev().filter(|(_, accounts)| *accounts >= at_least.max(1));
        Ok(failing.take(limit as usize).collect())
    }

    fn failed_since(&mut self, supplier_id: i64, since: DateTime<Utc>) -> Result<u64, StoreError> {
        let counts = self.minute_counts(supplier_id, since)?;
        let failed = counts.iter().filter(|count| count.state.known().is_some_and(|state| state.is_error()));
        Ok(failed.map(|count| count.processes).sum())
    }

    fn last_minute(&mut self, supplier_id: i64) -> Result<Option<DateTime<Utc>>, StoreError> {
        let counts = self.minute_counts(supplier_id, DateTime::UNIX_EPOCH)?;
        Ok(counts.last().map(|count| count.minute))
    }

    fn top_causes(
        &mut self,
        supplier_id: i64,
        level: Level,
        limit: u32,
    ) -> Result<Vec<CauseCount>, StoreError> {
        let mut counts = BTreeMap::<Cause, u64>::new();
        for cause in self.of(supplier_id).flat_map(|row| row.causes(level)) {
            *counts.entry(cause).or_default() += 1;
        }
        let count = |(cause, accounts)| CauseCount { cause, accounts };
        let mut top: Vec<_> = counts.into_iter().map(count).collect();
        top.sort_by_key(|count| Reverse(count.accounts));
        top.truncate(limit as usize);
        Ok(top)
    }

    fn accounts_with(
        &mut self,
        supplier_id: i64,
        level: Level,
        cause: &Cause,
        limit: u32,
    ) -> Result<Vec<ExternalAccountNumber>, StoreError> {
        let page = self.page(supplier_id, |row| row.causes(level).contains(cause), None, limit);
        Ok(page.iter().map(|row| row.process.snapshot().external_account_number.clone()).collect())
    }

    fn has_cause(&mut self, supplier_id: i64, level: Level, code: &str) -> Result<bool, StoreError> {
        let has_code = |row: &Row| row.causes(level).iter().any(|cause| cause.code == code);
        Ok(self.of(supplier_id).any(has_code))
    }

    fn has_changes(&mut self) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn fold(&mut self, _: u32) -> Result<usize, StoreError> {
        Ok(0)
    }
}

impl AnyFigures for State {
    fn supplier_figures(&mut self, _: DateTime<Utc>) -> Result<Vec<SupplierFigures>, StoreError> {
        let figures = |supplier: &Supplier| {
            let stands_in =
                |state: Status| self.of(supplier.id).filter(move |row| row.process.state() == state);
            let counted = Status::ALL.iter().map(|state| (*state, stands_in(*state).count() as u64));
            SupplierFigures {
                supplier: supplier.code.clone(),
                is_ongoing: supplier.settings.status == SupplierStatus::Ongoing,
                first_due_at: stands_in(Status::Pending).map(|row| row.process.snapshot().due_at).min(),
                states: counted.filter(|(_, processes)| *processes > 0).collect(),
            }
        };
        Ok(self.suppliers.iter().map(figures).collect())
    }
}

fn key(row: &Row) -> (Status, Option<Code>) {
    (
        row.process.state(),
        row.process.snapshot().latest_error.as_ref().and_then(|error| error.code.known().copied()),
    )
}

impl State {
    fn of(&self, supplier_id: i64) -> impl Iterator<Item = &Row> {
        self.rows().filter(move |row| row.supplier_id == supplier_id)
    }
}
