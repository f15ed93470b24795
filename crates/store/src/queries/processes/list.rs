use super::super::Conn;
use super::super::dialect::Db;
use super::super::schema::{processes, suppliers};
use super::super::types::Timestamp;
use super::row::StoredRow;
use super::stored;
use crate::error::Result;
use chrono::{DateTime, Utc};
use cutover_app::port::{ListedProcess, ProcessFilter, StoredProcess};
use cutover_process::State;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool};

/// Behind a position in the order of the list. One comparison of both, so that it is a range of the
/// index; SQLite begins the range with those created in the same microsecond, and passes over them.
#[derive(Debug, Clone, Copy, QueryId)]
struct After {
    created_at: Timestamp,
    id: i64,
}

impl diesel::Expression for After {
    type SqlType = Bool;
}
impl<QS> diesel::SelectableExpression<QS> for After {}
impl<QS> diesel::AppearsOnTable<QS> for After {}
impl<GB> diesel::expression::ValidGrouping<GB> for After {
    type IsAggregate = diesel::expression::is_aggregate::Never;
}

impl QueryFragment<Db> for After {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("(processes.created_at, processes.id) > (");
        out.push_bind_param::<super::super::dialect::columns::Instant, _>(&self.created_at)?;
        out.push_sql(", ");
        out.push_bind_param::<BigInt, _>(&self.id)?;
        out.push_sql(")");
        Ok(())
    }
}

/// The words of the index that has what is asked for in its order, and the state: as a value they would not be
/// known when the statement is planned.
fn indexed(filter: ProcessFilter) -> Option<&'static str> {
    let Some(state) = filter.state else {
        return filter.error_code.map(|_| "processes.error_code IS NOT NULL");
    };
    Some(match state {
        State::Processed => "processes.state = 'PROCESSED'",
        State::Cancelled => "processes.state = 'CANCELLED'",
        State::InProgress => "processes.state = 'IN_PROGRESS'",
        State::Errored => "processes.error_code IS NOT NULL AND processes.state = 'ERRORED'",
        State::DryRunErrored => "processes.error_code IS NOT NULL AND processes.state = 'DRY_RUN_ERRORED'",
        State::Pending => "processes.state NOT IN ('PROCESSED', 'CANCELLED') AND processes.state = 'PENDING'",
        State::DryRunSucceeded => {
            "processes.state NOT IN ('PROCESSED', 'CANCELLED') AND processes.state = 'DRY_RUN_SUCCEEDED'"
        }
    })
}

pub(super) fn page(
    conn: &mut Conn,
    supplier_id: i64,
    filter: ProcessFilter,
    after: Option<(DateTime<Utc>, i64)>,
    limit: u32,
) -> Result<Vec<ListedProcess>> {
    let can_have_error = matches!(filter.state, None | Some(State::Errored | State::DryRunErrored));
    if filter.error_code.is_some() && !can_have_error {
        return Ok(Vec::new());
    }
    let mut page = stored!()
        .filter(processes::supplier_id.eq(supplier_id))
        .order((processes::created_at, processes::id))
        .limit(limit.into())
        .into_boxed();
    if let Some(words) = indexed(filter) {
        page = page.filter(sql::<Bool>(words));
    }
    if let Some(code) = filter.error_code {
        page = page.filter(processes::error_code.eq(code.as_str()));
    }
    if let Some(after) = filter.modified_after {
        page = page.filter(processes::modified_at.gt(Timestamp::from(after)));
    }
    if let Some((created_at, id)) = after {
        page = page.filter(After { created_at: created_at.into(), id });
    }
    page.load::<StoredRow>(conn)?.into_iter().map(listed).collect()
}

fn listed(row: StoredRow) -> Result<ListedProcess> {
    let position = row.position()?;
    Ok(ListedProcess { process: StoredProcess::try_from(row)?.process, position })
}
