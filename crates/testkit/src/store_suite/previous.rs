//! The attempt before the current one is kept until the account is imported.

use super::helpers::{at, create, create_many, process, put, see, staged, step, supplier, worker};
use cutover_app::port::{
    ArchivedVersion, PreviousAttempt, StepWrite, Store, StoredIssue, StoredIssues, StoredProcess, Supplier,
};
use cutover_core::{Code, ProcessError, ServiceAccountNumber};
use cutover_process::{Actor, Event, State, Submission};

fn issues(attr: &str) -> StoredIssues {
    let issue = |attr: &str| StoredIssue {
        attr: attr.into(),
        pattern: attr.into(),
        code: "required".into(),
        detail: "d".into(),
        ..StoredIssue::default()
    };
    StoredIssues { errors: vec![issue(attr)], warnings: vec![issue("warned")] }
}

/// Claims a process and lets it fail with an error at this path.
fn fail(store: &dyn Store, of: &Supplier, account: &str, attr: &str, when: i64) {
    assert!(step(store, &process(store, of, account).process, Event::Claimed, at(when)));
    let claimed = process(store, of, account).process;
    let (failed, entry) = claimed.step(Event::Rejected, at(when + 1), worker()).unwrap();
    let found = issues(attr);
    let write = move |tx: &mut dyn cutover_app::port::Tx| {
        tx.step_processes(&[StepWrite { process: &failed, entry: &entry, issues: Some(&found), sent: None }])
    };
    assert_eq!(put(store, write), [true]);
}

/// Sends another payload for a process that has ended.
fn resubmit(store: &dyn Store, of: &Supplier, account: &str, payload: &'static [u8], when: i64) {
    let ended = process(store, of, account).process;
    let event = Event::Resubmitted(Submission::default());
    let (process, entry) = ended.step(event, at(when), Actor::Operator).unwrap();
    put(store, move |tx| {
        let none = StoredIssues::default();
        assert_eq!(
            tx.step_processes(&[StepWrite {
                process: &process,
                entry: &entry,
                issues: Some(&none),
                sent: None
            }])?,
            [true]
        );
        tx.restage(process.id(), &staged(payload))
    });
}

fn previous(store: &dyn Store, of: &StoredProcess) -> Option<PreviousAttempt> {
    let id = of.process.id();
    let found = see(store, |tx| tx.previous_attempt(id));
    let number = see(store, |tx| tx.previous_attempt_number(id));
    assert_eq!(number, found.as_ref().map(|found| found.attempt));
    found
}

/// With its payload and its issues, whether the supplier or the operator begins another attempt. Each replaces the one
/// before it.
pub fn the_previous_attempt_reads_back(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 2);
    let at_first = process(store, &acme, "A-0");
    fail(store, &acme, "A-0", "first", 10);
    assert_eq!(previous(store, &at_first), None);
    resubmit(store, &acme, "A-0", b"second", 20);
    let error = Code::ImportProcessFailedValidation;
    let first = PreviousAttempt {
        attempt: 1,
        state: State::Errored.into(),
        ended_at: at(11),
        error: Some(ProcessError::new(error)),
        issues: issues("first"),
        payload: b"A-0".to_vec(),
    };
    assert_eq!(previous(store, &at_first), Some(first.clone()));
    assert_eq!(see(store, |tx| tx.staged(at_first.process.id())), Some(staged(b"second")));

    fail(store, &acme, "A-0", "second", 30);
    assert_eq!(previous(store, &at_first), Some(first.clone()), "until the next attempt begins");
    assert!(step(store, &process(store, &acme, "A-0").process, Event::RetriedByOperator, at(40)));
    let second = PreviousAttempt {
        attempt: 2,
        ended_at: at(31),
        issues: issues("second"),
        payload: b"second".to_vec(),
        ..first
    };
    assert_eq!(previous(store, &at_first), Some(second));
    assert_eq!(previous(store, &process(store, &acme, "A-1")), None);
}

/// A cancelled account was not tried: the failure before it stays.
pub fn an_attempt_without_a_result_replaces_none(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let account = create(store, &acme, "A-1");
    assert!(step(store, &account, Event::Cancelled, at(5)));
    resubmit(store, &acme, "A-1", b"first", 6);
    let known = process(store, &acme, "A-1");
    assert_eq!(previous(store, &known), None);
    fail(store, &acme, "A-1", "first", 10);
    resubmit(store, &acme, "A-1", b"second", 20);
    assert!(step(store, &process(store, &acme, "A-1").process, Event::Cancelled, at(30)));
    resubmit(store, &acme, "A-1", b"third", 40);
    assert_eq!(previous(store, &known).map(|kept| kept.payload), Some(b"first".to_vec()));
}

/// Somebody else has taken the step.
pub fn a_stale_step_keeps_no_attempt(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create(store, &acme, "A-1");
    fail(store, &acme, "A-1", "first", 10);
    let failed = process(store, &acme, "A-1");
    resubmit(store, &acme, "A-1", b"second", 20);
    fail(store, &acme, "A-1", "second", 30);
    assert!(!step(store, &failed.process, Event::RetriedByOperator, at(40)));
    assert_eq!(previous(store, &failed).map(|kept| kept.issues), Some(issues("first")));
}

/// It is removed when the account is imported, archived or erased.
pub fn the_previous_attempt_goes_with_the_account(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 3);
    for account in ["A-0", "A-1", "A-2"] {
        fail(store, &acme, account, "first", 10);
        resubmit(store, &acme, account, b"second", 20);
        assert!(previous(store, &process(store, &acme, account)).is_some());
    }
    let is_imported = process(store, &acme, "A-0");
    assert!(step(store, &is_imported.process, Event::Claimed, at(30)));
    let event = Event::Imported(ServiceAccountNumber::from_random(7));
    assert!(step(store, &process(store, &acme, "A-0").process, event, at(31)));
    assert_eq!(previous(store, &is_imported), None);

    // It had failed before its first attempt.
    let was_late = create(store, &acme, "B-0");
    assert!(step(store, &was_late, Event::WindowMissed, at(10)));
    resubmit(store, &acme, "B-0", b"second", 20);
    let is_late = process(store, &acme, "B-0");
    assert_eq!(previous(store, &is_late).map(|kept| kept.attempt), Some(0));
    assert!(step(store, &is_late.process, Event::Claimed, at(30)));
    let event = Event::Imported(ServiceAccountNumber::from_random(8));
    assert!(step(store, &process(store, &acme, "B-0").process, event, at(31)));
    assert_eq!(previous(store, &is_late), None);

    fail(store, &acme, "A-1", "second", 40);
    let is_archived = process(store, &acme, "A-1");
    let version = ArchivedVersion::new(&is_archived.process, None);
    assert_eq!(put(store, move |tx| tx.archive(&[version], at(50))), 1);
    assert_eq!(previous(store, &is_archived), None);
    resubmit(store, &acme, "A-1", b"third", 60);
    assert_eq!(previous(store, &is_archived), None, "its payload had left");

    let is_erased = process(store, &acme, "A-2");
    let id = is_erased.process.id();
    put(store, move |tx| tx.erase(&[id]));
    assert_eq!(previous(store, &is_erased), None);
}

/// Only those whose process is still at its version.
pub fn attempts_of_a_batch_are_kept(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 3);
    ["A-0", "A-1", "A-2"].iter().for_each(|account| fail(store, &acme, account, "first", 10));
    let known = ["A-0", "A-1", "A-2"].map(|account| process(store, &acme, account));
    assert!(step(store, &known[1].process, Event::RetriedByOperator, at(20)));
    fail(store, &acme, "A-1", "second", 21);
    let steps = known
        .clone()
        .map(|stored| stored.process.step(Event::RetriedByOperator, at(30), Actor::Operator).unwrap());
    let written = put(store, move |tx| {
        let write = |(process, entry)| StepWrite { process, entry, issues: None, sent: None };
        tx.step_processes(&steps.iter().map(|(process, entry)| write((process, entry))).collect::<Vec<_>>())
    });
    assert_eq!(written, [true, false, true]);
    let kept = known.map(|stored| previous(store, &stored).map(|kept| kept.payload));
    assert_eq!(kept, ["A-0", "A-1", "A-2"].map(|account| Some(account.as_bytes().to_vec())));
}
