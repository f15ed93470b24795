//! The facts that checks judge. What is read is bounded, whatever the size of the supplier: kept figures, ranges of
//! indexes, a sample of payloads.

use super::Services;
use super::newest::newest_row;
use crate::App;
use crate::account::{NumberDifference, Pace, StatusCount, accounts, number_examples};
use crate::codec::unpack;
use crate::operator::forecast::Left;
use crate::operator::{Forecast, WhatIf};
use crate::port::{
    Encryption, Gate, Inspection, Node, PageLimit, ProcessFilter, Reconciliation, RunFigures,
    ServerCertificateState, ServerFigures, StoreError, Supplier, Tx, WaitingWindows, read, read_committed,
};
use chrono::{DateTime, Utc};
use cutover_core::{SupplierStatus, Word, Zone};
use cutover_process::State;

/// Maximum number of contracts that are named, and one more.
const CONTRACTS: u32 = 4;
/// Maximum number of accounts that are named beside a manifest.
const EXAMPLES: usize = 3;
/// Number of waiting payloads that the size of the others is estimated from.
const SAMPLE: u32 = 20;

/// The last stretch of a supplier's work that failures are judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    /// Its name in sentences.
    pub(super) name: String,
    /// Accounts that ended in it.
    pub(super) ended: u64,
    /// Accounts that failed in it and have taken no step since.
    pub(super) failed: u64,
}

/// The result of checking the first accounts of a wave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sample {
    /// Number of accounts of the wave, or of all that wait if there are no waves.
    pub(super) accounts: u64,
    /// The result of those that were checked, or the reason why none was.
    pub(super) result: Result<WhatIf, String>,
}

/// The facts about a supplier.
pub(super) struct Facts {
    pub(super) now: DateTime<Utc>,
    /// Everything that any node stored or refused before is part of the facts.
    pub(super) as_of: DateTime<Utc>,
    pub(super) supplier: Supplier,
    pub(super) gate: Option<Gate>,
    pub(super) left: Left,
    /// Accounts that failed and were neither sent again nor retried.
    pub(super) failed: u64,
    /// Accounts that were refused and not accepted since.
    pub(super) refused: u64,
    pub(super) last: Option<Stretch>,
    /// Contracts that are gone although waiting accounts name them: some of them.
    pub(super) absent_contracts: Vec<String>,
    /// The result of checking the first accounts of the wave as an import would; `None` before that.
    pub(super) sample: Option<Sample>,
    pub(super) reconciliation: Reconciliation,
    /// Some accounts that are declared and were not sent, and some that were sent and are not declared.
    pub(super) differing: [Vec<String>; 2],
    pub(super) windows: WaitingWindows,
    pub(super) pace: Option<Pace>,
    pub(super) forecast: Forecast,
    pub(super) has_documents: bool,
}

/// The facts about the installation.
pub(super) struct Installation {
    pub(super) now: DateTime<Utc>,
    /// The zone of the times shown: that of the supplier whose release is judged.
    pub(super) zone: Zone,
    pub(super) services: Services,
    pub(super) encryption: Result<Encryption, StoreError>,
    pub(super) nodes: Vec<Node>,
    pub(super) free_space: Result<Option<u64>, StoreError>,
    /// Why the database refused a write within the last minute, if it did.
    pub(super) refused_write: Option<StoreError>,
    /// Bytes that the accounts that wait will take, estimated.
    pub(super) needed_space: u64,
    /// `None` for an embedded database.
    pub(super) server: Result<Option<ServerFigures>, StoreError>,
    pub(super) inspection: Result<Inspection, StoreError>,
    pub(super) last_backup_at: Option<DateTime<Utc>>,
    /// The newest time at which an operator created something.
    pub(super) newest_row: Option<DateTime<Utc>>,
    /// `None` if the settings name none.
    pub(super) server_certificate: Option<ServerCertificateState>,
}

impl App {
    pub(super) fn facts(&self, supplier: &Supplier, services: &Services) -> Result<Facts, StoreError> {
        let settled = self.settle_refused(supplier.id);
        let now = self.clock.now();
        // One snapshot, so that the counts agree.
        read(&*self.store, |tx| {
            let counts = StatusCount::of(&tx.state_counts(supplier.id)?);
            let count = |state| accounts(&counts, state);
            let left = Left { pending: count(State::Pending), running: count(State::InProgress) };
            let failed = count(State::Errored) + count(State::DryRunErrored);
            let gate = tx.gate(supplier.id)?;
            let is_wave_open = gate.is_some() && tx.is_wave_open(supplier.id)?;
            let with_next = gate.as_ref().map(|gate| (gate, gate.after_hold(is_wave_open)));
            let is_held = gate.as_ref().is_some_and(|gate| gate.hold.is_some());
            let goes_on = !is_held && supplier.settings.status == SupplierStatus::Ongoing;
            let pace = Pace::last(tx, supplier.id, goes_on, now)?;
            Ok(Facts {
                refused: tx.refused_figures(supplier.id, 0)?.accounts,
                forecast: Forecast::new(supplier, with_next, left, pace.as_ref(), now),
                last: last_stretch(tx, supplier.id, gate.as_ref(), failed)?,
                sample: None,
                absent_contracts: tx.absent_contracts(supplier.organisation_id, supplier.id, CONTRACTS)?,
                differing: [
                    number_examples(tx, supplier.id, NumberDifference::Missing, EXAMPLES)?,
                    number_examples(tx, supplier.id, NumberDifference::Unexpected, EXAMPLES)?,
                ],
                reconciliation: tx.reconciliation(supplier.id)?,
                windows: tx.waiting_windows(supplier.id)?,
                supplier: supplier.clone(),
                has_documents: services.has_documents,
                as_of: self.refused_as_of(tx, settled)?,
                now,
                gate,
                left,
                failed,
                pace,
            })
        })
    }

    pub(super) fn installation(
        &self,
        facts: &Facts,
        services: &Services,
        is_now: bool,
    ) -> Result<Installation, StoreError> {
        let (last_backup_at, newest_row, each) = read_committed(&*self.store, |tx| {
            Ok((tx.last_backup_at()?, newest_row(tx)?, average_payload(tx, facts.supplier.id)?))
        })?;
        Ok(Installation {
            now: facts.now,
            zone: facts.supplier.settings.time_zone,
            services: services.clone(),
            encryption: self.store.encryption(),
            nodes: self.running_nodes()?,
            free_space: self.store.free_space(),
            refused_write: self.refused_write(),
            needed_space: each.saturating_mul(facts.left.all()).saturating_mul(ROWS_PER_PAYLOAD),
            server: self.store.server_figures(),
            inspection: self.inspected(is_now),
            last_backup_at,
            newest_row,
            server_certificate: self.server_certificate.as_ref().map(|of| of.judge(facts.now)),
        })
    }
}

/// An imported account takes about as much as its payload in rows and as much again in indexes and the log.
const ROWS_PER_PAYLOAD: u64 = 2;

/// Returns the last run or wave in which accounts ended, or the stretch since the last release. Without a run or a gate
/// nothing is counted, and there is none.
///
/// Kept counts of minutes tell which failures since its first minute were not sent again; its own counts tell how many
/// have failed in it at most.
fn last_stretch(
    tx: &mut dyn Tx,
    supplier_id: i64,
    gate: Option<&Gate>,
    failed: u64,
) -> Result<Option<Stretch>, StoreError> {
    let gate = gate.filter(|gate| gate.wave > 0 || gate.errors.is_some());
    let begun = gate.filter(|gate| gate.ended > 0 || gate.wave > 1).and_then(|gate| gate.began_at);
    let run = tx.runs(supplier_id, None, 1)?.into_iter().next();
    if let Some(run) = run.filter(|run| begun.is_none_or(|began_at| began_at < run.started_at)) {
        let [ended, failures] = ends(&tx.run_figures(run.id)?);
        if ended > 0 || gate.is_none() {
            let open = tx.failed_since(supplier_id, run.started_at)?;
            let name = format!("of the run “{}”", run.name);
            return Ok(Some(Stretch { name, ended, failed: open.min(failures) }));
        }
    }
    let Some(gate) = gate else { return Ok(None) };
    let open = match gate.began_at {
        Some(began_at) => tx.failed_since(supplier_id, began_at)?,
        None => failed,
    };
    let name = match gate.wave {
        0 => "since the last release".to_owned(),
        wave => format!("of wave {wave}"),
    };
    Ok(Some(Stretch { name, ended: gate.ended, failed: open.min(gate.failed) }))
}

/// Returns the numbers of accounts that ended in a run, and that failed in it.
fn ends(figures: &RunFigures) -> [u64; 2] {
    let is_error = |state: &str| Word::<State>::read(state).known().is_some_and(|state| state.is_error());
    let sum = |counts: &mut dyn Iterator<Item = i64>| u64::try_from(counts.sum::<i64>()).unwrap_or_default();
    let failures = figures.states.iter().filter(|(state, _)| is_error(state));
    [sum(&mut figures.states.values().copied()), sum(&mut failures.map(|(_, count)| *count))]
}

/// Returns the average length of payloads that wait, unpacked, in bytes; 0 if none waits.
fn average_payload(tx: &mut dyn Tx, supplier_id: i64) -> Result<u64, StoreError> {
    let filter = ProcessFilter::of(State::Pending);
    let page = tx.list_processes(supplier_id, filter, None, PageLimit::of(SAMPLE))?;
    let ids: Vec<i64> = page.processes.iter().map(|listed| listed.process.id()).collect();
    let (mut bytes, mut payloads) = (0, 0);
    for (_, packed) in tx.payloads(&ids)? {
        // One that cannot be read is the concern of another check.
        if let Some(payload) = packed.ok().and_then(|packed| unpack(&packed).ok()) {
            bytes += payload.len() as u64;
            payloads += 1;
        }
    }
    Ok(bytes.checked_div(payloads).unwrap_or(0))
}
