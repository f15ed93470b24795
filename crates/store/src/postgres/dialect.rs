//! PostgreSQL, as far as queries see it.

use super::queries::statement::Bind;
use crate::error::{Meaning, Result};
use chrono::{Datelike, NaiveDate};
use diesel::backend::Backend;
use diesel::data_types::PgTimestamp;
use diesel::deserialize::{self, FromSql};
use diesel::pg::data_types::PgDate;
use diesel::prelude::*;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{Array, BigInt, Date, Timestamptz};

pub(crate) use super::bulk::{are_taken, steps};
pub(crate) use super::claim::{expired_leases, first_pending, next_due_at, open_suppliers};
pub(crate) use super::fold::{begin_fold, end_fold, fold_processes};
pub(crate) use super::partitions::{add_partitions, archived, has_partitions, remove_archived};

pub(crate) type Conn = diesel::PgConnection;
pub(crate) type Db = diesel::pg::Pg;

/// What the columns of our own types are here.
pub(crate) mod columns {
    pub(crate) type Instant = diesel::sql_types::Timestamptz;
    pub(crate) type Day = diesel::sql_types::Date;
    pub(crate) type Digits = diesel::sql_types::Text;
    pub(crate) type Json = diesel::sql_types::Text;
}

/// Writes rows by one statement over an array a column. It is the same for any number of rows, so it is
/// prepared once for each connection; and unlike a COPY it never has the server wait for us, holding locks,
/// where no timeout ends it. Arrays in the list run in step, and cost less than `FROM unnest($1, $2, …)`.
macro_rules! insert_all {
    ($table:ident, $row:ident<$life:lifetime> { $($column:ident: $type:ty,)* }) => {
        const _: () = {
            struct Columns<'r, $life> {
                $($column: Vec<&'r $type>,)*
            }

            impl diesel::query_builder::QueryId for Columns<'_, '_> {
                type QueryId = Columns<'static, 'static>;
                const HAS_STATIC_QUERY_ID: bool = true;
            }

            impl diesel::query_builder::QueryFragment<diesel::pg::Pg> for Columns<'_, '_> {
                fn walk_ast<'b>(
                    &'b self,
                    mut out: diesel::query_builder::AstPass<'_, 'b, diesel::pg::Pg>,
                ) -> diesel::QueryResult<()> {
                    use diesel::{dsl::SqlTypeOf, sql_types::Array};
                    out.push_sql("INSERT INTO ");
                    $table::table.walk_ast(out.reborrow())?;
                    let mut before = " (";
                    $(
                        out.push_sql(std::mem::replace(&mut before, ", "));
                        out.push_identifier(<$table::$column as diesel::Column>::NAME)?;
                    )*
                    let mut before = ") SELECT unnest(";
                    $(
                        out.push_sql(std::mem::replace(&mut before, "), unnest("));
                        out.push_bind_param::<Array<SqlTypeOf<$table::$column>>, _>(&self.$column)?;
                    )*
                    out.push_sql(")");
                    Ok(())
                }
            }

            impl<C> diesel::RunQueryDsl<C> for Columns<'_, '_> {}

            impl<$life> $row<$life> {
                pub(crate) fn insert_all<'r>(
                    rows: impl IntoIterator<Item = &'r Self>,
                    conn: &mut diesel::PgConnection,
                ) -> crate::error::Result<()>
                where
                    $life: 'r,
                {
                    let rows: Vec<&Self> = rows.into_iter().collect();
                    if !rows.is_empty() {
                        let columns = Columns { $($column: rows.iter().map(|row| &row.$column).collect(),)* };
                        diesel::RunQueryDsl::execute(columns, conn)?;
                    }
                    Ok(())
                }
            }
        };
    };
}

/// What is about to be claimed: rows that others are claiming are passed over.
macro_rules! for_claim {
    ($query:expr) => {
        $query.for_no_key_update().skip_locked()
    };
}

/// Each arm of a `UNION ALL` is read to its end, unless it says its order and its bound itself.
pub(crate) const ORDERS_ARMS: bool = true;

/// Locks a row against others that change it, not against rows that refer to it.
pub(crate) const LOCK: &str = " FOR NO KEY UPDATE";
pub(crate) const SKIP_LOCKED: &str = " FOR NO KEY UPDATE SKIP LOCKED";

statement! {
    /// Suppliers, those that there are not yet among them. Claims lock rows of theirs and are not held off.
    LockSuppliers {} -> BigInt = "SELECT 1::BIGINT FROM pg_advisory_xact_lock(7166762404106564097)"
}

pub(crate) fn lock_suppliers(conn: &mut Conn) -> Result<()> {
    LockSuppliers {}.get_result::<i64>(conn)?;
    Ok(())
}

/// The latest changes of the figures of processes have a key behind this: several times as many as sweeps leave. The
/// sequence says which key is the last, without a look at dead rows.
pub(crate) const LATEST_CHANGES: &str = "(SELECT last_value FROM process_changes_id_seq) - 20000";

/// Lower bounds of the changes that are not folded, so that no query reads past dead rows before them.
pub(crate) const FIRST_PROCESS_CHANGE: &str =
    "(SELECT folded_to FROM folded_changes WHERE kind = 'processes')";
pub(crate) const FIRST_TOTAL_CHANGE: &str = "(SELECT folded_to FROM folded_changes WHERE kind = 'totals')";

/// Before every process.
pub(crate) const FIRST: &str = "'1970-01-01 00:00:00+00'::TIMESTAMPTZ";

/// Around a bounded query of keys whose rows are wanted. As an array it is read once, whatever the plan, and the rows by
/// their keys: planned while the table is empty, a join would read all of it.
pub(crate) const AMONG: &str = " = ANY(ARRAY(";
pub(crate) const AMONG_END: &str = "))";

/// How an index compares text whose column does not say it.
pub(crate) const BYTES: &str = " COLLATE \"C\"";

statement! {
    NextProcessId {} -> BigInt = "SELECT nextval('process_ids')"
}

pub(crate) fn next_process_id(conn: &mut Conn) -> Result<i64> {
    Ok(NextProcessId {}.get_result(conn)?)
}

/// Microseconds between 1970 and 2000, where PostgreSQL begins to count.
const EPOCH: i64 = 946_684_800_000_000;

pub(crate) fn write_instant(micros: i64, out: &mut Output<'_, '_, Db>) -> serialize::Result {
    let timestamp = PgTimestamp(micros - EPOCH);
    ToSql::<Timestamptz, Db>::to_sql(&timestamp, &mut out.reborrow())
}

pub(crate) fn read_instant(value: <Db as Backend>::RawValue<'_>) -> deserialize::Result<i64> {
    let PgTimestamp(micros) = FromSql::<Timestamptz, Db>::from_sql(value)?;
    micros.checked_add(EPOCH).ok_or_else(|| "a time is out of range".into())
}

/// 2000-01-01, in days since the year 1 began.
const FIRST_DAY: i32 = 730_120;

pub(crate) fn write_day(day: NaiveDate, out: &mut Output<'_, '_, Db>) -> serialize::Result {
    let date = PgDate(day.num_days_from_ce() - FIRST_DAY);
    ToSql::<Date, Db>::to_sql(&date, &mut out.reborrow())
}

pub(crate) fn read_day(value: <Db as Backend>::RawValue<'_>) -> deserialize::Result<NaiveDate> {
    let PgDate(days) = FromSql::<Date, Db>::from_sql(value)?;
    let day = days.checked_add(FIRST_DAY).and_then(NaiveDate::from_num_days_from_ce_opt);
    day.ok_or_else(|| "a day is out of range".into())
}

/// After a statement that failed, PostgreSQL refuses all others of the transaction, and rolls it back even
/// if it is told to commit.
pub(crate) const REFUSAL_ENDS_TRANSACTION: bool = true;

/// Of what the database says itself, what trying again does not mend.
const LASTING: [&str; 8] = [
    "syntax error",
    "current transaction is aborted",
    "permission denied",
    "invalid byte sequence",
    "value too long",
    " is of type ",
    " does not exist",
    "out of range",
];
const CORRUPT: [&str; 3] = ["invalid page in block", "could not read block", "missing chunk number"];
/// What the server says when it cannot work for anybody.
const AWAY: [&str; 8] = [
    "o space left",
    "could not extend file",
    "could not write",
    "out of memory",
    "out of shared memory",
    "terminating connection",
    "the database system is",
    "recovery",
];

/// What an error without a kind means. A connection that is lost has a kind; so these are of a server that answers,
/// and most of them are timeouts of statements and locks. It may say them in any language: what is not known is
/// taken for one.
pub(crate) fn meaning(message: &str) -> Meaning {
    let says = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
    match () {
        () if message.contains("deadlock detected") => Meaning::Conflict,
        () if says(&CORRUPT) => Meaning::Corrupt,
        () if says(&LASTING) => Meaning::Other,
        () if says(&AWAY) => Meaning::Passing,
        () => Meaning::Busy,
    }
}

/// Arrays, which this database takes as values.
macro_rules! arrays {
    ($($rust:ty => $sql:ty;)*) => {
        $(
            impl Bind for $rust {
                fn bind<'b>(
                    &'b self,
                    out: &mut diesel::query_builder::AstPass<'_, 'b, Db>,
                ) -> diesel::QueryResult<()> {
                    out.push_bind_param::<Array<$sql>, $rust>(self)
                }
            }
        )*
    };
}

arrays! {
    Vec<i64> => BigInt;
}
