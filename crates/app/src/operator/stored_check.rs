//! Checks of stored payloads of a supplier as an import at some time would make them, which change nothing (contract D15,
//! decision 0048).
//!
//! One thread reads payloads and others check them, so the number of payloads in memory is bounded. A check is that of an
//! import: the same decoding, the same rules, the same facts.

use super::outlook::payloads_of;
use super::{AccountGroup, Operations, OperatorError};
use crate::account::{FactsToRead, profile, stored};
use crate::documents::{FoundDocuments, missing};
use crate::port::{
    Cause, DocumentsUnavailable, ListedProcess, PageLimit, Position, ProcessFilter, StoreError, Supplier,
};
use crate::worker::{decode_again, report_again};
use crate::{App, codec};
use chrono::{DateTime, Utc};
use cutover_core::{Code, Now};
use cutover_model::{AccountRequest, Decoded};
use cutover_process::{Process, State};
use cutover_rules::documents_of_account;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Number of processes that are read at once.
const PAGE: u32 = 512;
/// Maximum number of payloads that are checked together, and the compressed size from which there are no more.
const CHUNK: usize = 64;
const CHUNK_BYTES: usize = 256 << 10;
/// Number of chunks that wait for a thread.
const WAITING: usize = 4;
/// Number of examples.
const EXAMPLES: usize = 10;

/// The result of checking the stored payloads of a supplier.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WhatIf {
    /// Number of payloads that were checked.
    pub checked: u64,
    /// Number of accounts whose payload is not stored any more.
    pub not_kept: u64,
    /// Number of payloads without an error.
    pub passing: u64,
    /// Number of payloads with an error.
    pub failing: u64,
    /// The causes of failures, the most frequent first.
    pub codes: Vec<(Cause, AccountGroup)>,
    /// Accounts that were accepted or have passed, and would fail.
    pub newly_failing: AccountGroup,
    /// Accounts that failed validation, and would pass.
    pub newly_passing: AccountGroup,
}

/// An account with its payload.
struct Item {
    /// Its place in the order of creation.
    place: u64,
    number: String,
    standing: Standing,
    packed: Vec<u8>,
}

/// The verdict on an account until now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It was accepted, imported, or passed a dry run.
    Passed,
    /// It failed validation.
    Failed,
    /// It was cancelled, or failed for another reason.
    Unknown,
}

impl Standing {
    fn of(process: &Process) -> Self {
        match process.known_state() {
            Some(State::Pending | State::InProgress | State::Processed | State::DryRunSucceeded) => {
                Self::Passed
            }
            Some(State::Errored | State::DryRunErrored)
                if process
                    .latest_error()
                    .is_some_and(|error| error.code == Code::ImportProcessFailedValidation) =>
            {
                Self::Failed
            }
            _ => Self::Unknown,
        }
    }
}

/// A part of the work, or what came of it.
#[derive(Default)]
struct Chunk {
    items: Vec<Item>,
    not_kept: u64,
}

/// The causes of the errors of an account; none if it passes.
struct Verdict {
    place: u64,
    number: String,
    standing: Standing,
    causes: Vec<Cause>,
}

/// The failure of a part.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Operator(#[from] OperatorError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Documents(#[from] DocumentsUnavailable),
}

impl From<Fault> for OperatorError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Operator(error) => error,
            Fault::Store(error) => error.into(),
            Fault::Documents(error) => Self::Refused(error.to_string()),
        }
    }
}

type Checked = Result<(Vec<Verdict>, u64), Fault>;

impl Operations<'_> {
    /// Checks payloads of a supplier as an import at a time would, with these settings of it: those of processes in a state,
    /// or of all, at most as many as `most`, the first ones.
    pub(super) fn check_stored(
        &self,
        supplier: &Supplier,
        now: DateTime<Utc>,
        state: Option<State>,
        most: u64,
        progress: &mut dyn FnMut(u64),
    ) -> Result<WhatIf, OperatorError> {
        let now = Now::new(now, supplier.settings.time_zone);
        let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let (chunks, waiting) = sync_channel::<Chunk>(WAITING);
        let (done, results) = sync_channel::<Checked>(WAITING);
        thread::scope(|scope| {
            let failed = done.clone();
            scope.spawn(move || {
                if let Err(error) = self.read_chunks(supplier, state, most, &chunks) {
                    // Nobody listens any more after another failure.
                    let _ = failed.send(Err(error.into()));
                }
            });
            // Dropped with the last thread that takes from it, which ends the reader.
            let waiting = Arc::new(Mutex::new(waiting));
            for _ in 0..threads {
                let (waiting, done) = (waiting.clone(), done.clone());
                scope.spawn(move || self.app.check_chunks(supplier, now, &waiting, &done));
            }
            drop((waiting, done));
            collect(results, progress)
        })
    }

    /// Reads the processes of a supplier with their payloads, in the order of creation, until nobody takes them.
    fn read_chunks(
        &self,
        supplier: &Supplier,
        state: Option<State>,
        most: u64,
        chunks: &SyncSender<Chunk>,
    ) -> Result<(), OperatorError> {
        let (mut after, mut place, mut chunk) = (None::<Position>, 0, Chunk::default());
        let filter = ProcessFilter { state, ..ProcessFilter::default() };
        while place < most {
            let left = u32::try_from(most - place).unwrap_or(u32::MAX);
            let limit = PageLimit::of(PAGE.min(left));
            let page =
                self.read_committed(|tx| Ok(tx.list_processes(supplier.id, filter, after, limit)?))?;
            for listed in page.processes.chunks(CHUNK) {
                let mut payloads = self.packed(supplier, listed)?;
                for ListedProcess { process, .. } in listed {
                    place += 1;
                    match payloads.remove(&process.id()) {
                        Some(packed) => {
                            let number = process.snapshot().external_account_number.to_string();
                            let standing = Standing::of(process);
                            chunk.items.push(Item { place, number, standing, packed: packed? });
                        }
                        None => chunk.not_kept += 1,
                    }
                    let size: usize = chunk.items.iter().map(|item| item.packed.len()).sum();
                    if (chunk.items.len() >= CHUNK || size >= CHUNK_BYTES)
                        && chunks.send(std::mem::take(&mut chunk)).is_err()
                    {
                        return Ok(());
                    }
                }
            }
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        let _ = chunks.send(chunk);
        Ok(())
    }

    fn packed(
        &self,
        supplier: &Supplier,
        listed: &[ListedProcess],
    ) -> Result<HashMap<i64, Result<Vec<u8>, StoreError>>, OperatorError> {
        let ids: Vec<i64> = listed.iter().map(|listed| listed.process.id()).collect();
        let found = self.read(|tx| payloads_of(tx, supplier, &ids))?;
        Ok(found.into_iter().collect())
    }
}

impl App {
    fn check_chunks(
        &self,
        supplier: &Supplier,
        now: Now,
        waiting: &Mutex<Receiver<Chunk>>,
        done: &SyncSender<Checked>,
    ) {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(Chunk { items, not_kept }) = next else { return };
            let checked = self.check_together(supplier, now, items).map(|verdicts| (verdicts, not_kept));
            let has_failed = checked.is_err();
            if done.send(checked).is_err() || has_failed {
                return;
            }
        }
    }

    /// Checks payloads as an import of the supplier would. Their facts are read together.
    fn check_together(&self, supplier: &Supplier, now: Now, items: Vec<Item>) -> Result<Vec<Verdict>, Fault> {
        let unpacked = items.iter().map(|item| codec::unpack(&item.packed));
        let payloads: Vec<_> = unpacked.collect::<Result<_, _>>()?;
        let decode = |payload| {
            let broken = |_| StoreError::Corrupt("a payload is not JSON".into());
            decode_again(payload, supplier.settings.time_zone).map_err(broken)
        };
        let decoded: Vec<Decoded<AccountRequest<'_>>> =
            payloads.iter().map(|payload| decode(payload)).collect::<Result<_, _>>()?;
        let profile = profile(Some(supplier));
        let sought = |decoded: &Decoded<_>| {
            decoded.draft.as_ref().map(|request| FactsToRead::for_all(request, supplier, &profile))
        };
        let known = self.known_together(supplier, &decoded.iter().map(sought).collect::<Vec<_>>())?;
        let found = self.found_documents(supplier, &decoded)?;
        let mut verdicts = Vec::with_capacity(items.len());
        for ((item, decoded), known) in items.into_iter().zip(&decoded).zip(&known) {
            let report = report_again(supplier, decoded, known, found.as_ref(), now);
            let causes = Cause::of_issues(&stored(&report.errors));
            verdicts.push(Verdict {
                place: item.place,
                number: item.number,
                standing: item.standing,
                causes,
            });
        }
        Ok(verdicts)
    }

    /// Looks up the documents of payloads together.
    fn found_documents(
        &self,
        supplier: &Supplier,
        decoded: &[Decoded<AccountRequest<'_>>],
    ) -> Result<Option<FoundDocuments>, DocumentsUnavailable> {
        let requests = decoded.iter().filter_map(|decoded| decoded.draft.as_ref());
        let documents = || requests.flat_map(documents_of_account).collect();
        missing(Some(supplier), None, documents)
            .map(|wanted| pollster::block_on(self.look_up(&wanted)))
            .transpose()
    }
}

/// The accounts of a group that were created first.
#[derive(Debug, Default)]
struct First {
    count: u64,
    examples: BTreeMap<u64, String>,
}

impl First {
    fn add(&mut self, place: u64, number: &str) {
        self.count += 1;
        if self.examples.len() < EXAMPLES
            || self.examples.last_key_value().is_some_and(|(last, _)| place < *last)
        {
            self.examples.insert(place, number.to_owned());
            if self.examples.len() > EXAMPLES {
                self.examples.pop_last();
            }
        }
    }

    fn group(self) -> AccountGroup {
        AccountGroup { count: self.count, examples: self.examples.into_values().collect() }
    }
}

/// Adds up results as they come, in any order.
fn collect(results: Receiver<Checked>, progress: &mut dyn FnMut(u64)) -> Result<WhatIf, OperatorError> {
    let mut all = WhatIf::default();
    let mut codes: BTreeMap<Cause, First> = BTreeMap::new();
    let (mut newly_failing, mut newly_passing) = (First::default(), First::default());
    for checked in results {
        let (verdicts, not_kept) = checked?;
        all.not_kept += not_kept;
        for Verdict { place, number, standing, causes } in verdicts {
            all.checked += 1;
            let fails = !causes.is_empty();
            *(if fails { &mut all.failing } else { &mut all.passing }) += 1;
            match standing {
                Standing::Passed if fails => newly_failing.add(place, &number),
                Standing::Failed if !fails => newly_passing.add(place, &number),
                _ => {}
            }
            causes.into_iter().for_each(|cause| codes.entry(cause).or_default().add(place, &number));
        }
        progress(all.checked + all.not_kept);
    }
    all.newly_failing = newly_failing.group();
    all.newly_passing = newly_passing.group();
    all.codes = codes.into_iter().map(|(cause, first)| (cause, first.group())).collect();
    all.codes.sort_by_key(|(_, group)| Reverse(group.count));
    Ok(all)
}
