//! Stored figures: folded values and the changes since. One statement reads both, so that no change is
//! counted twice or missed while changes are folded.

mod counts;
mod suppliers;
mod totals;

use super::SqlTx;
use super::dialect::{Db, Dialect};
use super::sql_dialect::SqlDialect;
use chrono::{DateTime, Utc};
use cutover_app::port::{Figures, MinuteCount, StateCount, StoreError, SupplierFigures};
use cutover_core::{Code, ExternalAccountNumber, Word};
use cutover_model::Totals;
use diesel::prelude::*;
use diesel::sql_types::Bool;

/// The script that counts all figures again.
const RECOUNT: &str = "deploy/postgres/recount.sql";

/// Returns a stored number, or 0 if it is negative: the other figures are not wrong.
fn count(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or_else(|_| {
        tracing::error!(stored, "a figure is negative: see {RECOUNT}");
        0
    })
}

statement! {
    HasChanges {} -> Bool
        = "SELECT (SELECT id FROM process_changes WHERE id >= " (Dialect::FIRST_PROCESS_CHANGE)
            " ORDER BY id LIMIT 1) IS NOT NULL OR (SELECT id FROM total_changes WHERE id >= "
            (Dialect::FIRST_TOTAL_CHANGE) " ORDER BY id LIMIT 1) IS NOT NULL"
}

impl Figures for SqlTx<'_> {
    fn add_totals(&mut self, supplier_id: i64, added: &Totals) -> Result<(), StoreError> {
        self.run(|conn| totals::add(conn, supplier_id, added))
    }

    fn remove_totals(&mut self, supplier_id: i64, removed: &Totals) -> Result<(), StoreError> {
        self.run(|conn| totals::remove(conn, supplier_id, removed))
    }

    fn totals(&mut self, supplier_id: i64) -> Result<Totals, StoreError> {
        self.run(|conn| totals::read(conn, supplier_id))
    }

    fn state_counts(&mut self, supplier_id: i64) -> Result<Vec<StateCount>, StoreError> {
        self.run(|conn| counts::by_state(conn, supplier_id))
    }

    fn supplier_figures(&mut self, at: DateTime<Utc>) -> Result<Vec<SupplierFigures>, StoreError> {
        let hints = self.hints;
        self.run(|conn| suppliers::all(conn, hints, at))
    }

    fn minute_counts(
        &mut self,
        supplier_id: i64,
        since: DateTime<Utc>,
    ) -> Result<Vec<MinuteCount>, StoreError> {
        self.run(|conn| counts::by_minute(conn, supplier_id, since))
    }

    fn failed_with(
        &mut self,
        supplier_id: i64,
        error: &Word<Code>,
        limit: u32,
    ) -> Result<Vec<ExternalAccountNumber>, StoreError> {
        self.run(|conn| counts::failed_with(conn, supplier_id, error, limit))
    }

    fn has_changes(&mut self) -> Result<bool, StoreError> {
        self.run(|conn| Ok(HasChanges {}.get_result(conn)?))
    }

    fn fold(&mut self, limit: u32) -> Result<usize, StoreError> {
        self.run(|conn| {
            let Some(drawn) = Dialect::begin_fold(conn)? else { return Ok(0) };
            let (processes, totals) = (Dialect::fold_processes(conn, limit)?, totals::fold(conn, limit)?);
            if processes.max(totals) < limit as usize {
                Dialect::end_fold(conn, drawn)?;
            }
            Ok(processes + totals)
        })
    }
}
