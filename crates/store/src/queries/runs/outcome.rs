//! Rows of outcomes.

use super::super::dialect::Conn;
use super::super::processes::causes;
use super::super::schema::{processes, run_outcomes, runs};
use super::super::types::{Bits, Json, Timestamp};
use super::super::{fit, number};
use crate::error::{Error, Result};
use cutover_app::port::Outcome;
use cutover_core::Word;
use cutover_model::{ContentHash, Decimal, PathHashes, Totals};
use diesel::prelude::*;

row! {
    #[derive(Insertable)]
    #[diesel(table_name = run_outcomes, treat_none_as_default_value = false)]
    struct OutcomeRow<'a> {
        run_id: i64,
        process_id: i64,
        state: &'a str,
        ended_at: Timestamp,
        content: Option<Bits>,
        paths: Option<&'a [u8]>,
        causes: Option<Json<'static>>,
        accounts: i64,
        ledger_balance: String,
        readings: i64,
        transactions: i64,
        documents: i64,
    }
}

type Read = (
    i64,
    String,
    Timestamp,
    (Option<Bits>, Option<Vec<u8>>),
    Option<Json<'static>>,
    (i64, String, i64, i64, i64),
);

/// The columns of the totals in a [`Read`].
type TotalColumns = (
    run_outcomes::accounts,
    run_outcomes::ledger_balance,
    run_outcomes::readings,
    run_outcomes::transactions,
    run_outcomes::documents,
);

/// The columns of a [`Read`].
type Columns = (
    run_outcomes::process_id,
    run_outcomes::state,
    run_outcomes::ended_at,
    (run_outcomes::content, run_outcomes::paths),
    run_outcomes::causes,
    TotalColumns,
);

const READ: Columns = (
    run_outcomes::process_id,
    run_outcomes::state,
    run_outcomes::ended_at,
    (run_outcomes::content, run_outcomes::paths),
    run_outcomes::causes,
    (
        run_outcomes::accounts,
        run_outcomes::ledger_balance,
        run_outcomes::readings,
        run_outcomes::transactions,
        run_outcomes::documents,
    ),
);

fn read((process_id, state, ended_at, (content, paths), causes, totals): Read) -> Result<Outcome> {
    let (accounts, balance, readings, transactions, documents) = totals;
    let balance = Decimal::from_sent(&balance, true).map(|sent| sent.value());
    let count = |rows| number::<i64, u64>(rows, "a number of a run");
    Ok(Outcome {
        process_id,
        state: Word::read(&state),
        ended_at: ended_at.instant()?,
        content: content.map(|bits| ContentHash(bits.0)),
        paths: paths.and_then(PathHashes::from_bytes),
        causes: causes::read(causes)?,
        totals: Totals {
            accounts: count(accounts)?,
            ledger_balance: balance.ok_or_else(|| Error::corrupt("a balance of a run cannot be read"))?,
            readings: count(readings)?,
            transactions: count(transactions)?,
            documents: count(documents)?,
            ..Totals::default()
        },
    })
}

pub(super) fn insert(conn: &mut Conn, run_id: i64, outcomes: &[Outcome]) -> Result<()> {
    let row = |outcome| OutcomeRow::new(run_id, outcome);
    OutcomeRow::insert_all(&outcomes.iter().map(row).collect::<Result<Vec<_>>>()?, conn)
}

impl<'a> OutcomeRow<'a> {
    fn new(run_id: i64, outcome: &'a Outcome) -> Result<Self> {
        let totals = &outcome.totals;
        Ok(Self {
            run_id,
            process_id: outcome.process_id,
            state: outcome.state.as_str(),
            ended_at: outcome.ended_at.into(),
            content: outcome.content.map(|hash| Bits(hash.0)),
            paths: outcome.paths.as_ref().map(PathHashes::as_bytes),
            causes: causes::write(&outcome.causes)?,
            accounts: fit(totals.accounts)?,
            ledger_balance: totals.ledger_balance.to_string(),
            readings: fit(totals.readings)?,
            transactions: fit(totals.transactions)?,
            documents: fit(totals.documents)?,
        })
    }
}

pub(super) fn of_processes(conn: &mut Conn, run_id: i64, ids: &[i64]) -> Result<Vec<Outcome>> {
    let of_run = run_outcomes::table.filter(run_outcomes::run_id.eq(run_id));
    let rows: Vec<Read> = of_run.filter(run_outcomes::process_id.eq_any(ids)).select(READ).load(conn)?;
    rows.into_iter().map(read).collect()
}

pub(super) fn after(conn: &mut Conn, run_id: i64, after: i64, limit: i64) -> Result<Vec<Outcome>> {
    let of_run = run_outcomes::table.filter(run_outcomes::run_id.eq(run_id));
    let later = of_run.filter(run_outcomes::process_id.gt(after)).order(run_outcomes::process_id);
    let rows: Vec<Read> = later.limit(limit).select(READ).load(conn)?;
    rows.into_iter().map(read).collect()
}

/// Returns the runs of the suppliers of processes.
pub(super) fn runs_of(conn: &mut Conn, process_ids: &[i64]) -> Result<Vec<i64>> {
    let of = processes::table.filter(processes::id.eq_any(process_ids)).select(processes::supplier_id);
    let suppliers: Vec<i64> = of.distinct().load(conn)?;
    let of_suppliers = runs::table.filter(runs::supplier_id.eq_any(suppliers)).order(runs::id);
    Ok(of_suppliers.select(runs::id).load(conn)?)
}
