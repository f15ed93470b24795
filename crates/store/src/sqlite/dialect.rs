//! SQLite, as far as queries see it.

use super::queries::processes::write::Step;
use super::queries::schema::{
    accounts, audit_trail, meter_points, payloads, process_history, processes, suppliers,
};
use super::queries::types::Day;
use crate::error::{Meaning, Result};
use chrono::NaiveDate;
use cutover_app::port::MeterPointQuestion;
use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql};
use diesel::dsl::{exists, max};
use diesel::prelude::*;
use diesel::serialize::{self, IsNull, Output};
use diesel::sql_types::{BigInt, Text};

pub(crate) use super::claim::{expired_leases, first_pending, next_due_at, open_suppliers};

pub(crate) type Conn = diesel::SqliteConnection;
pub(crate) type Db = diesel::sqlite::Sqlite;

/// What the columns of our own types are here.
pub(crate) mod columns {
    pub(crate) type Instant = diesel::sql_types::BigInt;
    pub(crate) type Day = diesel::sql_types::Text;
    pub(crate) type Digits = diesel::sql_types::Text;
    pub(crate) type Json = diesel::sql_types::Text;
}

/// Writes rows by a statement each: it is prepared once for all accounts, and to run it costs less than to
/// parse one statement of many rows.
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

/// What is about to be claimed: there is one writer.
macro_rules! for_claim {
    ($query:expr) => {
        $query
    };
}

/// The arms of a `UNION ALL` are read side by side in the order of the whole.
pub(crate) const ORDERS_ARMS: bool = false;

/// There is one writer: whoever writes has locked everything.
pub(crate) const LOCK: &str = "";

/// Around a bounded query of keys whose rows are wanted.
pub(crate) const AMONG: &str = " IN (";
pub(crate) const AMONG_END: &str = ")";

/// Text is compared by its bytes.
pub(crate) const BYTES: &str = "";

/// Who writes is alone.
pub(crate) fn begin_fold(_: &mut Conn) -> Result<Option<()>> {
    Ok(Some(()))
}

pub(crate) fn end_fold(_: &mut Conn, (): ()) -> Result<()> {
    Ok(())
}

/// Lower bounds of the changes that are not folded. SQLite keeps no dead rows, so they need not move.
pub(crate) const FIRST_PROCESS_CHANGE: &str = "0";
pub(crate) const FIRST_TOTAL_CHANGE: &str = "0";

/// The latest changes of the figures of processes have a key behind this.
pub(crate) const LATEST_CHANGES: &str = "0";

/// SQLite has no partitions.
pub(crate) fn has_partitions(_: &mut Conn) -> Result<bool> {
    Ok(true)
}

pub(crate) fn add_partitions(_: &mut Conn) -> Result<()> {
    Ok(())
}

/// Removes payloads and histories of processes that were marked as archived.
pub(crate) fn archived(conn: &mut Conn, ids: &[i64]) -> Result<()> {
    diesel::delete(payloads::table.filter(payloads::process_id.eq_any(ids))).execute(conn)?;
    diesel::delete(process_history::table.filter(process_history::process_id.eq_any(ids))).execute(conn)?;
    Ok(())
}

pub(crate) fn remove_archived(_: &mut Conn, _: i64) -> Result<Option<i64>> {
    Ok(None)
}

/// Triggers count at once: there is nothing to fold.
pub(crate) fn fold_processes(_: &mut Conn, _: u32) -> Result<usize> {
    Ok(0)
}

pub(crate) fn lock_suppliers(_: &mut Conn) -> Result<()> {
    Ok(())
}

/// The next key cannot be taken by another before this transaction ends. Nor is it that of a process that was
/// erased, for it may be known to somebody still: the audit trail names those.
pub(crate) fn next_process_id(conn: &mut Conn) -> Result<i64> {
    let last: Option<i64> = processes::table.select(max(processes::id)).get_result(conn)?;
    let named: Option<i64> = audit_trail::table.select(max(audit_trail::process_id)).get_result(conn)?;
    Ok(last.max(named).unwrap_or(0) + 1)
}

/// Writes steps; which of them found their process at the version before.
pub(crate) fn steps(conn: &mut Conn, steps: Vec<Step>) -> Result<Vec<bool>> {
    steps.into_iter().map(|step| Ok(step.execute(conn)? > 0)).collect()
}

pub(crate) fn are_taken(conn: &mut Conn, questions: &[MeterPointQuestion<'_>]) -> Result<Vec<bool>> {
    questions.iter().map(|question| is_taken(conn, question)).collect()
}

/// Whether another account of the organisation has a meter point. Identifiers are kept trimmed.
fn is_taken(conn: &mut Conn, question: &MeterPointQuestion<'_>) -> Result<bool> {
    let MeterPointQuestion { organisation_id, supplier_id, number, sought } = *question;
    let is_another =
        accounts::supplier_id.ne(supplier_id).or(accounts::external_account_number.ne(number.as_str()));
    let ends_after = meter_points::supply_end_date.gt(Day::from(sought.supply_start_date));
    let holders = meter_points::table
        .inner_join(accounts::table.inner_join(suppliers::table))
        .filter(meter_points::mpxn.eq(&sought.mpxn))
        .filter(meter_points::supply_end_date.is_null().or(ends_after))
        .filter(suppliers::organisation_id.eq(organisation_id))
        .filter(is_another);
    Ok(diesel::select(exists(holders)).get_result(conn)?)
}

/// Microseconds since 1970.
pub(crate) fn write_instant(micros: i64, out: &mut Output<'_, '_, Db>) -> serialize::Result {
    out.set_value(micros);
    Ok(IsNull::No)
}

pub(crate) fn read_instant(value: <Db as Backend>::RawValue<'_>) -> deserialize::Result<i64> {
    <i64 as FromSql<BigInt, Db>>::from_sql(value)
}

/// `YYYY-MM-DD`.
pub(crate) fn write_day(day: NaiveDate, out: &mut Output<'_, '_, Db>) -> serialize::Result {
    out.set_value(day.to_string());
    Ok(IsNull::No)
}

pub(crate) fn read_day(value: <Db as Backend>::RawValue<'_>) -> deserialize::Result<NaiveDate> {
    <String as FromSql<Text, Db>>::from_sql(value)?.parse().map_err(|_| "a day is none".into())
}

/// A statement that is refused is as if it had not been run.
pub(crate) const REFUSAL_ENDS_TRANSACTION: bool = false;

/// Messages of `sqlite3_errmsg`: texts of `sqlite3_errstr`, which diesel hands on without their codes.
const PASSING: [&str; 6] = [
    "database or disk is full",
    "disk I/O error",
    "attempt to write a readonly database",
    "unable to open database file",
    "out of memory",
    "interrupted",
];
const BUSY: [&str; 3] = ["database is locked", "database table is locked", "locking protocol"];
const CORRUPT: [&str; 2] = ["database disk image is malformed", "file is not a database"];

/// What an error without a kind means.
pub(crate) fn meaning(message: &str) -> Meaning {
    let is = |texts: &[&str]| texts.iter().any(|text| message.starts_with(text));
    match () {
        () if is(&PASSING) => Meaning::Passing,
        () if is(&BUSY) => Meaning::Busy,
        () if is(&CORRUPT) => Meaning::Corrupt,
        () => Meaning::Other,
    }
}
