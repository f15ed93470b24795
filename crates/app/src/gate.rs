//! Gates: holds of a supplier's imports, by operators, after waves, and because of errors (contract D16).
//!
//! Every step that claims or ends a process goes through [`step_processes`], which counts it in the transaction of the
//! step. The gate of a supplier is locked from there to the commit, so the counts are exact over all nodes. It is read
//! and written once for all steps of a transaction.

use crate::port::{
    Clock, ErrorWindow, Gate, Hold, HoldCause, HoldReason, NewFeedEvent, Rows, ServiceHold, StepWrite,
    StoreError, SupplierSettings, Tx,
};
use crate::run::{self, OpenRuns};
use chrono::{DateTime, Utc};
use cutover_core::{FeedEventType, SupplierCode, Zone};
use cutover_model::{EventData, HoldReasonShown, HoldShown, Timestamp};
use cutover_process::{Process, State};
use std::collections::BTreeSet;

impl HoldReason {
    /// A reason of the service.
    fn of_service(by: HoldCause, since: DateTime<Utc>) -> Self {
        Self { by: by.into(), owner: None, since, because: None }
    }

    /// True for a reason that says the same, whenever it was added.
    fn is_same(&self, other: &Self) -> bool {
        (&self.by, &self.owner, &self.because) == (&other.by, &other.owner, &other.because)
    }

    /// Completes "the imports are held …", without the owner. `wave` is the one that was running.
    pub fn words(&self, wave: Option<u32>) -> String {
        match (self.by.known(), wave) {
            (Some(HoldCause::Operator), _) => "by an operator".to_owned(),
            (Some(HoldCause::Supplier), _) => "by the supplier itself".to_owned(),
            (Some(HoldCause::Wave), Some(wave)) => format!("after wave {wave}"),
            (Some(HoldCause::Wave), None) => "after a wave".to_owned(),
            (Some(HoldCause::ErrorRate), _) => "because too many accounts failed".to_owned(),
            (None, _) => format!("by {}", self.by),
        }
    }

    fn shown(&self, zone: Zone) -> HoldReasonShown {
        HoldReasonShown {
            by: self.by.to_string(),
            since: Timestamp(zone.local(self.since)).to_string(),
            because: self.because.clone(),
        }
    }
}

impl Hold {
    /// Returns its reasons, oldest first.
    pub fn reasons(&self) -> impl Iterator<Item = &HoldReason> {
        std::iter::once(&self.first).chain(&self.also)
    }

    /// Returns the hold without the reasons of the supplier itself; `None` if it has no others.
    pub(crate) fn without_own(&self) -> Option<Self> {
        let mut others = self.reasons().filter(|reason| reason.by != HoldCause::Supplier).cloned();
        Some(Self { first: others.next()?, also: others.collect(), ..self.clone() })
    }

    /// Returns the reason that was added last. A release names its time, so that it ends no reason that was not seen.
    pub fn latest(&self) -> &HoldReason {
        self.also.last().unwrap_or(&self.first)
    }

    /// Returns true if this is a cause of the hold.
    pub fn is_by(&self, cause: HoldCause) -> bool {
        self.reasons().any(|reason| reason.by == cause)
    }

    /// Returns the hold as it is shown in a time zone, to suppliers too: without its owners.
    pub fn shown(&self, zone: Zone) -> HoldShown {
        let HoldReasonShown { by, since, because } = self.first.shown(zone);
        HoldShown {
            by,
            since,
            wave: self.wave,
            ended: self.ended,
            failed: self.failed,
            window: self.window,
            because,
            also: self.also.iter().map(|reason| reason.shown(zone)).collect(),
        }
    }
}

impl ErrorWindow {
    fn of(settings: &SupplierSettings) -> Option<Self> {
        let share = settings.hold_on_errors?;
        let failed = vec![0; share.window.div_ceil(8) as usize];
        Some(Self { limit: share.limit(), window: share.window, failed })
    }

    /// Records the end of the account that ended as the n-th, from 0.
    fn record(&mut self, n: u64, has_failed: bool) {
        // The remainder is less than the window, and the list has a bit for each of the window.
        let place = (n % u64::from(self.window)) as usize;
        if let Some(byte) = self.failed.get_mut(place / 8) {
            let bit = 1 << (place % 8);
            *byte = if has_failed { *byte | bit } else { *byte & !bit };
        }
    }

    fn failures(&self) -> u32 {
        self.failed.iter().map(|byte| byte.count_ones()).sum()
    }
}

/// The effect of a release on the waves of a supplier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterHold {
    /// The wave goes on: it was held before its accounts had ended.
    Continue,
    /// A wave of the same number and size begins: too many accounts of the last one have failed.
    Repeat,
    /// The next wave begins.
    Next,
}

impl Gate {
    /// Returns the gate of a supplier that has none.
    pub(crate) fn new(supplier_id: i64) -> Self {
        Self {
            supplier_id,
            wave: 0,
            wave_size: None,
            claimed: 0,
            ended: 0,
            failed: 0,
            began_at: None,
            errors: None,
            hold: None,
        }
    }

    /// Returns true if the gate decides nothing, so that it can be removed.
    pub(crate) fn is_idle(&self) -> bool {
        self.wave == 0 && self.errors.is_none() && self.hold.is_none()
    }

    /// Begins a wave and counts anew. The wave begins with the release if the supplier is held.
    pub(crate) fn begin_wave(&mut self, wave: u32, settings: &SupplierSettings, at: DateTime<Utc>) {
        self.wave = if settings.waves.is_none() { 0 } else { wave };
        self.wave_size = settings.waves.size(self.wave);
        self.claimed = 0;
        self.count_anew(settings, at);
    }

    /// Returns what the release of its hold does. Without waves it only counts anew.
    pub(crate) fn after_hold(&self, is_wave_open: bool) -> AfterHold {
        if self.wave == 0 {
            return AfterHold::Next;
        }
        // Claimed accounts may have failed after an operator held the supplier.
        if self.is_held_by(HoldCause::ErrorRate) || self.has_too_many_failures() {
            return AfterHold::Repeat;
        }
        let is_over = self.is_full() && !is_wave_open;
        if is_over { AfterHold::Next } else { AfterHold::Continue }
    }

    /// Counts ended accounts anew.
    pub(crate) fn count_anew(&mut self, settings: &SupplierSettings, at: DateTime<Utc>) {
        (self.ended, self.failed, self.began_at) = (0, 0, Some(at));
        self.errors = ErrorWindow::of(settings);
    }

    /// Holds the supplier, or adds a reason to its hold, unless it has the same one.
    pub(crate) fn hold(&mut self, reason: HoldReason) {
        if let Some(hold) = &mut self.hold {
            if !hold.reasons().any(|other| other.is_same(&reason)) {
                hold.also.push(reason);
            }
            return;
        }
        let window = self.errors.as_ref().filter(|_| reason.by == HoldCause::ErrorRate);
        self.hold = Some(Hold {
            wave: (self.wave > 0).then_some(self.wave),
            ended: self.ended,
            failed: window.map_or(self.failed, |window| window.failures().into()),
            window: window.map(|window| window.window),
            first: reason,
            also: Vec::new(),
        });
    }

    fn is_held_by(&self, cause: HoldCause) -> bool {
        self.hold.as_ref().is_some_and(|hold| hold.is_by(cause))
    }

    /// Counts an account that ended, and holds the supplier if too many have failed.
    fn count_end(&mut self, has_failed: bool, at: DateTime<Utc>) {
        if let Some(errors) = &mut self.errors {
            errors.record(self.ended, has_failed);
        }
        self.ended += 1;
        self.failed += u64::from(has_failed);
        if self.has_too_many_failures() {
            self.hold(HoldReason::of_service(HoldCause::ErrorRate, at));
        }
    }

    fn has_too_many_failures(&self) -> bool {
        self.errors.as_ref().is_some_and(|errors| errors.failures() > errors.limit)
    }

    /// Returns true if its wave takes no further accounts.
    pub(crate) fn is_full(&self) -> bool {
        self.wave_size.is_some_and(|size| self.claimed >= size)
    }
}

/// The time at which processes end in a transaction.
pub(crate) struct Ending {
    pub(crate) at: DateTime<Utc>,
    /// The open runs of their suppliers, if these were known.
    open: Option<OpenRuns>,
}

impl Ending {
    /// Keeps the open runs of the suppliers of these processes as they are until the transaction ends, and takes the time
    /// after that: an end is recorded in a run exactly if it is between the start and the end of the run. Before any other
    /// lock, because the start of a run waits for this one.
    pub(crate) fn of<'p>(
        tx: &mut dyn Tx,
        clock: &dyn Clock,
        processes: impl Iterator<Item = &'p Process>,
    ) -> Result<Self, StoreError> {
        let open = Some(run::open(tx, processes)?);
        Ok(Self { at: clock.now(), open })
    }

    /// Returns the open runs of the suppliers, if these were known.
    pub(crate) fn open_runs(&self) -> &[(SupplierCode, i64)] {
        self.open.as_deref().unwrap_or_default()
    }

    /// The same for processes that are not known yet.
    pub(crate) fn of_any(tx: &mut dyn Tx, clock: &dyn Clock) -> Result<Self, StoreError> {
        tx.lock_open_runs(&[])?;
        Ok(Self { at: clock.now(), open: None })
    }
}

/// Writes steps as [`Processes::step_processes`](crate::port::Processes::step_processes) does, counts those that
/// claim or end a process, and records outcomes in the open runs of their suppliers.
pub(crate) fn step_processes(tx: &mut dyn Tx, steps: &[StepWrite<'_>]) -> Result<Vec<bool>, StoreError> {
    write_steps(tx, steps, None)
}

/// The same for steps that may be the ends of accounts, which are dated by `ending`.
pub(crate) fn end_processes(
    tx: &mut dyn Tx,
    steps: &[StepWrite<'_>],
    ending: Ending,
) -> Result<Vec<bool>, StoreError> {
    write_steps(tx, steps, ending.open)
}

fn write_steps(
    tx: &mut dyn Tx,
    steps: &[StepWrite<'_>],
    open: Option<OpenRuns>,
) -> Result<Vec<bool>, StoreError> {
    let open = match open {
        Some(open) => open,
        None => run::open(tx, steps.iter().filter(|step| run::is_recorded(step)).map(|step| step.process))?,
    };
    let written = tx.step_processes(steps)?;
    let counted = steps.iter().zip(&written).filter(|(_, is_written)| **is_written).map(|(step, _)| step);
    let counted: Vec<&StepWrite<'_>> = counted.filter(|step| is_counted(step.process)).collect();
    if counted.is_empty() {
        return Ok(written);
    }
    count(tx, &counted)?;
    run::record(tx, &counted, &open)?;
    Ok(written)
}

/// Returns true for a step that claims or ends a process. One that waits again stays what it was.
fn is_counted(process: &Process) -> bool {
    process.state() != State::Pending
}

fn count(tx: &mut dyn Tx, steps: &[&StepWrite<'_>]) -> Result<(), StoreError> {
    let code = |step: &StepWrite<'_>| step.process.snapshot().supplier.clone();
    let suppliers: BTreeSet<SupplierCode> = steps.iter().map(|step| code(step)).collect();
    let suppliers: Vec<SupplierCode> = suppliers.into_iter().collect();
    for (supplier, mut gate) in tx.lock_gates(&suppliers)? {
        let own: Vec<&StepWrite<'_>> = steps.iter().filter(|step| code(step) == supplier).copied().collect();
        count_for(tx, &mut gate, &own)?;
    }
    Ok(())
}

fn count_for(tx: &mut dyn Tx, gate: &mut Gate, steps: &[&StepWrite<'_>]) -> Result<(), StoreError> {
    let before = gate.clone();
    let (mut claimed, mut ended, mut last) = (Vec::new(), Vec::new(), None);
    for step in steps {
        let at = step.entry.occurred_at;
        last = last.max(Some(at));
        match step.process.state() {
            State::InProgress => claimed.push(step.process.id()),
            state => {
                ended.push(step.process.id());
                // A cancelled account has neither been imported nor failed.
                if state.is_outcome() {
                    gate.count_end(state.is_error(), at);
                }
            }
        }
    }
    if gate.wave_size.is_some() {
        gate.claimed += tx.join_wave(gate.supplier_id, &claimed)?;
        tx.leave_wave(&ended)?;
        if let Some(at) = last {
            end_wave(tx, gate, at)?;
        }
    }
    save_if_changed(tx, &before, gate)
}

/// Holds a supplier if its wave is full and all of the wave have ended. One in which too many have failed is to be repeated.
fn end_wave(tx: &mut dyn Tx, gate: &mut Gate, at: DateTime<Utc>) -> Result<(), StoreError> {
    let is_known = gate.is_held_by(HoldCause::Wave) || gate.is_held_by(HoldCause::ErrorRate);
    if !is_known && gate.is_full() && !tx.is_wave_open(gate.supplier_id)? {
        gate.hold(HoldReason::of_service(HoldCause::Wave, at));
    }
    Ok(())
}

fn save_if_changed(tx: &mut dyn Tx, before: &Gate, gate: &Gate) -> Result<(), StoreError> {
    if gate == before {
        return Ok(());
    }
    tx.save_gate(gate)?;
    match &gate.hold {
        Some(hold) if gate.hold != before.hold => {
            keep(tx, gate, hold)?;
            let HoldReason { by, since, .. } = hold.latest();
            tracing::warn!(supplier = gate.supplier_id, %by, "the imports of a supplier are held");
            publish(tx, gate.supplier_id, FeedEventType::SupplierHeld, hold, *since)
        }
        _ => Ok(()),
    }
}

/// Keeps that the service holds a supplier, for its timeline.
fn keep(tx: &mut dyn Tx, gate: &Gate, hold: &Hold) -> Result<(), StoreError> {
    let HoldReason { by, since, .. } = hold.latest();
    // A hold has the counts of its first reason. Accounts of the same transaction may have ended since.
    let is_first = hold.also.is_empty();
    let (ended, failed) = if is_first { (hold.ended, hold.failed) } else { (gate.ended, gate.failed) };
    let wave = (gate.wave > 0).then_some(gate.wave);
    let kept = ServiceHold { at: *since, by: by.clone(), wave, ended, failed };
    tx.add_service_hold(gate.supplier_id, &kept)
}

/// Holds those of these suppliers whose wave has ended.
pub(crate) fn end_waves(
    tx: &mut dyn Tx,
    suppliers: &[SupplierCode],
    clock: &dyn Clock,
) -> Result<(), StoreError> {
    for (_, mut gate) in tx.lock_gates(suppliers)? {
        let before = gate.clone();
        end_wave(tx, &mut gate, clock.now())?;
        save_if_changed(tx, &before, &gate)?;
    }
    Ok(())
}

/// Publishes that a hold began or ended.
pub(crate) fn publish(
    tx: &mut dyn Rows,
    supplier_id: i64,
    event_type: FeedEventType,
    hold: &Hold,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    tx.publish(&NewFeedEvent {
        supplier_id,
        event_type,
        occurred_at: at,
        external_account_number: None,
        service_account_number: None,
        data: Some(EventData::hold(hold.shown(Zone::UTC))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::Operator;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000 + seconds, 0).unwrap()
    }

    fn reason(by: HoldCause, seconds: i64) -> HoldReason {
        HoldReason::of_service(by, at(seconds))
    }

    fn gate(hold_on_errors: &str) -> Gate {
        let mut settings = SupplierSettings::new("ACME");
        settings.hold_on_errors = Some(hold_on_errors.parse().unwrap());
        let mut gate = Gate::new(1);
        gate.count_anew(&settings, at(0));
        gate
    }

    /// Counts ends, `x` for a failure, and returns the number of accounts that ended before the hold.
    fn ends(gate: &mut Gate, outcomes: &str) -> Option<usize> {
        for (n, outcome) in outcomes.chars().enumerate() {
            gate.count_end(outcome == 'x', at(n as i64));
            if gate.hold.is_some() {
                return Some(n + 1);
            }
        }
        None
    }

    #[test]
    fn the_failure_over_the_share_holds_also_before_the_window_is_full() {
        assert_eq!(ends(&mut gate("1/200"), "xx"), None);
        assert_eq!(ends(&mut gate("1/200"), "x.x..x"), Some(6));
        assert_eq!(ends(&mut gate("0/10"), "....x"), Some(5));
        assert_eq!(ends(&mut gate("50/4"), "xx..xx..xx"), None);
        assert_eq!(ends(&mut gate("50/4"), "xx..xx.x"), Some(8));
    }

    #[test]
    fn failures_before_the_window_do_not_count() {
        let calm = format!("xx{}xx{}xx", ".".repeat(198), ".".repeat(198));
        assert_eq!(ends(&mut gate("1/200"), &calm), None);
        // The window is one account shorter here, so three failures are in it.
        let close = format!("x{}xx", ".".repeat(197));
        assert_eq!(ends(&mut gate("1/200"), &close), Some(200));
        let far = format!("x{}xx", ".".repeat(198));
        assert_eq!(ends(&mut gate("1/200"), &far), None);
    }

    #[test]
    fn only_a_wave_that_has_ended_without_too_many_failures_is_followed_by_the_next() {
        let in_wave = |hold: HoldCause, outcomes: &str| {
            let mut gate = gate("50/4");
            (gate.wave, gate.wave_size, gate.claimed) = (1, Some(4), outcomes.len() as u64);
            gate.hold(reason(hold, 9));
            outcomes.chars().for_each(|outcome| gate.count_end(outcome == 'x', at(10)));
            [gate.after_hold(true), gate.after_hold(false)]
        };
        use AfterHold::{Continue, Next, Repeat};
        assert_eq!(in_wave(HoldCause::Operator, "..."), [Continue, Continue], "not full");
        assert_eq!(in_wave(HoldCause::Operator, ".x.x"), [Continue, Next], "full");
        assert_eq!(in_wave(HoldCause::Wave, "...."), [Continue, Next]);
        assert_eq!(in_wave(HoldCause::ErrorRate, "...."), [Repeat, Repeat]);
        assert_eq!(in_wave(HoldCause::Operator, ".xxx"), [Repeat, Repeat], "failed during the hold");
        let mut before_the_first = gate("50/4");
        before_the_first.hold(reason(HoldCause::Operator, 0));
        assert_eq!(before_the_first.after_hold(false), Next);
    }

    #[test]
    fn a_hold_keeps_its_cause_and_its_counts() {
        let mut gate = gate("1/200");
        ends(&mut gate, ".x.x.x");
        let hold = gate.hold.clone().unwrap();
        assert_eq!(hold.first.by, HoldCause::ErrorRate);
        assert_eq!((hold.first.since, hold.ended, hold.failed, hold.window), (at(5), 6, 3, Some(200)));
        gate.count_end(true, at(7));
        assert_eq!((gate.ended, gate.failed), (7, 4));
        assert_eq!(gate.hold, Some(hold));
    }

    #[test]
    fn the_supplier_ends_its_own_reason_only() {
        let mut gate = gate("1/200");
        for (n, by) in [HoldCause::Supplier, HoldCause::Operator, HoldCause::Wave].into_iter().enumerate() {
            gate.hold(reason(by, n as i64));
        }
        let left = gate.hold.as_ref().unwrap().without_own().unwrap();
        let by: Vec<_> = left.reasons().filter_map(|reason| reason.by.known().copied()).collect();
        assert_eq!(by, [HoldCause::Operator, HoldCause::Wave]);
        gate.hold = None;
        gate.hold(reason(HoldCause::Supplier, 0));
        assert_eq!(gate.hold.as_ref().unwrap().without_own(), None);
    }

    #[test]
    fn a_hold_takes_further_reasons_once() {
        let mut gate = gate("1/200");
        let by = |owner: &str, because: &str, seconds| HoldReason {
            owner: Some(Operator::read(owner)),
            because: Some(because.into()),
            ..reason(HoldCause::Operator, seconds)
        };
        for reason in
            [by("ada", "tariffs", 1), by("ada", "tariffs", 2), by("bob", "tariffs", 3), by("ada", "a", 4)]
        {
            gate.hold(reason);
        }
        (0..4).for_each(|n| gate.count_end(true, at(n)));
        let hold = gate.hold.as_ref().unwrap();
        let since: Vec<i64> = hold.reasons().map(|reason| (reason.since - at(0)).num_seconds()).collect();
        assert_eq!(since, [1, 3, 4, 2], "the third failure holds at its time");
        assert!(hold.is_by(HoldCause::ErrorRate));
        assert_eq!((hold.failed, hold.window, &hold.latest().by), (0, None, &HoldCause::ErrorRate.into()));
    }
}
