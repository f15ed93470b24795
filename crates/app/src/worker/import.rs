use super::claim::{Claimed, take_step};
use super::prepare::{Fault, Prepared};
use crate::App;
use crate::port::{NewAccount, StoreError, StoredIssues, Verdict, read, write};
use cutover_core::ServiceAccountNumber;
use cutover_process::{Actor, Event, Failure, Process, State, on_failure, on_rejection, on_success};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

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

impl App {
    /// Imports a claimed account: the whole of it with its status and its event, or nothing.
    ///
    /// Whatever goes wrong, the process is given back or ended; only if the store cannot even be told
    /// does the lease have to run out.
    pub(crate) fn import(&self, claimed: &Claimed, actor: &Actor) -> Result<Outcome, StoreError> {
        let attempt = catch_unwind(AssertUnwindSafe(|| self.attempt(claimed, actor)));
        match attempt {
            Ok(Ok(outcome)) => Ok(outcome),
            Ok(Err(error)) => {
                tracing::warn!(process = claimed.process.id(), %error, "import failed; it will be tried again");
                self.fail(claimed, Failure::PassingFault, actor)
            }
            Err(_) => {
                tracing::error!(process = claimed.process.id(), "import panicked");
                self.fail(claimed, Failure::Panic, actor)
            }
        }
    }

    fn attempt(&self, claimed: &Claimed, actor: &Actor) -> Result<Outcome, Fault> {
        let id = claimed.process.id();
        let missing = || StoreError::Corrupt(format!("process {id} has no payload"));
        let payload = read(&*self.store, |tx| tx.staged(id))?.ok_or_else(missing)?.payload;
        for _ in 0..NUMBERS {
            let number = ServiceAccountNumber::from_random(self.random.number());
            let done = match self.prepare_import(claimed, &payload, number)? {
                Prepared::Rejected(issues) => return Ok(self.reject(claimed, issues, actor)?),
                Prepared::Account(account, issues) if claimed.process.is_dry_run() => {
                    self.rehearse(claimed, *account, issues, actor)
                }
                Prepared::Account(account, issues) => self.commit(claimed, *account, issues, actor),
            };
            match done {
                Err(StoreError::Conflict(_)) => {}
                done => return Ok(done?),
            }
        }
        Err(StoreError::Unavailable("no free account number was found".into()).into())
    }

    /// Writes the account, the status and the event in one transaction, all of one time.
    fn commit(
        &self,
        claimed: &Claimed,
        account: NewAccount,
        issues: StoredIssues,
        actor: &Actor,
    ) -> Result<Outcome, StoreError> {
        let (process, actor, at) = (claimed.process.clone(), actor.clone(), account.imported_at);
        write(&*self.store, move |tx| {
            let event = on_success(&process, account.number.clone());
            // The step goes first: a worker that comes back late finds its version stale here.
            let Some(process) = take_step(tx, process, event, at, &actor)? else { return Ok(Outcome::Stale) };
            tx.insert_account(&account)?;
            tx.set_issues(process.id(), &issues)?;
            Ok(Outcome::Now(process.state()))
        })
    }

    /// Does all that an import does, in a transaction that is rolled back; then tells the process.
    fn rehearse(
        &self,
        claimed: &Claimed,
        account: NewAccount,
        issues: StoredIssues,
        actor: &Actor,
    ) -> Result<Outcome, StoreError> {
        let number = account.number.clone();
        let event = on_success(&claimed.process, number.clone());
        let (process, by, at) = (claimed.process.clone(), actor.clone(), self.clock.now());
        let (sender, receiver) = mpsc::sync_channel(1);
        self.store.write(Box::new(move |tx| {
            let step = take_step(tx, process, event, at, &by);
            let written = step.and_then(|step| match step {
                Some(_) => tx.insert_account(&account).map(|()| true),
                None => Ok(false),
            });
            // The receiver outlives the job, so sending cannot fail.
            let _ = sender.send(written);
            Verdict::Rollback
        }))?;
        match receiver.try_recv() {
            Ok(Ok(true)) => self.end(claimed, on_success(&claimed.process, number), Some(issues), actor),
            Ok(Ok(false)) => Ok(Outcome::Stale),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(StoreError::Failed("the job was not run".into())),
        }
    }

    fn reject(&self, claimed: &Claimed, issues: StoredIssues, actor: &Actor) -> Result<Outcome, StoreError> {
        self.end(claimed, on_rejection(&claimed.process), Some(issues), actor)
    }

    fn fail(&self, claimed: &Claimed, failure: Failure, actor: &Actor) -> Result<Outcome, StoreError> {
        let event = on_failure(&claimed.process, failure, self.clock.now(), self.random.number());
        self.end(claimed, event, None, actor)
    }

    /// Gives a claim back unused: the worker stops.
    pub(crate) fn give_back(&self, claimed: &Claimed, actor: &Actor) -> Result<Outcome, StoreError> {
        self.end(claimed, Event::ShutDown, None, actor)
    }

    fn end(
        &self,
        claimed: &Claimed,
        event: Event,
        issues: Option<StoredIssues>,
        actor: &Actor,
    ) -> Result<Outcome, StoreError> {
        let (process, actor, at): (Process, _, _) =
            (claimed.process.clone(), actor.clone(), self.clock.now());
        write(&*self.store, move |tx| {
            let Some(process) = take_step(tx, process, event, at, &actor)? else { return Ok(Outcome::Stale) };
            if let Some(issues) = &issues {
                tx.set_issues(process.id(), issues)?;
            }
            Ok(Outcome::Now(process.state()))
        })
    }
}
