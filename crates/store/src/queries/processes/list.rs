use super::super::Conn;
use super::super::dialect::{Db, Dialect, columns};
use super::super::schema::{processes, suppliers};
use super::super::sql_dialect::SqlDialect;
use super::super::types::Timestamp;
use super::row::StoredRow;
use super::stored;
use crate::error::Result;
use cutover_app::port::{ListedProcess, PageLimit, Position, ProcessFilter, ProcessPage, StoredProcess};
use cutover_process::State;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool, Text};

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

/// Returns the condition of the partial index that has the rows of a filter in their order. It is text and
/// not a value, because values are unknown when the statement is planned. A filter by error code uses the
/// index of codes.
fn indexed(filter: ProcessFilter<'_>) -> Option<&'static str> {
    if filter.error_code.is_some() {
        return Some("processes.error_code IS NOT NULL");
    }
    filter.state.map(|state| match state {
        State::Pending => "processes.state = 'PENDING'",
        State::InProgress => "processes.state = 'IN_PROGRESS'",
        State::Processed => "processes.state = 'PROCESSED'",
        State::Cancelled => "processes.state = 'CANCELLED'",
        State::Errored => "processes.state = 'ERRORED'",
        State::DryRunSucceeded => "processes.state = 'DRY_RUN_SUCCEEDED'",
        State::DryRunErrored => "processes.state = 'DRY_RUN_ERRORED'",
    })
}

/// Returns the condition on the state of a filter by error code, written so that it fits no index: an index
/// of the state would have to be searched for the code.
fn not_indexed(filter: ProcessFilter<'_>) -> Option<&'static str> {
    match filter.state? {
        State::Errored if filter.error_code.is_some() => Some("processes.state || '' = 'ERRORED'"),
        State::DryRunErrored if filter.error_code.is_some() => {
            Some("processes.state || '' = 'DRY_RUN_ERRORED'")
        }
        _ => None,
    }
}

/// Selects the range of an index that is read for a page, in its order.
macro_rules! range {
    ($query:expr, $supplier_id:expr, $filter:expr, $after:expr) => {{
        let mut range = $query
            .filter(processes::supplier_id.eq($supplier_id))
            .order((processes::created_at, processes::id))
            .into_boxed();
        if let Some(words) = indexed($filter) {
            range = range.filter(sql::<Bool>(words));
        }
        if let Some(code) = $filter.error_code {
            let code = sql::<Bool>("processes.error_code = ").bind::<Text, _>(code).sql(Dialect::BYTES);
            range = range.filter(code);
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
    let can_have_error = matches!(filter.state, None | Some(State::Errored | State::DryRunErrored));
    if filter.error_code.is_some() && !can_have_error {
        return Ok(ProcessPage::default());
    }
    let end = end_of_scan(conn, supplier_id, filter, after, limit)?;
    // One more row shows that there is another page.
    let mut page = range!(stored!(), supplier_id, filter, after).limit(i64::from(limit.items) + 1);
    if let Some(words) = not_indexed(filter) {
        page = page.filter(sql::<Bool>(words));
    }
    if let Some(after) = filter.modified_after {
        page = page.filter(processes::modified_at.gt(Timestamp::from(after)));
    }
    if let Some(end) = end {
        page = page.filter(UpTo::from(end));
    }
    let rows = page.load::<StoredRow>(conn)?;
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
    if filter.modified_after.is_none() && not_indexed(filter).is_none() {
        return Ok(None);
    }
    let positions = processes::table.select((processes::created_at, processes::id));
    let last = i64::from(limit.scanned.max(1)) - 1;
    // The row after the last one shows that there are more.
    let ends: Vec<(Timestamp, i64)> =
        range!(positions, supplier_id, filter, after).offset(last).limit(2).load(conn)?;
    match ends[..] {
        [(created_at, id), _] => Ok(Some((created_at.instant()?, id))),
        _ => Ok(None),
    }
}

fn listed(row: StoredRow) -> Result<ListedProcess> {
    let position = row.position()?;
    Ok(ListedProcess { process: StoredProcess::try_from(row)?.process, position })
}
