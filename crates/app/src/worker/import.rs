use super::claim::{Claimed, illegal, in_time};
use super::outcome::Outcome;
use super::pace::Pace;
use super::prepare::{self, Fault, Read};
use super::ready::{Ready, Size, write_ready};
use super::stopwatch::Stopwatch;
use crate::account::{FactsToRead, Imports, Known};
use crate::fault::{self, Point};
use crate::port::{StepWrite, StoreError, Supplier, Tx, read_committed, write};
use crate::{App, codec, gate};
use chrono::Duration;
use cutover_core::ServiceAccountNumber;
use cutover_process::{Actor, Event, Failure, Process};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Number of account numbers to try when one is taken.
const NUMBERS: usize = 5;
/// Bytes of unpacked payloads from which on no other is decoded with them. Their drafts take several times as much.
const TOGETHER: usize = 512 << 10;
/// Delay before a process is due again whose payload is encrypted with a key that this node lacks.
const KEY_WAIT: Duration = Duration::seconds(30);

type Payloads = HashMap<i64, Result<Vec<u8>, StoreError>>;

/// The imports of one [`Worker::run_once`](super::Worker::run_once).
pub(super) struct Batch<'a> {
    pub(super) app: &'a App,
    pub(super) actor: &'a Actor,
    pub(super) pace: &'a Pace,
    /// Returns true if another account may be begun: false once the worker stops, and late in its lease.
    pub(super) may_begin: &'a dyn Fn() -> bool,
    pub(super) watch: &'a Stopwatch<'a>,
}

impl Batch<'_> {
    /// Imports claimed accounts, several per commit. Each is written completely, with its status and its
    /// event, or not at all. Calls `each` with the outcome of each account.
    ///
    /// A process is released or ended whatever fails; only if the store cannot write that either does its
    /// lease expire. A process whose key is missing is released and reported as an error.
    pub(super) fn import(&self, claims: Vec<Claimed>, each: &mut dyn FnMut(Result<Outcome, StoreError>)) {
        let ids: Vec<i64> = claims.iter().map(|claimed| claimed.process.id()).collect();
        let mut payloads = self.payloads(&ids);
        let (mut ready, mut size) = (Vec::new(), Size::default());
        let mut waiting = VecDeque::from(claims);
        while !waiting.is_empty() || !ready.is_empty() {
            if waiting.is_empty() {
                waiting.extend(self.commit(std::mem::take(&mut ready), each));
                size = Size::default();
                continue;
            }
            let unpacked = self.unpack(&mut waiting, &mut payloads, each);
            let _large = self.large_import(&unpacked);
            let mut read = self.read(&unpacked, each);
            // Those that are written later than the facts about these are read.
            let mut imports = Imports::default();
            ready.iter().for_each(|one: &Ready| one.add_to(&mut imports));
            let (known, mut outdated) = (self.known(&read), Vec::new());
            for known in known {
                let Some((claimed, payload)) = read.pop_front() else { break };
                if !(self.may_begin)() {
                    let others = read.into_iter().map(|(claimed, _)| claimed.process.clone());
                    let others = others.chain(waiting.drain(..).map(|claimed| claimed.process));
                    self.release_all(std::iter::once(claimed.process.clone()).chain(others).collect(), each);
                    break;
                }
                let check = || {
                    let known = known.map_or_else(|| self.known_of(claimed, &payload), Ok)?.after(&imports);
                    let prepared = self.app.prepare_import(claimed, payload, &known, self.number())?;
                    Ok::<_, Fault>(Ready::new(claimed, prepared, known))
                };
                match self.attempt(&claimed.process, check) {
                    Ok(one) => {
                        size.add(one.size);
                        one.add_to(&mut imports);
                        ready.push(one);
                    }
                    Err(outcome) => each(outcome),
                }
                self.watch.lap([(claimed.process.id(), 1)].into_iter());
                if size.is_full(self.app.settings.import_batch) {
                    outdated.extend(self.commit(std::mem::take(&mut ready), each));
                    size = Size::default();
                }
            }
            waiting.extend(outdated);
        }
    }

    /// Waits until the process imports no other large account, if one of these is large: decoded, it takes many times its
    /// size until it is written.
    fn large_import(&self, unpacked: &[(Claimed, Vec<u8>)]) -> Option<MutexGuard<'_, ()>> {
        let is_large = |payload: &Vec<u8>| payload.len() > self.app.settings.import_batch;
        let has_large = unpacked.iter().any(|(_, payload)| is_large(payload));
        has_large.then(|| self.app.large_import.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn payloads(&self, ids: &[i64]) -> Result<Payloads, StoreError> {
        let found = read_committed(&*self.app.store, |tx| tx.payloads(ids))?;
        Ok(found.into_iter().collect())
    }

    /// Unpacks the payloads of the next accounts. If the worker must stop, it releases all that wait.
    fn unpack(
        &self,
        waiting: &mut VecDeque<Claimed>,
        payloads: &mut Result<Payloads, StoreError>,
        each: &mut dyn FnMut(Result<Outcome, StoreError>),
    ) -> Vec<(Claimed, Vec<u8>)> {
        let (mut unpacked, mut bytes) = (Vec::new(), 0);
        while bytes < TOGETHER && !waiting.is_empty() {
            if !(self.may_begin)() {
                self.release_all(waiting.drain(..).map(|claimed| claimed.process).collect(), each);
                break;
            }
            let Some(claimed) = waiting.pop_front() else { break };
            let unpack = || {
                fault::reached(Point::ImportBegun, claimed.number());
                let id = claimed.process.id();
                let alone = || self.payloads(&[id]).and_then(|mut found| found.remove(&id).transpose());
                let payload = match payloads {
                    // An account that is checked again has taken it before.
                    Ok(found) => found.remove(&id).map_or_else(alone, |payload| payload.map(Some)),
                    // One payload may be readable where reading all took too long.
                    Err(StoreError::Busy(_)) => alone(),
                    Err(error) => Err(error.clone()),
                };
                let missing = || StoreError::Corrupt(format!("process {id} has no payload"));
                Ok(codec::unpack(&payload?.ok_or_else(missing)?)?)
            };
            match self.attempt(&claimed.process, unpack) {
                Ok(payload) => {
                    bytes += payload.len();
                    unpacked.push((claimed, payload));
                }
                Err(outcome) => each(outcome),
            }
        }
        unpacked
    }

    /// Decodes unpacked payloads.
    fn read<'p>(
        &self,
        unpacked: &'p [(Claimed, Vec<u8>)],
        each: &mut dyn FnMut(Result<Outcome, StoreError>),
    ) -> VecDeque<(&'p Claimed, Read<'p>)> {
        let mut all = VecDeque::with_capacity(unpacked.len());
        for (claimed, payload) in unpacked {
            let read = || {
                let key = self.app.run_hints.key_of(&*self.app.store, &claimed.supplier.code)?;
                prepare::read(claimed, payload, key.as_ref())
            };
            match self.attempt(&claimed.process, read) {
                Ok(read) => all.push_back((claimed, read)),
                Err(outcome) => each(outcome),
            }
            self.watch.lap([(claimed.process.id(), 1)].into_iter());
        }
        all
    }

    /// Looks up the facts about accounts, together for each supplier. Those that could not be looked up together are
    /// `None`: one account must not cost the others their attempt.
    fn known(&self, read: &VecDeque<(&Claimed, Read<'_>)>) -> Vec<Option<Known>> {
        let mut by_supplier: BTreeMap<i64, (&Supplier, Vec<usize>)> = BTreeMap::new();
        for (place, (claimed, _)) in read.iter().enumerate() {
            let supplier = &*claimed.supplier;
            by_supplier.entry(supplier.id).or_insert((supplier, Vec::new())).1.push(place);
        }
        let mut known: Vec<Option<Known>> = read.iter().map(|_| None).collect();
        for (supplier, places) in by_supplier.into_values() {
            let sought: Vec<Option<FactsToRead>> =
                places.iter().map(|place| read[*place].1.sought(supplier)).collect();
            let found = guarded(|| self.app.known_together(supplier, &sought));
            self.watch.lap(places.iter().map(|place| (read[*place].0.process.id(), 1)));
            for (place, of) in places.into_iter().zip(found.into_iter().flatten()) {
                known[place] = Some(of);
            }
        }
        known
    }

    /// Looks up the facts about one account.
    fn known_of(&self, claimed: &Claimed, read: &Read<'_>) -> Result<Known, StoreError> {
        let found = self.app.known_together(&claimed.supplier, &[read.sought(&claimed.supplier)])?;
        Ok(found.into_iter().next().unwrap_or_default())
    }

    /// Takes a step towards an import. If it fails, ends the process and returns the outcome.
    fn attempt<T>(
        &self,
        process: &Process,
        step: impl FnOnce() -> Result<T, Fault>,
    ) -> Result<T, Result<Outcome, StoreError>> {
        match catch_unwind(AssertUnwindSafe(step)) {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(Fault::Store(StoreError::KeyMissing(key)))) => Err(self.release_to_others(process, key)),
            Ok(Err(fault)) => Err(self.defer(process, fault)),
            Err(_) => {
                tracing::error!(process = process.id(), "import panicked");
                Err(self.fail(process, Failure::Panic))
            }
        }
    }

    fn number(&self) -> ServiceAccountNumber {
        ServiceAccountNumber::from_random(self.app.random.number())
    }

    /// Writes accounts together. While the database answers, a commit that takes too long is repeated in
    /// smaller parts, down to single accounts: only an account that fails alone loses an attempt. Accounts
    /// that no longer fit in the lease are released.
    ///
    /// If the database is unavailable, smaller parts would fail as well: the leases of all of them expire.
    ///
    /// Returns accounts that were checked with facts which have changed since. They are not written, and have to be checked
    /// again.
    fn commit(&self, ready: Vec<Ready>, each: &mut dyn FnMut(Result<Outcome, StoreError>)) -> Vec<Claimed> {
        let (mut waiting, mut has_begun, mut outdated) = (VecDeque::from(ready), false, Vec::new());
        while !waiting.is_empty() {
            // The first part is written even if the worker stops now. The next may take as long as the one
            // that failed.
            if has_begun && !(self.may_begin)() {
                let rest = waiting.into_iter().map(|one| one.claimed.process).collect();
                self.release_all(rest, each);
                return outdated;
            }
            has_begun = true;
            let count = waiting.len().min(self.pace.limit());
            let mut part: Vec<Ready> = waiting.drain(..count).collect();
            match self.write_together(&mut part) {
                Ok(outcomes) => outcomes.into_iter().for_each(|outcome| each(Ok(outcome))),
                Err(error) if error.is_outage() => {
                    (0..part.len() + waiting.len()).for_each(|_| each(Err(error.clone())));
                    return outdated;
                }
                Err(_) if part.iter().any(|one| one.is_outdated) => {
                    let (again, rest): (Vec<_>, Vec<_>) = part.into_iter().partition(|one| one.is_outdated);
                    tracing::debug!(accounts = again.len(), "facts have changed: accounts are checked again");
                    outdated.extend(again.into_iter().map(|one| one.claimed));
                    rest.into_iter().rev().for_each(|one| waiting.push_front(one));
                }
                Err(error @ StoreError::Busy(_)) if part.len() > 1 => {
                    tracing::warn!(accounts = part.len(), %error, "imports are written in smaller parts");
                    self.pace.slow_down(part.len());
                    part.into_iter().rev().for_each(|one| waiting.push_front(one));
                }
                Err(error @ StoreError::Busy(_)) => {
                    part.iter().for_each(|one| each(self.defer(&one.claimed.process, error.clone().into())));
                }
                Err(_) => {
                    for one in part {
                        let claimed = one.claimed.clone();
                        self.write_alone(one).map_or_else(|| outdated.push(claimed), &mut *each);
                    }
                }
            }
        }
        outdated
    }

    /// Returns nothing if the account has to be checked again.
    fn write_alone(&self, ready: Ready) -> Option<Result<Outcome, StoreError>> {
        let process = ready.claimed.process.clone();
        if !(self.may_begin)() {
            return Some(self.end(&process, Event::ShutDown));
        }
        let mut alone = vec![ready];
        for _ in 0..NUMBERS {
            match self.write_together(&mut alone) {
                Ok(outcomes) => return Some(Ok(outcomes.into_iter().next().unwrap_or(Outcome::Stale))),
                Err(_) if alone.iter().any(|one| one.is_outdated) => return None,
                Err(StoreError::Conflict(_)) => {
                    alone.iter_mut().for_each(|one| one.renumber(self.number()));
                }
                Err(error) => return Some(self.defer(&process, error.into())),
            }
        }
        Some(self.defer(&process, StoreError::Conflict("no free account number was found".into()).into()))
    }

    /// Writes accounts, their status and their events in one transaction; for dry runs only the step.
    fn write_together(&self, ready: &mut Vec<Ready>) -> Result<Vec<Outcome>, StoreError> {
        fault::reached(Point::ImportReady, ready.first().map_or("", Ready::number));
        let (clock, actor, hints) = (self.app.clock.clone(), self.actor.clone(), self.app.run_hints.clone());
        // The job owns its data. Shared, so that accounts that were not written can be tried again.
        let shared = Arc::new(Mutex::new(std::mem::take(ready)));
        let given = shared.clone();
        let job = move |tx: &mut dyn Tx| write_ready(tx, &mut lock(&given), &*clock, &actor, &hints);
        let written = guarded(|| write(&*self.app.store, job));
        *ready = std::mem::take(&mut lock(&shared));
        self.watch.lap(ready.iter().map(|one| (one.claimed.process.id(), one.size.rows)));
        fault::reached(Point::Imported, "");
        written
    }

    /// Releases a process whose key this node lacks to other nodes. It loses no attempt.
    fn release_to_others(&self, process: &Process, key: String) -> Result<Outcome, StoreError> {
        let error = StoreError::KeyMissing(key);
        tracing::error!(process = process.id(), %error, "import given back");
        let due_at = self.app.clock.now() + KEY_WAIT;
        self.end(process, Event::HandedBack { due_at }).and(Err(error))
    }

    fn defer(&self, process: &Process, fault: Fault) -> Result<Outcome, StoreError> {
        tracing::warn!(process = process.id(), error = %fault, "import failed; it will be tried again");
        self.fail(process, fault.failure())
    }

    fn fail(&self, process: &Process, failure: Failure) -> Result<Outcome, StoreError> {
        let event = self.app.after_failure(process, failure);
        self.end(process, event)
    }

    /// Ends a claim with an event, without an account or issues.
    fn end(&self, process: &Process, event: Event) -> Result<Outcome, StoreError> {
        let ended = self.step_all(vec![process.clone()], event)?;
        Ok(ended.into_iter().next().unwrap_or(Outcome::Stale))
    }

    /// Releases claims that were not begun, in one commit. None loses its attempt.
    fn release_all(&self, processes: Vec<Process>, each: &mut dyn FnMut(Result<Outcome, StoreError>)) {
        let count = processes.len();
        match self.step_all(processes, Event::ShutDown) {
            Ok(outcomes) => outcomes.into_iter().for_each(|outcome| each(Ok(outcome))),
            Err(error) => (0..count).for_each(|_| each(Err(error.clone()))),
        }
    }

    /// Writes the same step of several processes, dated when it is written.
    fn step_all(&self, processes: Vec<Process>, event: Event) -> Result<Vec<Outcome>, StoreError> {
        let (clock, actor) = (self.app.clock.clone(), self.actor.clone());
        write(&*self.app.store, move |tx| {
            let ending = gate::Ending::of(tx, &*clock, processes.iter())?;
            let at = ending.at;
            let step = |process: Process| process.step(event.clone(), at, actor.clone()).map_err(illegal);
            let stepped = processes.into_iter().map(step).collect::<Result<Vec<_>, _>>()?;
            let steps =
                stepped.iter().map(|(process, entry)| StepWrite { process, entry, issues: None, sent: None });
            let written = gate::end_processes(tx, &steps.collect::<Vec<_>>(), ending)?;
            in_time(&*clock, at)?;
            let outcomes = stepped.iter().zip(written);
            Ok(outcomes.map(|((process, _), is_written)| Outcome::of(process, is_written)).collect())
        })
    }
}

/// Turns a panic of the store into an error: one account must not cost the others their attempt.
fn guarded<T>(write: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let panicked = |_| Err(StoreError::Failed("a write panicked".into()));
    catch_unwind(AssertUnwindSafe(write)).unwrap_or_else(panicked)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
