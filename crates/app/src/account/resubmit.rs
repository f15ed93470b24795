//! Creates of accounts that have a process already (contract D5).

use super::CreateRefused;
use crate::gate;
use crate::port::{
    Creation, LastSupplier, Staging, StepWrite, StoreError, StoredProcess, Supplier, Tx, is_erased, stage_in,
    write_with_retry,
};
use crate::{App, codec};
use cutover_core::{SupplierStatus, Zone};
use cutover_model::{Limits, decode_account_within};
use cutover_process::{CreateDecision, Event, Process, State, on_create};
use std::sync::Arc;

/// The result of a job.
enum Left {
    Decided,
    /// The content must first be compared with that of the pending payload: outside the job, because others wait for it.
    ToCompare(Waiting),
}

/// The payload of a pending process.
struct Waiting {
    fingerprint: [u8; 32],
    /// Packed.
    payload: Vec<u8>,
    zone: Zone,
}

/// The result of a comparison.
#[derive(Clone, Copy)]
struct Compared {
    /// Fingerprint of the pending payload.
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
    let number = creation.process.external_account_number.as_str();
    app.refused.accepted(creation.supplier_id, number, creation.at);
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

/// Hashes the content of a packed payload; `None` if it cannot be read.
fn content(payload: &[u8], zone: Zone) -> Option<[u8; 32]> {
    let payload = codec::unpack(payload).ok()?;
    // An accepted payload can be read whatever the limits are now.
    let limits = Limits { items: u32::MAX, ..Limits::default() };
    let (account, params) = decode_account_within(&payload, zone, limits).ok()?.draft?.into_valid()?;
    Some(codec::account(&account, params.as_ref()))
}

/// Decides on an account that has a process already, and writes the decision.
fn decide(tx: &mut dyn Tx, creation: &Creation, compared: Option<Compared>) -> Result<Left, CreateRefused> {
    let number = &creation.process.external_account_number;
    tx.lock_process(creation.supplier_id, number)?;
    let Some(existing) = tx.process(creation.supplier_id, number)? else {
        // The account was erased meanwhile: this one is new.
        return stage_new(tx, creation);
    };
    if is_of(creation, &existing) {
        return Ok(Left::Decided);
    }
    // The settings may have changed since the payload was checked.
    let supplier = tx.supplier_by_id(creation.supplier_id)?.filter(|supplier| {
        supplier.revision == creation.supplier_revision && supplier.settings.status == SupplierStatus::Ongoing
    });
    let supplier = supplier.ok_or(CreateRefused::SupplierChanging)?;
    if is_erased(tx, creation)? {
        // It was erased, and taken again while the rule did not refuse that. Another check refuses it with its fault.
        return Err(CreateRefused::SupplierChanging);
    }
    let is_same = match is_same(tx, creation, &existing, &supplier, compared)? {
        Ok(is_same) => is_same,
        Err(waiting) => return Ok(Left::ToCompare(waiting)),
    };
    let (process, submission) = (existing.process, creation.process.submission);
    match on_create(Some(&process), is_same) {
        CreateDecision::Unchanged => Ok(Left::Decided),
        CreateDecision::AlreadyImported { account } => Err(CreateRefused::AlreadyImported(account)),
        CreateDecision::InProgress => Err(CreateRefused::InProgress),
        CreateDecision::Replace => renew(tx, creation, process, &supplier, Event::Replaced(submission)),
        CreateDecision::Resubmit => renew(tx, creation, process, &supplier, Event::Resubmitted(submission)),
        CreateDecision::New => stage_new(tx, creation),
    }
}

/// Returns true if the pending payload has the same content, or else the payload to compare with. Suppliers usually
/// send the same bytes again, so equal fingerprints decide first.
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
    // The content decides only on pending processes.
    if existing.process.known_state() != Some(State::Pending) {
        return Ok(Ok(false));
    }
    let found = tx.payloads(&[existing.process.id()])?.pop();
    // An unreadable payload is replaced.
    let waiting = found.and_then(|(_, payload)| payload.ok()).map(|payload| {
        let zone = supplier.settings.time_zone;
        Waiting { fingerprint, payload, zone }
    });
    Ok(waiting.map_or(Ok(false), Err))
}

fn stage_new(tx: &mut dyn Tx, creation: &Creation) -> Result<Left, CreateRefused> {
    match stage_in(tx, creation, &mut LastSupplier::default())? {
        Staging::Staged => Ok(Left::Decided),
        Staging::SupplierChanged => Err(CreateRefused::SupplierChanging),
        Staging::Exists => Err(StoreError::Conflict("another was first".into()).into()),
    }
}

/// Returns true if this very create made the process: if the reply to its commit was lost, the store finds the
/// process, which a worker may have claimed or imported meanwhile. Equal payloads sent in the same microsecond count
/// as one.
fn is_of(creation: &Creation, existing: &StoredProcess) -> bool {
    let created_at = existing.process.snapshot().created_at;
    created_at.timestamp_micros() == creation.at.timestamp_micros()
        && existing.fingerprint == creation.staged.fingerprint
}

fn renew(
    tx: &mut dyn Tx,
    creation: &Creation,
    process: Process,
    supplier: &Supplier,
    event: Event,
) -> Result<Left, CreateRefused> {
    let contract = creation.contract.as_deref().map(|contract| (supplier.organisation_id, contract));
    if let Some((organisation_id, contract)) = contract
        && !tx.lock_contract(organisation_id, contract)?
    {
        return Err(CreateRefused::SupplierChanging);
    }
    let illegal = |e: cutover_process::IllegalStep| StoreError::Failed(e.to_string());
    let (process, entry) = process.step(event, creation.at, creation.actor.clone()).map_err(illegal)?;
    let step = StepWrite { process: &process, entry: &entry, issues: Some(&creation.issues), sent: None };
    if gate::step_processes(tx, &[step])? != [true] {
        return Err(StoreError::Conflict("the process took another step".into()).into());
    }
    tx.restage(process.id(), &creation.staged)?;
    tx.set_contract_of(process.id(), contract)?;
    Ok(Left::Decided)
}
