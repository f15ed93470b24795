//! Lists of the accounts with an error or a warning of a code.

use super::super::super::Conn;
use super::super::super::dialect::{Db, Dialect};
use super::super::super::schema::{processes, suppliers};
use super::super::super::sql_dialect::SqlDialect;
use super::super::super::statement::Bind;
use super::super::super::types::Timestamp;
use super::super::row::StoredRow;
use super::super::stored;
use super::{end_of, made, undone};
use crate::error::Result;
use crate::schema::columns;
use cutover_app::port::{PageLimit, Position, ProcessFilter, ProcessPage};
use cutover_core::Level;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};

/// The index that is read, and a second code that its accounts must have.
#[derive(Clone, Copy)]
pub(super) struct OfCause<'a> {
    pub(super) supplier_id: i64,
    pub(super) first: (Level, &'a str),
    pub(super) second: Option<(Level, &'a str)>,
}

statement! {
    /// The position of the last account that may be read, and of the next one.
    Ends { supplier_id: i64, level: &'static str, code: String, created_at: Timestamp, id: i64, before_last: i64 }
        -> (columns::Instant, BigInt)
        = "SELECT created_at, process_id FROM process_causes WHERE supplier_id = " supplier_id " AND level = " level
            " AND code = " code " AND rank = 0 AND (created_at, process_id) > (" created_at ", " id
            ") ORDER BY created_at, process_id LIMIT 2 OFFSET " before_last
}

pub(super) fn page(
    conn: &mut Conn,
    of: OfCause<'_>,
    filter: ProcessFilter<'_>,
    after: Option<Position>,
    limit: PageLimit,
) -> Result<ProcessPage> {
    let (level, code) = of.first;
    let (created_at, id) = after.map_or((Timestamp::FIRST, 0), |(at, id)| (at.into(), id));
    let has_others = of.second.is_some()
        || filter.state.is_some()
        || filter.modified_after.is_some()
        || filter.is_undone.is_some();
    // If the index alone selects the rows, none is read in vain. One more row shows that there is another page.
    let read = if has_others { limit.scanned.max(1) } else { limit.items.saturating_add(1) };
    let end = if has_others {
        let ends = Ends {
            supplier_id: of.supplier_id,
            level: level.as_str(),
            code: code.to_owned(),
            created_at,
            id,
            before_last: i64::from(read) - 1,
        };
        end_of(&ends.load::<(Timestamp, i64)>(conn)?)?
    } else {
        None
    };
    // The keys are a range of the index of codes, and the rows are found by their keys. No index of processes has
    // this order without the supplier, so none can be read instead.
    let keys = sql::<Bool>("processes.id")
        .sql(Dialect::AMONG)
        .sql("SELECT c.process_id FROM process_causes c WHERE c.supplier_id = ")
        .bind::<BigInt, _>(of.supplier_id)
        .sql(" AND c.level = ")
        .bind::<Text, _>(level.as_str())
        .sql(" AND c.code = ")
        .bind::<Text, _>(code)
        .sql(" AND c.rank = 0 AND (c.created_at, c.process_id) > (")
        .bind::<columns::Instant, _>(created_at)
        .sql(", ")
        .bind::<BigInt, _>(id)
        .sql(") ORDER BY c.created_at, c.process_id LIMIT ")
        .bind::<BigInt, _>(i64::from(read))
        .sql(Dialect::AMONG_END);
    let mut page = stored!()
        .filter(keys)
        .order((processes::created_at, processes::id))
        .limit(i64::from(limit.items) + 1)
        .into_boxed();
    if let Some((level, code)) = of.second {
        let has = sql::<Bool>(
            "EXISTS (SELECT 1 FROM process_causes s WHERE s.process_id = processes.id AND s.level = ",
        );
        let has = has.bind::<Text, _>(level.as_str()).sql(" AND s.code = ").bind::<Text, _>(code).sql(")");
        page = page.filter(has);
    }
    if let Some(state) = filter.state {
        page = page.filter(processes::state.eq(state.as_str()));
    }
    if let Some(after) = filter.modified_after {
        page = page.filter(processes::modified_at.gt(Timestamp::from(after)));
    }
    if let Some(is_undone) = filter.is_undone {
        page = page.filter(sql::<Bool>(undone(is_undone)));
    }
    made(page.load::<StoredRow>(conn)?, limit, end)
}
