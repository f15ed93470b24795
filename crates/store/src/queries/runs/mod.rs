//! Runs, and the outcomes of accounts in them.

mod figures;
mod outcome;
mod refusal;

use super::dialect::{Conn, Dialect};
use super::schema::{run_figures, run_outcomes, run_refusals, runs, suppliers};
use super::sql_dialect::SqlDialect;
use super::types::{Json, Timestamp, instant};
use super::{SqlTx, changed};
use crate::error::{Error, Result};
use chrono::{DateTime, Utc};
use cutover_app::port::{AnyRuns, ErasedRows, Outcome, RefusedCreate, Run, RunFigures, Runs, StoreError};
use cutover_core::SupplierCode;
use diesel::prelude::*;
use std::collections::HashMap;

type Row = (i64, i64, String, Timestamp, Option<Timestamp>);

/// The columns of [`Row`].
const ROW: (runs::id, runs::supplier_id, runs::name, runs::started_at, runs::ended_at) =
    (runs::id, runs::supplier_id, runs::name, runs::started_at, runs::ended_at);

fn run((id, supplier_id, name, started_at, ended_at): Row) -> Result<Run> {
    Ok(Run { id, supplier_id, name, started_at: started_at.instant()?, ended_at: instant(ended_at)? })
}

fn open_runs(conn: &mut Conn, codes: &[SupplierCode]) -> Result<Vec<(SupplierCode, i64)>> {
    let codes: Vec<&str> = codes.iter().map(SupplierCode::as_str).collect();
    let among = suppliers::table.filter(suppliers::code.eq_any(codes)).select(suppliers::id);
    let open = runs::table
        .filter(runs::supplier_id.eq_any(among))
        .filter(runs::ended_at.is_null())
        .order(runs::id)
        .select((runs::id, runs::supplier_id));
    // It locks the table as well, against `lock_runs`, and so also where no run is open.
    let open: Vec<(i64, i64)> = for_share!(open).load(conn)?;
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let owners: Vec<i64> = open.iter().map(|(_, supplier_id)| *supplier_id).collect();
    let owners = suppliers::table.filter(suppliers::id.eq_any(owners));
    let codes: Vec<(i64, String)> = owners.select((suppliers::id, suppliers::code)).load(conn)?;
    let codes: HashMap<i64, String> = codes.into_iter().collect();
    let kept = open.iter().filter_map(|(run_id, supplier_id)| Some((codes.get(supplier_id)?, *run_id)));
    kept.map(|(code, run_id)| Ok((code.parse().map_err(Error::corrupt)?, run_id))).collect()
}

/// Replaces outcomes with others and updates the figures.
fn replace(conn: &mut Conn, run_id: i64, ids: &[i64], new: &[Outcome]) -> Result<()> {
    let old = outcome::of_processes(conn, run_id, ids)?;
    let mut change = RunFigures::default();
    for outcome in &old {
        change.replace(Some(outcome), None).map_err(figures::out_of_range)?;
    }
    for outcome in new {
        change.replace(None, Some(outcome)).map_err(figures::out_of_range)?;
    }
    if !old.is_empty() {
        let ids: Vec<i64> = old.iter().map(|outcome| outcome.process_id).collect();
        let of_run = run_outcomes::table.filter(run_outcomes::run_id.eq(run_id));
        diesel::delete(of_run.filter(run_outcomes::process_id.eq_any(ids))).execute(conn)?;
    }
    outcome::insert(conn, run_id, new)?;
    if old.is_empty() && new.is_empty() { Ok(()) } else { figures::add(conn, run_id, change) }
}

/// Removes the outcomes of processes from every run of their suppliers.
pub(super) fn erase_outcomes(conn: &mut Conn, process_ids: &[i64]) -> Result<Vec<ErasedRows>> {
    let mut erased = 0;
    for run_id in outcome::runs_of(conn, process_ids)? {
        erased += outcome::of_processes(conn, run_id, process_ids)?.len() as u64;
        replace(conn, run_id, process_ids, &[])?;
    }
    let erased = [("run_outcomes", erased), ("run_refusals", refusal::erase(conn, process_ids)?)];
    Ok(erased.into_iter().filter(|(_, rows)| *rows > 0).collect())
}

/// Removes the runs of a supplier, whose outcomes are gone.
pub(super) fn erase_runs(conn: &mut Conn, supplier_id: i64) -> Result<Vec<ErasedRows>> {
    let ids: Vec<i64> = runs::table.filter(runs::supplier_id.eq(supplier_id)).select(runs::id).load(conn)?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids = &ids[..];
    Ok(erase!(conn, ids: run_outcomes.run_id run_refusals.run_id run_figures.run_id runs.id))
}

impl Runs for SqlTx<'_> {
    fn lock_runs(&mut self) -> Result<(), StoreError> {
        self.run(Dialect::lock_runs)
    }

    fn start_run(&mut self, supplier_id: i64, name: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.run(|conn| {
            let row = (
                runs::supplier_id.eq(supplier_id),
                runs::name.eq(name),
                runs::started_at.eq(Timestamp::from(at)),
            );
            diesel::insert_into(runs::table).values(row).execute(conn)?;
            let named = runs::table.filter(runs::supplier_id.eq(supplier_id)).filter(runs::name.eq(name));
            let run_id = named.select(runs::id).get_result(conn)?;
            figures::insert(conn, run_id)
        })
    }

    fn end_run(&mut self, run_id: i64, at: DateTime<Utc>) -> Result<bool, StoreError> {
        self.run(|conn| {
            let open = runs::table.find(run_id).filter(runs::ended_at.is_null());
            let ended = diesel::update(open).set(runs::ended_at.eq(Some(Timestamp::from(at))));
            Ok(changed(ended.execute(conn)?))
        })
    }

    fn run(&mut self, supplier_id: i64, name: &str) -> Result<Option<Run>, StoreError> {
        SqlTx::run(self, |conn| {
            let named = runs::table.filter(runs::supplier_id.eq(supplier_id)).filter(runs::name.eq(name));
            named.select(ROW).get_result::<Row>(conn).optional()?.map(run).transpose()
        })
    }

    fn open_run(&mut self, supplier_id: i64) -> Result<Option<Run>, StoreError> {
        self.run(|conn| {
            let open = runs::table.filter(runs::supplier_id.eq(supplier_id)).filter(runs::ended_at.is_null());
            open.select(ROW).get_result::<Row>(conn).optional()?.map(run).transpose()
        })
    }

    fn runs(&mut self, supplier_id: i64, before: Option<i64>, limit: u32) -> Result<Vec<Run>, StoreError> {
        self.run(|conn| {
            let of_supplier = runs::table.filter(runs::supplier_id.eq(supplier_id));
            let earlier = of_supplier.filter(runs::id.lt(before.unwrap_or(i64::MAX)));
            let rows: Vec<Row> = earlier.order(runs::id.desc()).limit(limit.into()).select(ROW).load(conn)?;
            rows.into_iter().map(run).collect()
        })
    }

    fn record_outcomes(&mut self, run_id: i64, outcomes: &[Outcome]) -> Result<(), StoreError> {
        let ids: Vec<i64> = outcomes.iter().map(|outcome| outcome.process_id).collect();
        self.run(|conn| replace(conn, run_id, &ids, outcomes))
    }

    fn forget_outcomes(&mut self, run_id: i64, process_ids: &[i64]) -> Result<(), StoreError> {
        self.run(|conn| replace(conn, run_id, process_ids, &[]))
    }

    fn outcomes(&mut self, run_id: i64, after: i64, limit: u32) -> Result<Vec<Outcome>, StoreError> {
        self.run(|conn| outcome::after(conn, run_id, after, limit.into()))
    }

    fn outcomes_of(&mut self, run_id: i64, process_ids: &[i64]) -> Result<Vec<Outcome>, StoreError> {
        self.run(|conn| outcome::of_processes(conn, run_id, process_ids))
    }

    fn refused_in_run(
        &mut self,
        run: &Run,
        after: &str,
        limit: u32,
    ) -> Result<Vec<RefusedCreate>, StoreError> {
        SqlTx::run(self, |conn| refusal::after(conn, run, after, limit))
    }

    fn keep_refused(&mut self, run_id: i64, refused: &[RefusedCreate]) -> Result<(), StoreError> {
        self.run(|conn| refusal::keep(conn, run_id, refused))
    }

    fn run_figures(&mut self, run_id: i64) -> Result<RunFigures, StoreError> {
        self.run(|conn| {
            let shards = run_figures::table.filter(run_figures::run_id.eq(run_id));
            let shards: Vec<Json<'static>> = shards.select(run_figures::figures).load(conn)?;
            figures::sum(&shards)
        })
    }
}

impl AnyRuns for SqlTx<'_> {
    fn lock_open_runs(&mut self, suppliers: &[SupplierCode]) -> Result<Vec<(SupplierCode, i64)>, StoreError> {
        self.run(|conn| open_runs(conn, suppliers))
    }
}
