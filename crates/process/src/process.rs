use crate::{
    Actor, CorruptProcess, Event, EventKind, HistoryEntry, IllegalStep, MAX_ATTEMPTS, Outage, ProcessError,
    Refusal, Snapshot, State, Submission, Transition, Window, transition,
};
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, ServiceAccountNumber, SupplierCode, Word};

/// The data of a first create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProcess {
    /// The import supplier of the account.
    pub supplier: SupplierCode,
    /// The account's number at its previous supplier.
    pub external_account_number: ExternalAccountNumber,
    /// The parameters of its run.
    pub submission: Submission,
}

/// The import of one account (contract 2.2). Only [`step`](Self::step) changes its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process(Box<Snapshot>);

impl Process {
    /// Creates the process of a new account under the store's key, and the first entry of its history.
    pub fn create(id: i64, new: NewProcess, at: DateTime<Utc>, actor: Actor) -> (Self, HistoryEntry) {
        let process = Self(Box::new(Snapshot {
            id,
            supplier: new.supplier,
            external_account_number: new.external_account_number,
            state: State::Pending,
            newer_state: None,
            attempt: 0,
            tries: 0,
            outage: None,
            version: 1,
            is_dry_run: new.submission.is_dry_run,
            is_undone: false,
            window: new.submission.window,
            due_at: new.submission.window.first_chance(at),
            created_at: at,
            modified_at: at,
            latest_event_at: at,
            latest_error: None,
            service_account_number: None,
        }));
        let entry = process.entry(EventKind::Created, None, actor);
        (process, entry)
    }

    /// Restores a stored process.
    ///
    /// # Errors
    /// [`CorruptProcess`] if no sequence of steps leads to it.
    pub fn restore(snapshot: Snapshot) -> Result<Self, CorruptProcess> {
        match snapshot.problem() {
            Some(problem) => Err(CorruptProcess { id: snapshot.id, problem }),
            None => Ok(Self(Box::new(snapshot))),
        }
    }

    /// Returns the process after an event and the entry of its history.
    ///
    /// If the clock went back, the step gets the time of the step before it: readers that page by the time of
    /// the last step rely on times that never decrease.
    ///
    /// # Errors
    /// [`IllegalStep`] if the table has no such step, if no attempt is left, or if a newer version gave the
    /// process a status that is not in the table.
    pub fn step(
        self,
        event: Event,
        at: DateTime<Utc>,
        actor: Actor,
    ) -> Result<(Self, HistoryEntry), IllegalStep> {
        let on = event.kind();
        let row = self.legal(on)?;
        let mut next = self.0;
        next.state = row.to;
        next.version += 1;
        next.modified_at = at.max(next.modified_at);
        if row.moves_latest_event {
            next.latest_event_at = next.modified_at;
        }
        next.latest_error = event.error().map(Box::new);
        let at = at.max(next.created_at);
        next.is_undone = on == EventKind::Undone;
        let removed = if next.is_undone { next.service_account_number.take() } else { None };
        next.take(event, at);
        let next = Self(next);
        let entry = HistoryEntry { removed_account: removed, ..next.entry(on, row.from, actor) };
        Ok((next, entry))
    }

    /// The row of the table for an event, if it is legal for this process.
    fn legal(&self, on: EventKind) -> Result<&'static Transition, IllegalStep> {
        let refused = |reason| IllegalStep { state: Some(self.stored_state()), event: on, reason };
        let state = self.known_state().ok_or_else(|| refused(Refusal::NewerState))?;
        let row = transition(Some(state), on, self.0.is_dry_run)?;
        if on.tries_again() && self.0.tries >= MAX_ATTEMPTS {
            return Err(refused(Refusal::LastAttempt));
        }
        Ok(row)
    }

    /// The history entry of the latest step.
    fn entry(&self, event: EventKind, from: Option<State>, actor: Actor) -> HistoryEntry {
        HistoryEntry {
            event: event.into(),
            from: from.map(Word::from),
            to: self.0.state.into(),
            occurred_at: self.0.modified_at,
            attempt: self.0.attempt,
            actor: actor.into(),
            version: self.0.version,
            removed_account: None,
        }
    }

    /// The event that is due for a pending process at a time: its window has closed, or it can be claimed.
    /// Only for processes of `Ongoing` suppliers: those of other suppliers stay pending.
    pub fn due_event(&self, at: DateTime<Utc>) -> Option<Event> {
        match self.known_state()? {
            State::Pending if self.window_closed(at) => Some(Event::WindowMissed),
            State::Pending if self.is_due(at) => Some(Event::Claimed),
            _ => None,
        }
    }

    /// Returns true if it may be claimed at this time, whether or not its window has closed.
    pub fn is_due(&self, at: DateTime<Utc>) -> bool {
        self.known_state() == Some(State::Pending) && self.0.due_at <= at
    }

    /// Returns true if its window has closed.
    pub fn window_closed(&self, at: DateTime<Utc>) -> bool {
        self.0.window.is_closed(at)
    }

    /// All its data.
    pub fn snapshot(&self) -> &Snapshot {
        &self.0
    }

    /// The store's key.
    pub fn id(&self) -> i64 {
        self.0.id
    }

    /// The status as the API shows it: the nearest known one if a newer version wrote the status. Decisions
    /// use the [known state](Self::known_state).
    pub fn state(&self) -> State {
        self.0.state
    }

    /// The status, if this version knows it.
    pub fn known_state(&self) -> Option<State> {
        self.0.newer_state.is_none().then_some(self.0.state)
    }

    /// The status as stored.
    pub fn stored_state(&self) -> Word<State> {
        self.0.newer_state.clone().map_or(Word::Known(self.0.state), Word::Other)
    }

    /// The number of steps so far.
    pub fn version(&self) -> i64 {
        self.0.version
    }

    /// The version that the store must still have for the last step to be written (contract D6);
    /// 0 for a new process.
    pub fn version_before(&self) -> i64 {
        self.0.version - 1
    }

    /// Returns true if the import is only tried and nothing is stored.
    pub fn is_dry_run(&self) -> bool {
        self.0.is_dry_run
    }

    /// Returns true if it is cancelled because its import was undone.
    pub fn is_undone(&self) -> bool {
        self.0.is_undone
    }

    /// The account, once it is imported.
    pub fn service_account_number(&self) -> Option<&ServiceAccountNumber> {
        self.0.service_account_number.as_ref()
    }

    /// The error that it ended with.
    pub fn latest_error(&self) -> Option<&ProcessError> {
        self.0.latest_error.as_deref()
    }
}

impl Snapshot {
    /// Applies the data of an event, except for the status.
    fn take(&mut self, event: Event, at: DateTime<Utc>) {
        match event {
            Event::Replaced(submission) | Event::Resubmitted(submission) => self.submit(submission, at),
            Event::RetriedByOperator => {
                let window = if self.window.is_closed(at) { Window::default() } else { self.window };
                self.submit(Submission { is_dry_run: self.is_dry_run, window }, at);
            }
            Event::Claimed | Event::ClaimedForDryRun => {
                self.is_dry_run |= event == Event::ClaimedForDryRun;
                self.attempt += 1;
                self.tries += 1;
                self.outage = self.outage.map(|outage| outage.at_claim(self.due_at, at));
            }
            Event::ShutDown => self.hand_back(at),
            Event::HandedBack { due_at } => self.hand_back(due_at),
            Event::Deferred { due_at } => {
                self.hand_back(due_at);
                self.outage = Some(Outage::after_failure(self.outage, self.modified_at));
            }
            Event::Released { due_at } | Event::Failed { due_at } => {
                self.due_at = due_at;
                self.outage = None;
            }
            Event::Imported(number) => {
                self.service_account_number = Some(number);
                self.outage = None;
            }
            Event::Undone => self.service_account_number = None,
            Event::WindowMissed
            | Event::Cancelled
            | Event::Rejected
            | Event::RetriesExhausted
            | Event::OutageTooLong
            | Event::DryRunPassed
            | Event::DryRunFailed => self.outage = None,
        }
    }

    /// Undoes a claim: an outage from before the claim continues.
    fn hand_back(&mut self, due_at: DateTime<Utc>) {
        self.tries = self.tries.saturating_sub(1);
        self.due_at = due_at;
    }

    /// Starts a new run with all its attempts.
    fn submit(&mut self, submission: Submission, at: DateTime<Utc>) {
        self.is_dry_run = submission.is_dry_run;
        self.window = submission.window;
        self.tries = 0;
        self.outage = None;
        self.due_at = submission.window.first_chance(at);
    }
}
