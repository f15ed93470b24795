//! The undoing of imports, batch by batch (contract D18, decision 0047).

use super::batch::{Batch, Then};
use crate::fault::{self, Point};
use crate::gate;
use crate::port::{
    ImportedHead, Job, JobPosition, Position, Rows, StepWrite, StoreError, StoredIssues, Tx, WaveSpan,
};
use chrono::{DateTime, Duration, Utc};
use cutover_core::IssueSource;
use cutover_model::Totals;
use cutover_process::{Actor, Event, EventKind, HistoryEntry, LEASE, Process, State};
use std::collections::HashMap;

/// Maximum number of accounts that one transaction removes: other writers wait for it.
const ACCOUNTS: u32 = 50;
/// Time after its claim within which an account is imported, with room for the clocks of nodes.
const MARGIN: Duration = Duration::seconds(2 * LEASE.num_seconds());

/// The accounts that a transaction takes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// As many as fit.
    Batch,
    /// The next one.
    One,
    /// The next one, which is only counted because it cannot be undone.
    PassOver,
}

/// Undoes the imports of the next accounts of a job that are unchanged since.
pub(super) fn step(
    tx: &mut dyn Tx,
    job: &Job,
    now: DateTime<Utc>,
    extent: Extent,
) -> Result<Batch, StoreError> {
    let limit = if extent == Extent::Batch { ACCOUNTS } else { 1 };
    let (heads, next) = next_of(tx, job, limit)?;
    let count = heads.len() as u64;
    let batch = Batch { then: Then::from_next(next), ..Batch::default() };
    if extent == Extent::PassOver {
        return Ok(Batch { failed: count, ..batch });
    }
    // A step later than the job keeps the account out of it once it is imported again, whatever the clock does.
    let at = now.max(job.created_at + Duration::microseconds(1));
    let changed = undo(tx, job, &heads, at)?;
    fault::reached(Point::JobStepped, "");
    Ok(Batch { changed, skipped: count - changed, ..batch })
}

/// Returns the next accounts of a job that were imported before it was begun, and the position behind them.
fn next_of(
    tx: &mut dyn Tx,
    job: &Job,
    limit: u32,
) -> Result<(Vec<ImportedHead>, Option<JobPosition>), StoreError> {
    let is_in =
        |head: &ImportedHead| head.supplier_id == job.supplier_id && head.imported_at <= job.created_at;
    if job.filter.is_list {
        let items = tx.job_items(job.id, job.position.id, limit)?;
        let is_full = items.len() == limit as usize;
        let next = items.last().filter(|_| is_full).map(|id| JobPosition { id: *id, ..job.position });
        let mut heads = tx.heads_of(&items)?;
        heads.retain(is_in);
        return Ok((heads, next));
    }
    if let Some(name) = &job.filter.run {
        let Some(run) = tx.run(job.supplier_id, name)? else { return Ok((Vec::new(), None)) };
        let (mut heads, next) = imports_of_run(tx, run.id, job.position.id, limit)?;
        heads.retain(is_in);
        return Ok((heads, next.map(|id| JobPosition { id, ..job.position })));
    }
    let begin = (job.filter.imported_since.unwrap_or(DateTime::UNIX_EPOCH), 0);
    let after = job.position.at.map_or(begin, |at| (at, job.position.id));
    if job.filter.wave.is_some() {
        let span = WaveSpan { began_at: begin.0, until: job.filter.imported_until };
        let (mut heads, next) = imports_of_wave(tx, job.supplier_id, span, after, limit)?;
        let next = next.filter(|(at, _)| *at <= job.created_at);
        heads.retain(is_in);
        return Ok((heads, next.map(|(at, id)| JobPosition { at: Some(at), id, ..job.position })));
    }
    let mut heads = tx.imported_heads(job.supplier_id, after, limit)?;
    // Those that follow were imported later.
    let is_full = heads.len() == limit as usize && heads.iter().all(is_in);
    heads.retain(is_in);
    let last = heads.last().filter(|_| is_full).map(ImportedHead::position);
    Ok((heads, last.map(|(at, id)| JobPosition { at: Some(at), id, ..job.position })))
}

/// Returns accounts that the next outcomes of a run have imported, of at most `limit`, and the key behind these outcomes.
/// An account that was undone and imported again since is not of the run.
pub(crate) fn imports_of_run(
    tx: &mut dyn Rows,
    run_id: i64,
    after: i64,
    limit: u32,
) -> Result<(Vec<ImportedHead>, Option<i64>), StoreError> {
    let outcomes = tx.outcomes(run_id, after, limit)?;
    let next = outcomes.last().filter(|_| outcomes.len() == limit as usize).map(|last| last.process_id);
    let imported = outcomes.iter().filter(|outcome| outcome.state == State::Processed);
    let imported: HashMap<i64, DateTime<Utc>> =
        imported.map(|outcome| (outcome.process_id, outcome.ended_at)).collect();
    let mut ids: Vec<i64> = imported.keys().copied().collect();
    ids.sort_unstable();
    let mut heads = if ids.is_empty() { Vec::new() } else { tx.heads_of(&ids)? };
    heads.retain(|head| imported.get(&head.id) == Some(&head.imported_at));
    Ok((heads, next))
}

/// Returns the next accounts that a wave imported, of at most `limit` that are looked at, and the position behind these.
///
/// An account belongs to the wave that claimed it, and is imported during it or within a lease after it.
pub(crate) fn imports_of_wave(
    tx: &mut dyn Rows,
    supplier_id: i64,
    span: WaveSpan,
    after: Position,
    limit: u32,
) -> Result<(Vec<ImportedHead>, Option<Position>), StoreError> {
    let end = span.until.map(|until| until + MARGIN);
    let may_be_in = |head: &ImportedHead| end.is_none_or(|end| head.imported_at < end);
    let mut heads = tx.imported_heads(supplier_id, after, limit)?;
    let is_full = heads.len() == limit as usize;
    let next = heads.last().filter(|last| is_full && may_be_in(last)).map(ImportedHead::position);
    heads.retain(may_be_in);
    let mut of_wave = Vec::new();
    for head in heads {
        if is_of_wave(tx, &head, span)? {
            of_wave.push(head);
        }
    }
    Ok((of_wave, next))
}

fn is_of_wave(tx: &mut dyn Rows, head: &ImportedHead, span: WaveSpan) -> Result<bool, StoreError> {
    let is_late = span.until.is_some_and(|until| head.imported_at >= until);
    if !is_late && head.imported_at >= span.began_at + MARGIN {
        return Ok(true);
    }
    let history = tx.history(head.id)?;
    let claim = history.iter().rev().find(|entry| entry.event == EventKind::Claimed);
    let claimed_at = claim.map_or(head.imported_at, |entry| entry.occurred_at);
    Ok(claimed_at >= span.began_at && span.until.is_none_or(|until| claimed_at < until))
}

/// Undoes the imports that can be undone. Returns how many.
fn undo(tx: &mut dyn Tx, job: &Job, heads: &[ImportedHead], at: DateTime<Utc>) -> Result<u64, StoreError> {
    let mut ids: Vec<i64> = Vec::new();
    for head in heads.iter().filter(|head| head.kept_because().is_none()) {
        tx.lock_process(job.supplier_id, &head.external_account_number)?;
        tx.lock_account(head.id)?;
        ids.push(head.id);
    }
    // Something may have been added until they were locked.
    let mut locked = tx.heads_of(&ids)?;
    locked.retain(|head| head.kept_because().is_none() && head.imported_at <= job.created_at);
    let ids: Vec<i64> = locked.iter().map(|head| head.id).collect();
    if ids.is_empty() {
        return Ok(0);
    }
    let mut totals = Totals::default();
    for id in &ids {
        let share = tx.account_totals(*id)?.unwrap_or_default();
        let out_of_range = || StoreError::Failed("a sum of balances is out of range".into());
        totals = totals.checked_add(share).ok_or_else(out_of_range)?;
    }
    let steps = steps(tx, &ids, at)?;
    let writes: Vec<StepWrite<'_>> = steps
        .iter()
        .map(|(process, entry, issues)| StepWrite { process, entry, issues: Some(issues), sent: None })
        .collect();
    if writes.len() != ids.len() || gate::step_processes(tx, &writes)?.contains(&false) {
        return Err(StoreError::Conflict("a process took another step".into()));
    }
    tx.remove_accounts(&ids)?;
    tx.remove_totals(job.supplier_id, &totals)?;
    Ok(ids.len() as u64)
}

/// Returns the steps of processes that have an account. Their warnings of requests after the import go with it.
fn steps(
    tx: &mut dyn Tx,
    ids: &[i64],
    at: DateTime<Utc>,
) -> Result<Vec<(Process, HistoryEntry, StoredIssues)>, StoreError> {
    let mut steps = Vec::new();
    for stored in tx.processes_by_id(ids)? {
        if stored.process.known_state() != Some(State::Processed) {
            return Err(StoreError::Failed("the process of an account has another status".into()));
        }
        let illegal = |error: cutover_process::IllegalStep| StoreError::Failed(error.to_string());
        let (process, entry) = stored.process.step(Event::Undone, at, Actor::Operator).map_err(illegal)?;
        let mut issues = tx.issues(process.id())?;
        issues.warnings.retain(|warning| warning.source == IssueSource::Account);
        steps.push((process, entry, issues));
    }
    Ok(steps)
}
