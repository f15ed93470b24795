use super::State;
use chrono::{DateTime, Utc};
use cutover_app::port::{
    AnyRuns, Outcome, Processes, Refusals, RefusedCreate, Run, RunFigures, Runs, StoreError, Stretch,
};
use cutover_core::SupplierCode;
use std::collections::BTreeMap;

/// A run with its outcomes by process.
#[derive(Debug, Clone)]
pub(super) struct RunRow {
    pub(super) run: Run,
    outcomes: BTreeMap<i64, Outcome>,
    stretches: Vec<Stretch>,
    refused: Vec<RefusedCreate>,
}

impl State {
    /// Removes an account from all runs of its supplier.
    pub(super) fn erase_from_runs(&mut self, supplier_id: i64, process_id: i64, number: &str) {
        for row in self.runs.iter_mut().filter(|row| row.run.supplier_id == supplier_id) {
            row.outcomes.remove(&process_id);
            row.refused.retain(|refused| refused.number != number);
        }
    }

    fn run_row(&mut self, run_id: i64) -> Result<&mut RunRow, StoreError> {
        let found = self.runs.iter_mut().find(|row| row.run.id == run_id);
        found.ok_or_else(|| StoreError::Conflict("there is no such run".into()))
    }
}

impl Runs for State {
    /// No lock needed: transactions run one after another.
    fn lock_runs(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn start_run(&mut self, supplier_id: i64, name: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
        let mut own = self.runs.iter().filter(|row| row.run.supplier_id == supplier_id);
        if own.any(|row| row.run.ended_at.is_none() || row.run.name == name) {
            return Err(StoreError::Conflict("a run is open, or has this name".into()));
        }
        self.last_run += 1;
        let (id, name) = (self.last_run, name.to_owned());
        let run = Run { id, supplier_id, name, started_at: at, ended_at: None };
        self.runs.push(RunRow { run, outcomes: BTreeMap::new(), stretches: Vec::new(), refused: Vec::new() });
        Ok(())
    }

    fn end_run(&mut self, run_id: i64, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let run = &mut self.run_row(run_id)?.run;
        let is_open = run.ended_at.is_none();
        run.ended_at.get_or_insert(at);
        Ok(is_open)
    }

    fn run(&mut self, supplier_id: i64, name: &str) -> Result<Option<Run>, StoreError> {
        let mut runs = self.runs.iter().map(|row| &row.run);
        Ok(runs.find(|run| run.supplier_id == supplier_id && run.name == name).cloned())
    }

    fn open_run(&mut self, supplier_id: i64) -> Result<Option<Run>, StoreError> {
        let mut runs = self.runs.iter().map(|row| &row.run);
        Ok(runs.find(|run| run.supplier_id == supplier_id && run.ended_at.is_none()).cloned())
    }

    fn runs(&mut self, supplier_id: i64, before: Option<i64>, limit: u32) -> Result<Vec<Run>, StoreError> {
        let own = self.runs.iter().rev().map(|row| &row.run).filter(|run| run.supplier_id == supplier_id);
        let earlier = own.filter(|run| before.is_none_or(|before| run.id < before));
        Ok(earlier.take(limit as usize).cloned().collect())
    }

    fn record_outcomes(&mut self, run_id: i64, outcomes: &[Outcome]) -> Result<(), StoreError> {
        let row = self.run_row(run_id)?;
        let mut figures = RunFigures { stretches: row.stretches.clone(), ..RunFigures::default() };
        for outcome in outcomes {
            figures.replace(None, Some(outcome))?;
            row.outcomes.insert(outcome.process_id, outcome.clone());
        }
        row.stretches = figures.stretches;
        Ok(())
    }

    fn forget_outcomes(&mut self, run_id: i64, process_ids: &[i64]) -> Result<(), StoreError> {
        let row = self.run_row(run_id)?;
        process_ids.iter().for_each(|id| drop(row.outcomes.remove(id)));
        Ok(())
    }

    fn outcomes(&mut self, run_id: i64, after: i64, limit: u32) -> Result<Vec<Outcome>, StoreError> {
        let row = self.run_row(run_id)?;
        let later = row.outcomes.range(after + 1..).map(|(_, outcome)| outcome.clone());
        Ok(later.take(limit as usize).collect())
    }

    fn outcomes_of(&mut self, run_id: i64, process_ids: &[i64]) -> Result<Vec<Outcome>, StoreError> {
        let row = self.run_row(run_id)?;
        Ok(process_ids.iter().filter_map(|id| row.outcomes.get(id).cloned()).collect())
    }

    fn refused_in_run(
        &mut self,
        run: &Run,
        after: &str,
        limit: u32,
    ) -> Result<Vec<RefusedCreate>, StoreError> {
        let mut refused = self.run_row(run.id)?.refused.clone();
        if run.ended_at.is_none() {
            refused = self.refused_after(run.supplier_id, "", u32::MAX)?;
            refused.retain(|refused| refused.refused_at >= run.started_at);
            let numbers: Vec<String> = refused.iter().map(|refused| refused.number.clone()).collect();
            let known = self.processes_among(run.supplier_id, &numbers)?;
            let outcomes = &self.run_row(run.id)?.outcomes;
            let has_ended = |number: &str| {
                known.iter().any(|(known, id, _)| known == number && outcomes.contains_key(id))
            };
            refused.retain(|refused| !has_ended(&refused.number));
        }
        refused.retain(|refused| refused.number.as_str() > after);
        refused.truncate(limit as usize);
        Ok(refused)
    }

    fn keep_refused(&mut self, run_id: i64, refused: &[RefusedCreate]) -> Result<(), StoreError> {
        self.run_row(run_id)?.refused.extend_from_slice(refused);
        Ok(())
    }

    /// Counted when they are read.
    fn run_figures(&mut self, run_id: i64) -> Result<RunFigures, StoreError> {
        let row = self.run_row(run_id)?;
        let mut figures = RunFigures::default();
        for outcome in row.outcomes.values() {
            figures.replace(None, Some(outcome))?;
        }
        figures.count_refusals(&row.refused, 1);
        figures.stretches = row.stretches.clone();
        Ok(figures)
    }
}

impl AnyRuns for State {
    fn lock_open_runs(&mut self, suppliers: &[SupplierCode]) -> Result<Vec<(SupplierCode, i64)>, StoreError> {
        let open = self.runs.iter().map(|row| &row.run).filter(|run| run.ended_at.is_none());
        let with_code = |run: &Run| {
            let supplier = self.suppliers.iter().find(|supplier| supplier.id == run.supplier_id)?;
            suppliers.contains(&supplier.code).then(|| (supplier.code.clone(), run.id))
        };
        Ok(open.filter_map(with_code).collect())
    }
}
