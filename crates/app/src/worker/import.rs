use super::claim::{Claimed, illegal};
use super::prepare::{Fault, Prepared};
use crate::App;
use crate::fault::{self, Point};
use crate::port::{NewAccount, StepWrite, StoreError, StoredIssues, Tx, Verdict, glance, write};
use chrono::{DateTime, Duration, Utc};
use cutover_core::ServiceAccountNumber;
use cutover_model::Totals;
use cutover_process::{
    Actor, Event, Failure, HistoryEntry, Process, State, on_failure, on_rejection, on_success,
};
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};

/// How a process left the hands of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It went to this state.
    Now(State),
    /// Somebody else took a step meanwhile: the worker's claim had run out. Nothing was written.
    Stale,
}

/// How often a new account number is drawn because the one before was taken.
const NUMBERS: usize = 5;
/// How many bytes of payloads one commit takes: what is prepared for it lies in memory.
const BATCH_BYTES: usize = 4 << 20;
/// How long a process is left to other workers whose payload is sealed with a key that this one does not have.
const KEY_WAIT: Duration = Duration::seconds(30);

/// An account that can be written.
#[derive(Clone)]
struct Ready {
    process: Process,
    account: NewAccount,
    totals: Totals,
    issues: StoredIssues,
}

impl Ready {
    fn new(process: &Process, account: NewAccount, issues: StoredIssues) -> Self {
        let totals = Totals::of(&account.account, account.zone);
        Self { process: process.clone(), account, totals, issues }
    }
}

/// What the imports of one turn of a worker share.
pub(super) struct Batch<'a> {
    pub(super) app: &'a App,
    pub(super) actor: &'a Actor,
    /// Whether another account may be begun: not when the worker stops, nor late in its lease.
    pub(super) may_begin: &'a dyn Fn() -> bool,
}

impl Batch<'_> {
    /// Imports claimed accounts, several in one commit: the whole of each with its status and its event, or
    /// nothing. `each` hears how each of them ended.
    ///
    /// Whatever goes wrong, a process is given back or ended; only if the store cannot even be told does the
    /// lease have to run out. What lacks a key was given back and is an error all the same.
    pub(super) fn import(&self, claims: Vec<Claimed>, each: &mut dyn FnMut(Result<Outcome, StoreError>)) {
        let ids: Vec<i64> = claims.iter().map(|claimed| claimed.process.id()).collect();
        let payloads = glance(&*self.app.store, |tx| tx.payloads(&ids));
        let mut payloads: Result<HashMap<_, _>, StoreError> =
            payloads.map(|found| found.into_iter().collect());
        let (mut ready, mut bytes) = (Vec::new(), 0);
        for claimed in claims {
            if !(self.may_begin)() {
                each(self.end(&claimed.process, Event::ShutDown, None));
                continue;
            }
            let payload = match &mut payloads {
                Ok(found) => found.remove(&claimed.process.id()).transpose(),
                Err(error) => Err(error.clone()),
            };
            bytes += payload.as_ref().ok().and_then(Option::as_ref).map_or(0, Vec::len);
            match self.begin(&claimed, payload) {
                Begun::Ready(account) => ready.push(*account),
                Begun::Ended(outcome) => each(outcome),
            }
            if bytes > BATCH_BYTES {
                self.commit(std::mem::take(&mut ready), each);
                bytes = 0;
            }
        }
        self.commit(ready, each);
    }

    /// Does all of an import but the writing, and ends what cannot be written.
    fn begin(&self, claimed: &Claimed, payload: Result<Option<Vec<u8>>, StoreError>) -> Begun {
        let process = &claimed.process;
        let attempt = catch_unwind(AssertUnwindSafe(|| self.prepare(claimed, payload)));
        Begun::Ended(match attempt {
            Ok(Ok(Prepared::Account(account, issues))) if process.is_dry_run() => {
                let rehearsed = self.rehearse(Ready::new(process, *account, issues));
                rehearsed.or_else(|error| self.put_off(process, &error))
            }
            Ok(Ok(Prepared::Account(account, issues))) => {
                return Begun::Ready(Box::new(Ready::new(process, *account, issues)));
            }
            Ok(Ok(Prepared::Rejected(issues))) => self.end(process, on_rejection(process), Some(issues)),
            Ok(Err(Fault::Store(StoreError::KeyMissing(key)))) => self.hand_back(process, key),
            Ok(Err(fault)) => self.put_off(process, &fault),
            Err(_) => {
                tracing::error!(process = process.id(), "import panicked");
                self.fail(process, Failure::Panic)
            }
        })
    }

    fn prepare(
        &self,
        claimed: &Claimed,
        payload: Result<Option<Vec<u8>>, StoreError>,
    ) -> Result<Prepared, Fault> {
        fault::reached(Point::ImportBegun, claimed.number());
        let missing = || StoreError::Corrupt(format!("process {} has no payload", claimed.process.id()));
        self.app.prepare_import(claimed, &payload?.ok_or_else(missing)?, self.number())
    }

    fn number(&self) -> ServiceAccountNumber {
        ServiceAccountNumber::from_random(self.app.random.number())
    }

    /// Writes accounts together; where that fails, each alone, so that none costs another its attempt. Of a
    /// store that is not there each would learn no more than all did: they are left to their leases.
    fn commit(&self, ready: Vec<Ready>, each: &mut dyn FnMut(Result<Outcome, StoreError>)) {
        if ready.is_empty() {
            return;
        }
        let ready = Arc::new(ready);
        match self.write_together(ready.clone()) {
            Ok(outcomes) => outcomes.into_iter().for_each(|outcome| each(Ok(outcome))),
            Err(error @ StoreError::Unavailable(_)) => ready.iter().for_each(|_| each(Err(error.clone()))),
            Err(_) => ready.iter().for_each(|one| each(self.write_alone(one.clone()))),
        }
    }

    fn write_alone(&self, mut ready: Ready) -> Result<Outcome, StoreError> {
        let process = ready.process.clone();
        if !(self.may_begin)() {
            return self.end(&process, Event::ShutDown, None);
        }
        for _ in 0..NUMBERS {
            match self.write_together(Arc::new(vec![ready.clone()])) {
                Ok(outcomes) => return Ok(outcomes.into_iter().next().unwrap_or(Outcome::Stale)),
                Err(StoreError::Conflict(_)) => ready.account.number = self.number(),
                Err(error) => return self.put_off(&process, &error),
            }
        }
        self.put_off(&process, &StoreError::Unavailable("no free account number was found".into()))
    }

    /// Writes accounts, their status and their events in one transaction.
    fn write_together(&self, ready: Arc<Vec<Ready>>) -> Result<Vec<Outcome>, StoreError> {
        let actor = self.actor.clone();
        fault::reached(Point::ImportReady, ready.first().map_or("", |one| number_of(&one.process)));
        let written = guarded(|| write(&*self.app.store, move |tx| write_accounts(tx, &ready, &actor)));
        fault::reached(Point::Imported, "");
        written
    }

    /// Does all that an import does, in a transaction that is rolled back; then tells the process.
    fn rehearse(&self, ready: Ready) -> Result<Outcome, StoreError> {
        let (process, issues, actor) = (ready.process.clone(), ready.issues.clone(), self.actor.clone());
        let event = on_success(&process, ready.account.number.clone());
        let (sender, receiver) = mpsc::sync_channel(1);
        let job = Box::new(move |tx: &mut dyn Tx| {
            // The receiver outlives the job, so sending cannot fail.
            let _ = sender.send(write_accounts(tx, &[ready], &actor));
            Verdict::Rollback
        });
        guarded(|| self.app.store.write(job))?;
        match receiver.try_recv() {
            Ok(Ok(outcomes)) if outcomes == [Outcome::Stale] => Ok(Outcome::Stale),
            Ok(Ok(_)) => self.end(&process, event, Some(issues)),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(StoreError::Failed("the job was not run".into())),
        }
    }

    /// A missing key is a fault of this node: the process is left to another, and loses no attempt.
    fn hand_back(&self, process: &Process, key: String) -> Result<Outcome, StoreError> {
        let error = StoreError::KeyMissing(key);
        tracing::error!(process = process.id(), %error, "import given back");
        let due_at = self.app.clock.now() + KEY_WAIT;
        self.end(process, Event::HandedBack { due_at }, None).and(Err(error))
    }

    fn put_off(&self, process: &Process, error: &dyn std::fmt::Display) -> Result<Outcome, StoreError> {
        tracing::warn!(process = process.id(), %error, "import failed; it will be tried again");
        self.fail(process, Failure::PassingFault)
    }

    fn fail(&self, process: &Process, failure: Failure) -> Result<Outcome, StoreError> {
        let event = on_failure(process, failure, self.app.clock.now(), self.app.random.number());
        self.end(process, event, None)
    }

    /// Ends a claim without an account.
    fn end(
        &self,
        process: &Process,
        event: Event,
        issues: Option<StoredIssues>,
    ) -> Result<Outcome, StoreError> {
        let (process, entry) =
            process.clone().step(event, self.app.clock.now(), self.actor.clone()).map_err(illegal)?;
        write(&*self.app.store, move |tx| {
            let step = StepWrite { process: &process, entry: &entry, issues: issues.as_ref() };
            Ok(outcome(&process, tx.step_processes(&[step])? == [true]))
        })
    }
}

/// What preparing an import came to.
enum Begun {
    Ready(Box<Ready>),
    Ended(Result<Outcome, StoreError>),
}

/// A panic of the store as a fault of it: what one account brings about must not cost the others their attempt.
fn guarded<T>(write: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let panicked = |_| Err(StoreError::Failed("a write panicked".into()));
    catch_unwind(AssertUnwindSafe(write)).unwrap_or_else(panicked)
}

/// The number by which points know a process.
fn number_of(process: &Process) -> &str {
    process.snapshot().external_account_number.as_str()
}

fn outcome(process: &Process, is_written: bool) -> Outcome {
    if is_written { Outcome::Now(process.state()) } else { Outcome::Stale }
}

/// What accounts come to, a change a supplier.
fn add_totals(tx: &mut dyn Tx, accounts: &[&Ready]) -> Result<(), StoreError> {
    let mut totals = BTreeMap::<i64, Totals>::new();
    for one in accounts {
        let all = totals.entry(one.account.supplier_id).or_default();
        let out_of_range = || StoreError::Failed("a sum of balances is out of range".into());
        *all = all.checked_add(one.totals).ok_or_else(out_of_range)?;
    }
    totals.iter().try_for_each(|(supplier_id, totals)| tx.add_totals(*supplier_id, totals))
}

/// The steps go first: of a worker that comes back late, the versions are stale here, and nothing of those
/// accounts is written.
fn write_accounts(tx: &mut dyn Tx, ready: &[Ready], actor: &Actor) -> Result<Vec<Outcome>, StoreError> {
    let stepped = |one: &Ready| {
        let (at, event): (DateTime<Utc>, _) =
            (one.account.imported_at, on_success(&one.process, one.account.number.clone()));
        one.process.clone().step(event, at, actor.clone()).map_err(illegal)
    };
    let stepped: Vec<(Process, HistoryEntry)> = ready.iter().map(stepped).collect::<Result<_, _>>()?;
    let steps: Vec<_> = stepped
        .iter()
        .zip(ready)
        .map(|((process, entry), one)| StepWrite { process, entry, issues: Some(&one.issues) })
        .collect();
    let written = tx.step_processes(&steps)?;
    let accounts = ready.iter().zip(&written).filter(|(_, is_written)| **is_written).map(|(one, _)| one);
    let accounts: Vec<_> = accounts.collect();
    tx.insert_accounts(&accounts.iter().map(|one| &one.account).collect::<Vec<_>>())?;
    add_totals(tx, &accounts)?;
    fault::reached(Point::ImportWritten, "");
    Ok(stepped.iter().zip(written).map(|((process, _), is_written)| outcome(process, is_written)).collect())
}
