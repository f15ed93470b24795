//! The PostgreSQL dialect of the queries.

use super::queries::processes::queue::{FirstPending, OpenSupplier, OverdueSupplier};
use super::queries::processes::write::Step;
use super::queries::refusals;
use super::queries::sql_dialect::SqlDialect;
use super::queries::statement::Bind;
use super::queries::terms::TermRange;
use super::queries::types::Timestamp;
use super::{bulk, claim, fold, partitions};
use crate::claim_hints::ClaimHints;
use crate::error::{Meaning, Result};
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use cutover_app::port::{FeedPosition, HeldMeterPoint, MeterPointQuestion};
use cutover_core::ExternalAccountNumber;
use cutover_postgres_client::sqlstate;
use diesel::backend::Backend;
use diesel::data_types::PgTimestamp;
use diesel::deserialize::{self, FromSql};
use diesel::pg::data_types::PgDate;
use diesel::prelude::*;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{Array, BigInt, Date, Text, Timestamptz};
use std::ops::Range;

pub(crate) type Conn = cutover_postgres_client::Connection;
pub(crate) type Db = diesel::pg::Pg;

/// A group of columns that statements write for many rows at once.
pub(crate) trait Columns {
    /// `a, b`
    const NAMES: &'static str;
    /// `a = n.a, b = n.b`, for an update from rows named `n`.
    const FROM_N: &'static str;
    /// An array for each column. In a statement it is a list of arguments of `unnest`, in the order of
    /// [`NAMES`](Self::NAMES).
    type Arrays<'r>: Bind
    where
        Self: 'r;

    /// Returns the columns of rows as arrays.
    fn arrays<'r>(rows: impl Iterator<Item = &'r Self>) -> Self::Arrays<'r>
    where
        Self: 'r;
}

/// Declares `Arrays`: the columns of rows as an array each.
macro_rules! arrays_of {
    ($table:ident, $row:ident<$life:lifetime> { $($column:ident: $type:ty,)* }) => {
        pub(crate) struct Arrays<'r, $life> {
            $($column: Vec<&'r $type>,)*
        }

        impl<'r, $life> Arrays<'r, $life> {
            fn of(rows: &[&'r $row<$life>]) -> Self {
                Self { $($column: rows.iter().map(|row| &row.$column).collect(),)* }
            }

            /// Binds the arrays with a separator between them.
            fn push<'b>(
                &'b self,
                out: &mut diesel::query_builder::AstPass<'_, 'b, diesel::pg::Pg>,
                separator: &str,
            ) -> diesel::QueryResult<()> {
                use diesel::{dsl::SqlTypeOf, sql_types::Array};
                let mut before = "";
                $(
                    out.push_sql(std::mem::replace(&mut before, separator));
                    out.push_bind_param::<Array<SqlTypeOf<$table::$column>>, _>(&self.$column)?;
                )*
                Ok(())
            }
        }
    };
}

/// Implements [`Columns`].
macro_rules! column_arrays {
    ($table:ident, $row:ident<$life:lifetime> { $first:ident: $first_type:ty, $($column:ident: $type:ty,)* }) => {
        const _: () = {
            use $crate::postgres::dialect::Columns;

            arrays_of!($table, $row<$life> { $first: $first_type, $($column: $type,)* });

            impl<$life> Columns for $row<$life> {
                const NAMES: &'static str = concat!(stringify!($first), $(", ", stringify!($column)),*);
                const FROM_N: &'static str = concat!(
                    stringify!($first), " = n.", stringify!($first),
                    $(", ", stringify!($column), " = n.", stringify!($column)),*
                );
                type Arrays<'r> = Arrays<'r, $life> where Self: 'r;

                fn arrays<'r>(rows: impl Iterator<Item = &'r Self>) -> Arrays<'r, $life>
                where
                    Self: 'r,
                {
                    Arrays::of(&rows.collect::<Vec<_>>())
                }
            }

            impl Bind for Arrays<'_, '_> {
                fn bind<'b>(
                    &'b self,
                    out: &mut diesel::query_builder::AstPass<'_, 'b, Db>,
                ) -> diesel::QueryResult<()> {
                    self.push(out, ", ")
                }
            }
        };
    };
}

/// Inserts rows with one statement that has an array for each column. The statement is the same for any
/// number of rows, so it is prepared once for each connection. A COPY would let the server wait for this
/// process, holding locks, where no timeout ends it. Several `unnest` in the select list cost less than `FROM
/// unnest($1, $2, …)`.
macro_rules! insert_all {
    ($table:ident, $row:ident<$life:lifetime> { $($column:ident: $type:ty,)* }) => {
        const _: () = {
            arrays_of!($table, $row<$life> { $($column: $type,)* });

            impl diesel::query_builder::QueryId for Arrays<'_, '_> {
                type QueryId = Arrays<'static, 'static>;
                const HAS_STATIC_QUERY_ID: bool = true;
            }

            impl diesel::query_builder::QueryFragment<diesel::pg::Pg> for Arrays<'_, '_> {
                fn walk_ast<'b>(
                    &'b self,
                    mut out: diesel::query_builder::AstPass<'_, 'b, diesel::pg::Pg>,
                ) -> diesel::QueryResult<()> {
                    out.push_sql("INSERT INTO ");
                    $table::table.walk_ast(out.reborrow())?;
                    let mut before = " (";
                    $(
                        out.push_sql(std::mem::replace(&mut before, ", "));
                        out.push_identifier(<$table::$column as diesel::Column>::NAME)?;
                    )*
                    out.push_sql(") SELECT unnest(");
                    self.push(&mut out, "), unnest(")?;
                    out.push_sql(")");
                    Ok(())
                }
            }

            impl<C> diesel::RunQueryDsl<C> for Arrays<'_, '_> {}

            impl<$life> $row<$life> {
                pub(crate) fn insert_all<'r>(
                    rows: impl IntoIterator<Item = &'r Self>,
                    conn: &mut $crate::postgres::dialect::Conn,
                ) -> crate::error::Result<()>
                where
                    $life: 'r,
                {
                    let rows: Vec<&Self> = rows.into_iter().collect();
                    if !rows.is_empty() {
                        diesel::RunQueryDsl::execute(Arrays::of(&rows), conn)?;
                    }
                    Ok(())
                }
            }
        };
    };
}

/// Selects rows that stay as they are until the transaction ends.
macro_rules! for_share {
    ($query:expr) => {
        $query.for_share()
    };
}

/// Selects rows to be claimed, without those that others are claiming.
macro_rules! for_claim {
    ($query:expr) => {
        $query.for_no_key_update().skip_locked()
    };
}

statement! {
    LockSuppliers {} -> BigInt = "SELECT 1::BIGINT FROM pg_advisory_xact_lock(7166762404106564097)"
}

statement! {
    /// Conflicts with the locks of rows, also of those that are not there yet. A statement that waits for a table reads
    /// what was committed meanwhile, unlike one that waits for an advisory lock.
    LockRuns {} = "LOCK TABLE runs IN EXCLUSIVE MODE"
}

statement! {
    /// A standby that is promoted, and a server with an older copy of the files, have begun at another time. A dump that
    /// is restored writes the row of the installation again.
    History {} -> Text
        = "SELECT md5(concat_ws(' ', id, xmin, extract(epoch FROM pg_postmaster_start_time()))) FROM installation"
}

statement! {
    /// The processes of some blocks with such terms. The limit within a block makes each a lookup by the key, whatever the plan.
    InBlocks { first: i64, last: i64, from: Vec<u8>, to: Vec<u8>, after: i64, limit: i64 } -> BigInt
        = "SELECT t.process_id FROM generate_series(" first ", " last ") AS b (block) CROSS JOIN LATERAL (\
            SELECT s.block, s.term, s.process_id FROM search_terms s WHERE s.block = b.block \
            AND s.term >= " from " AND s.term < " to " AND s.process_id > " after " \
            ORDER BY s.block, s.term, s.process_id LIMIT " limit ") t \
            ORDER BY t.block, t.term, t.process_id LIMIT " limit
}

statement! {
    NextProcessId {} -> BigInt = "SELECT nextval('process_ids')"
}

/// Microseconds between 1970 and 2000, from which PostgreSQL counts.
const EPOCH: i64 = 946_684_800_000_000;

/// 2000-01-01, in days since the year 1 began.
const FIRST_DAY: i32 = 730_120;

pub(crate) struct Dialect;

impl SqlDialect for Dialect {
    const LOCK: &'static str = " FOR NO KEY UPDATE";
    const LOCK_PROCESSES: &'static str = " FOR NO KEY UPDATE OF processes";
    const SKIP_LOCKED: &'static str = " SKIP LOCKED";
    /// An array is read once whatever the plan, and the rows by their keys. A join planned while the table is
    /// empty would read all of it.
    const AMONG: &'static str = " = ANY(ARRAY(";
    const AMONG_END: &'static str = "))";
    const ORDERS_ARMS: bool = true;
    /// The sequence knows the last key without reading dead rows.
    const LATEST_CHANGES: &'static str = "(SELECT last_value FROM process_changes_id_seq) - 20000";
    /// With these bounds no query reads the dead rows before them.
    const FIRST_PROCESS_CHANGE: &'static str =
        "(SELECT folded_to FROM folded_changes WHERE kind = 'processes')";
    const FIRST_CAUSE_CHANGE: &'static str = "(SELECT folded_to FROM folded_changes WHERE kind = 'causes')";
    const FIRST_TOTAL_CHANGE: &'static str = "(SELECT folded_to FROM folded_changes WHERE kind = 'totals')";
    const FIRST_ACTIVITY_CHANGE: &'static str =
        "(SELECT folded_to FROM folded_changes WHERE kind = 'activity')";
    const FIRST_ROW_CHANGE: &'static str = "(SELECT folded_to FROM folded_changes WHERE kind = 'rows')";
    const WRITTEN_IN: &'static str =
        "(SELECT transactions_before FROM feed_origin) + pg_current_xact_id()::text::bigint";
    const EVENT_ID: &'static str = "nextval('feed_event_ids')";
    /// Those before the oldest open transaction. One that only reads has no number and delays nothing. One of
    /// another database or of autovacuum cannot have written an event; without the right to see that, it counts as
    /// well.
    const VISIBLE_EVENTS: &'static str = " AND written_in < (SELECT transactions_before FROM feed_origin) \
        + coalesce((\
            SELECT min(open::text::bigint) FROM pg_snapshot_xip(pg_current_snapshot()) AS open \
            WHERE NOT EXISTS (\
                SELECT FROM pg_stat_activity WHERE backend_xid = open::xid \
                AND (datname <> current_database() OR backend_type = 'autovacuum worker'))), \
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint)";
    /// PostgreSQL rolls such a transaction back even on COMMIT.
    const REFUSAL_ENDS_TRANSACTION: bool = true;

    type Fold = fold::DrawnKeys;

    fn history(conn: &mut Conn, _: &str) -> Result<String> {
        Ok(History {}.get_result(conn)?)
    }

    fn processes_with_terms(conn: &mut Conn, blocks: Range<i64>, range: &TermRange) -> Result<Vec<i64>> {
        let TermRange { from, to, after, limit } = range.clone();
        let in_blocks = InBlocks { first: blocks.start, last: blocks.end - 1, from, to, after, limit };
        Ok(in_blocks.load(conn)?)
    }

    fn next_process_id(conn: &mut Conn) -> Result<i64> {
        Ok(NextProcessId {}.get_result(conn)?)
    }

    fn processes_among(
        conn: &mut Conn,
        supplier_id: i64,
        numbers: &[String],
    ) -> Result<Vec<(String, i64, Timestamp)>> {
        bulk::processes_among(conn, supplier_id, numbers)
    }

    fn similar_numbers(
        conn: &mut Conn,
        supplier_id: i64,
        numbers: &[ExternalAccountNumber],
    ) -> Result<Vec<Option<String>>> {
        bulk::similar_numbers(conn, supplier_id, numbers)
    }

    fn refused_among(conn: &mut Conn, supplier_id: i64, numbers: &[String]) -> Result<Vec<refusals::Read>> {
        bulk::refused_among(conn, supplier_id, numbers)
    }

    fn remove_refused(conn: &mut Conn, supplier_id: i64, numbers: &[&str]) -> Result<usize> {
        bulk::remove_refused(conn, supplier_id, numbers)
    }

    fn steps(conn: &mut Conn, steps: Vec<Step<'_>>) -> Result<Vec<bool>> {
        bulk::steps(conn, steps)
    }

    fn remove_events(conn: &mut Conn, expired: &[(i64, FeedPosition)]) -> Result<()> {
        partitions::remove_events(conn, expired)
    }

    fn open_suppliers(
        conn: &mut Conn,
        hints: &ClaimHints,
        at: DateTime<Utc>,
        limit: i64,
    ) -> Result<Vec<OpenSupplier>> {
        claim::open_suppliers(conn, hints, at, limit)
    }

    fn first_pending(conn: &mut Conn, hints: &ClaimHints, at: DateTime<Utc>) -> Result<Vec<FirstPending>> {
        claim::first_pending(conn, hints, at)
    }

    fn next_due_at(conn: &mut Conn, hints: &ClaimHints, at: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
        claim::next_due_at(conn, hints, at)
    }

    fn expired_leases(
        conn: &mut Conn,
        hints: &ClaimHints,
        before: DateTime<Utc>,
    ) -> Result<Vec<OverdueSupplier>> {
        claim::expired_leases(conn, hints, before)
    }

    fn meter_point_holders(
        conn: &mut Conn,
        questions: &[MeterPointQuestion<'_>],
    ) -> Result<Vec<Option<HeldMeterPoint>>> {
        bulk::meter_point_holders(conn, questions)
    }

    fn lock_meter_points(conn: &mut Conn, questions: &[MeterPointQuestion<'_>]) -> Result<()> {
        bulk::lock_meter_points(conn, questions)
    }

    fn lock_runs(conn: &mut Conn) -> Result<()> {
        LockRuns {}.execute(conn)?;
        Ok(())
    }

    fn lock_suppliers(conn: &mut Conn) -> Result<()> {
        LockSuppliers {}.get_result::<i64>(conn)?;
        Ok(())
    }

    fn begin_fold(conn: &mut Conn) -> Result<Option<fold::DrawnKeys>> {
        fold::begin(conn)
    }

    fn fold_processes(conn: &mut Conn, limit: u32) -> Result<usize> {
        fold::fold_processes(conn, limit)
    }

    fn fold_causes(conn: &mut Conn, limit: u32) -> Result<usize> {
        fold::fold_causes(conn, limit)
    }

    fn fold_activity(conn: &mut Conn, limit: u32) -> Result<usize> {
        fold::fold_activity(conn, limit)
    }

    fn end_fold(conn: &mut Conn, drawn: fold::DrawnKeys) -> Result<()> {
        fold::end(conn, drawn)
    }

    fn has_partitions(conn: &mut Conn) -> Result<bool> {
        partitions::has_partitions(conn)
    }

    /// Blocks no reader or writer of the other partitions.
    fn add_partitions(conn: &mut Conn) -> Result<()> {
        partitions::add_partitions(conn)
    }

    fn archived(_: &mut Conn, _: &[i64]) -> Result<()> {
        Ok(())
    }

    fn remove_archived(conn: &mut Conn, from: i64) -> Result<Option<i64>> {
        partitions::remove_archived(conn, from)
    }

    fn write_instant(micros: i64, out: &mut Output<'_, '_, Db>) -> serialize::Result {
        let timestamp = PgTimestamp(micros - EPOCH);
        ToSql::<Timestamptz, Db>::to_sql(&timestamp, &mut out.reborrow())
    }

    fn read_instant(value: <Db as Backend>::RawValue<'_>) -> deserialize::Result<i64> {
        let PgTimestamp(micros) = FromSql::<Timestamptz, Db>::from_sql(value)?;
        micros.checked_add(EPOCH).ok_or_else(|| "a time is out of range".into())
    }

    fn write_day(day: NaiveDate, out: &mut Output<'_, '_, Db>) -> serialize::Result {
        let date = PgDate(day.num_days_from_ce() - FIRST_DAY);
        ToSql::<Date, Db>::to_sql(&date, &mut out.reborrow())
    }

    fn read_day(value: <Db as Backend>::RawValue<'_>) -> deserialize::Result<NaiveDate> {
        let PgDate(days) = FromSql::<Date, Db>::from_sql(value)?;
        let day = days.checked_add(FIRST_DAY).and_then(NaiveDate::from_num_days_from_ce_opt);
        day.ok_or_else(|| "a day is out of range".into())
    }

    /// A lost connection has a kind, so messages without one are from a server that answers. Unknown codes
    /// count as a timeout: another attempt may succeed.
    fn meaning(message: &str) -> Meaning {
        let Some(code) = sqlstate(message) else { return Meaning::Other };
        match code.as_bytes() {
            b"40P01" => Meaning::Conflict,
            b"XX001" | b"XX002" => Meaning::Corrupt,
            // A full disk, and an error of its file system.
            b"53100" | b"58030" => Meaning::Unwritable,
            // Connections, resources, the operator's intervention, the system.
            [b'0', b'8', ..] | [b'5', b'3', ..] | [b'5', b'7', b'P', ..] | [b'5', b'8', ..] => {
                Meaning::Passing
            }
            // Values, the state of the transaction, rights and names.
            [b'0', b'A', ..] | [b'2', b'2', ..] | [b'2', b'5', ..] | [b'2', b'8', ..] | [b'4', b'2', ..] => {
                Meaning::Other
            }
            _ => Meaning::Busy,
        }
    }
}

/// Implements [`Bind`] for arrays.
macro_rules! bind_arrays {
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

bind_arrays! {
    Vec<i64> => BigInt;
}
