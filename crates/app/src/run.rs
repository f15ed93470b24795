//! Runs: the last outcome of each account is kept while a run of its supplier is open (contract D15, decision 0048).
//!
//! [`record`] is called for every step that ends a process, in the transaction of the step.

mod paths;

pub(crate) use paths::RunHints;

use crate::codec;
use crate::port::{Cause, Outcome, Sent, StepWrite, StoreError, Tx};
use cutover_core::{SupplierCode, Zone};
use cutover_model::certificate::{account_content, account_paths};
use cutover_model::{ContentHash, PathHashes, PathKey, RowCounts, Totals};
use cutover_process::{EventKind, Process};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Open runs by their suppliers.
pub(crate) type OpenRuns = Vec<(SupplierCode, i64)>;

/// Returns the open runs of the suppliers of these processes, which stay as they are until the transaction ends.
pub(crate) fn open<'p>(
    tx: &mut dyn Tx,
    processes: impl Iterator<Item = &'p Process>,
) -> Result<OpenRuns, StoreError> {
    let suppliers: BTreeSet<&SupplierCode> = processes.map(|process| &process.snapshot().supplier).collect();
    if suppliers.is_empty() {
        return Ok(Vec::new());
    }
    tx.lock_open_runs(&suppliers.into_iter().cloned().collect::<Vec<_>>())
}

/// Records the outcomes of steps that were written in those of these runs that are of their suppliers. Payloads are read
/// for steps that do not know theirs.
pub(crate) fn record(tx: &mut dyn Tx, steps: &[&StepWrite<'_>], open: &OpenRuns) -> Result<(), StoreError> {
    let ended: Vec<&StepWrite<'_>> = steps.iter().filter(|step| is_recorded(step)).copied().collect();
    if ended.is_empty() {
        return Ok(());
    }
    for (code, run_id) in open {
        let own: Vec<&StepWrite<'_>> = ended.iter().filter(|step| supplier(step) == code).copied().collect();
        if !own.is_empty() {
            record_in(tx, *run_id, &own)?;
        }
    }
    Ok(())
}

fn supplier<'a>(step: &StepWrite<'a>) -> &'a SupplierCode {
    &step.process.snapshot().supplier
}

/// Returns true for steps that change outcomes: ends, and the undo of an end. A cancelled account has no outcome of its
/// own, so the one before stays.
pub(crate) fn is_recorded(step: &StepWrite<'_>) -> bool {
    step.process.state().is_outcome() || is_undo(step)
}

fn is_undo(step: &StepWrite<'_>) -> bool {
    step.entry.event == EventKind::Undone
}

fn record_in(tx: &mut dyn Tx, run_id: i64, steps: &[&StepWrite<'_>]) -> Result<(), StoreError> {
    let undone: Vec<i64> = steps.iter().filter(|step| is_undo(step)).map(|step| step.process.id()).collect();
    if !undone.is_empty() {
        tx.forget_outcomes(run_id, &undone)?;
    }
    let ended: Vec<&StepWrite<'_>> = steps.iter().filter(|step| !is_undo(step)).copied().collect();
    if ended.is_empty() {
        return Ok(());
    }
    let mut read = read_missing(tx, &ended)?;
    let outcome = |step: &&StepWrite<'_>| {
        let read = read.remove(&step.process.id()).unwrap_or_default();
        let sent = step.sent.unwrap_or(Sent { content: read.content, totals: read.totals, paths: None });
        outcome(step, sent, read.paths)
    };
    tx.record_outcomes(run_id, &ended.iter().map(outcome).collect::<Vec<_>>())
}

fn outcome(step: &StepWrite<'_>, sent: Sent<'_>, paths: Option<PathHashes>) -> Outcome {
    let (snapshot, state) = (step.process.snapshot(), step.process.state());
    Outcome {
        process_id: step.process.id(),
        state: state.into(),
        ended_at: snapshot.modified_at,
        content: sent.content,
        paths: sent.paths.cloned().or(paths),
        causes: Cause::of_error(step.process.latest_error(), step.issues),
        // Runs are compared by the figures alone.
        totals: match state.is_error() {
            true => Totals::default(),
            false => Totals { rows: RowCounts::default(), ..sent.totals },
        },
    }
}

/// What was read of a payload.
#[derive(Default)]
struct ReadSent {
    content: Option<ContentHash>,
    totals: Totals,
    paths: Option<PathHashes>,
}

/// Reads the payloads of those steps that do not know all of theirs.
fn read_missing(tx: &mut dyn Tx, steps: &[&StepWrite<'_>]) -> Result<HashMap<i64, ReadSent>, StoreError> {
    let lacks = |step: &&&StepWrite<'_>| step.sent.is_none_or(|sent| sent.paths.is_none());
    let mut missing: Vec<&StepWrite<'_>> = steps.iter().filter(lacks).copied().collect();
    if missing.is_empty() {
        return Ok(HashMap::new());
    }
    let key = paths::path_key(tx)?;
    missing.retain(|step| key.is_some() || step.sent.is_none());
    if missing.is_empty() { Ok(HashMap::new()) } else { read_sent(tx, &missing, key.as_ref()) }
}

/// Reads the payloads of processes. One that cannot be read has no hash.
fn read_sent(
    tx: &mut dyn Tx,
    steps: &[&StepWrite<'_>],
    key: Option<&PathKey>,
) -> Result<HashMap<i64, ReadSent>, StoreError> {
    let passed: HashSet<i64> =
        steps.iter().filter(|step| !step.process.state().is_error()).map(|step| step.process.id()).collect();
    let zone = match steps.first().filter(|_| !passed.is_empty()) {
        Some(step) => tx.supplier(supplier(step))?.map_or(Zone::UTC, |supplier| supplier.settings.time_zone),
        None => Zone::UTC,
    };
    let ids: Vec<i64> = steps.iter().map(|step| step.process.id()).collect();
    let mut sent = HashMap::new();
    for (id, payload) in tx.payloads(&ids)? {
        let Some(payload) = payload.ok().and_then(|stored| codec::unpack(&stored).ok()) else { continue };
        let totals = if passed.contains(&id) { totals_of(&payload, zone) } else { Totals::default() };
        let paths = key.and_then(|key| account_paths(&payload, key, id).ok());
        sent.insert(id, ReadSent { content: account_content(&payload).ok(), totals, paths });
    }
    Ok(sent)
}

/// Returns the totals that an accepted payload has when it is imported.
fn totals_of(payload: &[u8], zone: Zone) -> Totals {
    let Ok(decoded) = codec::decode_again(payload, zone) else { return Totals::default() };
    let valid = decoded.draft.and_then(|request| request.into_valid());
    valid.map_or_else(Totals::default, |(account, _)| Totals::of(&account, zone))
}
