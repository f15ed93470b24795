use super::{State, next_id};
use chrono::{DateTime, Utc};
use cutover_app::port::{
    ListedProcess, Processes, Staged, StoreError, StoredIssues, StoredProcess, Supplier,
};
use cutover_core::{ExternalAccountNumber, SupplierStatus};
use cutover_process::{HistoryEntry, Process, State as Status};
use std::collections::HashMap;

/// A process with all that is kept beside it.
#[derive(Debug, Clone)]
pub(super) struct Row {
    supplier_id: i64,
    process: Process,
    staged: Staged,
    issues: StoredIssues,
    history: Vec<HistoryEntry>,
    lease_until: Option<DateTime<Utc>>,
}

impl Row {
    fn stored(&self) -> StoredProcess {
        StoredProcess {
            process: self.process.clone(),
            supplier_id: self.supplier_id,
            fingerprint: self.staged.fingerprint,
        }
    }

    fn is(&self, status: Status) -> bool {
        self.process.state() == status
    }
}

impl State {
    fn row(&self, process_id: i64) -> Option<&Row> {
        self.processes.iter().find(|row| row.process.id() == process_id)
    }

    fn row_mut(&mut self, process_id: i64) -> Result<&mut Row, StoreError> {
        let row = self.processes.iter_mut().find(|row| row.process.id() == process_id);
        row.ok_or_else(|| StoreError::Failed(format!("there is no process {process_id}")))
    }

    /// Pending processes of suppliers that are `Ongoing`.
    fn waiting(&self) -> impl Iterator<Item = (&Supplier, &Row)> {
        let pending = self.processes.iter().filter(|row| row.is(Status::Pending));
        pending.filter_map(|row| {
            let supplier = self.suppliers.iter().find(|supplier| supplier.id == row.supplier_id)?;
            (supplier.settings.status == SupplierStatus::Ongoing).then_some((supplier, row))
        })
    }

    /// How many more processes of a supplier may be claimed.
    fn free_places(&self, supplier: &Supplier) -> usize {
        let busy = self.processes.iter().filter(|r| r.supplier_id == supplier.id && r.is(Status::InProgress));
        let most = supplier.settings.max_concurrent_imports.map_or(usize::MAX, |most| most as usize);
        most.saturating_sub(busy.count())
    }
}

impl Processes for State {
    fn next_process_id(&mut self) -> Result<i64, StoreError> {
        Ok(next_id(self.processes.len()))
    }

    fn process(
        &mut self,
        supplier_id: i64,
        number: &ExternalAccountNumber,
    ) -> Result<Option<StoredProcess>, StoreError> {
        let same = |row: &&Row| {
            row.supplier_id == supplier_id && row.process.snapshot().external_account_number == *number
        };
        Ok(self.processes.iter().find(same).map(Row::stored))
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
        self.processes.push(Row {
            supplier_id,
            process: process.clone(),
            staged: staged.clone(),
            issues: issues.clone(),
            history: vec![entry.clone()],
            lease_until: None,
        });
        Ok(())
    }

    fn step_process(&mut self, process: &Process, entry: &HistoryEntry) -> Result<bool, StoreError> {
        let row = self.row_mut(process.id())?;
        if row.process.version() != process.version_before() {
            return Ok(false);
        }
        row.process = process.clone();
        row.history.push(entry.clone());
        row.lease_until = None;
        Ok(true)
    }

    fn set_lease(&mut self, process_id: i64, until: DateTime<Utc>) -> Result<(), StoreError> {
        self.row_mut(process_id)?.lease_until = Some(until);
        Ok(())
    }

    fn restage(&mut self, process_id: i64, staged: &Staged) -> Result<(), StoreError> {
        self.row_mut(process_id)?.staged = staged.clone();
        Ok(())
    }

    fn set_issues(&mut self, process_id: i64, issues: &StoredIssues) -> Result<(), StoreError> {
        self.row_mut(process_id)?.issues = issues.clone();
        Ok(())
    }

    fn staged(&mut self, process_id: i64) -> Result<Option<Staged>, StoreError> {
        Ok(self.row(process_id).map(|row| row.staged.clone()))
    }

    fn issues(&mut self, process_id: i64) -> Result<StoredIssues, StoreError> {
        Ok(self.row(process_id).map(|row| row.issues.clone()).unwrap_or_default())
    }

    fn history(&mut self, process_id: i64) -> Result<Vec<HistoryEntry>, StoreError> {
        Ok(self.row(process_id).map(|row| row.history.clone()).unwrap_or_default())
    }

    fn due_processes(&mut self, at: DateTime<Utc>, limit: u32) -> Result<Vec<StoredProcess>, StoreError> {
        let mut due: Vec<_> = self.waiting().filter(|(_, row)| row.process.is_due(at)).collect();
        due.sort_by_key(|(_, row)| row.process.snapshot().due_at);
        // The first of each supplier come before the second of any.
        let mut turns: HashMap<i64, usize> = HashMap::new();
        let mut queue = Vec::new();
        for (supplier, row) in due {
            let turn = turns.entry(supplier.id).or_default();
            if *turn < self.free_places(supplier) {
                queue.push((*turn, row.stored()));
                *turn += 1;
            }
        }
        queue.sort_by_key(|(turn, _)| *turn);
        Ok(queue.into_iter().map(|(_, stored)| stored).take(limit as usize).collect())
    }

    fn next_due_at(&mut self) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(self.waiting().map(|(_, row)| row.process.snapshot().due_at).min())
    }

    fn expired_leases(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        let expired =
            |row: &&Row| row.is(Status::InProgress) && row.lease_until.is_none_or(|until| until < before);
        Ok(self.processes.iter().filter(expired).take(limit as usize).map(Row::stored).collect())
    }

    fn missed_windows(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        let missed = self.waiting().filter(|(_, row)| row.process.window_closed(before));
        Ok(missed.take(limit as usize).map(|(_, row)| row.stored()).collect())
    }

    fn list_processes(
        &mut self,
        supplier_id: i64,
        status: Option<Status>,
        after: Option<(DateTime<Utc>, i64)>,
        limit: u32,
    ) -> Result<Vec<ListedProcess>, StoreError> {
        let position = |row: &Row| (row.process.snapshot().created_at, row.process.id());
        let wanted = |row: &&Row| {
            row.supplier_id == supplier_id
                && status.is_none_or(|status| row.is(status))
                && after.is_none_or(|after| position(row) > after)
        };
        let mut rows: Vec<_> = self.processes.iter().filter(wanted).collect();
        rows.sort_by_key(|row| position(row));
        let page = rows.iter().take(limit as usize);
        Ok(page.map(|row| ListedProcess { process: row.process.clone(), position: position(row) }).collect())
    }
}
