//! Invariants after any sequence of events.

use crate::support::{at, create};
use chrono::{DateTime, Duration, Utc};
use cutover_core::{ServiceAccountNumber, Word};
use cutover_process::{
    Actor, BACKOFF_CAP, Event, EventKind, Failure, HistoryEntry, MAX_ATTEMPTS, Process, RETRY_TIME, Refusal,
    State, Submission, Window, on_failure, transition,
};
use proptest::prelude::*;

fn instants() -> impl Strategy<Value = DateTime<Utc>> {
    (-1_000_i64..100_000).prop_map(at)
}

fn submissions() -> impl Strategy<Value = Submission> {
    let window = (prop::option::of(instants()), prop::option::of(instants()));
    (any::<bool>(), window)
        .prop_map(|(is_dry_run, (start, end))| Submission { is_dry_run, window: Window { start, end } })
}

/// Events; claims and failures are more frequent, so that attempts are used up.
fn events() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => Just(Event::Claimed),
        1 => Just(Event::ClaimedForDryRun),
        3 => instants().prop_map(|due_at| Event::Deferred { due_at }),
        3 => instants().prop_map(|due_at| Event::Failed { due_at }),
        3 => instants().prop_map(|due_at| Event::Released { due_at }),
        1 => Just(Event::ShutDown),
        1 => submissions().prop_map(Event::Replaced),
        1 => submissions().prop_map(Event::Resubmitted),
        1 => Just(Event::RetriedByOperator),
        1 => Just(Event::WindowMissed),
        1 => Just(Event::Cancelled),
        1 => any::<u64>().prop_map(|n| Event::Imported(ServiceAccountNumber::from_random(n))),
        1 => Just(Event::Rejected),
        1 => Just(Event::RetriesExhausted),
        1 => Just(Event::OutageTooLong),
        1 => Just(Event::DryRunPassed),
        1 => Just(Event::DryRunFailed),
        1 => Just(Event::Undone),
    ]
}

fn check_step(before: &Process, after: &Process, entry: &HistoryEntry) {
    let (old, new) = (before.snapshot(), after.snapshot());
    let row = transition(Some(old.state), *entry.event.known().unwrap(), old.is_dry_run).unwrap();
    assert_eq!((&entry.from, &entry.to), (&Some(old.state.into()), &new.state.into()));
    assert_eq!(row.to, new.state);
    assert_eq!(old.state == State::Processed, entry.event == EventKind::Undone);
    assert_eq!(new.is_undone, entry.event == EventKind::Undone);
    assert_eq!(entry.removed_account, old.service_account_number);
    assert_eq!((new.id, &new.supplier, new.created_at), (old.id, &old.supplier, old.created_at));
    assert_eq!((entry.version, new.version), (old.version + 1, old.version + 1));
    assert_eq!((entry.occurred_at, entry.attempt), (new.modified_at, new.attempt));
    assert!(new.modified_at >= old.modified_at && new.modified_at >= new.created_at);
    assert!(new.tries <= MAX_ATTEMPTS && new.attempt >= old.attempt);
    assert_eq!(new.latest_error.is_some(), new.state.is_error());
    assert_eq!(new.service_account_number.is_some(), new.state == State::Processed);
    let event_at = if row.moves_latest_event { new.modified_at } else { old.latest_event_at };
    assert_eq!(new.latest_event_at, event_at);
    let keeps_outage =
        [EventKind::Claimed, EventKind::Deferred, EventKind::ShutDown].map(Word::from).contains(&entry.event);
    assert!(new.outage.is_none() || keeps_outage, "{}", entry.event);
    assert_eq!(
        entry.event == EventKind::Deferred,
        new.outage.map(|outage| outage.tries) > old.outage.map(|outage| outage.tries)
    );
    assert_eq!(Process::restore(new.clone()).as_ref(), Ok(after));
}

fn check_refusal(before: &Process, on: EventKind, reason: Refusal) {
    let in_table = transition(Some(before.state()), on, before.is_dry_run()).is_ok();
    let spent = before.snapshot().tries == MAX_ATTEMPTS;
    assert_eq!(in_table, reason == Refusal::LastAttempt && spent, "{} {on}", before.state());
}

/// Number of claims since the last submission that count, from the history alone: those that were neither
/// returned nor ended by an outage.
fn claims_that_count(history: &[HistoryEntry]) -> usize {
    use EventKind as On;
    let submitted = [On::Created, On::Replaced, On::Resubmitted, On::RetriedByOperator];
    let since = history
        .iter()
        .rposition(|entry| entry.event.known().is_some_and(|event| submitted.contains(event)))
        .unwrap_or(0);
    let count = |on| history[since..].iter().filter(|entry| entry.event == on).count();
    count(On::Claimed) - count(On::ShutDown) - count(On::Deferred)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_sequence_keeps_the_invariants(
        first in submissions(),
        sequence in prop::collection::vec((events(), instants()), 1..120),
    ) {
        let mut process = create(first);
        let mut history = Vec::new();
        for (event, at) in sequence {
            let on = event.kind();
            match process.clone().step(event, at, Actor::System) {
                Ok((after, entry)) => {
                    check_step(&process, &after, &entry);
                    history.push(entry);
                    process = after;
                }
                Err(refused) => check_refusal(&process, on, refused.reason),
            }
            let counted = claims_that_count(&history);
            prop_assert!(counted <= 8);
            prop_assert_eq!(u32::try_from(counted).unwrap(), process.snapshot().tries);
        }
        let claims = history.iter().filter(|entry| entry.event == EventKind::Claimed).count();
        prop_assert_eq!(u32::try_from(claims).unwrap(), process.snapshot().attempt);
    }

    /// In any order of outages and crashes, a process ends exactly when it has had eight crashes or an outage of
    /// the retry time, and one of the two happens.
    #[test]
    fn crashes_and_outages_are_counted_separately(
        first in submissions(),
        crash_every in 1_u64..1_000,
        seed: u64,
    ) {
        let (mut process, mut now) = (create(first), at(200_000));
        let (mut crashes, mut since) = (0, None);
        for attempt in 1..5_000 {
            let (is_outage, jitter) = (attempt % crash_every != 0, seed.wrapping_mul(attempt));
            now = now.max(process.snapshot().due_at);
            let (claimed, _) = process.step(Event::Claimed, now, Actor::System).unwrap();
            let failure = if is_outage { Failure::Outage } else { Failure::WorkerLost };
            crashes += u32::from(!is_outage);
            since = if is_outage { since.or(Some(now)) } else { None };
            let event = on_failure(&claimed, failure, RETRY_TIME, now, jitter);
            process = claimed.step(event, now, Actor::System).unwrap().0;
            let outlasted = since.is_some_and(|since| now - since >= RETRY_TIME);
            prop_assert_eq!(process.state().has_ended(), crashes == MAX_ATTEMPTS || outlasted);
            prop_assert!(process.snapshot().due_at - now <= BACKOFF_CAP || process.state().has_ended());
            if process.state().has_ended() {
                prop_assert!(now - at(200_000) <= (RETRY_TIME + Duration::hours(1)) * 9);
                return Ok(());
            }
        }
        prop_assert!(false, "it never ended");
    }

    #[test]
    fn eight_failed_attempts_end_a_process(
        first in submissions(),
        failures in prop::collection::vec((0..3_usize, any::<u64>()), 8),
    ) {
        let mut process = create(first);
        for (i, (failure, jitter)) in failures.into_iter().enumerate() {
            prop_assert_eq!(process.state(), State::Pending, "before claim {}", i + 1);
            let (claimed, _) = process.step(Event::Claimed, at(0), Actor::System).unwrap();
            let failure = [Failure::Defect, Failure::Panic, Failure::WorkerLost][failure];
            let event = on_failure(&claimed, failure, RETRY_TIME, at(0), jitter);
            process = claimed.step(event, at(0), Actor::System).unwrap().0;
        }
        prop_assert!(process.state().is_error());
        prop_assert_eq!(process.latest_error().unwrap().code.as_str(), "import_process_retries_exhausted");
    }
}
