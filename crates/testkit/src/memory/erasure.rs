use super::State;
use super::accounts::Imported;
use super::jobs::JobRow;
use super::processes::Row;
use cutover_app::port::{ErasedRows, Erasure, ErasureMark, StoreError};
use cutover_model::rust_decimal::Decimal;
use cutover_model::service::names_document;
use cutover_model::{RowCounts, Text, Totals};
use std::collections::BTreeSet;

impl Imported {
    /// Paths of its documents, including added ones.
    fn paths(&self) -> Vec<String> {
        let account = self.grown();
        let of_notes = account.notes.iter().flatten().flat_map(|note| note.document_paths.iter().flatten());
        let of_notes = of_notes.map(|document| document.document_path.as_sent().to_owned());
        let sent = account.statements.iter().flatten().map(|statement| statement.statement_path.as_ref());
        let added = self.statements.iter().map(|new| new.statement.statement_path.as_ref());
        let named = sent.chain(added).filter(|path| names_document(*path)).flatten();
        of_notes.chain(named.map(|path: &Text<'_>| path.as_sent().to_owned())).collect()
    }

    pub(super) fn totals(&self) -> Totals {
        let of_account = Totals::of(&self.grown(), self.new.zone);
        Totals { documents: self.paths().len() as u64, rows: self.rows, ..of_account }
    }
}

impl Erasure for State {
    fn account_totals(&mut self, account_id: i64) -> Result<Option<Totals>, StoreError> {
        Ok(self.account(account_id).map(Imported::totals))
    }

    fn account_documents(&mut self, account_id: i64) -> Result<Vec<String>, StoreError> {
        Ok(self.account(account_id).map(Imported::paths).unwrap_or_default())
    }

    fn erase(&mut self, process_ids: &[i64]) -> Result<Vec<ErasedRows>, StoreError> {
        let (processes, accounts) = (self.processes.len(), self.accounts.len());
        let erased = self.processes.iter().filter(|row| process_ids.contains(&row.process.id()));
        let number = |row: &Row| row.process.snapshot().external_account_number.to_string();
        let erased: Vec<_> = erased.map(|row| (row.supplier_id, row.process.id(), number(row))).collect();
        erased.iter().for_each(|(supplier_id, id, number)| self.erase_from_runs(*supplier_id, *id, number));
        self.processes.retain(|row| !process_ids.contains(&row.process.id()));
        for id in process_ids {
            self.contracts_named.remove(id);
            self.business_instructions.iter_mut().for_each(|known| known.forget(*id));
            self.accounts.remove(id);
            self.wave_accounts.remove(id);
        }
        Ok(some([
            ("accounts", accounts - self.accounts.len()),
            ("processes", processes - self.processes.len()),
        ]))
    }

    fn set_mark_key(&mut self, supplier_id: i64, key_id: &str) -> Result<(), StoreError> {
        if let Some(supplier) = self.suppliers.iter_mut().find(|supplier| supplier.id == supplier_id) {
            supplier.mark_key = Some(key_id.to_owned());
            supplier.revision += 1;
        }
        Ok(())
    }

    fn add_erasure_mark(&mut self, supplier_id: i64, mark: ErasureMark) -> Result<(), StoreError> {
        self.erased.insert((supplier_id, mark));
        Ok(())
    }

    fn erasure_marks_among(
        &mut self,
        supplier_id: i64,
        marks: &[ErasureMark],
    ) -> Result<BTreeSet<ErasureMark>, StoreError> {
        Ok(marks.iter().copied().filter(|mark| self.erased.contains(&(supplier_id, *mark))).collect())
    }

    fn remove_erasure_mark(&mut self, supplier_id: i64, mark: ErasureMark) -> Result<bool, StoreError> {
        Ok(self.erased.remove(&(supplier_id, mark)))
    }

    fn supplier_rows(&mut self, supplier_id: i64) -> Result<Vec<ErasedRows>, StoreError> {
        let businesses = self.businesses.iter().filter(|business| business.supplier_id == supplier_id);
        let jobs = self.jobs.iter().filter(|row| row.job.supplier_id == supplier_id);
        let certificates = self.certificates.of(supplier_id).count();
        Ok(some([("businesses", businesses.count()), ("certificates", certificates), ("jobs", jobs.count())]))
    }

    /// Figures by the minute are counted when they are read.
    fn erase_minutes_and_jobs(
        &mut self,
        supplier_id: i64,
        job_id: i64,
        limit: u32,
    ) -> Result<Vec<ErasedRows>, StoreError> {
        if self.certificates.of(supplier_id).next().is_some() {
            let removed = self.certificates.remove_all(supplier_id);
            return Ok(vec![("certificates", removed)]);
        }
        let is_other = |row: &JobRow| row.job.supplier_id == supplier_id && row.job.id != job_id;
        let Some(place) = self.jobs.iter().position(is_other) else { return Ok(Vec::new()) };
        let items = &mut self.jobs[place].items;
        let removed = items.len().min(limit as usize);
        if removed > 0 {
            for _ in 0..removed {
                items.pop_first();
            }
            return Ok(some([("job_items", removed), ("jobs", 0)]));
        }
        self.jobs.remove(place);
        self.erased_jobs += 1;
        Ok(vec![("jobs", 1)])
    }

    fn erase_supplier(&mut self, supplier_id: i64) -> Result<Option<Vec<ErasedRows>>, StoreError> {
        let is_in_use = self.processes.iter().any(|row| row.supplier_id == supplier_id)
            || self.businesses.iter().any(|business| business.supplier_id == supplier_id)
            || self.certificates.of(supplier_id).next().is_some()
            || self.refused.keys().any(|(of, _)| *of == supplier_id);
        if is_in_use {
            return Ok(None);
        }
        let totals = usize::from(self.totals.remove(&supplier_id).is_some());
        self.refused_without_number.remove(&supplier_id);
        self.gates.remove(&supplier_id);
        self.manifests.remove(&supplier_id);
        self.number_lists.remove(&supplier_id);
        self.wave_accounts.retain(|_, (of, _)| *of != supplier_id);
        self.waves.retain(|(of, ..)| *of != supplier_id);
        self.activity.retain(|(of, ..)| *of != supplier_id);
        self.service_holds.retain(|(of, _)| *of != supplier_id);
        self.supplier_notes.retain(|(of, _)| *of != supplier_id);
        self.runs.retain(|row| row.run.supplier_id != supplier_id);
        let marks = self.erased.len();
        self.erased.retain(|(of, _)| *of != supplier_id);
        let marks = marks - self.erased.len();
        let suppliers = self.suppliers.len();
        self.suppliers.retain(|supplier| supplier.id != supplier_id);
        let erased = suppliers - self.suppliers.len();
        self.erased_suppliers += erased;
        Ok(Some(some([("totals", totals), ("erased_accounts", marks), ("suppliers", erased)])))
    }
}

fn some<const N: usize>(rows: [(&'static str, usize); N]) -> Vec<ErasedRows> {
    rows.into_iter().filter(|(_, rows)| *rows > 0).map(|(table, rows)| (table, rows as u64)).collect()
}

/// Subtracts totals; `None` if a number would fall below 0.
pub(super) fn less(all: Totals, removed: &Totals) -> Option<Totals> {
    let ledger_balance: Decimal = all.ledger_balance.checked_sub(removed.ledger_balance)?;
    Some(Totals {
        accounts: all.accounts.checked_sub(removed.accounts)?,
        ledger_balance: ledger_balance.normalize(),
        readings: all.readings.checked_sub(removed.readings)?,
        transactions: all.transactions.checked_sub(removed.transactions)?,
        documents: all.documents.checked_sub(removed.documents)?,
        rows: less_rows(all.rows, removed.rows)?,
    })
}

fn less_rows(all: RowCounts, removed: RowCounts) -> Option<RowCounts> {
    let pairs = all.numbers().zip(removed.numbers());
    let left = pairs.map(|(all, removed)| all.unwrap_or_default().checked_sub(removed.unwrap_or_default()));
    let left: Vec<u64> = left.collect::<Option<_>>()?;
    Some(RowCounts::in_order(left.into_iter().map(|number| Some(number).filter(|number| *number > 0))))
}
