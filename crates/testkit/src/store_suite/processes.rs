//! Import processes and their lists.

use super::ground::{
    at, create, create_many, insert, number, process, put, see, staged, step, supplier, worker,
};
use super::imported::import;
use cutover_app::port::{ProcessFilter, Store, StoreError, write};
use cutover_core::ServiceAccountNumber;
use cutover_process::{Event, State, Submission, Window};

fn account_number() -> ServiceAccountNumber {
    ServiceAccountNumber::from_random(42)
}

/// Every member of a process survives, in every state that a process can be in.
pub fn a_process_reads_back(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let window = Window { start: Some(at(10)), end: Some(at(1_000)) };
    let submission = Submission { is_dry_run: true, window };
    let owner = acme.clone();
    let created = put(store, move |tx| insert(tx, &owner, " A/1 é\u{1F600}'; -- ", submission, at(0)));
    let stored = process(store, &acme, "A/1 é\u{1F600}'; --");
    assert_eq!((stored.process.clone(), stored.supplier_id), (created, acme.id));
    assert_eq!(stored.fingerprint, staged(" A/1 é\u{1F600}'; -- ".as_bytes()).fingerprint);

    for (event, when) in [
        (Event::Claimed, 11),
        (Event::Deferred { due_at: at(40) }, 12),
        (Event::Claimed, 41),
        (Event::DryRunFailed, 42),
        (Event::Resubmitted(Submission::default()), 50),
        (Event::Cancelled, 51),
        (Event::RetriedByOperator, 52),
        (Event::Claimed, 53),
        (Event::Imported(account_number()), 54),
    ] {
        let before = process(store, &acme, "A/1 é\u{1F600}'; --").process;
        let (after, entry) = before.step(event, at(when), worker()).unwrap();
        let expected = after.clone();
        assert!(put(store, move |tx| tx.step_process(&after, &entry)));
        assert_eq!(process(store, &acme, "A/1 é\u{1F600}'; --").process, expected);
    }
}

/// The second insert of an account is refused, and writes nothing; another supplier's is another.
pub fn an_account_has_one_process(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let first = create(store, &acme, "A-1");
    let owner = acme.clone();
    let again = write(store, move |tx| insert(tx, &owner, "A-1", Submission::default(), at(9)));
    assert!(matches!(again.unwrap_err(), StoreError::Conflict(_)));
    assert_eq!(process(store, &acme, "A-1").process, first);
    let elsewhere = create(store, &other, "A-1");
    assert_ne!(elsewhere.id(), first.id());
    assert_eq!(see(store, |tx| tx.process(acme.id, &number("a-1"))), None);
    let next = put(store, |tx| tx.next_process_id());
    assert!(![first.id(), elsewhere.id()].contains(&next));
}

/// Page by page along the order, through processes that were created at the same time.
pub fn lists_go_on_where_a_page_ended(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let owner = acme.clone();
    put(store, move |tx| {
        (0..25).try_for_each(|i| {
            insert(tx, &owner, &format!("A-{i}"), Submission::default(), at(i / 10)).map(|_| ())
        })
    });
    create_many(store, &other, "B", 3);
    let (mut after, mut seen) = (None, Vec::new());
    for expected in [7, 7, 7, 4, 0] {
        let page = see(store, |tx| tx.list_processes(acme.id, ProcessFilter::default(), after, 7));
        assert_eq!(page.len(), expected);
        if let Some(last) = page.last() {
            assert_eq!(last.position.1, last.process.id());
            after = Some(last.position);
        }
        seen.extend(page.iter().map(|p| p.process.snapshot().external_account_number.to_string()));
    }
    assert_eq!(seen, (0..25).map(|i| format!("A-{i}")).collect::<Vec<_>>());
}

/// The same, of one status.
pub fn lists_can_be_of_one_status(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 6);
    for account in ["A-1", "A-4"] {
        assert!(step(store, &process(store, &acme, account).process, Event::Cancelled, at(100)));
    }
    let list = |status, after, limit| {
        let page = see(store, |tx| tx.list_processes(acme.id, ProcessFilter::of(status), after, limit));
        page.iter().map(|p| p.process.snapshot().external_account_number.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(list(State::Cancelled, None, 10), ["A-1", "A-4"]);
    assert_eq!(list(State::Pending, None, 3), ["A-0", "A-2", "A-3"]);
    let position = see(store, |tx| tx.list_processes(acme.id, ProcessFilter::default(), None, 4))[3].position;
    assert_eq!(list(State::Pending, Some(position), 3), ["A-5"]);
    assert_eq!(list(State::Processed, None, 3), [""; 0]);
}

/// By error and by time, together with the state and on pages of their own.
pub fn lists_can_be_of_what_failed_or_changed(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 6);
    let take = |account: &str, event, time| {
        let process = process(store, &acme, account).process;
        assert!(step(store, &process, event, at(time)));
    };
    let rejected = |account: &str, time| {
        take(account, Event::Claimed, time);
        take(account, Event::Rejected, time);
    };
    rejected("A-1", 100);
    rejected("A-3", 200);
    take("A-4", Event::WindowMissed, 50);
    let code =
        |account: &str| process(store, &acme, account).process.snapshot().latest_error.clone().unwrap().code;
    let (code, other) = (code("A-1"), code("A-4"));
    assert_ne!(code, other);
    let list = |filter, after, limit| {
        let page = see(store, |tx| tx.list_processes(acme.id, filter, after, limit));
        page.iter().map(|p| p.process.snapshot().external_account_number.to_string()).collect::<Vec<_>>()
    };
    let failed = ProcessFilter { error_code: Some(code), ..ProcessFilter::default() };
    let later = ProcessFilter { modified_after: Some(at(100)), ..ProcessFilter::default() };
    assert_eq!(list(failed, None, 10), ["A-1", "A-3"]);
    assert_eq!(list(ProcessFilter::of(State::Errored), None, 2), ["A-1", "A-3"]);
    let first = see(store, |tx| tx.list_processes(acme.id, failed, None, 1))[0].position;
    assert_eq!(list(failed, Some(first), 10), ["A-3"]);
    assert_eq!(list(later, None, 10), ["A-3"]);
    assert_eq!(list(ProcessFilter { state: Some(State::Pending), ..later }, None, 10), [""; 0]);
    assert_eq!(list(ProcessFilter { error_code: Some(other), ..failed }, None, 10), ["A-4"]);
    assert_eq!(list(ProcessFilter { state: Some(State::Cancelled), ..failed }, None, 10), [""; 0]);
}

/// By the bytes of their numbers; nothing in a prefix has a meaning of its own.
pub fn accounts_are_found_by_how_their_numbers_begin(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    for account in ["A-1", "A-10", "A-2", "a-1", "A%", "A_1", "Ä-1", "A-\u{ffff}", "B"] {
        create(store, &acme, account);
    }
    create(store, &other, "A-1");
    let find = |prefix: &str, limit| {
        let prefix = prefix.parse().unwrap();
        let found = see(store, |tx| tx.processes_like(acme.id, &prefix, limit));
        found
            .iter()
            .map(|stored| stored.process.snapshot().external_account_number.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(find("A-1", 10), ["A-1", "A-10"]);
    assert_eq!(find("A-", 10), ["A-1", "A-10", "A-2", "A-\u{ffff}"]);
    assert_eq!(find("A-", 2), ["A-1", "A-10"]);
    for (prefix, found) in
        [("A%", &["A%"][..]), ("A_", &["A_1"]), ("a", &["a-1"]), ("Ä", &["Ä-1"]), ("C", &[])]
    {
        assert_eq!(find(prefix, 10), found, "{prefix}");
    }
}

/// By the number that the account has here.
pub fn a_process_is_found_by_its_account(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create(store, &acme, "A-6");
    let imported = import(store, &acme, 7, r#""ledgers":[{}]"#);
    let of = |number| see(store, |tx| tx.process_of_account(&number));
    let found = of(ServiceAccountNumber::from_random(7)).unwrap();
    assert_eq!((found.process.id(), found.supplier_id), (imported.process_id, acme.id));
    assert_eq!(of(ServiceAccountNumber::from_random(8)), None);
}
