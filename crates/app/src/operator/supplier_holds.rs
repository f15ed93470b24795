//! Holds that a supplier places on its own imports (contract D16).

use super::holds::{reasons, release_gate, save, to_change};
use super::reason::check_reason;
use super::{Audited, Operations, OperatorError};
use crate::gate;
use crate::port::{
    AuditAction, Detail, Gate, Hold, HoldCause, HoldReason, Operator, Rows, StoreError, Subject, Supplier,
};
use chrono::{DateTime, Utc};
use cutover_core::FeedEventType;

impl Operations<'_> {
    /// Holds the imports of a supplier on its own behalf: creates are accepted and wait. A supplier has one reason of its
    /// own at most: other words replace it, the same change nothing.
    ///
    /// # Errors
    /// [`OperatorError`]: no such supplier, it is being erased, or the reason is blank or too long.
    pub fn hold_as_supplier(&self, code: &str, because: Option<String>) -> Result<(), OperatorError> {
        check_reason(because.as_deref())?;
        let (supplier, owner) = (self.show_supplier(code)?, self.operator.clone());
        self.act(AuditAction::SupplierHeld, move |tx, clock| {
            let (supplier, mut gate) = to_change(tx, &supplier)?;
            let detail =
                Detail::default().word("by", HoldCause::Supplier).word_if("because", because.as_deref());
            hold(tx.rows(), &supplier, &mut gate, (owner, because), clock.now())?;
            Ok(((), Audited { subject: Subject::supplier(&supplier), detail }))
        })
    }

    /// Ends the reason of the supplier itself. Its imports go on if there is no other; the checks of its readiness are not
    /// asked, since only what it has stopped itself goes on. Changes nothing if it does not hold them. `held_since` is the time of
    /// the reason that its author was shown, if that is the only one to end.
    ///
    /// # Errors
    /// [`OperatorError`]: no such supplier, it is being erased, the reason is blank or too long, or the supplier's own hold
    /// is not of the time that its author was shown.
    pub fn release_as_supplier(
        &self,
        code: &str,
        held_since: Option<DateTime<Utc>>,
        because: Option<String>,
    ) -> Result<(), OperatorError> {
        check_reason(because.as_deref())?;
        let supplier = self.show_supplier(code)?;
        self.act(AuditAction::SupplierReleased, move |tx, clock| {
            let (supplier, mut gate) = to_change(tx, &supplier)?;
            if own(&gate).is_some_and(|own| held_since.is_some_and(|shown| own.since != shown)) {
                let again =
                    "the supplier has held its imports again since the hold that was shown: look again";
                return Err(OperatorError::Changed(again.into()));
            }
            release(tx.rows(), &supplier, &mut gate, clock.now())?;
            let detail = Detail::default()
                .word("by", HoldCause::Supplier)
                .word_if("because", because)
                .word_if("still-held-by", gate.hold.as_ref().map(reasons));
            Ok(((), Audited { subject: Subject::supplier(&supplier), detail }))
        })?;
        self.app.wake.notify_one();
        self.app.store.notify_workers();
        Ok(())
    }
}

/// Returns the reason of the supplier itself.
fn own(gate: &Gate) -> Option<&HoldReason> {
    gate.hold.iter().flat_map(Hold::reasons).find(|reason| reason.by == HoldCause::Supplier)
}

fn hold(
    tx: &mut dyn Rows,
    supplier: &Supplier,
    gate: &mut Gate,
    (owner, because): (Operator, Option<String>),
    since: DateTime<Utc>,
) -> Result<(), StoreError> {
    let is_same = own(gate).map(|own| own.because == because);
    if is_same == Some(true) {
        return Ok(());
    }
    let reason = HoldReason { by: HoldCause::Supplier.into(), owner: Some(owner), since, because };
    match gate.hold.as_mut().filter(|_| is_same.is_some()) {
        Some(held) => match held.without_own() {
            Some(mut others) => {
                others.also.push(reason);
                *held = others;
            }
            None => held.first = reason,
        },
        None => gate.hold(reason),
    }
    save(tx, gate)?;
    match &gate.hold {
        Some(hold) => gate::publish(tx, supplier.id, FeedEventType::SupplierHeld, hold, since),
        None => Ok(()),
    }
}

fn release(
    tx: &mut dyn Rows,
    supplier: &Supplier,
    gate: &mut Gate,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let Some(hold) = gate.hold.clone().filter(|hold| hold.is_by(HoldCause::Supplier)) else { return Ok(()) };
    match hold.without_own() {
        Some(others) => {
            gate.hold = Some(others);
            save(tx, gate)
        }
        None => release_gate(tx, supplier, gate, (&hold, false), at),
    }
}
