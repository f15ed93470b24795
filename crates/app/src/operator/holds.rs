use super::reason::check_reason;
use super::scope::Scoped;
use super::{Audited, Forecast, Operations, OperatorError, Services};
use crate::gate::{self, AfterHold};
use crate::port::{
    AuditAction, Clock, Detail, Gate, Hold, HoldCause, HoldReason, Rows, StoreError, Subject, Supplier,
};
use chrono::{DateTime, Utc};
use cutover_core::{FeedEventType, SupplierCode};

/// A release of a hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Release {
    /// The reason, for the audit trail.
    pub because: Option<String>,
    /// Releases although checks speak against it. It needs a reason.
    pub is_forced: bool,
    /// Begins the next wave, also if the running one has not ended or too many of its accounts have failed. It needs a
    /// reason.
    pub is_next_wave: bool,
    /// When the last reason was added to the hold that the operator has seen; `None` for a supplier that was not held. If
    /// a reason was added since, the release is refused.
    pub held_since: Option<DateTime<Utc>>,
}

impl Release {
    /// Returns a release of the hold that the operator has seen.
    pub fn of(shown: Option<&Hold>) -> Self {
        Self { held_since: shown.map(|hold| hold.latest().since), ..Self::default() }
    }
}

/// A supplier after a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Released {
    /// The supplier.
    pub supplier: Supplier,
    /// The hold that ended, with all its reasons; `None` if the supplier was not held.
    pub ended: Option<Hold>,
    /// The forecast for the next wave and for all accounts.
    pub forecast: Forecast,
}

/// Number of reasons of a hold from which on operators add no more.
const MAX_REASONS: usize = 20;

/// Settings of a gate that are given.
#[derive(Debug, Clone, Copy)]
pub(super) struct GateChange {
    pub(super) waves: bool,
    pub(super) errors: bool,
}

/// Applies settings to the gate of a supplier. New waves begin with the first one: at once, or with the release if the
/// supplier is held. The suppliers are locked.
pub(super) fn set_gate(
    tx: &mut Scoped<'_>,
    supplier: &Supplier,
    change: GateChange,
    clock: &dyn Clock,
) -> Result<(), StoreError> {
    if !change.waves && !change.errors {
        return Ok(());
    }
    let mut gate = tx.lock_gate(supplier)?;
    let at = clock.now();
    if change.waves {
        let first = if gate.hold.is_some() { 0 } else { 1 };
        begin_wave(tx.rows(), supplier, &mut gate, first, at)?;
    } else {
        gate.count_anew(&supplier.settings, at);
    }
    save(tx.rows(), &gate)
}

/// Begins a wave, and notes its time for an undo.
fn begin_wave(
    tx: &mut dyn Rows,
    supplier: &Supplier,
    gate: &mut Gate,
    wave: u32,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let before = gate.wave;
    gate.begin_wave(wave, &supplier.settings, at);
    if before > 0 || gate.wave > 0 {
        tx.begin_wave(supplier.id, gate.wave, at)?;
    }
    tx.clear_wave(supplier.id)
}

pub(super) fn save(tx: &mut dyn Rows, gate: &Gate) -> Result<(), StoreError> {
    if gate.is_idle() { tx.remove_gate(gate.supplier_id) } else { tx.save_gate(gate) }
}

/// Locks the settings and the gate of a supplier that was found, and returns both as they are now.
pub(super) fn to_change(tx: &mut Scoped<'_>, seen: &Supplier) -> Result<(Supplier, Gate), OperatorError> {
    tx.lock_suppliers()?;
    let supplier = tx.again(seen)?;
    if tx.erasure_of(supplier.id)?.is_some() {
        return Err(OperatorError::Refused("it is being erased: its settings stay".into()));
    }
    let gate = tx.lock_gate(&supplier)?;
    Ok((supplier, gate))
}

/// Adds a reason of an operator, unless the hold has the same one.
fn hold(
    tx: &mut dyn Rows,
    supplier: &Supplier,
    gate: &mut Gate,
    reason: HoldReason,
) -> Result<(), OperatorError> {
    let (before, at) = (gate.hold.clone(), reason.since);
    gate.hold(reason);
    let Some(hold) = gate.hold.as_ref().filter(|_| gate.hold != before) else { return Ok(()) };
    if hold.also.len() >= MAX_REASONS {
        let full = format!("{} is held for {MAX_REASONS} reasons already", supplier.code);
        return Err(OperatorError::Refused(full));
    }
    save(tx, gate)?;
    Ok(gate::publish(tx, supplier.id, FeedEventType::SupplierHeld, hold, at)?)
}

/// Names the reasons of a hold with their owners, for the audit trail.
pub(super) fn reasons(hold: &Hold) -> String {
    let named = |HoldReason { by, owner, .. }: &HoldReason| match owner {
        Some(owner) => format!("{by} {owner}"),
        None => by.to_string(),
    };
    hold.reasons().map(named).collect::<Vec<_>>().join(", ")
}

/// Ends a hold. The running wave goes on unless it has ended; one in which too many have failed is repeated.
pub(super) fn release_gate(
    tx: &mut dyn Rows,
    supplier: &Supplier,
    gate: &mut Gate,
    (ended, is_next_wave): (&Hold, bool),
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let after = match is_next_wave {
        true => AfterHold::Next,
        false => gate.after_hold(tx.is_wave_open(supplier.id)?),
    };
    gate.hold = None;
    match after {
        AfterHold::Continue => gate.count_anew(&supplier.settings, at),
        // An undo of the wave takes the accounts of both.
        AfterHold::Repeat => {
            gate.begin_wave(gate.wave, &supplier.settings, at);
            tx.clear_wave(supplier.id)?;
        }
        AfterHold::Next => begin_wave(tx, supplier, gate, gate.wave.saturating_add(1), at)?,
    }
    save(tx, gate)?;
    gate::publish(tx, supplier.id, FeedEventType::SupplierReleased, ended, at)
}

impl Operations<'_> {
    /// Holds the imports of a supplier: creates are accepted and wait. If it is held, this is one more reason, unless the
    /// same operator holds it with the same words. Returns the supplier.
    ///
    /// # Errors
    /// [`OperatorError`]: no such supplier, it is being erased, the reason is too long, or it is held for twenty reasons.
    pub fn hold_supplier(&self, code: &str, because: Option<String>) -> Result<Supplier, OperatorError> {
        check_reason(because.as_deref())?;
        let supplier = self.show_supplier(code)?;
        let owner = Some(self.operator.clone());
        self.act(AuditAction::SupplierHeld, move |tx, clock| {
            let (supplier, mut gate) = to_change(tx, &supplier)?;
            let detail = Detail::default().word_if("because", because.as_deref());
            let reason = HoldReason { by: HoldCause::Operator.into(), owner, since: clock.now(), because };
            hold(tx.rows(), &supplier, &mut gate, reason)?;
            let subject = Subject::supplier(&supplier);
            Ok((supplier, Audited { subject, detail }))
        })
    }

    /// Releases the hold of a supplier, whatever its reasons: its imports go on. The running wave goes on too, unless its
    /// accounts have ended: then the next one begins. One in which too many accounts have failed is repeated. Changes
    /// nothing if it is not held.
    ///
    /// # Errors
    /// [`OperatorError`]: no such supplier, it is being erased, the reason is too long or missing, a check of its
    /// [readiness](Self::readiness) speaks against it and it is not forced, or the hold is not the one that the operator has seen.
    pub fn release_supplier(
        &self,
        code: &str,
        release: &Release,
        services: &Services,
    ) -> Result<Released, OperatorError> {
        let Release { because, is_forced, is_next_wave, held_since } = release.clone();
        check_reason(because.as_deref())?;
        if is_forced && because.is_none() {
            return Err(OperatorError::Refused("a release that is forced needs a reason".into()));
        }
        if is_next_wave && because.is_none() {
            return Err(OperatorError::Refused("a release that begins the next wave needs a reason".into()));
        }
        let (supplier, seen) = self.supplier_with_hold(code)?;
        check_is_shown(&supplier, seen.as_ref(), held_since)?;
        let mut readiness = self.readiness_now(&supplier, services)?;
        if is_next_wave {
            readiness.forecast.wave = readiness.forecast.next_wave.take();
        }
        if seen.is_none() {
            return Ok(Released { supplier, ended: None, forecast: readiness.forecast });
        }
        let stopping = Some(readiness.stopping()).filter(|_| !readiness.is_ready());
        if let Some(names) = stopping.as_ref().filter(|_| !is_forced) {
            return Err(OperatorError::Refused(format!(
                "{code} is not released, because these checks of its readiness say stop: {names}"
            )));
        }
        let code = code.to_owned();
        let (supplier, ended) = self.act(AuditAction::SupplierReleased, move |tx, clock| {
            let (supplier, mut gate) = to_change(tx, &supplier)?;
            let ended = gate.hold.clone();
            // The checks were about the hold that was seen. One that another release has ended stays so.
            if ended.is_some() && ended != seen {
                let again = format!("{code} was held again while its readiness was checked");
                return Err(OperatorError::Changed(again));
            }
            let detail = Detail::default()
                .word_if("because", because)
                .word_if("forced", stopping)
                .word_if("next-wave", is_next_wave.then_some("yes"))
                .word_if("held-by", ended.as_ref().map(reasons));
            if let Some(ended) = &ended {
                release_gate(tx.rows(), &supplier, &mut gate, (ended, is_next_wave), clock.now())?;
            }
            let subject = Subject::supplier(&supplier);
            Ok(((supplier, ended), Audited { subject, detail }))
        })?;
        self.app.wake.notify_one();
        self.app.store.notify_workers();
        Ok(Released { supplier, ended, forecast: readiness.forecast })
    }

    /// Returns the hold of a supplier.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn show_hold(&self, code: &str) -> Result<Option<Hold>, OperatorError> {
        Ok(self.supplier_with_hold(code)?.1)
    }

    fn supplier_with_hold(&self, code: &str) -> Result<(Supplier, Option<Hold>), OperatorError> {
        self.read(|tx| {
            let supplier = tx.supplier(code)?;
            let hold = tx.hold(supplier.id)?;
            Ok((supplier, hold))
        })
    }

    /// Returns all suppliers whose imports are held, by code.
    ///
    /// # Errors
    /// [`OperatorError::Store`] if they could not be read.
    pub fn holds(&self) -> Result<Vec<(SupplierCode, Hold)>, OperatorError> {
        self.read_committed(|tx| Ok(tx.holds()?))
    }
}

/// Refuses the release of another hold than the one that was shown.
fn check_is_shown(
    supplier: &Supplier,
    held: Option<&Hold>,
    shown: Option<DateTime<Utc>>,
) -> Result<(), OperatorError> {
    if held.map(|hold| hold.latest().since) == shown {
        return Ok(());
    }
    let zone = supplier.settings.time_zone;
    let local = |at| zone.local(at).format("%Y-%m-%d %H:%M:%S").to_string();
    let now = held.map_or("is not held any more".to_owned(), |hold| {
        let latest = hold.latest();
        format!("is held {} since {}", latest.words(hold.wave), local(latest.since))
    });
    let shown = shown.map_or("it was shown without a hold".to_owned(), |shown| {
        format!("the hold that was shown began at {}", local(shown))
    });
    Err(OperatorError::Changed(format!(
        "{} {now}; {shown} ({zone}): look again before you release it",
        supplier.code
    )))
}
