//! Accounts are counted and listed by why they failed and what they were warned of.

use super::helpers::{
    api, at, create_many, new_process, number, process, put, see, staged, supplier, worker,
};
use crate::payload::Dice;
use cutover_app::port::{
    Cause, MAX_CAUSES, PageLimit, Position, ProcessFilter, StepWrite, Store, StoredIssue, StoredIssues,
    Supplier, write,
};
use cutover_core::{IssueSource, Level};
use cutover_process::{Event, Process, State, Submission};
use std::collections::BTreeMap;

fn issue(code: &str, attr: &str, pattern: &str) -> StoredIssue {
    StoredIssue {
        attr: attr.into(),
        pattern: pattern.into(),
        code: code.into(),
        rule: Some("ACC-04".into()),
        detail: "It says what is wrong.".into(),
        ..StoredIssue::default()
    }
}

fn issues(errors: &[StoredIssue], warnings: &[StoredIssue]) -> StoredIssues {
    StoredIssues { errors: errors.to_vec(), warnings: warnings.to_vec() }
}

fn mobile(index: usize) -> StoredIssue {
    issue("invalid", &format!("customers.{index}.mobile"), "customers.#.mobile")
}

fn email() -> StoredIssue {
    issue("invalid", "customers.0.email", "customers.#.email")
}

fn unknown(name: &str) -> StoredIssue {
    issue("unknown_field", &format!("customers.0.{name}"), "customers.#.*")
}

/// Takes a step of an account, and sets its issues.
fn take(store: &dyn Store, of: &Supplier, account: &str, event: Event, issues: Option<StoredIssues>) {
    let before = process(store, of, account).process;
    let at = at(before.version() + 100);
    let (process, entry) = before.step(event, at, worker()).unwrap();
    let written = put(store, move |tx| {
        tx.step_processes(&[StepWrite {
            process: &process,
            entry: &entry,
            issues: issues.as_ref(),
            sent: None,
        }])
    });
    assert_eq!(written, [true]);
}

fn reject(store: &dyn Store, of: &Supplier, account: &str, issues: StoredIssues) {
    take(store, of, account, Event::Claimed, None);
    take(store, of, account, Event::Rejected, Some(issues));
}

type Counts = Vec<(String, Option<String>, u64)>;

fn top(store: &dyn Store, of: &Supplier, level: Level, limit: u32) -> Counts {
    let top = see(store, |tx| tx.top_causes(of.id, level, limit));
    top.into_iter().map(|count| (count.cause.code, count.cause.attr, count.accounts)).collect()
}

fn counts(expected: &[(&str, &str, u64)]) -> Counts {
    let count = |(code, attr, accounts): &(&str, &str, u64)| {
        (code.to_string(), Some(attr.to_string()).filter(|attr| !attr.is_empty()), *accounts)
    };
    expected.iter().map(count).collect()
}

fn examples(store: &dyn Store, of: &Supplier, level: Level, code: &str, attr: &str) -> Vec<String> {
    let cause = Cause { code: code.into(), attr: Some(attr.to_owned()).filter(|attr| !attr.is_empty()) };
    let found = see(store, |tx| tx.accounts_with(of.id, level, &cause, 3));
    found.iter().map(ToString::to_string).collect()
}

fn list(store: &dyn Store, of: &Supplier, filter: ProcessFilter<'_>, limit: PageLimit) -> Vec<String> {
    let (mut after, mut listed): (Option<Position>, Vec<String>) = (None, Vec::new());
    loop {
        let page = see(store, |tx| tx.list_processes(of.id, filter, after, limit));
        assert!(page.processes.len() <= limit.items as usize);
        let number = |process: &Process| process.snapshot().external_account_number.to_string();
        listed.extend(page.processes.iter().map(|listed| number(&listed.process)));
        match page.next {
            Some(next) => {
                assert!(after.is_none_or(|after| after < next), "it goes on");
                after = Some(next);
            }
            None => return listed,
        }
    }
}

fn failed<'a>(code: &'a str) -> ProcessFilter<'a> {
    ProcessFilter { error_code: Some(code), ..ProcessFilter::default() }
}

fn warned<'a>(code: &'a str) -> ProcessFilter<'a> {
    ProcessFilter { warning_code: Some(code), ..ProcessFilter::default() }
}

/// An account counts once for each code and pattern, by its items or by the code of its own error.
pub fn failures_are_counted_by_code_and_pattern(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    create_many(store, &acme, "A", 6);
    create_many(store, &other, "A", 1);
    reject(store, &acme, "A-4", issues(&[mobile(0), mobile(1), email(), unknown("jo"), unknown("max")], &[]));
    reject(store, &acme, "A-1", issues(&[mobile(3)], &[email()]));
    reject(store, &acme, "A-0", issues(&[mobile(0)], &[]));
    take(store, &acme, "A-2", Event::WindowMissed, None);
    take(store, &acme, "A-3", Event::WindowMissed, Some(StoredIssues::default()));
    reject(store, &other, "A-0", issues(&[mobile(0)], &[]));
    let expected = [
        ("invalid", "customers.#.mobile", 3),
        ("schedule_window_missed", "", 2),
        ("invalid", "customers.#.email", 1),
        ("unknown_field", "customers.#.*", 1),
    ];
    assert_eq!(top(store, &acme, Level::Error, 10), counts(&expected));
    assert_eq!(top(store, &acme, Level::Error, 2), counts(&expected[..2]));
    let page = see(store, |tx| tx.list_processes(acme.id, ProcessFilter::default(), None, PageLimit::of(10)));
    let codes = |causes: &[Cause]| Cause::codes(causes).map(str::to_owned).collect::<Vec<_>>();
    let listed: Vec<_> = page.processes.iter().map(|listed| codes(&listed.error_causes)).collect();
    let missed = "schedule_window_missed";
    let expected_codes: [&[&str]; 6] =
        [&["invalid"], &["invalid"], &[missed], &[missed], &["invalid", "unknown_field"], &[]];
    assert_eq!(listed, expected_codes);
    assert_eq!(process(store, &acme, "A-4").error_causes, page.processes[4].error_causes);
    assert_eq!(process(store, &acme, "A-2").error_causes, [Cause { code: missed.into(), attr: None }]);
    assert_eq!(top(store, &acme, Level::Warning, 10), counts(&[("invalid", "customers.#.email", 1)]));
    assert_eq!(top(store, &other, Level::Error, 10), counts(&[("invalid", "customers.#.mobile", 1)]));
    while write(store, |tx| tx.fold(3)).unwrap() > 0 {}
    assert_eq!(top(store, &acme, Level::Error, 10), counts(&expected));
    assert_eq!(examples(store, &acme, Level::Error, "invalid", "customers.#.mobile"), ["A-0", "A-1", "A-4"]);
    assert_eq!(examples(store, &acme, Level::Error, "invalid", "customers.#.email"), ["A-4"]);
    assert_eq!(examples(store, &acme, Level::Error, "schedule_window_missed", ""), ["A-2", "A-3"]);
    assert_eq!(examples(store, &acme, Level::Warning, "invalid", "customers.#.email"), ["A-1"]);
    for (level, code, is_known) in [
        (Level::Error, "unknown_field", true),
        (Level::Warning, "unknown_field", false),
        (Level::Warning, "invalid", true),
        (Level::Error, "", false),
    ] {
        assert_eq!(see(store, |tx| tx.has_cause(acme.id, level, code)), is_known, "{level} {code}");
    }
}

/// Every step that ends a failure takes its causes back; so does the end of the account.
pub fn causes_end_with_the_failure(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 5);
    for account in ["A-0", "A-1", "A-2", "A-3", "A-4"] {
        reject(store, &acme, account, issues(&[mobile(0)], &[email()]));
    }
    let left = |expected| {
        let errors =
            if expected > 0 { counts(&[("invalid", "customers.#.mobile", expected)]) } else { vec![] };
        let mut kept = top(store, &acme, Level::Error, 10);
        kept.retain(|(code, ..)| code == "invalid");
        assert_eq!(kept, errors);
        assert_eq!(list(store, &acme, failed("invalid"), PageLimit::of(2)).len() as u64, expected);
    };
    left(5);
    take(store, &acme, "A-0", Event::RetriedByOperator, None);
    left(4);
    take(store, &acme, "A-1", Event::Resubmitted(Submission::default()), Some(StoredIssues::default()));
    left(3);
    take(store, &acme, "A-0", Event::Cancelled, None);
    left(3);
    // A failure without items does not bring back those of an earlier attempt.
    take(store, &acme, "A-2", Event::RetriedByOperator, None);
    take(store, &acme, "A-2", Event::WindowMissed, None);
    left(2);
    assert_eq!(examples(store, &acme, Level::Error, "schedule_window_missed", ""), ["A-2"]);
    let id = process(store, &acme, "A-3").process.id();
    put(store, move |tx| tx.erase(&[id]));
    left(1);
    // Warnings stay with the account until it is checked again or erased.
    assert_eq!(top(store, &acme, Level::Warning, 10), counts(&[("invalid", "customers.#.email", 3)]));
    assert_eq!(list(store, &acme, warned("invalid"), PageLimit::of(2)), ["A-0", "A-2", "A-4"]);
}

/// Filters by error and warning give each account once, in the order of creation, whatever the pages.
pub fn lists_by_cause_have_each_account_once(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 40);
    for n in 0..40 {
        let errors: Vec<_> = match n % 4 {
            0 => vec![mobile(0), email()],
            1 => vec![email()],
            2 => vec![unknown("x")],
            _ => vec![],
        };
        let warnings: Vec<_> = if n % 3 == 0 { vec![mobile(1), email()] } else { vec![] };
        let account = format!("A-{n}");
        if errors.is_empty() {
            take(store, &acme, &account, Event::Cancelled, Some(issues(&[], &warnings)));
        } else {
            reject(store, &acme, &account, issues(&errors, &warnings));
        }
    }
    let is_invalid = |n: &usize| n % 4 < 2;
    let is_warned = |n: &usize| n.is_multiple_of(3);
    let names = |numbers: Vec<usize>| numbers.iter().map(|n| format!("A-{n}")).collect::<Vec<_>>();
    let state = |state, filter| ProcessFilter { state: Some(state), ..filter };
    let both = ProcessFilter { warning_code: Some("invalid"), ..failed("invalid") };
    for (filter, expected) in [
        (failed("invalid"), (0..40).filter(is_invalid).collect::<Vec<_>>()),
        (failed("unknown_field"), (0..40).filter(|n| n % 4 == 2).collect()),
        (failed("required"), vec![]),
        (warned("invalid"), (0..40).filter(is_warned).collect()),
        (both, (0..40).filter(is_invalid).filter(is_warned).collect()),
        (state(State::Errored, failed("invalid")), (0..40).filter(is_invalid).collect()),
        (state(State::Processed, failed("invalid")), vec![]),
        (state(State::Cancelled, warned("invalid")), (0..40).filter(|n| n % 12 == 3).collect()),
    ] {
        for (items, scanned) in [(1, 1), (3, 4), (7, 20), (60, 60)] {
            let found = list(store, &acme, filter, PageLimit { items, scanned });
            assert_eq!(found, names(expected.clone()), "{filter:?}, {items} of {scanned}");
        }
    }
    let later = ProcessFilter { modified_after: Some(at(10_000)), ..failed("invalid") };
    assert_eq!(list(store, &acme, later, PageLimit { items: 2, scanned: 3 }), [""; 0]);
}

/// Warnings of an account are counted from its creation on, and those of later requests are added to them.
pub fn warnings_are_counted_from_the_creation_on(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let (of, first) = (acme.clone(), issues(&[], &[email(), mobile(0)]));
    put(store, move |tx| {
        let new = new_process(&of, "A-1", Submission::default());
        let (process, entry) = Process::create(tx.next_process_id()?, new, at(0), api());
        tx.insert_process(of.id, &process, &entry, &staged(b"x"), &first)
    });
    let both = [("invalid", "customers.#.email", 1), ("invalid", "customers.#.mobile", 1)];
    assert_eq!(top(store, &acme, Level::Warning, 10), counts(&both));
    take(store, &acme, "A-1", Event::Claimed, None);
    assert_eq!(top(store, &acme, Level::Warning, 10), counts(&both));
    let imported = Event::Imported(cutover_core::ServiceAccountNumber::from_random(1));
    take(store, &acme, "A-1", imported, Some(issues(&[], &[mobile(0)])));
    assert_eq!(top(store, &acme, Level::Warning, 10), counts(&both[1..]));
    let note = StoredIssue {
        source: IssueSource::Notes.into(),
        rule: None,
        ..issue("duplicate_note", "notes.3", "notes.#")
    };
    let all = issues(&[], &[mobile(0), note]);
    let (id, kept) = (process(store, &acme, "A-1").process.id(), all.clone());
    put(store, move |tx| tx.set_issues(id, &kept));
    assert_eq!(see(store, |tx| tx.issues(id)), all);
    let expected = [("duplicate_note", "notes.#", 1), ("invalid", "customers.#.mobile", 1)];
    assert_eq!(top(store, &acme, Level::Warning, 10), counts(&expected));
    assert_eq!(list(store, &acme, warned("duplicate_note"), PageLimit::of(1)), ["A-1"]);
    assert_eq!(see(store, |tx| tx.process(acme.id, &number("A-1"))).unwrap().process.version(), 3);
}

/// A payload with thousands of different faults has a bounded number of rows.
pub fn the_causes_of_an_account_are_bounded(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 1);
    let many = |code: &str| -> Vec<_> {
        (0..10_000).map(|n| issue(code, "x", &format!("x.#.member_{n:05}.'\"\\\u{e9}"))).collect()
    };
    reject(store, &acme, "A-0", issues(&many("required"), &many("invalid")));
    for (level, code) in [(Level::Error, "required"), (Level::Warning, "invalid")] {
        let kept = top(store, &acme, level, u32::MAX);
        assert_eq!(kept.len(), MAX_CAUSES);
        assert_eq!(kept[99], (code.into(), Some("x.#.member_00099.'\"\\\u{e9}".into()), 1));
    }
    assert_eq!(list(store, &acme, failed("required"), PageLimit::of(9)), ["A-0"]);
}

/// After any steps, the counts equal a recount.
pub fn counts_of_causes_are_correct_after_random_steps(store: &dyn Store) {
    const ACCOUNTS: u64 = 12;
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", ACCOUNTS as i64);
    let mut dice = Dice::new(7);
    let mut expected: BTreeMap<String, [Vec<Cause>; 2]> = BTreeMap::new();
    for round in 0..300 {
        let account = format!("A-{}", dice.below(ACCOUNTS));
        let all = [mobile(0), mobile(1), email(), unknown("x"), unknown("y")];
        let mut some = || all.iter().filter(|_| dice.below(2) == 0).cloned().collect::<Vec<_>>();
        let found = issues(&some(), &some());
        let stored = process(store, &acme, &account).process;
        let (event, found) = match (stored.state(), dice.below(3)) {
            (State::Pending, 0) => (Event::WindowMissed, None),
            (State::Pending, 1) => (Event::Cancelled, None),
            (State::Pending, _) => (Event::Claimed, None),
            (State::InProgress, 0) => (Event::Released { due_at: at(1) }, None),
            (State::InProgress, 1) => (Event::RetriesExhausted, None),
            (State::InProgress, _) => (Event::Rejected, Some(found)),
            (_, 0) => (Event::RetriedByOperator, Some(issues(&[], &found.warnings))),
            (_, 1) => (Event::RetriedByOperator, None),
            _ => (Event::Resubmitted(Submission::default()), Some(issues(&[], &found.warnings))),
        };
        take(store, &acme, &account, event, found.clone());
        let [errors, warnings] = expected.entry(account.clone()).or_default();
        let after = process(store, &acme, &account).process;
        *errors = Cause::of_error(after.latest_error(), found.as_ref());
        if let Some(found) = &found {
            *warnings = Cause::of_issues(&found.warnings);
        }
        if round % 20 == 0 {
            write(store, |tx| tx.fold(5)).unwrap();
            for (place, level) in [Level::Error, Level::Warning].into_iter().enumerate() {
                let mut recount = BTreeMap::<Cause, u64>::new();
                for cause in expected.values().flat_map(|causes| &causes[place]) {
                    *recount.entry(cause.clone()).or_default() += 1;
                }
                let kept = see(store, |tx| tx.top_causes(acme.id, level, u32::MAX));
                let kept: BTreeMap<_, _> = kept.into_iter().map(|c| (c.cause, c.accounts)).collect();
                assert_eq!(kept, recount, "{level} after {round} steps");
            }
        }
    }
}
