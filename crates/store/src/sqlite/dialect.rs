//! The SQLite dialect of the queries.

use super::claim;
use super::queries::processes::queue::{FirstPending, OpenSupplier, OverdueSupplier};
use super::queries::processes::write::Step;
use super::queries::refusals;
use super::queries::schema::{
    audit_trail, feed_events, payloads, process_history, processes, refused_creates,
};
use super::queries::similar;
use super::queries::sql_dialect::SqlDialect;
use super::queries::statement::Bind;
use super::queries::terms::TermRange;
use super::queries::types::{Day, Timestamp};
use crate::claim_hints::ClaimHints;
use crate::error::{Meaning, OpenError, Result};
use crate::schema::columns;
use chrono::{DateTime, NaiveDate, Utc};
use cutover_app::port::{FeedPosition, HeldMeterPoint, MeterPointHolder, MeterPointQuestion, StoreError};
use cutover_core::{ExternalAccountNumber, folded};
use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql};
use diesel::dsl::max;
use diesel::prelude::*;
use diesel::serialize::{self, IsNull, Output};
use diesel::sql_types::{BigInt, Text};
use std::ops::Range;

pub(crate) type Conn = diesel::SqliteConnection;
pub(crate) type Db = diesel::sqlite::Sqlite;

/// Inserts rows with a statement each: it is prepared once, and running it costs less than parsing one
/// statement with many rows.
macro_rules! insert_all {
    ($table:ident, $row:ident<$life:lifetime> { $($column:ident: $type:ty,)* }) => {
        impl<$life> $row<$life> {
            pub(crate) fn insert_all<'r>(
                rows: impl IntoIterator<Item = &'r Self>,
                conn: &mut diesel::SqliteConnection,
            ) -> crate::error::Result<()>
            where
                $life: 'r,
            {
                for row in rows {
                    let insert = diesel::insert_into($table::table).values(row);
                    diesel::RunQueryDsl::execute(insert, conn)?;
                }
                Ok(())
            }
        }
    };
}

/// SQLite has no arrays.
macro_rules! column_arrays {
    ($($row:tt)*) => {};
}

/// Selects rows that stay as they are until the transaction ends.
macro_rules! for_share {
    ($query:expr) => {
        $query
    };
}

/// Selects rows to be claimed. There is only one writer, so they need no lock.
macro_rules! for_claim {
    ($query:expr) => {
        $query
    };
}

/// SQLite has one writer at a time, which has locked everything.
pub(crate) struct Dialect;

impl SqlDialect for Dialect {
    const LOCK: &'static str = "";
    const LOCK_PROCESSES: &'static str = "";
    const SKIP_LOCKED: &'static str = "";
    const AMONG: &'static str = " IN (";
    const AMONG_END: &'static str = ")";
    /// The arms are merged in the order of the whole as they are read.
    const ORDERS_ARMS: bool = false;
    const LATEST_CHANGES: &'static str = "0";
    /// SQLite keeps no dead rows to be skipped.
    const FIRST_PROCESS_CHANGE: &'static str = "0";
    const FIRST_CAUSE_CHANGE: &'static str = "0";
    const FIRST_TOTAL_CHANGE: &'static str = "0";
    const FIRST_ACTIVITY_CHANGE: &'static str = "0";
    const FIRST_ROW_CHANGE: &'static str = "0";
    /// There is one writer.
    const WRITTEN_IN: &'static str = "0";
    /// Positions of expired events are not used again.
    const EVENT_ID: &'static str = "coalesce((SELECT max(e.id) FROM feed_events e \
        WHERE e.organisation_id = s.organisation_id AND e.written_in = 0), \
        (SELECT x.id FROM feed_expiries x WHERE x.organisation_id = s.organisation_id), 0) + 1";
    const VISIBLE_EVENTS: &'static str = "";
    /// A refused statement has no effect on its transaction.
    const REFUSAL_ENDS_TRANSACTION: bool = false;

    type Fold = ();

    /// The file of a closed database may be replaced by an older one, which nothing in it would show.
    fn history(_: &mut Conn, opened: &str) -> Result<String> {
        Ok(opened.to_owned())
    }

    fn processes_with_terms(conn: &mut Conn, blocks: Range<i64>, range: &TermRange) -> Result<Vec<i64>> {
        let mut found = Vec::new();
        for block in blocks {
            let TermRange { from, to, after, limit } = range.clone();
            let limit = limit - found.len() as i64;
            if limit <= 0 {
                break;
            }
            found.extend((InBlock { block, from, to, after, limit }).load::<i64>(conn)?);
        }
        Ok(found)
    }

    /// No other transaction takes the key before this one ends. The key of an erased process is not used
    /// again, because somebody may still know it: the audit trail names those.
    fn next_process_id(conn: &mut Conn) -> Result<i64> {
        let last: Option<i64> = processes::table.select(max(processes::id)).get_result(conn)?;
        let named: Option<i64> = audit_trail::table.select(max(audit_trail::process_id)).get_result(conn)?;
        Ok(last.max(named).unwrap_or(0) + 1)
    }

    fn processes_among(
        conn: &mut Conn,
        supplier_id: i64,
        numbers: &[String],
    ) -> Result<Vec<(String, i64, Timestamp)>> {
        let found = processes::table
            .filter(processes::supplier_id.eq(supplier_id))
            .filter(processes::external_account_number.eq_any(numbers));
        let columns = (processes::external_account_number, processes::id, processes::created_at);
        Ok(found.select(columns).load(conn)?)
    }

    fn similar_numbers(
        conn: &mut Conn,
        supplier_id: i64,
        numbers: &[ExternalAccountNumber],
    ) -> Result<Vec<Option<String>>> {
        let similar = |number: &ExternalAccountNumber| {
            let (folded, number) = (folded(number.as_str()).into_owned(), number.to_string());
            let query = Similar { supplier_id, folded, number };
            Ok(query.get_result::<String>(conn).optional()?)
        };
        numbers.iter().map(similar).collect()
    }

    fn refused_among(conn: &mut Conn, supplier_id: i64, numbers: &[String]) -> Result<Vec<refusals::Read>> {
        let found = refused_creates::table
            .filter(refused_creates::supplier_id.eq(supplier_id))
            .filter(refused_creates::external_account_number.eq_any(numbers));
        Ok(found.select(refusals::READ).load(conn)?)
    }

    fn remove_refused(conn: &mut Conn, supplier_id: i64, numbers: &[&str]) -> Result<usize> {
        let removed = refused_creates::table
            .filter(refused_creates::supplier_id.eq(supplier_id))
            .filter(refused_creates::external_account_number.eq_any(numbers));
        Ok(diesel::delete(removed).execute(conn)?)
    }

    fn steps(conn: &mut Conn, steps: Vec<Step<'_>>) -> Result<Vec<bool>> {
        steps.into_iter().map(|step| step.write(conn)).collect()
    }

    fn remove_events(conn: &mut Conn, expired: &[(i64, FeedPosition)]) -> Result<()> {
        for (organisation_id, last) in expired {
            let of_organisation = feed_events::organisation_id.eq(organisation_id);
            let range = feed_events::written_in.eq(0).and(feed_events::id.le(last.id));
            diesel::delete(feed_events::table.filter(of_organisation.and(range))).execute(conn)?;
        }
        Ok(())
    }

    fn open_suppliers(
        conn: &mut Conn,
        hints: &ClaimHints,
        at: DateTime<Utc>,
        limit: i64,
    ) -> Result<Vec<OpenSupplier>> {
        claim::open_suppliers(conn, hints, at, limit)
    }

    fn first_pending(conn: &mut Conn, _: &ClaimHints, _: DateTime<Utc>) -> Result<Vec<FirstPending>> {
        claim::first_pending(conn)
    }

    fn next_due_at(conn: &mut Conn, _: &ClaimHints, _: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
        claim::next_due_at(conn)
    }

    fn expired_leases(
        conn: &mut Conn,
        _: &ClaimHints,
        before: DateTime<Utc>,
    ) -> Result<Vec<OverdueSupplier>> {
        claim::expired_leases(conn, before)
    }

    fn meter_point_holders(
        conn: &mut Conn,
        questions: &[MeterPointQuestion<'_>],
    ) -> Result<Vec<Option<HeldMeterPoint>>> {
        questions.iter().map(|question| meter_point_holder(conn, question)).collect()
    }

    /// There is one writer.
    fn lock_meter_points(_: &mut Conn, _: &[MeterPointQuestion<'_>]) -> Result<()> {
        Ok(())
    }

    /// As for [`lock_meter_points`](SqlDialect::lock_meter_points).
    fn lock_runs(_: &mut Conn) -> Result<()> {
        Ok(())
    }

    fn lock_suppliers(_: &mut Conn) -> Result<()> {
        Ok(())
    }

    fn begin_fold(_: &mut Conn) -> Result<Option<()>> {
        Ok(Some(()))
    }

    /// Triggers keep the counts current: there is nothing to fold.
    fn fold_processes(_: &mut Conn, _: u32) -> Result<usize> {
        Ok(0)
    }

    /// As for [`fold_processes`](SqlDialect::fold_processes).
    fn fold_causes(_: &mut Conn, _: u32) -> Result<usize> {
        Ok(0)
    }

    /// As for [`fold_processes`](SqlDialect::fold_processes).
    fn fold_activity(_: &mut Conn, _: u32) -> Result<usize> {
        Ok(0)
    }

    fn end_fold(_: &mut Conn, (): ()) -> Result<()> {
        Ok(())
    }

    /// SQLite has no partitions, so none is missing.
    fn has_partitions(_: &mut Conn) -> Result<bool> {
        Ok(true)
    }

    fn add_partitions(_: &mut Conn) -> Result<()> {
        Ok(())
    }

    fn archived(conn: &mut Conn, ids: &[i64]) -> Result<()> {
        diesel::delete(payloads::table.filter(payloads::process_id.eq_any(ids))).execute(conn)?;
        diesel::delete(process_history::table.filter(process_history::process_id.eq_any(ids)))
            .execute(conn)?;
        Ok(())
    }

    fn remove_archived(_: &mut Conn, _: i64) -> Result<Option<i64>> {
        Ok(None)
    }

    fn write_instant(micros: i64, out: &mut Output<'_, '_, Db>) -> serialize::Result {
        out.set_value(micros);
        Ok(IsNull::No)
    }

    fn read_instant(value: <Db as Backend>::RawValue<'_>) -> deserialize::Result<i64> {
        <i64 as FromSql<BigInt, Db>>::from_sql(value)
    }

    fn write_day(day: NaiveDate, out: &mut Output<'_, '_, Db>) -> serialize::Result {
        out.set_value(day.to_string());
        Ok(IsNull::No)
    }

    fn read_day(value: <Db as Backend>::RawValue<'_>) -> deserialize::Result<NaiveDate> {
        <String as FromSql<Text, Db>>::from_sql(value)?.parse().map_err(|_| "a day is not a date".into())
    }

    fn meaning(message: &str) -> Meaning {
        let is = |texts: &[&str]| texts.iter().any(|text| message.starts_with(text));
        match () {
            () if is(&PASSING) => Meaning::Passing,
            () if is(&UNWRITABLE) => Meaning::Unwritable,
            () if is(&READ_ONLY) => Meaning::ReadOnly,
            () if is(&BUSY) => Meaning::Busy,
            () if is(&CORRUPT) => Meaning::Corrupt,
            () => Meaning::Other,
        }
    }
}

statement! {
    /// The processes of a block with such terms.
    InBlock { block: i64, from: Vec<u8>, to: Vec<u8>, after: i64, limit: i64 } -> BigInt
        = "SELECT process_id FROM search_terms WHERE block = " block " AND term >= " from " AND term < " to
            " AND process_id > " after " ORDER BY term, process_id LIMIT " limit
}

statement! {
    /// The first number of an earlier process that has the folded number as its own or stored beside it.
    Similar { supplier_id: i64, folded: String, number: String } -> Text
        = "WITH sought (supplier_id, folded, number) AS (VALUES (" supplier_id ", " folded ", " number ")) \
            SELECT p.external_account_number FROM sought CROSS JOIN processes p \
            WHERE p.id IN (\
                SELECT o.id FROM processes o \
                WHERE o.supplier_id = sought.supplier_id AND o.external_account_number = sought.folded \
                UNION ALL \
                SELECT process_id FROM (\
                    SELECT f.process_id FROM folded_numbers f \
                    WHERE f.supplier_id = sought.supplier_id AND f.folded = sought.folded \
                    ORDER BY f.process_id LIMIT " (similar::CANDIDATES) ")) \
            AND p.id < coalesce((\
                SELECT o.id FROM processes o \
                WHERE o.supplier_id = sought.supplier_id AND o.external_account_number = sought.number\
                ), 9223372036854775807) \
            AND p.state <> 'CANCELLED' \
            ORDER BY p.id LIMIT 1"
}

statement! {
    /// The last account that has a meter point without an end, apart from the own one. Like the next one it reads one entry
    /// of the index, besides those of the own account.
    Supplied { supplier_id: i64, number: String, organisation_id: i64, mpxn: String } -> BigInt
        = "SELECT p.account_id FROM meter_points p \
            WHERE p.organisation_id = " organisation_id " AND p.mpxn = " mpxn " AND p.supply_end_date IS NULL \
            AND p.account_id <> coalesce((SELECT id FROM accounts WHERE supplier_id = " supplier_id
            " AND external_account_number = " number "), 0) ORDER BY p.account_id DESC LIMIT 1"
}

statement! {
    /// The account that has a meter point for longest after a day, of those that have it until a day.
    SuppliedUntil { supplier_id: i64, number: String, organisation_id: i64, mpxn: String, start: Day } -> (BigInt, columns::Day)
        = "SELECT p.account_id, p.supply_end_date FROM meter_points p \
            WHERE p.organisation_id = " organisation_id " AND p.mpxn = " mpxn " AND p.supply_end_date > " start " \
            AND p.account_id <> coalesce((SELECT id FROM accounts WHERE supplier_id = " supplier_id
            " AND external_account_number = " number "), 0) \
            ORDER BY p.supply_end_date DESC, p.account_id DESC LIMIT 1"
}

statement! {
    Holder { account_id: i64 } -> (Text, Text)
        = "SELECT s.code, a.external_account_number FROM accounts a JOIN suppliers s ON s.id = a.supplier_id \
            WHERE a.id = " account_id
}

fn meter_point_holder(conn: &mut Conn, question: &MeterPointQuestion<'_>) -> Result<Option<HeldMeterPoint>> {
    let MeterPointQuestion { organisation_id, supplier_id, number, sought } = *question;
    let (number, mpxn) = (number.as_str().to_owned(), sought.mpxn.clone());
    let supplied = Supplied { supplier_id, number: number.clone(), organisation_id, mpxn: mpxn.clone() };
    let found = match supplied.get_result::<i64>(conn).optional()? {
        Some(account_id) => Some((account_id, None)),
        None => {
            let start = Day(sought.supply_start_date);
            let until = SuppliedUntil { supplier_id, number, organisation_id, mpxn, start };
            let until = until.get_result::<(i64, Day)>(conn).optional()?;
            until.map(|(account_id, Day(end))| (account_id, Some(end)))
        }
    };
    let Some((account_id, supply_end)) = found else { return Ok(None) };
    let (supplier, number) = (Holder { account_id }).get_result(conn)?;
    Ok(Some(HeldMeterPoint { account_id, supply_end, holder: MeterPointHolder { supplier, number } }))
}

/// Converts a failure to open the file again. Its text quotes a message of SQLite.
pub(super) fn reopening_error(error: &OpenError) -> StoreError {
    let text = error.to_string();
    let is_of_disk = UNWRITABLE.iter().any(|message| text.contains(message));
    if is_of_disk { StoreError::Unwritable(text) } else { StoreError::Unavailable(text) }
}

// Messages of `sqlite3_errmsg`. They are the texts of `sqlite3_errstr`, which diesel passes on without their
// codes.

/// The database is unavailable.
const PASSING: [&str; 3] = ["unable to open database file", "out of memory", "interrupted"];
/// The disk is full or fails.
const UNWRITABLE: [&str; 2] = ["database or disk is full", "disk I/O error"];
const READ_ONLY: [&str; 1] = ["attempt to write a readonly database"];
const BUSY: [&str; 3] = ["database is locked", "database table is locked", "locking protocol"];
const CORRUPT: [&str; 2] = ["database disk image is malformed", "file is not a database"];
