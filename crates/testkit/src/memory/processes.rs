use super::State;
use chrono::{DateTime, Utc};
use cutover_app::port::{
    AccountList, ActivityKind, AnyProcesses, Archivable, ArchivedVersion, Cause, FairShares, ListedAccount,
    ListedProcess, PageLimit, PayloadById, Position, PreviousAttempt, ProcessFilter, ProcessPage,
    ProcessToArchive, Processes, Staged, StepWrite, StoreError, StoredIssues, StoredProcess, Supplier,
    WaitingWindow, WaitingWindows,
};
use cutover_core::{ExternalAccountNumber, Level, ServiceAccountNumber, SupplierStatus, folded};
use cutover_model::ContentHash;
use cutover_process::{EventKind, HistoryEntry, LEASE, Process, Snapshot, State as Status};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A process with everything that is stored with it.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) supplier_id: i64,
    pub(super) process: Process,
    pub(super) staged: Staged,
    issues: StoredIssues,
    /// The hash of the payload, once it has been computed.
    pub(super) content: Option<ContentHash>,
    pub(super) previous: Option<PreviousAttempt>,
    pub(super) error_causes: Vec<Cause>,
    pub(super) history: Vec<HistoryEntry>,
    lease_until: Option<DateTime<Utc>>,
    /// Time of archiving: history and payload are empty from then on.
    pub(super) archived_at: Option<DateTime<Utc>>,
}

impl Row {
    pub(super) fn stored(&self) -> StoredProcess {
        StoredProcess {
            process: self.process.clone(),
            supplier_id: self.supplier_id,
            fingerprint: self.staged.fingerprint,
            error_causes: self.error_causes.clone(),
        }
    }

    /// Keeps the attempt that a step follows, or removes the one that is kept.
    fn keep_attempt(&mut self, entry: &HistoryEntry) {
        let is = self.process.snapshot();
        let has_result = [Status::Errored, Status::DryRunErrored, Status::DryRunSucceeded]
            .contains(&is.state)
            && self.archived_at.is_none();
        match entry.event.known() {
            Some(EventKind::Resubmitted | EventKind::RetriedByOperator) if has_result => {
                self.previous = Some(PreviousAttempt {
                    attempt: is.attempt,
                    state: is.state.into(),
                    ended_at: is.modified_at,
                    error: self.process.latest_error().cloned(),
                    issues: self.issues.clone(),
                    payload: self.staged.payload.clone(),
                });
            }
            Some(EventKind::Imported) => self.previous = None,
            _ => {}
        }
    }

    fn is(&self, status: Status) -> bool {
        self.process.state() == status
    }

    /// Its position in the lists of its supplier.
    pub(super) fn position(&self) -> Position {
        (self.process.snapshot().created_at, self.process.id())
    }

    /// Its errors or its warnings, as they are counted.
    pub(super) fn causes(&self, level: Level) -> Vec<Cause> {
        match level {
            Level::Error => self.error_causes.clone(),
            Level::Warning => Cause::of_issues(&self.issues.warnings),
            Level::Off => Vec::new(),
        }
    }

    fn has_cause(&self, level: Level, code: &str) -> bool {
        self.causes(level).iter().any(|cause| cause.code == code)
    }

    /// Returns true if a database would read the row for a list, according to its indexes.
    fn is_read_for(&self, filter: ProcessFilter<'_>) -> bool {
        match (filter.error_code, filter.warning_code) {
            (Some(code), _) => self.has_cause(Level::Error, code),
            (None, Some(code)) => self.has_cause(Level::Warning, code),
            (None, None) => filter.only_state().is_none_or(|state| self.is(state)),
        }
    }

    fn matches(&self, filter: ProcessFilter<'_>) -> bool {
        let modified_at = self.process.snapshot().modified_at;
        filter.state.is_none_or(|state| self.is(state))
            && filter.warning_code.is_none_or(|code| self.has_cause(Level::Warning, code))
            && filter.modified_after.is_none_or(|after| modified_at > after)
            && filter.is_undone.is_none_or(|is_undone| self.process.is_undone() == is_undone)
    }

    fn is_in(&self, list: AccountList) -> bool {
        let status = self.process.state();
        match list {
            AccountList::Imported => status.is_imported_entry(),
            AccountList::Pending => status.is_pending_entry(),
            AccountList::All => status.is_imported_entry() || status.is_pending_entry(),
        }
    }

    fn listed(&self) -> ListedAccount<'_> {
        let is = self.process.snapshot();
        let number = is.service_account_number.as_ref();
        ListedAccount {
            external_account_number: is.external_account_number.as_str(),
            account: number.map(|number| (number.as_str(), is.latest_event_at)),
        }
    }
}

impl State {
    fn row(&self, process_id: i64) -> Option<&Row> {
        self.rows().find(|row| row.process.id() == process_id)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.processes.iter().map(|row| &**row)
    }

    /// Returns a page of a list of a supplier's processes, in its order.
    pub(super) fn page(
        &self,
        supplier_id: i64,
        wanted: impl Fn(&Row) -> bool,
        after: Option<Position>,
        limit: u32,
    ) -> Vec<&Row> {
        let own = self.rows().filter(|row| row.supplier_id == supplier_id && wanted(row));
        let mut page: Vec<_> = own.filter(|row| after.is_none_or(|after| row.position() > after)).collect();
        page.sort_by_key(|row| row.position());
        page.truncate(limit as usize);
        page
    }

    fn row_mut(&mut self, process_id: i64) -> Option<&mut Row> {
        let row = self.processes.iter_mut().find(|row| row.process.id() == process_id);
        row.map(Arc::make_mut)
    }

    /// Writes a step if its process is unchanged since.
    fn step(&mut self, step: &StepWrite<'_>) -> bool {
        let (next, entry) = (step.process, step.entry);
        let Some(row) = self.row_mut(next.id()) else { return false };
        if row.process.version() != next.version_before() {
            return false;
        }
        let kind = ActivityKind::of_step(Some(row.process.state()), next.state());
        row.keep_attempt(entry);
        row.process = next.clone();
        row.history.push(entry.clone());
        // Every claim has a lease.
        row.lease_until = row.is(Status::InProgress).then(|| next.snapshot().modified_at + LEASE);
        row.error_causes = Cause::of_error(next.latest_error(), step.issues);
        if let Some(issues) = step.issues {
            row.issues = issues.clone();
        }
        row.content = step.sent.and_then(|sent| sent.content).or(row.content);
        let supplier_id = row.supplier_id;
        self.count_activity(supplier_id, next.snapshot().modified_at, kind);
        self.publish_step(supplier_id, next, entry);
        true
    }

    /// Pending processes of suppliers that are `Ongoing` and not held.
    fn waiting(&self) -> impl Iterator<Item = (&Supplier, &Row)> {
        let pending = self.rows().filter(|row| row.is(Status::Pending));
        pending.filter_map(|row| {
            let supplier = self.suppliers.iter().find(|supplier| supplier.id == row.supplier_id)?;
            let is_open = supplier.settings.status == SupplierStatus::Ongoing && !self.is_held(supplier.id);
            is_open.then_some((supplier, row))
        })
    }

    /// Returns true if a process of this supplier may be claimed as far as its wave goes.
    fn is_in_wave(&self, supplier: &Supplier, row: &Row) -> bool {
        self.wave_room(supplier.id) != Some(0) || self.is_open_in_wave(row.process.id())
    }

    /// Returns the number of processes of a supplier that may still be claimed.
    fn free_places(&self, supplier: &Supplier) -> usize {
        let busy = self.rows().filter(|r| r.supplier_id == supplier.id && r.is(Status::InProgress));
        let most = supplier.settings.max_concurrent_imports.map_or(usize::MAX, |most| most as usize);
        let room = self.wave_room(supplier.id).filter(|room| *room > 0).unwrap_or(usize::MAX);
        most.saturating_sub(busy.count()).min(room)
    }
}

impl Processes for State {
    fn next_process_id(&mut self) -> Result<i64, StoreError> {
        let known = self.rows().map(|row| row.process.id());
        let named = self.audit.iter().filter_map(|entry| entry.subject.process_id);
        Ok(known.chain(named).max().unwrap_or(0) + 1)
    }

    fn process(
        &mut self,
        supplier_id: i64,
        number: &ExternalAccountNumber,
    ) -> Result<Option<StoredProcess>, StoreError> {
        let same = |row: &&Row| {
            row.supplier_id == supplier_id && row.process.snapshot().external_account_number == *number
        };
        Ok(self.rows().find(same).map(Row::stored))
    }

    fn processes_among(
        &mut self,
        supplier_id: i64,
        numbers: &[String],
    ) -> Result<Vec<(String, i64, DateTime<Utc>)>, StoreError> {
        let of = self.rows().filter(|row| row.supplier_id == supplier_id).map(|row| &row.process);
        let known = of.map(|process| {
            let snapshot = process.snapshot();
            (snapshot.external_account_number.to_string(), process.id(), snapshot.created_at)
        });
        Ok(known.filter(|(number, ..)| numbers.contains(number)).collect())
    }

    fn similar_numbers(
        &mut self,
        supplier_id: i64,
        numbers: &[ExternalAccountNumber],
    ) -> Result<Vec<Option<String>>, StoreError> {
        let similar = |number: &ExternalAccountNumber| {
            let of_supplier = self.rows().filter(|row| row.supplier_id == supplier_id);
            let all: Vec<_> = of_supplier.map(|row| row.process.snapshot()).collect();
            let own = all.iter().find(|other| other.external_account_number == *number).map(|own| own.id);
            let is_earlier = |other: &&&Snapshot| own.is_none_or(|own| other.id < own);
            let is_alike = |other: &&&Snapshot| {
                folded(other.external_account_number.as_str()) == folded(number.as_str())
            };
            let alike = all.iter().filter(is_earlier).filter(is_alike);
            let standing = alike.filter(|other| other.state != Status::Cancelled);
            standing.min_by_key(|other| other.id).map(|other| other.external_account_number.to_string())
        };
        Ok(numbers.iter().map(similar).collect())
    }

    fn processes_like(
        &mut self,
        supplier_id: i64,
        prefix: &ExternalAccountNumber,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        let number = |row: &Row| row.process.snapshot().external_account_number.to_string();
        let of_these =
            |row: &&Row| row.supplier_id == supplier_id && number(row).starts_with(prefix.as_str());
        let mut found: Vec<_> = self.rows().filter(of_these).collect();
        found.sort_by_key(|row| number(row));
        Ok(found.into_iter().take(limit as usize).map(Row::stored).collect())
    }

    fn processes_by_id(&mut self, process_ids: &[i64]) -> Result<Vec<StoredProcess>, StoreError> {
        let found = self.rows().filter(|row| process_ids.contains(&row.process.id()));
        let mut found: Vec<StoredProcess> = found.map(Row::stored).collect();
        found.sort_by_key(|stored| stored.process.id());
        Ok(found)
    }

    fn issues_of(&mut self, process_ids: &[i64]) -> Result<Vec<(i64, StoredIssues, bool)>, StoreError> {
        let found = self.rows().filter(|row| process_ids.contains(&row.process.id()));
        Ok(found.map(|row| (row.process.id(), row.issues.clone(), row.archived_at.is_some())).collect())
    }

    /// No lock needed: transactions run one after another.
    fn lock_process(&mut self, _: i64, _: &ExternalAccountNumber) -> Result<(), StoreError> {
        Ok(())
    }

    fn insert_process(
        &mut self,
        supplier_id: i64,
        process: &Process,
        entry: &HistoryEntry,
        staged: &Staged,
        issues: &StoredIssues,
    ) -> Result<(), StoreError> {
        if self.process(supplier_id, &process.snapshot().external_account_number)?.is_some() {
            return Err(StoreError::Conflict("the account has a process".into()));
        }
        self.processes.push(Arc::new(Row {
            supplier_id,
            process: process.clone(),
            staged: staged.clone(),
            issues: issues.clone(),
            content: None,
            previous: None,
            error_causes: Vec::new(),
            history: vec![entry.clone()],
            lease_until: None,
            archived_at: None,
        }));
        let kind = ActivityKind::of_step(None, process.state());
        self.count_activity(supplier_id, process.snapshot().modified_at, kind);
        self.publish_step(supplier_id, process, entry);
        Ok(())
    }

    fn step_processes(&mut self, steps: &[StepWrite<'_>]) -> Result<Vec<bool>, StoreError> {
        Ok(steps.iter().map(|step| self.step(step)).collect())
    }

    fn restage(&mut self, process_id: i64, staged: &Staged) -> Result<(), StoreError> {
        let missing = || StoreError::Failed(format!("there is no process {process_id}"));
        let row = self.row_mut(process_id).ok_or_else(missing)?;
        row.staged = staged.clone();
        row.content = None;
        row.archived_at = None;
        Ok(())
    }

    fn staged(&mut self, process_id: i64) -> Result<Option<Staged>, StoreError> {
        let row = self.row(process_id).filter(|row| row.archived_at.is_none());
        Ok(row.map(|row| row.staged.clone()))
    }

    fn payloads(&mut self, process_ids: &[i64]) -> Result<Vec<PayloadById>, StoreError> {
        let is_wanted = |row: &&Row| row.archived_at.is_none() && process_ids.contains(&row.process.id());
        let wanted = self.rows().filter(is_wanted);
        Ok(wanted.map(|row| (row.process.id(), Ok(row.staged.payload.clone()))).collect())
    }

    fn issues(&mut self, process_id: i64) -> Result<StoredIssues, StoreError> {
        Ok(self.row(process_id).map(|row| row.issues.clone()).unwrap_or_default())
    }

    fn previous_attempt(&mut self, process_id: i64) -> Result<Option<PreviousAttempt>, StoreError> {
        Ok(self.row(process_id).and_then(|row| row.previous.clone()))
    }

    fn previous_attempt_number(&mut self, process_id: i64) -> Result<Option<u32>, StoreError> {
        Ok(self.row(process_id).and_then(|row| row.previous.as_ref()).map(|previous| previous.attempt))
    }

    fn set_issues(&mut self, process_id: i64, issues: &StoredIssues) -> Result<(), StoreError> {
        if let Some(row) = self.row_mut(process_id) {
            row.issues = issues.clone();
        }
        Ok(())
    }

    fn history(&mut self, process_id: i64) -> Result<Vec<HistoryEntry>, StoreError> {
        Ok(self.row(process_id).map(|row| row.history.clone()).unwrap_or_default())
    }

    fn waiting_windows(&mut self, supplier_id: i64) -> Result<WaitingWindows, StoreError> {
        let mut windows = BTreeMap::new();
        let pending = self.rows().filter(|row| row.supplier_id == supplier_id);
        for row in pending.filter(|row| row.process.state() == Status::Pending) {
            let window = row.process.snapshot().window;
            if let Some(end) = window.end {
                let of_end =
                    windows.entry(end).or_insert(WaitingWindow { start: window.start, end, accounts: 0 });
                of_end.accounts += 1;
            }
        }
        Ok(WaitingWindows { windows: windows.into_values().collect(), is_complete: true })
    }

    fn list_processes(
        &mut self,
        supplier_id: i64,
        filter: ProcessFilter<'_>,
        after: Option<Position>,
        limit: PageLimit,
    ) -> Result<ProcessPage, StoreError> {
        let mut read = self.page(supplier_id, |row| row.is_read_for(filter), after, u32::MAX);
        // The index gives exactly the matching rows.
        let others = [
            filter.modified_after.is_some(),
            filter.is_undone.is_some(),
            filter.error_code.is_some() && filter.warning_code.is_some(),
            (filter.error_code.is_some() || filter.warning_code.is_some()) && filter.state.is_some(),
        ];
        let is_decided = !others.contains(&true);
        let scanned = if is_decided { usize::MAX } else { limit.scanned.max(1) as usize };
        let end = (read.len() > scanned).then(|| read[scanned - 1].position());
        read.truncate(scanned);
        let listed = |row: &&Row| ListedProcess {
            process: row.process.clone(),
            position: row.position(),
            error_causes: row.error_causes.clone(),
        };
        let mut processes: Vec<_> = read.iter().filter(|row| row.matches(filter)).map(listed).collect();
        let is_full = processes.len() > limit.items as usize;
        processes.truncate(limit.items as usize);
        let next = if is_full { processes.last().map(|last| last.position) } else { end };
        Ok(ProcessPage { processes, next })
    }

    fn each_account(
        &mut self,
        supplier_id: i64,
        list: AccountList,
        after: Option<Position>,
        until: DateTime<Utc>,
        limit: PageLimit,
        each: &mut dyn FnMut(ListedAccount<'_>),
    ) -> Result<Option<Position>, StoreError> {
        let wanted = |row: &Row| row.is_in(list) && row.position().0 <= until;
        let page = self.page(supplier_id, wanted, after, limit.items);
        page.iter().for_each(|row| each(row.listed()));
        Ok(page.last().filter(|_| page.len() == limit.items as usize).map(|row| row.position()))
    }

    fn archivable(
        &mut self,
        supplier_id: i64,
        before: DateTime<Utc>,
        after: Option<Position>,
        limit: u32,
    ) -> Result<Archivable, StoreError> {
        Ok(self.archivable_of(supplier_id, before, after, limit))
    }

    fn processes_to_archive(
        &mut self,
        process_ids: &[i64],
        before: DateTime<Utc>,
    ) -> Result<Vec<ProcessToArchive>, StoreError> {
        Ok(self.kept_of(process_ids, before))
    }

    fn archive(&mut self, processes: &[ArchivedVersion], at: DateTime<Utc>) -> Result<usize, StoreError> {
        Ok(self.archive_all(processes, at))
    }

    fn remove_archived(&mut self, _: i64) -> Result<Option<i64>, StoreError> {
        Ok(None)
    }

    fn has_partitions(&mut self) -> Result<bool, StoreError> {
        Ok(true)
    }

    fn add_partitions(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn archived_at(&mut self, process_id: i64) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(self.row(process_id).and_then(|row| row.archived_at))
    }
}

impl AnyProcesses for State {
    fn process_of_account(
        &mut self,
        number: &ServiceAccountNumber,
    ) -> Result<Option<StoredProcess>, StoreError> {
        let has_it = |row: &&Row| row.process.service_account_number() == Some(number);
        Ok(self.rows().find(has_it).map(Row::stored))
    }

    fn due_processes(
        &mut self,
        at: DateTime<Utc>,
        limit: u32,
        shares: &FairShares,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        let mut due: BTreeMap<(Option<u64>, i64), Vec<StoredProcess>> = BTreeMap::new();
        for (supplier, row) in self.waiting() {
            if row.process.is_due(at) && self.is_in_wave(supplier, row) {
                let turn = (self.served.get(&supplier.id).copied(), supplier.id);
                due.entry(turn).or_default().push(row.stored());
            }
        }
        // Suppliers that were served least recently come first.
        let mut suppliers = Vec::new();
        for ((_, id), mut own) in due {
            own.sort_by_key(|stored| stored.process.snapshot().due_at);
            own.truncate(self.suppliers.iter().find(|s| s.id == id).map_or(0, |s| self.free_places(s)));
            if !own.is_empty() {
                suppliers.push((id, own));
            }
        }
        let mut division =
            shares.divide(suppliers.iter().map(|(id, own)| (*id, own.len() as i64)), limit.into());
        let mut taken = Vec::new();
        while let Some((place, share)) = division.next_supplier() {
            let own = suppliers[place].1.iter().take(share as usize).cloned();
            taken.extend(own.enumerate());
            division.took(share as usize);
        }
        taken.sort_by_key(|(round, _)| *round);
        for (_, stored) in &taken {
            self.claims += 1;
            self.served.insert(stored.supplier_id, self.claims);
        }
        Ok(taken.into_iter().map(|(_, stored)| stored).collect())
    }

    fn next_due_at(&mut self, _: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, StoreError> {
        let open = self
            .waiting()
            .filter(|(supplier, row)| self.free_places(supplier) > 0 && self.is_in_wave(supplier, row));
        Ok(open.map(|(_, row)| row.process.snapshot().due_at).min())
    }

    fn expired_leases(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        let expired = |row: &&Row| row.lease_until.is_some_and(|until| until < before);
        let mut rows: Vec<_> = self.rows().filter(expired).collect();
        rows.sort_by_key(|row| row.lease_until);
        Ok(rows.into_iter().take(limit as usize).map(Row::stored).collect())
    }

    fn missed_windows(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        let missed = self.waiting().filter(|(_, row)| row.process.window_closed(before));
        Ok(missed.take(limit as usize).map(|(_, row)| row.stored()).collect())
    }
}
