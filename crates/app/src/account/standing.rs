//! What an account waits for, and one sentence that says where it stands.

use crate::port::{Gate, Hold, Rows, StoreError, Supplier};
use chrono::{DateTime, Utc};
use cutover_core::{SupplierStatus, Zone};
use cutover_model::{Timestamp, WaitsFor};
use cutover_process::{Actor, Process, State};
use std::fmt;

/// The settings and the gate of a supplier at a time, by which its accounts wait: read once for all that are shown together.
pub(crate) struct Standing<'s> {
    supplier: &'s Supplier,
    gate: Option<Gate>,
    /// Accounts that may be claimed although the wave is full.
    open: Vec<i64>,
    now: DateTime<Utc>,
    /// The zone of the times in sentences.
    zone: Zone,
}

impl<'s> Standing<'s> {
    /// Reads it for accounts of one supplier, with times in its zone.
    pub(crate) fn read<'p>(
        tx: &mut dyn Rows,
        supplier: &'s Supplier,
        processes: impl Iterator<Item = &'p Process>,
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        let zone = supplier.settings.time_zone;
        let pending: Vec<i64> = processes.filter(|process| is_pending(process)).map(Process::id).collect();
        if pending.is_empty() {
            return Ok(Self { supplier, gate: None, open: Vec::new(), now, zone });
        }
        let gate = tx.gate(supplier.id)?;
        let open = match gate.as_ref().is_some_and(Gate::is_full) {
            true => tx.open_in_wave(&pending)?,
            false => Vec::new(),
        };
        Ok(Self { supplier, gate, open, now, zone })
    }

    /// Returns what a process waits for: the first reason why no worker takes it; `None` if it is not pending.
    fn waits_for(&self, process: &Process) -> Option<WaitsFor> {
        if !is_pending(process) {
            return None;
        }
        let (code, snapshot) = (&self.supplier.code, process.snapshot());
        let waits = |what, detail| Some(WaitsFor { what, until: None, detail });
        match self.supplier.settings.status.known() {
            Some(SupplierStatus::Ongoing) => {}
            Some(SupplierStatus::Complete) => {
                return waits("supplier_complete", format!("Waits: {code} is complete"));
            }
            Some(SupplierStatus::Paused) => {
                return waits("supplier_paused", format!("Waits: {code} is paused"));
            }
            // A status of a newer version stops imports as a pause does.
            None => {
                let status = &self.supplier.settings.status;
                return waits("supplier_paused", format!("Waits: the status of {code} is {status}"));
            }
        }
        if let Some(hold) = self.gate.as_ref().and_then(|gate| gate.hold.as_ref()) {
            return waits("hold", format!("Waits: {code} is held {}", why(hold)));
        }
        if snapshot.due_at > self.now {
            let at = self.shown(snapshot.due_at);
            let is_window = snapshot.window.start.is_some_and(|start| start >= snapshot.due_at);
            let (what, detail) = match (is_window, snapshot.outage) {
                (true, _) => ("window", format!("Waits for its window, opens {at}")),
                (false, Some(_)) => (
                    "retry",
                    format!("Waits for its next attempt, {at}: storage or the database could not be reached"),
                ),
                (false, None) => {
                    ("retry", format!("Waits for its next attempt, {at}: the last one was not finished"))
                }
            };
            let until = Some(Timestamp(self.zone().local(snapshot.due_at)));
            return Some(WaitsFor { what, until, detail });
        }
        match &self.gate {
            Some(gate) if gate.is_full() && !self.open.contains(&process.id()) => {
                waits("wave", format!("Waits: wave {} of {code} is full", gate.wave))
            }
            _ => waits("turn", "Waits for its turn".to_owned()),
        }
    }

    /// Returns what a process waits for, and a sentence without a full stop that says where it stands. `by` is the actor of
    /// the last step, if it is known.
    pub(crate) fn of(&self, process: &Process, by: Option<&Actor>) -> (Option<WaitsFor>, String) {
        match self.waits_for(process) {
            Some(waits) => (Some(waits.clone()), waits.detail),
            None => (None, self.sentence(process, by)),
        }
    }

    /// Says where a process stands that is not pending.
    fn sentence(&self, process: &Process, by: Option<&Actor>) -> String {
        let snapshot = process.snapshot();
        let at = self.shown(snapshot.modified_at);
        let Some(state) = process.known_state() else {
            let status = process.stored_state();
            return format!("Has the status {status} since {at}, which only a newer version knows");
        };
        let by = by.map(|by| format!(" by {}", By(by))).unwrap_or_default();
        match state {
            State::Pending => format!("Pending since {at}"),
            State::InProgress if snapshot.is_dry_run => format!("Rehearsal began {at}"),
            State::InProgress => format!("Import began {at}"),
            State::Cancelled if process.is_undone() => format!("Undone {at}"),
            State::Cancelled => format!("Cancelled {at}{by}"),
            State::Processed => match &snapshot.service_account_number {
                Some(account) => format!("Imported {at} as {account}"),
                None => format!("Imported {at}"),
            },
            State::DryRunSucceeded => format!("Rehearsed {at} without an error, not imported"),
            State::Errored => format!("Failed {at}"),
            State::DryRunErrored => format!("Failed {at} in a rehearsal"),
        }
    }

    /// Says since when an account is not accepted.
    pub(crate) fn refused_since(&self, at: DateTime<Utc>) -> String {
        format!("Not accepted since {}", self.shown(at))
    }

    /// The same with times in another zone, for accounts of several suppliers.
    pub(crate) fn in_zone(self, zone: Zone) -> Self {
        Self { zone, ..self }
    }

    /// Returns the zone of its times.
    pub(crate) fn zone(&self) -> Zone {
        self.zone
    }

    /// Formats a time, with its date unless that is today.
    fn shown(&self, at: DateTime<Utc>) -> String {
        let (at, now) = (self.zone().local(at), self.zone().local(self.now));
        let is_today = at.date_naive() == now.date_naive();
        at.format(if is_today { "%H:%M" } else { "%Y-%m-%d %H:%M" }).to_string()
    }
}

/// True for a process that a worker may take; one in a state of a newer version is none.
fn is_pending(process: &Process) -> bool {
    process.known_state() == Some(State::Pending)
}

/// Completes "it is held …": the first reason, and how many more there are.
fn why(hold: &Hold) -> String {
    let because = hold.first.because.as_ref().map(|because| format!(" ({because})")).unwrap_or_default();
    let also = match hold.also.len() {
        0 => String::new(),
        1 => ", and for another reason".to_owned(),
        more => format!(", and for {more} other reasons"),
    };
    format!("{}{because}{also}", hold.first.words(hold.wave))
}

/// An actor in a sentence.
struct By<'a>(&'a Actor);

impl fmt::Display for By<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Actor::Api { key_prefix, .. } => write!(f, "the supplier, with the key {key_prefix}"),
            Actor::Operator => f.write_str("an operator"),
            Actor::Worker { .. } | Actor::System => f.write_str("the service"),
        }
    }
}
