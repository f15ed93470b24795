use super::super::Conn;
use super::super::dialect::{Db, Dialect};
use super::super::processes::queue::FirstPending;
use super::super::sql_dialect::SqlDialect;
use super::super::types::instant;
use crate::claim_hints::ClaimHints;
use crate::error::{Error, Result};
use chrono::{DateTime, Utc};
use cutover_app::port::SupplierFigures;
use cutover_core::SupplierStatus;
use cutover_process::State;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use std::collections::HashMap;

statement! {
    /// Stored counts of all suppliers. Only the latest changes are read: there may be any number if nobody
    /// folds them.
    Counts {} -> (BigInt, Text, BigInt)
        = "SELECT supplier_id, state, CAST(sum(processes) AS BIGINT) FROM (\
            SELECT supplier_id, state, processes FROM process_counts \
            UNION ALL SELECT supplier_id, state, change FROM process_changes WHERE id > " (Dialect::LATEST_CHANGES)
            ") AS counted GROUP BY supplier_id, state"
}

pub(super) fn all(conn: &mut Conn, hints: &ClaimHints, at: DateTime<Utc>) -> Result<Vec<SupplierFigures>> {
    let counted: Vec<(i64, String, i64)> = Counts {}.load(conn)?;
    let mut states = HashMap::<i64, Vec<(State, u64)>>::new();
    for (supplier_id, state, processes) in counted {
        // Nodes of a newer version show the states that it added. Without the oldest changes a count may be
        // negative.
        if let Ok(state) = state.parse() {
            states
                .entry(supplier_id)
                .or_default()
                .push((state, u64::try_from(processes).unwrap_or_default()));
        }
    }
    let suppliers = Dialect::first_pending(conn, hints, at)?;
    let figures = |FirstPending { supplier_id, code, status, due_at }| {
        Ok(SupplierFigures {
            supplier: code.parse().map_err(Error::corrupt)?,
            is_ongoing: status == SupplierStatus::Ongoing.as_str(),
            first_due_at: instant(due_at)?,
            states: states.remove(&supplier_id).unwrap_or_default(),
        })
    };
    suppliers.into_iter().map(figures).collect()
}
