//! Runs: the last outcome of each account is kept while a run of its supplier is open (contract D15, decision 0048).
//!
//! [`record`] is called for every step that ends a process, in the transaction of the step.

use crate::codec;
use crate::port::{Cause, Outcome, StepWrite, StoreError, Tx};
use cutover_core::{SupplierCode, Zone};
use cutover_model::{ContentHash, IntoOwned, Totals, content_hash};
use cutover_process::{EventKind, State};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// The parts of an outcome that come from the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sent {
    pub(crate) content: Option<ContentHash>,
    pub(crate) totals: Totals,
}

/// The suppliers that had an open run when an account of theirs was last written. Payloads of these are hashed before
/// the transaction. It is no harm if that has changed: a missing hash is computed in the transaction.
#[derive(Debug, Default)]
pub(crate) struct RecordedSuppliers(Mutex<HashSet<SupplierCode>>);

impl RecordedSuppliers {
    pub(crate) fn contains(&self, supplier: &SupplierCode) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(supplier)
    }

    /// Notes which of these suppliers have an open run.
    pub(crate) fn note(&self, suppliers: &BTreeSet<SupplierCode>, open: &[SupplierCode]) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|code| !suppliers.contains(code));
        known.extend(open.iter().cloned());
    }
}

/// Records the outcomes of steps that were written, of those suppliers that have an open run, and returns these
/// suppliers. `sent` has what is known of payloads; the rest is read.
pub(crate) fn record(
    tx: &mut dyn Tx,
    steps: &[&StepWrite<'_>],
    sent: &HashMap<i64, Sent>,
) -> Result<Vec<SupplierCode>, StoreError> {
    let ended: Vec<&StepWrite<'_>> = steps.iter().filter(|step| is_recorded(step)).copied().collect();
    if ended.is_empty() {
        return Ok(Vec::new());
    }
    let suppliers: BTreeSet<SupplierCode> = ended.iter().map(|step| supplier(step).clone()).collect();
    let open = tx.lock_open_runs(&suppliers.into_iter().collect::<Vec<_>>())?;
    for (code, run_id) in &open {
        let own: Vec<&StepWrite<'_>> = ended.iter().filter(|step| supplier(step) == code).copied().collect();
        record_in(tx, *run_id, &own, sent)?;
    }
    Ok(open.into_iter().map(|(code, _)| code).collect())
}

fn supplier<'a>(step: &StepWrite<'a>) -> &'a SupplierCode {
    &step.process.snapshot().supplier
}

/// Returns true for steps that change outcomes: ends, and the undo of an end. A cancelled account has no outcome of its
/// own, so the one before stays.
fn is_recorded(step: &StepWrite<'_>) -> bool {
    has_outcome(step.process.state()) || is_undo(step)
}

fn has_outcome(state: State) -> bool {
    matches!(state, State::Processed | State::Errored | State::DryRunSucceeded | State::DryRunErrored)
}

fn is_undo(step: &StepWrite<'_>) -> bool {
    step.entry.event == EventKind::Undone
}

fn record_in(
    tx: &mut dyn Tx,
    run_id: i64,
    steps: &[&StepWrite<'_>],
    sent: &HashMap<i64, Sent>,
) -> Result<(), StoreError> {
    let undone: Vec<i64> = steps.iter().filter(|step| is_undo(step)).map(|step| step.process.id()).collect();
    if !undone.is_empty() {
        tx.forget_outcomes(run_id, &undone)?;
    }
    let ended: Vec<&StepWrite<'_>> = steps.iter().filter(|step| !is_undo(step)).copied().collect();
    if ended.is_empty() {
        return Ok(());
    }
    let missing: Vec<&StepWrite<'_>> =
        ended.iter().filter(|step| !sent.contains_key(&step.process.id())).copied().collect();
    let read = if missing.is_empty() { HashMap::new() } else { read_sent(tx, &missing)? };
    let outcome = |step: &&StepWrite<'_>| {
        let id = step.process.id();
        let known = sent.get(&id).or_else(|| read.get(&id)).copied().unwrap_or_default();
        outcome(step, known)
    };
    tx.record_outcomes(run_id, &ended.iter().map(outcome).collect::<Vec<_>>())
}

fn outcome(step: &StepWrite<'_>, sent: Sent) -> Outcome {
    let (snapshot, state) = (step.process.snapshot(), step.process.state());
    Outcome {
        process_id: step.process.id(),
        state: state.into(),
        ended_at: snapshot.modified_at,
        content: sent.content,
        causes: Cause::of_error(step.process.latest_error(), step.issues),
        totals: if state.is_error() { Totals::default() } else { sent.totals },
    }
}

/// Reads the payloads of processes. One that cannot be read has no hash.
fn read_sent(tx: &mut dyn Tx, steps: &[&StepWrite<'_>]) -> Result<HashMap<i64, Sent>, StoreError> {
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
        sent.insert(id, Sent { content: content_of(&payload), totals });
    }
    Ok(sent)
}

/// An envelope, of which the account counts: a rehearsal and an import of it have different parameters.
#[derive(Deserialize)]
struct Envelope<'j> {
    #[serde(borrow)]
    payload: Option<&'j RawValue>,
}

/// Returns the hash of the account in an accepted payload.
pub(crate) fn content_of(payload: &[u8]) -> Option<ContentHash> {
    let envelope = serde_json::from_slice::<Envelope<'_>>(payload).ok();
    let account = envelope.and_then(|envelope| envelope.payload);
    content_hash(account.map_or(payload, |account| account.get().as_bytes())).ok()
}

/// Returns the totals that an accepted payload has when it is imported.
fn totals_of(payload: &[u8], zone: Zone) -> Totals {
    let Ok(decoded) = crate::worker::decode_again(payload, zone) else { return Totals::default() };
    let valid = decoded.draft.and_then(|request| request.into_valid());
    valid.map_or_else(Totals::default, |(account, _)| Totals::of(&account.into_owned().completed(zone), zone))
}
