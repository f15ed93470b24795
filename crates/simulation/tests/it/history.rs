//! History of processes, including archived entries.

use crate::oracle::{Oracle, Submission};
use crate::simulation::{RETRY_TIME, Simulation};
use crate::specs::AccountRef;
use chrono::{DateTime, TimeDelta, Utc};
use cutover_app::port::{StoredProcess, read};
use cutover_core::Word;
use cutover_process::{Actor, EventKind, HistoryEntry, LEASE, MAX_ATTEMPTS, State, TRANSITIONS};

impl Simulation {
    /// Process of an account.
    pub(crate) fn process(&self, account: AccountRef) -> Option<StoredProcess> {
        let (code, number) = (account.code().parse().unwrap(), account.external().parse().unwrap());
        read(&*self.truth, |tx| match tx.supplier(&code)? {
            Some(supplier) => tx.process(supplier.id, &number),
            None => Ok(None),
        })
        .unwrap()
    }

    /// Complete history of a process.
    pub(crate) fn history(&self, process_id: i64) -> Vec<HistoryEntry> {
        let here = read(&*self.truth, |tx| tx.history(process_id)).unwrap();
        self.oracle().with_archived(process_id, here)
    }

    /// The last submission of an account.
    pub(crate) fn last_submission(&self, account: AccountRef) -> Option<Submission> {
        let request = self.last_request(account)?;
        self.oracle().submission(&request)
    }

    /// Request of the last submission of an account.
    pub(crate) fn last_request(&self, account: AccountRef) -> Option<String> {
        let process = self.process(account)?.process;
        self.history(process.id()).iter().rev().find_map(submission).map(str::to_owned)
    }
}

/// Finds a claim that was released before its lease ended.
pub(crate) fn stolen(history: &[HistoryEntry]) -> Option<String> {
    let pairs = history.iter().zip(history.iter().skip(1));
    let mut stolen = pairs.filter(|(claim, next)| {
        next.event == EventKind::Released && next.occurred_at < claim.occurred_at + LEASE
    });
    stolen
        .next()
        .map(|(claim, next)| format!("a claim of {} was taken at {}", claim.occurred_at, next.occurred_at))
}

/// Finds an import that ended too early or too late: it must end after the maximum number of crashes, or
/// after an outage of the retry time. Both follow from the history alone.
pub(crate) fn wrong_end_of_retries(history: &[HistoryEntry]) -> Option<String> {
    use EventKind as On;
    let (mut crashes, mut outage) = (0, None);
    for entry in history {
        let lasted = outage.map_or(TimeDelta::zero(), |since| entry.occurred_at - since);
        let Word::Known(event) = &entry.event else { continue };
        match event {
            On::RetriesExhausted if crashes + 1 < MAX_ATTEMPTS && lasted < RETRY_TIME => {
                return Some(format!("it was given up after {crashes} crashes and an outage of {lasted}"));
            }
            On::Failed | On::Released if crashes + 1 == MAX_ATTEMPTS => {
                return Some(format!("after {MAX_ATTEMPTS} crashes it goes on: {entry:?}"));
            }
            // Clocks may be set back.
            On::Deferred => outage = outage.min(Some(entry.occurred_at)).or(Some(entry.occurred_at)),
            On::Failed | On::Released => (crashes, outage) = (crashes + 1, None),
            On::Claimed | On::ShutDown => {}
            _ => (crashes, outage) = (0, None),
        }
    }
    None
}

/// Request of an entry that changes what is to be imported.
pub(crate) fn submission(entry: &HistoryEntry) -> Option<&str> {
    let submits =
        matches!(entry.event, Word::Known(EventKind::Created | EventKind::Replaced | EventKind::Resubmitted));
    match &entry.actor {
        Word::Known(Actor::Api { request_id, .. }) if submits => request_id.as_deref(),
        _ => None,
    }
}

/// Finds a fault in a history: it must be a path in the table of transitions, complete from the first step to
/// the last.
pub(crate) fn fault(history: &[HistoryEntry], stored: &StoredProcess) -> Option<String> {
    let process = &stored.process;
    let mut from = None;
    for (version, entry) in (1..).zip(history) {
        if entry.version != version {
            return Some(format!("its history lacks version {version}"));
        }
        let is_legal = |row: &&cutover_process::Transition| {
            entry.from == row.from.map(Word::from) && entry.event == row.on && entry.to == row.to
        };
        if entry.from != from || !TRANSITIONS.iter().any(|row| is_legal(&row)) {
            return Some(format!("from {from:?} it took an illegal step: {entry:?}"));
        }
        if entry.occurred_at < process.snapshot().created_at {
            return Some(format!("a step lies before its creation: {entry:?}"));
        }
        from = Some(entry.to.clone());
    }
    let last = history.last().map(|entry| (entry.to.clone(), entry.version));
    let is = Some((process.stored_state(), process.version()));
    (last != is).then(|| format!("it is {is:?}, and its history ends with {last:?}"))
}

impl Oracle {
    /// Prepends archived entries to a history.
    fn with_archived(&self, process_id: i64, here: Vec<HistoryEntry>) -> Vec<HistoryEntry> {
        let mut all = self.archived.get(&process_id).cloned().unwrap_or_default();
        all.extend(here.into_iter().map(|entry| (entry.version, entry)));
        all.into_values().collect()
    }
}

/// Returns the number and the end of the last attempt that had a result and was followed by another.
pub(crate) fn previous_attempt(history: &[HistoryEntry]) -> Option<(u32, DateTime<Utc>)> {
    // An import ends what was before it.
    let imported = history.iter().rposition(|entry| entry.event == EventKind::Imported);
    let history = &history[imported.map_or(0, |place| place + 1)..];
    let begins_again = |entry: &HistoryEntry| {
        [EventKind::Resubmitted, EventKind::RetriedByOperator].iter().any(|e| entry.event == *e)
    };
    let has_result = |entry: &HistoryEntry| {
        [State::Errored, State::DryRunErrored, State::DryRunSucceeded].iter().any(|state| entry.to == *state)
    };
    let mut pairs = history.windows(2).filter(|pair| has_result(&pair[0]) && begins_again(&pair[1]));
    pairs.next_back().map(|pair| (pair[0].attempt, pair[0].occurred_at))
}
