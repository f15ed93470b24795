//! Accounts that were refused in runs.

use super::super::dialect::{Conn, Dialect};
use super::super::refusals::{self, Read};
use super::super::schema::{processes, refused_creates, run_refusals, runs};
use super::super::sql_dialect::SqlDialect;
use super::super::types::{Json, Timestamp};
use super::figures;
use super::outcome;
use crate::error::Result;
use cutover_app::port::{RefusedCreate, Run, RunFigures};
use diesel::prelude::*;
use std::collections::{HashMap, HashSet};

row! {
    #[derive(Insertable)]
    #[diesel(table_name = run_refusals, treat_none_as_default_value = false)]
    struct RefusalRow<'a> {
        run_id: i64,
        external_account_number: &'a str,
        refused_at: Timestamp,
        causes: Json<'a>,
    }
}

/// The columns of a [`Read`].
const READ: (run_refusals::external_account_number, run_refusals::refused_at, run_refusals::causes) =
    (run_refusals::external_account_number, run_refusals::refused_at, run_refusals::causes);

pub(super) fn after(conn: &mut Conn, run: &Run, after: &str, limit: u32) -> Result<Vec<RefusedCreate>> {
    if run.ended_at.is_none() {
        return after_while_open(conn, run, after, limit);
    }
    let later = run_refusals::table
        .filter(run_refusals::run_id.eq(run.id))
        .filter(run_refusals::external_account_number.gt(after))
        .order(run_refusals::external_account_number);
    refusals::all(later.limit(limit.into()).select(READ).load(conn)?)
}

fn after_while_open(conn: &mut Conn, run: &Run, after: &str, limit: u32) -> Result<Vec<RefusedCreate>> {
    let (mut found, mut after) = (Vec::new(), after.to_owned());
    while found.len() < limit as usize {
        let later = refused_creates::table
            .filter(refused_creates::supplier_id.eq(run.supplier_id))
            .filter(refused_creates::external_account_number.gt(&after))
            .filter(refused_creates::refused_at.ge(Timestamp::from(run.started_at)))
            .order(refused_creates::external_account_number);
        let page: Vec<Read> = later.limit(limit.into()).select(refusals::READ).load(conn)?;
        let Some((last, ..)) = page.last() else { break };
        after.clone_from(last);
        let numbers: Vec<String> = page.iter().map(|(number, ..)| number.clone()).collect();
        let known = Dialect::processes_among(conn, run.supplier_id, &numbers)?;
        let ids: Vec<i64> = known.iter().map(|(_, id, _)| *id).collect();
        let ended: HashSet<i64> =
            outcome::of_processes(conn, run.id, &ids)?.iter().map(|outcome| outcome.process_id).collect();
        let ended: HashSet<String> =
            known.into_iter().filter(|(_, id, _)| ended.contains(id)).map(|(number, ..)| number).collect();
        found.extend(page.into_iter().filter(|(number, ..)| !ended.contains(number)));
    }
    found.truncate(limit as usize);
    refusals::all(found)
}

pub(super) fn keep(conn: &mut Conn, run_id: i64, refused: &[RefusedCreate]) -> Result<()> {
    let rows = refused.iter().map(|refused| {
        Ok(RefusalRow {
            run_id,
            external_account_number: &refused.number,
            refused_at: refused.refused_at.into(),
            causes: Json::of(&refused.causes)?,
        })
    });
    RefusalRow::insert_all(&rows.collect::<Result<Vec<_>>>()?, conn)?;
    count(conn, run_id, refused, 1)
}

fn count(conn: &mut Conn, run_id: i64, refused: &[RefusedCreate], sign: i64) -> Result<()> {
    let mut change = RunFigures::default();
    change.count_refusals(refused, sign);
    figures::add(conn, run_id, change)
}

/// Removes the accounts of processes from what was refused in the runs of their suppliers. Returns how many.
pub(super) fn erase(conn: &mut Conn, process_ids: &[i64]) -> Result<u64> {
    let of = processes::table.filter(processes::id.eq_any(process_ids));
    let accounts: Vec<(i64, String)> =
        of.select((processes::supplier_id, processes::external_account_number)).load(conn)?;
    let mut numbers: HashMap<i64, Vec<String>> = HashMap::new();
    accounts
        .into_iter()
        .for_each(|(supplier_id, number)| numbers.entry(supplier_id).or_default().push(number));
    let mut erased = 0;
    for (supplier_id, numbers) in numbers {
        let of_supplier = runs::table.filter(runs::supplier_id.eq(supplier_id)).order(runs::id);
        for run_id in of_supplier.select(runs::id).load::<i64>(conn)? {
            let rows = run_refusals::table
                .filter(run_refusals::run_id.eq(run_id))
                .filter(run_refusals::external_account_number.eq_any(&numbers));
            let refused = refusals::all(rows.clone().select(READ).load(conn)?)?;
            if !refused.is_empty() {
                diesel::delete(rows).execute(conn)?;
                count(conn, run_id, &refused, -1)?;
                erased += refused.len() as u64;
            }
        }
    }
    Ok(erased)
}
