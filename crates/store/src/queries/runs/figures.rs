//! Figures of runs, in shards: a transaction changes one that no other is changing, so writers do not wait for each
//! other.

use super::super::dialect::{Conn, Db, Dialect};
use super::super::schema::run_figures;
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::super::types::Json;
use crate::error::{Error, Result};
use chrono::{DateTime, Utc};
use cutover_app::port::{Cause, RunFigures, StoreError, Stretch};
use cutover_model::Decimal;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use serde::{Deserialize, Serialize};

/// Number of shards. Further transactions at the same time wait.
const SHARDS: i64 = 8;

statement! {
    LockFree { run_id: i64 } -> BigInt
        = "SELECT shard FROM run_figures WHERE run_id = " run_id " ORDER BY shard LIMIT 1" (Dialect::LOCK)
            (Dialect::SKIP_LOCKED)
}

statement! {
    Lock { run_id: i64, shard: i64 } -> BigInt
        = "SELECT shard FROM run_figures WHERE run_id = " run_id " AND shard = " shard (Dialect::LOCK)
}

/// The form of a shard.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Shard {
    states: Vec<(String, i64)>,
    causes: Vec<(String, Option<String>, i64)>,
    refused: i64,
    refused_causes: Vec<(String, Option<String>, i64)>,
    counts: [i64; 4],
    balance: String,
    /// Times in microseconds, and the number of ends.
    stretches: Vec<(i64, i64, u64)>,
}

impl Shard {
    fn of(figures: RunFigures) -> Self {
        let cause = |(cause, accounts): (Cause, i64)| (cause.code, cause.attr, accounts);
        let micros = |at: DateTime<Utc>| at.timestamp_micros();
        let stretch = |of: Stretch| (micros(of.first_at), micros(of.last_at), of.ends);
        Self {
            states: figures.states.into_iter().collect(),
            causes: figures.causes.into_iter().map(cause).collect(),
            refused: figures.refused,
            refused_causes: figures.refused_causes.into_iter().map(cause).collect(),
            counts: figures.counts,
            balance: figures.ledger_balance.to_string(),
            stretches: figures.stretches.into_iter().map(stretch).collect(),
        }
    }

    fn figures(self) -> Result<RunFigures> {
        let time = |micros: i64| {
            DateTime::from_timestamp_micros(micros).ok_or_else(|| Error::corrupt("a time is out of range"))
        };
        let stretch = |(first, last, ends): (i64, i64, u64)| {
            Ok(Stretch { first_at: time(first)?, last_at: time(last)?, ends })
        };
        let balance = if self.balance.is_empty() { "0" } else { &self.balance };
        let balance = Decimal::from_sent(balance, true).map(|sent| sent.value());
        let cause = |(code, attr, accounts): (String, Option<String>, i64)| (Cause { code, attr }, accounts);
        Ok(RunFigures {
            states: self.states.into_iter().collect(),
            causes: self.causes.into_iter().map(cause).collect(),
            refused: self.refused,
            refused_causes: self.refused_causes.into_iter().map(cause).collect(),
            counts: self.counts,
            ledger_balance: balance.ok_or_else(|| Error::corrupt("a sum of balances cannot be read"))?,
            stretches: self.stretches.into_iter().map(stretch).collect::<Result<_>>()?,
        })
    }
}

/// The error of a sum that cannot be held exactly.
pub(super) fn out_of_range(_: StoreError) -> Error {
    Error::Unfit("a sum of balances is out of range")
}

fn read(json: &Json<'_>) -> Result<RunFigures> {
    json.read::<Shard>("the figures of a run")?.figures()
}

pub(super) fn insert(conn: &mut Conn, run_id: i64) -> Result<()> {
    let figures = Json::of(&Shard::default())?;
    let shard = |shard| {
        (run_figures::run_id.eq(run_id), run_figures::shard.eq(shard), run_figures::figures.eq(&figures))
    };
    diesel::insert_into(run_figures::table)
        .values((0..SHARDS).map(shard).collect::<Vec<_>>())
        .execute(conn)?;
    Ok(())
}

pub(super) fn add(conn: &mut Conn, run_id: i64, change: RunFigures) -> Result<()> {
    let free: Option<i64> = LockFree { run_id }.get_result(conn).optional()?;
    let shard = match free {
        Some(shard) => shard,
        None => Lock { run_id, shard: 0 }.get_result(conn)?,
    };
    // Read by a statement of its own, which sees what the holder of the lock before has written.
    let row = run_figures::table.find((run_id, shard));
    let mut figures = read(&row.select(run_figures::figures).get_result(conn)?)?;
    figures.merge(change).map_err(out_of_range)?;
    let figures = Json::of(&Shard::of(figures))?;
    diesel::update(row).set(run_figures::figures.eq(figures)).execute(conn)?;
    Ok(())
}

/// Adds up all shards of a run.
pub(super) fn sum(shards: &[Json<'static>]) -> Result<RunFigures> {
    let mut all = RunFigures::default();
    for shard in shards {
        all.merge(read(shard)?).map_err(out_of_range)?;
    }
    Ok(all)
}
