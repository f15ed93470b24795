use super::super::Conn;
use super::super::dialect::{self, Db, columns};
use super::super::types::{Timestamp, instant};
use crate::error::{Error, Result};
use cutover_app::port::Standing;
use cutover_core::SupplierStatus;
use cutover_process::State;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use std::collections::HashMap;

statement! {
    /// Kept counts of all suppliers. Where nobody folds, there is no end of changes: only the latest are read.
    Counts {} -> (BigInt, Text, BigInt)
        = "SELECT supplier_id, state, CAST(sum(processes) AS BIGINT) FROM (\
            SELECT supplier_id, state, processes FROM process_counts \
            UNION ALL SELECT supplier_id, state, change FROM process_changes WHERE id > " (dialect::LATEST_CHANGES)
            ") AS counted GROUP BY supplier_id, state"
}

statement! {
    /// Of each supplier the first process that waits, where claims begin to look.
    FirstDue {} -> (BigInt, Text, Text, Nullable<columns::Instant>)
        = "SELECT s.id, s.code, s.status, (SELECT p.due_at FROM processes p WHERE p.supplier_id = s.id \
            AND p.state = 'PENDING' AND p.due_at >= coalesce(s.due_from, " (dialect::FIRST) ") \
            ORDER BY p.due_at, p.id LIMIT 1) FROM suppliers s ORDER BY s.id"
}

pub(super) fn all(conn: &mut Conn) -> Result<Vec<Standing>> {
    let counted: Vec<(i64, String, i64)> = Counts {}.load(conn)?;
    let mut states = HashMap::<i64, Vec<(State, u64)>>::new();
    for (supplier_id, state, processes) in counted {
        // A state of a newer version is shown by the nodes of that version. Without the oldest changes a count may
        // seem to be below 0.
        if let Ok(state) = state.parse() {
            states
                .entry(supplier_id)
                .or_default()
                .push((state, u64::try_from(processes).unwrap_or_default()));
        }
    }
    let suppliers: Vec<(i64, String, String, Option<Timestamp>)> = FirstDue {}.load(conn)?;
    let standing = |(id, code, status, due): (i64, String, String, _)| {
        Ok(Standing {
            supplier: code.parse().map_err(Error::corrupt)?,
            is_ongoing: status == SupplierStatus::Ongoing.as_str(),
            first_due_at: instant(due)?,
            states: states.remove(&id).unwrap_or_default(),
        })
    };
    suppliers.into_iter().map(standing).collect()
}
