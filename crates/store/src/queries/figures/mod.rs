//! Stored figures: folded values and the changes since. One statement reads both, so that no change is
//! counted twice or missed while changes are folded.

mod activity;
mod causes;
mod counts;
pub(super) mod numbers;
mod rows;
mod sent;
mod suppliers;
mod totals;

use super::SqlTx;
use super::dialect::{Db, Dialect};
use super::sql_dialect::SqlDialect;
use chrono::{DateTime, Utc};
use cutover_app::port::{
    ActivityCount, AnyFigures, Cause, CauseCount, Figures, Manifest, MinuteCount, NumberLists, StateCount,
    StoreError, SupplierFigures,
};
use cutover_core::{ExternalAccountNumber, Level};
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
            " ORDER BY id LIMIT 1) IS NOT NULL OR (SELECT id FROM cause_changes WHERE id >= "
            (Dialect::FIRST_CAUSE_CHANGE) " ORDER BY id LIMIT 1) IS NOT NULL OR (SELECT id FROM total_changes WHERE id >= "
            (Dialect::FIRST_TOTAL_CHANGE) " ORDER BY id LIMIT 1) IS NOT NULL \
            OR (SELECT id FROM activity_changes WHERE id >= " (Dialect::FIRST_ACTIVITY_CHANGE)
            " ORDER BY id LIMIT 1) IS NOT NULL OR (SELECT id FROM row_changes WHERE id >= " (Dialect::FIRST_ROW_CHANGE)
            " ORDER BY id LIMIT 1) IS NOT NULL"
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

    fn sent(&mut self, supplier_id: i64) -> Result<Totals, StoreError> {
        self.run(|conn| sent::read(conn, supplier_id))
    }

    fn manifest(&mut self, supplier_id: i64) -> Result<Option<Manifest>, StoreError> {
        self.run(|conn| sent::manifest(conn, supplier_id))
    }

    fn set_manifest(&mut self, supplier_id: i64, manifest: Option<&Manifest>) -> Result<(), StoreError> {
        self.run(|conn| sent::set_manifest(conn, supplier_id, manifest))
    }

    fn number_lists(&mut self, supplier_id: i64) -> Result<Option<NumberLists>, StoreError> {
        self.run(|conn| numbers::read(conn, supplier_id))
    }

    fn add_numbers(
        &mut self,
        supplier_id: i64,
        part: u32,
        is_last: bool,
        numbers: &[ExternalAccountNumber],
    ) -> Result<bool, StoreError> {
        self.run(|conn| numbers::add(conn, supplier_id, part, is_last, numbers))
    }

    fn drop_numbers(&mut self, supplier_id: i64) -> Result<(), StoreError> {
        self.run(|conn| numbers::drop_lists(conn, supplier_id))
    }

    fn remove_numbers(&mut self, supplier_id: i64, limit: u32) -> Result<u64, StoreError> {
        self.run(|conn| numbers::remove(conn, supplier_id, limit.into()))
    }

    fn declared_numbers(
        &mut self,
        supplier_id: i64,
        after: &str,
        limit: u32,
    ) -> Result<Vec<String>, StoreError> {
        self.run(|conn| numbers::after(conn, supplier_id, after, limit))
    }

    fn declared_among(&mut self, supplier_id: i64, numbers: &[String]) -> Result<Vec<String>, StoreError> {
        self.run(|conn| numbers::declared_among(conn, supplier_id, numbers))
    }

    fn state_counts(&mut self, supplier_id: i64) -> Result<Vec<StateCount>, StoreError> {
        self.run(|conn| counts::by_state(conn, supplier_id))
    }

    fn minute_counts(
        &mut self,
        supplier_id: i64,
        since: DateTime<Utc>,
    ) -> Result<Vec<MinuteCount>, StoreError> {
        self.run(|conn| counts::by_minute(conn, supplier_id, since))
    }

    fn activity(
        &mut self,
        supplier_id: i64,
        since: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Vec<ActivityCount>, StoreError> {
        self.run(|conn| activity::between(conn, supplier_id, since, until))
    }

    fn failing_minutes(
        &mut self,
        supplier_id: i64,
        at_least: u64,
        until: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<(DateTime<Utc>, u64)>, StoreError> {
        self.run(|conn| activity::failing(conn, supplier_id, at_least, until, limit))
    }

    fn failed_since(&mut self, supplier_id: i64, since: DateTime<Utc>) -> Result<u64, StoreError> {
        self.run(|conn| counts::failed_since(conn, supplier_id, since))
    }

    fn last_minute(&mut self, supplier_id: i64) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.run(|conn| counts::last_minute(conn, supplier_id))
    }

    fn top_causes(
        &mut self,
        supplier_id: i64,
        level: Level,
        limit: u32,
    ) -> Result<Vec<CauseCount>, StoreError> {
        self.run(|conn| causes::top(conn, supplier_id, level, limit))
    }

    fn accounts_with(
        &mut self,
        supplier_id: i64,
        level: Level,
        cause: &Cause,
        limit: u32,
    ) -> Result<Vec<ExternalAccountNumber>, StoreError> {
        self.run(|conn| causes::accounts(conn, supplier_id, level, cause, limit))
    }

    fn has_cause(&mut self, supplier_id: i64, level: Level, code: &str) -> Result<bool, StoreError> {
        self.run(|conn| causes::is_known(conn, supplier_id, level, code))
    }

    fn has_changes(&mut self) -> Result<bool, StoreError> {
        self.run(|conn| Ok(HasChanges {}.get_result(conn)?))
    }

    fn fold(&mut self, limit: u32) -> Result<usize, StoreError> {
        self.run(|conn| {
            let Some(drawn) = Dialect::begin_fold(conn)? else { return Ok(0) };
            let processes = Dialect::fold_processes(conn, limit)?;
            let causes = Dialect::fold_causes(conn, limit)?;
            let totals = totals::fold(conn, limit)?;
            let activity = Dialect::fold_activity(conn, limit)?;
            let rows = rows::fold(conn, limit)?;
            let folded = [processes, causes, totals, activity, rows];
            if folded.iter().all(|folded| *folded < limit as usize) {
                Dialect::end_fold(conn, drawn)?;
            }
            Ok(folded.iter().sum())
        })
    }
}

impl AnyFigures for SqlTx<'_> {
    fn supplier_figures(&mut self, at: DateTime<Utc>) -> Result<Vec<SupplierFigures>, StoreError> {
        let hints = self.hints;
        self.run(|conn| suppliers::all(conn, hints, at))
    }
}
