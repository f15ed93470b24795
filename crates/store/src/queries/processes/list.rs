mod by_cause;

use super::super::Conn;
use super::super::dialect::Db;
use super::super::schema::{processes, suppliers};
use super::super::types::Timestamp;
use super::row::StoredRow;
use super::stored;
use crate::error::Result;
use crate::schema::columns;
use cutover_app::port::{ListedProcess, PageLimit, Position, ProcessFilter, ProcessPage, StoredProcess};
use cutover_core::Level;
use cutover_process::State;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool};

/// A condition on the position in the list: after one, or up to it. Time and key are compared at once, so
/// that the rows are a range of the index. SQLite begins the range with the rows of the same microsecond and
/// skips them.
#[derive(Debug, Clone, Copy)]
struct Positioned<const IS_AFTER: bool> {
    created_at: Timestamp,
    id: i64,
}

type After = Positioned<true>;
type UpTo = Positioned<false>;

impl<const IS_AFTER: bool> From<Position> for Positioned<IS_AFTER> {
    fn from((created_at, id): Position) -> Self {
        Self { created_at: created_at.into(), id }
    }
}

impl<const IS_AFTER: bool> QueryId for Positioned<IS_AFTER> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<const IS_AFTER: bool> diesel::Expression for Positioned<IS_AFTER> {
    type SqlType = Bool;
}
impl<QS, const IS_AFTER: bool> diesel::SelectableExpression<QS> for Positioned<IS_AFTER> {}
impl<QS, const IS_AFTER: bool> diesel::AppearsOnTable<QS> for Positioned<IS_AFTER> {}
impl<GB, const IS_AFTER: bool> diesel::expression::ValidGrouping<GB> for Positioned<IS_AFTER> {
    type IsAggregate = diesel::expression::is_aggregate::Never;
}

impl<const IS_AFTER: bool> QueryFragment<Db> for Positioned<IS_AFTER> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("(processes.created_at, processes.id) ");
        out.push_sql(if IS_AFTER { "> (" } else { "<= (" });
        out.push_bind_param::<columns::Instant, _>(&self.created_at)?;
        out.push_sql(", ");
        out.push_bind_param::<BigInt, _>(&self.id)?;
        out.push_sql(")");
        Ok(())
    }
}

/// Returns the condition of the partial index that has the rows of a state in their order. It is text and not a
/// value, because values are unknown when the statement is planned.
fn indexed(state: State) -> &'static str {
    match state {
        State::Pending => "processes.state = 'PENDING'",
        State::InProgress => "processes.state = 'IN_PROGRESS'",
        State::Processed => "processes.state = 'PROCESSED'",
        State::Cancelled => "processes.state = 'CANCELLED'",
        State::Errored => "processes.state = 'ERRORED'",
        State::DryRunSucceeded => "processes.state = 'DRY_RUN_SUCCEEDED'",
        State::DryRunErrored => "processes.state = 'DRY_RUN_ERRORED'",
    }
}

/// Returns the condition of processes whose import was undone, or of all others.
fn undone(is_undone: bool) -> &'static str {
    match is_undone {
        true => "(processes.state = 'CANCELLED' AND processes.failing_tries IS NOT NULL)",
        false => "NOT (processes.state = 'CANCELLED' AND processes.failing_tries IS NOT NULL)",
    }
}

/// Selects the range of an index that is read for a page, in its order.
macro_rules! range {
    ($query:expr, $supplier_id:expr, $filter:expr, $after:expr) => {{
        let mut range = $query
            .filter(processes::supplier_id.eq($supplier_id))
            .order((processes::created_at, processes::id))
            .into_boxed();
        if let Some(state) = $filter.only_state() {
            range = range.filter(sql::<Bool>(indexed(state)));
        }
        if let Some(after) = $after {
            range = range.filter(After::from(after));
        }
        range
    }};
}

pub(super) fn page(
    conn: &mut Conn,
    supplier_id: i64,
    filter: ProcessFilter<'_>,
    after: Option<Position>,
    limit: PageLimit,
) -> Result<ProcessPage> {
    let causes = [(Level::Error, filter.error_code), (Level::Warning, filter.warning_code)];
    let mut causes = causes.into_iter().filter_map(|(level, code)| Some((level, code?)));
    if let Some(first) = causes.next() {
        let of_cause = by_cause::OfCause { supplier_id, first, second: causes.next() };
        return by_cause::page(conn, of_cause, filter, after, limit);
    }
    let end = end_of_scan(conn, supplier_id, filter, after, limit)?;
    // One more row shows that there is another page.
    let mut page = range!(stored!(), supplier_id, filter, after).limit(i64::from(limit.items) + 1);
    if let Some(after) = filter.modified_after {
        page = page.filter(processes::modified_at.gt(Timestamp::from(after)));
    }
    if let Some(is_undone) = filter.is_undone {
        page = page.filter(sql::<Bool>(undone(is_undone)));
    }
    if let Some(end) = end {
        page = page.filter(UpTo::from(end));
    }
    made(page.load::<StoredRow>(conn)?, limit, end)
}

/// Makes a page of its rows, of which one more than it holds shows that there is another page. `end` is where
/// reading ended before the end of the list.
fn made(rows: Vec<StoredRow>, limit: PageLimit, end: Option<Position>) -> Result<ProcessPage> {
    let mut processes = rows.into_iter().map(listed).collect::<Result<Vec<_>>>()?;
    let is_full = processes.len() > limit.items as usize;
    processes.truncate(limit.items as usize);
    let next = if is_full { processes.last().map(|last| last.position) } else { end };
    Ok(ProcessPage { processes, next })
}

/// Returns the last position that may be read for a page, or `None` if all rows left may be read. Only
/// indexes are read for it. If the index alone selects the rows, none is read in vain and no bound is needed.
fn end_of_scan(
    conn: &mut Conn,
    supplier_id: i64,
    filter: ProcessFilter<'_>,
    after: Option<Position>,
    limit: PageLimit,
) -> Result<Option<Position>> {
    if filter.modified_after.is_none() && filter.is_undone.is_none() {
        return Ok(None);
    }
    let positions = processes::table.select((processes::created_at, processes::id));
    let last = i64::from(limit.scanned.max(1)) - 1;
    // The row after the last one shows that there are more.
    let ends: Vec<(Timestamp, i64)> =
        range!(positions, supplier_id, filter, after).offset(last).limit(2).load(conn)?;
    end_of(&ends)
}

/// Returns the position of the first of two rows; `None` if there are fewer.
fn end_of(ends: &[(Timestamp, i64)]) -> Result<Option<Position>> {
    match ends {
        [(created_at, id), _] => Ok(Some((created_at.instant()?, *id))),
        _ => Ok(None),
    }
}

fn listed(row: StoredRow) -> Result<ListedProcess> {
    let position = row.position()?;
    let StoredProcess { process, error_causes, .. } = row.try_into()?;
    Ok(ListedProcess { process, position, error_causes })
}
