//! Import processes: their rows, steps, payloads, history, and the queue of workers.

mod accounts;
mod archive;
pub(crate) mod causes;
pub(crate) mod issues;
mod list;
pub(crate) mod payloads;
mod previous;
pub(crate) mod queue;
mod readable;
pub(crate) mod row;
pub(crate) mod sent;
mod windows;
pub(crate) mod write;

use super::dialect::Dialect;
use super::schema::{accounts as imported, process_history, processes, suppliers};
use super::sql_dialect::SqlDialect;
use super::terms;
use super::types::{Bits, Json, Timestamp};
use super::{SqlTx, store_error};
use crate::error::Result;
use chrono::{DateTime, Utc};
use cutover_app::port::{
    AccountList, AnyProcesses, Archivable, ArchivedVersion, FairShares, ListedAccount, PageLimit,
    PayloadById, Position, PreviousAttempt, ProcessFilter, ProcessPage, ProcessToArchive, Processes, Staged,
    StepWrite, StoreError, StoredIssues, StoredProcess, WaitingWindows,
};
use cutover_core::{ExternalAccountNumber, ServiceAccountNumber};
use cutover_model::Totals;
use cutover_process::{HistoryEntry, Process};
use diesel::prelude::*;
use queue::Sweep;
use row::{HistoryRow, StoredRow};
use sent::Sent;

/// Selects processes with the codes of their suppliers.
macro_rules! stored {
    () => {
        processes::table.inner_join(suppliers::table).select(StoredRow::as_select())
    };
}
use stored;

impl Processes for SqlTx<'_> {
    fn next_process_id(&mut self) -> Result<i64, StoreError> {
        self.run(Dialect::next_process_id)
    }

    fn process(
        &mut self,
        supplier_id: i64,
        number: &ExternalAccountNumber,
    ) -> Result<Option<StoredProcess>, StoreError> {
        self.run(|conn| {
            // A range of one number in the order of the key. Planned while the table is empty, an equality
            // would become a scan of all of the supplier's processes by another index.
            let row = stored!()
                .filter(processes::supplier_id.eq(supplier_id))
                .filter(processes::external_account_number.between(number.as_str(), number.as_str()))
                .order((processes::supplier_id, processes::external_account_number))
                .get_result(conn)
                .optional()?;
            row.map(StoredProcess::try_from).transpose()
        })
    }

    fn processes_among(
        &mut self,
        supplier_id: i64,
        numbers: &[String],
    ) -> Result<Vec<(String, i64, DateTime<Utc>)>, StoreError> {
        self.run(|conn| {
            let rows = Dialect::processes_among(conn, supplier_id, numbers)?;
            rows.into_iter().map(|(number, id, at)| Ok((number, id, at.instant()?))).collect()
        })
    }

    fn similar_numbers(
        &mut self,
        supplier_id: i64,
        numbers: &[ExternalAccountNumber],
    ) -> Result<Vec<Option<String>>, StoreError> {
        self.run(|conn| Dialect::similar_numbers(conn, supplier_id, numbers))
    }

    fn processes_like(
        &mut self,
        supplier_id: i64,
        prefix: &ExternalAccountNumber,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        // Indexes compare text by its bytes, and this is the last character.
        let end = format!("{prefix}\u{10ffff}");
        self.run(|conn| {
            let rows: Vec<StoredRow> = stored!()
                .filter(processes::supplier_id.eq(supplier_id))
                .filter(processes::external_account_number.ge(prefix.as_str()))
                .filter(processes::external_account_number.lt(end))
                .order(processes::external_account_number)
                .limit(limit.into())
                .load(conn)?;
            rows.into_iter().map(StoredProcess::try_from).collect()
        })
    }

    fn processes_by_id(&mut self, process_ids: &[i64]) -> Result<Vec<StoredProcess>, StoreError> {
        self.run(|conn| {
            let rows: Vec<StoredRow> =
                stored!().filter(processes::id.eq_any(process_ids)).order(processes::id).load(conn)?;
            rows.into_iter().map(StoredProcess::try_from).collect()
        })
    }

    fn issues_of(&mut self, process_ids: &[i64]) -> Result<Vec<(i64, StoredIssues, bool)>, StoreError> {
        self.run(|conn| {
            let of = processes::table.filter(processes::id.eq_any(process_ids));
            let rows: Vec<(i64, Option<Json<'static>>, Option<Timestamp>)> =
                of.select((processes::id, processes::issues, processes::archived_at)).load(conn)?;
            let read = |(id, json, archived_at): (i64, _, Option<Timestamp>)| {
                Ok((id, issues::read(json)?, archived_at.is_some()))
            };
            rows.into_iter().map(read).collect()
        })
    }

    fn lock_process(&mut self, supplier_id: i64, number: &ExternalAccountNumber) -> Result<(), StoreError> {
        self.run(|conn| write::lock(conn, supplier_id, number))
    }

    fn insert_process(
        &mut self,
        supplier_id: i64,
        process: &Process,
        entry: &HistoryEntry,
        staged: &Staged,
        issues: &StoredIssues,
    ) -> Result<(), StoreError> {
        let sealer = self.sealer;
        self.run(|conn| write::insert(conn, sealer, supplier_id, process, entry, staged, issues))
    }

    fn step_processes(&mut self, steps: &[StepWrite<'_>]) -> Result<Vec<bool>, StoreError> {
        self.run(|conn| write::steps(conn, steps))
    }

    fn restage(&mut self, process_id: i64, staged: &Staged) -> Result<(), StoreError> {
        let sealer = self.sealer;
        self.run(|conn| write::restage(conn, sealer, process_id, staged))
    }

    fn staged(&mut self, process_id: i64) -> Result<Option<Staged>, StoreError> {
        let sealer = self.sealer;
        self.run(|conn| {
            let row = processes::table
                .find(process_id)
                .select((processes::fingerprint, Sent::as_select()))
                .get_result::<(Bits, Sent)>(conn)
                .optional()?;
            let payload = payloads::load(conn, sealer, &[process_id])?.pop();
            let payload = payload.map(|(_, payload)| payload).transpose()?;
            let terms = terms::of(conn, process_id)?;
            let staged = |((Bits(fingerprint), sent), payload): ((Bits, Sent), _)| {
                let totals = Totals { rows: sent::rows_of(conn, process_id)?, ..sent.totals(1)? };
                Ok(Staged { payload, fingerprint, totals, terms })
            };
            row.zip(payload).map(staged).transpose()
        })
    }

    fn payloads(&mut self, process_ids: &[i64]) -> Result<Vec<PayloadById>, StoreError> {
        let sealer = self.sealer;
        let payloads = self.run(|conn| payloads::load(conn, sealer, process_ids))?;
        Ok(payloads.into_iter().map(|(id, payload)| (id, payload.map_err(store_error))).collect())
    }

    fn issues(&mut self, process_id: i64) -> Result<StoredIssues, StoreError> {
        self.run(|conn| {
            let json =
                processes::table.find(process_id).select(processes::issues).get_result(conn).optional()?;
            issues::read(json.flatten())
        })
    }

    fn previous_attempt(&mut self, process_id: i64) -> Result<Option<PreviousAttempt>, StoreError> {
        let sealer = self.sealer;
        self.run(|conn| previous::load(conn, sealer, process_id))
    }

    fn previous_attempt_number(&mut self, process_id: i64) -> Result<Option<u32>, StoreError> {
        self.run(|conn| previous::number_of(conn, process_id))
    }

    fn set_issues(&mut self, process_id: i64, issues: &StoredIssues) -> Result<(), StoreError> {
        self.run(|conn| write::set_issues(conn, process_id, issues))
    }

    fn history(&mut self, process_id: i64) -> Result<Vec<HistoryEntry>, StoreError> {
        self.run(|conn| {
            let rows = process_history::table
                .filter(process_history::process_id.eq(process_id))
                .order(process_history::version)
                .select(HistoryRow::as_select())
                .load(conn)?;
            rows.into_iter().map(HistoryEntry::try_from).collect()
        })
    }

    fn waiting_windows(&mut self, supplier_id: i64) -> Result<WaitingWindows, StoreError> {
        self.run(|conn| windows::waiting(conn, supplier_id))
    }

    fn list_processes(
        &mut self,
        supplier_id: i64,
        filter: ProcessFilter<'_>,
        after: Option<Position>,
        limit: PageLimit,
    ) -> Result<ProcessPage, StoreError> {
        self.run(|conn| list::page(conn, supplier_id, filter, after, limit))
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
        self.run(|conn| accounts::each(conn, supplier_id, list, after, until, limit, each))
    }

    fn archivable(
        &mut self,
        supplier_id: i64,
        before: DateTime<Utc>,
        after: Option<Position>,
        limit: u32,
    ) -> Result<Archivable, StoreError> {
        self.run(|conn| archive::next(conn, supplier_id, before, after, limit))
    }

    fn processes_to_archive(
        &mut self,
        process_ids: &[i64],
        before: DateTime<Utc>,
    ) -> Result<Vec<ProcessToArchive>, StoreError> {
        let sealer = self.sealer;
        self.run(|conn| archive::kept(conn, sealer, process_ids, before))
    }

    fn archive(&mut self, processes: &[ArchivedVersion], at: DateTime<Utc>) -> Result<usize, StoreError> {
        self.run(|conn| archive::archive(conn, processes, at))
    }

    fn remove_archived(&mut self, from: i64) -> Result<Option<i64>, StoreError> {
        self.run(|conn| Dialect::remove_archived(conn, from))
    }

    fn has_partitions(&mut self) -> Result<bool, StoreError> {
        self.run(Dialect::has_partitions)
    }

    fn add_partitions(&mut self) -> Result<(), StoreError> {
        self.run(Dialect::add_partitions)
    }

    fn archived_at(&mut self, process_id: i64) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.run(|conn| archive::archived_at(conn, process_id))
    }
}

impl AnyProcesses for SqlTx<'_> {
    fn process_of_account(
        &mut self,
        number: &ServiceAccountNumber,
    ) -> Result<Option<StoredProcess>, StoreError> {
        self.run(|conn| {
            // An account has the key of its process.
            let key = imported::table.filter(imported::number.eq(number.as_str())).select(imported::id);
            let Some(id) = key.get_result::<i64>(conn).optional()? else { return Ok(None) };
            let row = stored!().filter(processes::id.eq(id)).get_result(conn).optional()?;
            row.map(StoredProcess::try_from).transpose()
        })
    }

    fn due_processes(
        &mut self,
        at: DateTime<Utc>,
        limit: u32,
        shares: &FairShares,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        let hints = self.hints;
        self.run(|conn| queue::due(conn, hints, at, limit, shares))
    }

    fn next_due_at(&mut self, at: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, StoreError> {
        let hints = self.hints;
        self.run(|conn| Dialect::next_due_at(conn, hints, at))
    }

    fn expired_leases(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        let hints = self.hints;
        self.run(|conn| queue::expired_leases(conn, hints, before, limit, Sweep::Read))
    }

    fn expired_leases_to_end(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        let hints = self.hints;
        self.run(|conn| queue::expired_leases(conn, hints, before, limit, Sweep::Change))
    }

    fn missed_windows(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        self.run(|conn| queue::missed_windows(conn, before, limit, Sweep::Read))
    }

    fn missed_windows_to_end(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<StoredProcess>, StoreError> {
        self.run(|conn| queue::missed_windows(conn, before, limit, Sweep::Change))
    }
}

/// Converts rows to processes. Skips unreadable rows, so that they do not hold up the others.
fn restored(rows: impl Iterator<Item = StoredRow>) -> Vec<StoredProcess> {
    let (mut skipped, mut first) = (0, None);
    let readable = |row: StoredRow| match StoredProcess::try_from(row) {
        Ok(process) => Some(process),
        Err(error) => {
            skipped += 1;
            first.get_or_insert(error);
            None
        }
    };
    let restored = rows.filter_map(readable).collect();
    if let Some(error) = first {
        tracing::error!(skipped, ?error, "unreadable processes were skipped");
    }
    restored
}
