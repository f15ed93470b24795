//! The processes of a job, page by page.

use crate::port::{
    Job, JobFilter, JobKind, JobPosition, PageLimit, Position, ProcessFilter, Rows, StoreError, Tx,
};
use chrono::{DateTime, Utc};
use cutover_process::{Process, State};

/// Processes that a job comes to.
#[derive(Debug, Default)]
pub(crate) struct Selected {
    /// The processes, in the order of their position.
    pub(crate) processes: Vec<Process>,
    /// The position behind them; `None` at the end of the job.
    pub(crate) next: Option<JobPosition>,
}

/// The states of the processes that an operation on all processes of a supplier changes. Others that it could begin from
/// were ended by an operator or are rehearsals that passed: they have to be named.
fn states(kind: JobKind) -> &'static [State] {
    match kind {
        JobKind::Retry => &[State::Errored, State::DryRunErrored],
        JobKind::Cancel => &[State::Pending],
        JobKind::Erase => &[State::DryRunSucceeded],
        JobKind::Undo | JobKind::EraseSupplier => &[],
    }
}

/// Returns the states of the parts of a selection; `None` is a part of any state.
fn parts(kind: JobKind, filter: &JobFilter) -> Vec<Option<State>> {
    match (&filter.status, &filter.error_code) {
        // A status that this version does not know selects nothing.
        (Some(status), _) => status.known().map(|state| Some(*state)).into_iter().collect(),
        (None, Some(_)) if kind == JobKind::Erase => vec![Some(State::DryRunErrored)],
        // Only failed processes have an error.
        (None, Some(_)) => vec![None],
        (None, None) => states(kind).iter().copied().map(Some).collect(),
    }
}

/// Returns true if a process took its last step early enough: before the job was begun, so that it is not changed twice,
/// and before the time of the filter.
pub(crate) fn is_old(process: &Process, filter: &JobFilter, begun_at: DateTime<Utc>) -> bool {
    let modified_at = process.snapshot().modified_at;
    modified_at <= begun_at && filter.before.is_none_or(|before| modified_at < before)
}

/// Returns the processes of a supplier that match a filter and lie behind a position. Up to `limit.items` are examined.
pub(crate) fn matching(
    tx: &mut dyn Rows,
    supplier_id: i64,
    (kind, filter): (JobKind, &JobFilter),
    begun_at: DateTime<Utc>,
    position: JobPosition,
    limit: PageLimit,
) -> Result<Selected, StoreError> {
    let parts = parts(kind, filter);
    let Some(state) = parts.get(position.part as usize) else { return Ok(Selected::default()) };
    let by = ProcessFilter {
        state: *state,
        error_code: filter.error_code.as_deref(),
        is_undone: filter.is_undone,
        ..ProcessFilter::default()
    };
    let after: Option<Position> = position.at.map(|at| (at, position.id));
    let page = tx.list_processes(supplier_id, by, after, limit)?;
    // The list is in the order of creation: the rest of the part was created later.
    let next = page.next.filter(|(created_at, _)| *created_at <= begun_at);
    let next = match next {
        Some((at, id)) => Some(JobPosition { at: Some(at), id, ..position }),
        None => Some(JobPosition { part: position.part + 1, ..JobPosition::default() }),
    };
    let processes = page.processes.into_iter().map(|listed| listed.process);
    Ok(Selected {
        processes: processes.filter(|process| is_old(process, filter, begun_at)).collect(),
        next: next.filter(|next| (next.part as usize) < parts.len()),
    })
}

/// Returns the next processes of a job.
pub(super) fn next_of(
    tx: &mut dyn Tx,
    job: &Job,
    kind: JobKind,
    limit: PageLimit,
) -> Result<Selected, StoreError> {
    if !job.filter.is_list {
        let by = (kind, &job.filter);
        return matching(tx, job.supplier_id, by, job.created_at, job.position, limit);
    }
    let items = tx.job_items(job.id, job.position.id, limit.items)?;
    let is_full = items.len() == limit.items as usize;
    let next = items.last().filter(|_| is_full).map(|id| JobPosition { id: *id, ..job.position });
    let found = tx.processes_by_id(&items)?.into_iter();
    let own = found.filter(|stored| stored.supplier_id == job.supplier_id).map(|stored| stored.process);
    Ok(Selected { processes: own.filter(|p| is_old(p, &job.filter, job.created_at)).collect(), next })
}
