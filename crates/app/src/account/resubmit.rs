//! What becomes of an account that has a process already (contract D5).

use super::CreateRefused;
use crate::port::{
    Creation, LastSupplier, Staging, StepWrite, StoreError, StoredProcess, Supplier, Tx, stage_in,
    write_with_retry,
};
use crate::{App, codec};
use cutover_core::{SupplierStatus, Zone};
use cutover_model::{Limits, decode_account_within};
use cutover_process::{CreateDecision, Event, Process, State, on_create};
use std::sync::Arc;

/// How a job left an account.
enum Left {
    Decided,
    /// Its content is to be compared first with that of what waits: not in the job, for others wait for that one.
    ToCompare(Waiting),
}

/// A payload that waits for its import.
struct Waiting {
    fingerprint: [u8; 32],
    /// Packed.
    payload: Vec<u8>,
    zone: Zone,
}

/// What a comparison came to.
#[derive(Clone, Copy)]
struct Compared {
    /// Of the payload that waited.
    fingerprint: [u8; 32],
    is_same: bool,
}

/// Submits an account that has a process already (contract D5).
///
/// # Errors
/// [`CreateRefused`]; nothing is changed then.
pub(super) fn resubmit(app: &App, creation: &Arc<Creation>) -> Result<(), CreateRefused> {
    let mut compared = None;
    loop {
        let (known, of) = (compared, creation.clone());
        match write_with_retry(&*app.store, move |tx| decide(tx, &of, known))? {
            Left::Decided => break,
            Left::ToCompare(waiting) => compared = Some(compare(creation, &waiting)),
        }
    }
    app.wake.notify_one();
    app.store.notify_workers();
    Ok(())
}

fn compare(creation: &Creation, waiting: &Waiting) -> Compared {
    let content = |payload: &[u8]| content(payload, waiting.zone);
    let is_same =
        content(&waiting.payload).is_some_and(|kept| content(&creation.staged.payload) == Some(kept));
    Compared { fingerprint: waiting.fingerprint, is_same }
}

/// What a packed payload says; `None` if it cannot be read.
fn content(payload: &[u8], zone: Zone) -> Option<[u8; 32]> {
    let payload = codec::unpack(payload).ok()?;
    // What was accepted is read whatever the limits are now.
    let limits = Limits { items: u32::MAX, ..Limits::default() };
    let (account, params) = decode_account_within(&payload, zone, limits).ok()?.draft?.into_valid()?;
    Some(codec::account(&account, params.as_ref()))
}

/// Decides on an account that has a process already.
fn decide(tx: &mut dyn Tx, creation: &Creation, compared: Option<Compared>) -> Result<Left, CreateRefused> {
    let number = &creation.process.external_account_number;
    tx.lock_process(creation.supplier_id, number)?;
    let Some(existing) = tx.process(creation.supplier_id, number)? else {
        // It was erased since: this one is new.
        return stage_anew(tx, creation);
    };
    if is_of(creation, &existing) {
        return Ok(Left::Decided);
    }
    // The settings may have changed since the payload was checked.
    let supplier = tx.supplier_by_id(creation.supplier_id)?.filter(|supplier| {
        supplier.revision == creation.supplier_revision && supplier.settings.status == SupplierStatus::Ongoing
    });
    let supplier = supplier.ok_or(CreateRefused::SupplierChanging)?;
    let is_same = match is_same(tx, creation, &existing, &supplier, compared)? {
        Ok(is_same) => is_same,
        Err(waiting) => return Ok(Left::ToCompare(waiting)),
    };
    let (process, submission) = (existing.process, creation.process.submission);
    match on_create(Some(&process), is_same) {
        CreateDecision::Unchanged => Ok(Left::Decided),
        CreateDecision::AlreadyImported { account } => Err(CreateRefused::AlreadyImported(account)),
        CreateDecision::InProgress => Err(CreateRefused::InProgress),
        CreateDecision::Replace => renew(tx, creation, process, Event::Replaced(submission)),
        CreateDecision::Resubmit => renew(tx, creation, process, Event::Resubmitted(submission)),
        CreateDecision::New => stage_anew(tx, creation),
    }
}

/// Whether what waits has the same content, or what is to be compared to tell. Whoever sends an account again sends
/// the same bytes, as a rule. Another content than was compared is another content.
fn is_same(
    tx: &mut dyn Tx,
    creation: &Creation,
    existing: &StoredProcess,
    supplier: &Supplier,
    compared: Option<Compared>,
) -> Result<Result<bool, Waiting>, StoreError> {
    let fingerprint = existing.fingerprint;
    if fingerprint == creation.staged.fingerprint {
        return Ok(Ok(true));
    }
    if let Some(compared) = compared {
        return Ok(Ok(compared.is_same && compared.fingerprint == fingerprint));
    }
    // Of what waits no more it decides nothing.
    if existing.process.known_state() != Some(State::Pending) {
        return Ok(Ok(false));
    }
    let found = tx.payloads(&[existing.process.id()])?.pop();
    // One that cannot be opened is replaced.
    let waiting = found.and_then(|(_, payload)| payload.ok()).map(|payload| {
        let zone = supplier.settings.time_zone;
        Waiting { fingerprint, payload, zone }
    });
    Ok(waiting.map_or(Ok(false), Err))
}

fn stage_anew(tx: &mut dyn Tx, creation: &Creation) -> Result<Left, CreateRefused> {
    match stage_in(tx, creation, &mut LastSupplier::default())? {
        Staging::Staged => Ok(Left::Decided),
        Staging::SupplierChanged => Err(CreateRefused::SupplierChanging),
        Staging::Exists => Err(StoreError::Conflict("another was first".into()).into()),
    }
}

/// Whether the process is of this very creation: where the answer to a commit was lost, the store finds what it
/// has stored, and a worker may have claimed or imported it by then. Two that sent the same in the same microsecond
/// are one submission.
fn is_of(creation: &Creation, existing: &StoredProcess) -> bool {
    let created_at = existing.process.snapshot().created_at;
    created_at.timestamp_micros() == creation.at.timestamp_micros()
        && existing.fingerprint == creation.staged.fingerprint
}

fn renew(
    tx: &mut dyn Tx,
    creation: &Creation,
    process: Process,
    event: Event,
) -> Result<Left, CreateRefused> {
    let illegal = |e: cutover_process::IllegalStep| StoreError::Failed(e.to_string());
    let (process, entry) = process.step(event, creation.at, creation.actor.clone()).map_err(illegal)?;
    let step = StepWrite { process: &process, entry: &entry, issues: Some(&creation.issues) };
    if tx.step_processes(&[step])? != [true] {
        return Err(StoreError::Conflict("the process took another step".into()).into());
    }
    tx.restage(process.id(), &creation.staged)?;
    Ok(Left::Decided)
}
