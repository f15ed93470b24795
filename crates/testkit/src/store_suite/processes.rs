//! Import processes and their lists.

use super::helpers::{
    at, create, create_many, insert, number, process, put, see, staged, step, supplier, worker,
};
use super::imported::import;
use cutover_app::port::{
    PageLimit, Position, ProcessFilter, ProcessPage, Store, StoreError, Supplier, write,
};
use cutover_core::ServiceAccountNumber;
use cutover_process::{Event, Process, State, Submission, Window};

/// Returns the account numbers of a page.
fn numbers(page: &ProcessPage) -> Vec<String> {
    page.processes.iter().map(|p| number_of(&p.process)).collect()
}

fn account_number() -> ServiceAccountNumber {
    ServiceAccountNumber::from_random(42)
}

/// Every member of a process reads back, in every state.
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
        (Event::Failed { due_at: at(41) }, 41),
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

/// A second insert of an account is refused and writes nothing; another supplier's account is not the same.
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

/// Reads page by page through processes that were created at the same time.
pub fn pages_continue_where_the_last_one_ended(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let owner = acme.clone();
    put(store, move |tx| {
        (0..25).try_for_each(|i| {
            insert(tx, &owner, &format!("A-{i}"), Submission::default(), at(i / 10)).map(|_| ())
        })
    });
    create_many(store, &other, "B", 3);
    let (mut after, mut seen) = (None, Vec::new());
    let limit = PageLimit::of(7);
    for (expected, is_last) in [(7, false), (7, false), (7, false), (4, true)] {
        let page = see(store, |tx| tx.list_processes(acme.id, ProcessFilter::default(), after, limit));
        let last = page.processes.last().unwrap();
        assert_eq!(last.position.1, last.process.id());
        assert_eq!((page.processes.len(), page.next), (expected, (!is_last).then_some(last.position)));
        after = Some(last.position);
        seen.extend(numbers(&page));
    }
    let beyond = see(store, |tx| tx.list_processes(acme.id, ProcessFilter::default(), after, limit));
    assert_eq!(beyond, ProcessPage::default());
    assert_eq!(seen, (0..25).map(|i| format!("A-{i}")).collect::<Vec<_>>());
}

/// The same for one status.
pub fn lists_can_be_filtered_by_status(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 6);
    for account in ["A-1", "A-4"] {
        assert!(step(store, &process(store, &acme, account).process, Event::Cancelled, at(100)));
    }
    let list = |status, after, limit| {
        let limit = PageLimit::of(limit);
        numbers(&see(store, |tx| tx.list_processes(acme.id, ProcessFilter::of(status), after, limit)))
    };
    assert_eq!(list(State::Cancelled, None, 10), ["A-1", "A-4"]);
    assert_eq!(list(State::Pending, None, 3), ["A-0", "A-2", "A-3"]);
    let four = PageLimit::of(4);
    let first = see(store, |tx| tx.list_processes(acme.id, ProcessFilter::default(), None, four));
    let position = first.processes[3].position;
    assert_eq!(list(State::Pending, Some(position), 3), ["A-5"]);
    assert_eq!(list(State::Processed, None, 3), [""; 0]);
}

/// Filters by error and by time, combined with the state and with pages.
pub fn lists_can_be_filtered_by_error_and_time(store: &dyn Store) {
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
    let list = |filter: ProcessFilter<'_>, after, limit| {
        let limit = PageLimit::of(limit);
        numbers(&see(store, |tx| tx.list_processes(acme.id, filter, after, limit)))
    };
    let failed = ProcessFilter { error_code: Some(code.as_str()), ..ProcessFilter::default() };
    let later = ProcessFilter { modified_after: Some(at(100)), ..ProcessFilter::default() };
    assert_eq!(list(failed, None, 10), ["A-1", "A-3"]);
    assert_eq!(list(ProcessFilter::of(State::Errored), None, 2), ["A-1", "A-3"]);
    let first = see(store, |tx| tx.list_processes(acme.id, failed, None, PageLimit::of(1)));
    let first = first.processes[0].position;
    assert_eq!(list(failed, Some(first), 10), ["A-3"]);
    assert_eq!(list(later, None, 10), ["A-3"]);
    assert_eq!(list(ProcessFilter { state: Some(State::Pending), ..later }, None, 10), [""; 0]);
    assert_eq!(list(ProcessFilter { error_code: Some(other.as_str()), ..failed }, None, 10), ["A-4"]);
    assert_eq!(list(ProcessFilter { state: Some(State::Cancelled), ..failed }, None, 10), [""; 0]);
}

/// Returns all pages of a list.
fn pages(store: &dyn Store, of: &Supplier, filter: ProcessFilter<'_>, limit: PageLimit) -> Vec<Vec<String>> {
    let (mut after, mut pages): (Option<Position>, Vec<_>) = (None, Vec::new());
    loop {
        let page = see(store, |tx| tx.list_processes(of.id, filter, after, limit));
        assert!(page.processes.len() <= limit.items as usize);
        assert!(page.next.is_none_or(|next| after.is_none_or(|after| after < next)), "it goes on");
        pages.push(numbers(&page));
        match page.next {
            Some(next) => after = Some(next),
            None => return pages,
        }
    }
}

/// A filter without an index scans a limited number of rows per page, so pages without a match are empty.
pub fn a_page_reads_a_limited_number_of_rows_and_may_be_empty(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 10);
    let later = ProcessFilter { modified_after: Some(at(1_000)), ..ProcessFilter::default() };
    let limit = |items, scanned| PageLimit { items, scanned };
    assert_eq!(pages(store, &acme, later, limit(2, 3)), vec![vec![""; 0]; 4]);
    assert_eq!(pages(store, &acme, later, limit(2, 5)), vec![vec![""; 0]; 2]);
    assert_eq!(pages(store, &acme, later, limit(2, 10)), [[""; 0]]);
    let first = see(store, |tx| tx.list_processes(acme.id, later, None, limit(2, 3)));
    let all = see(store, |tx| tx.list_processes(acme.id, ProcessFilter::default(), None, limit(10, 1)));
    assert_eq!(first.next, Some(all.processes[2].position));
    assert_eq!((all.processes.len(), all.next), (10, None), "no row is read in vain");
    assert!(step(store, &process(store, &acme, "A-4").process, Event::Cancelled, at(2_000)));
    let found: [&[&str]; 4] = [&[], &["A-4"], &[], &[]];
    assert_eq!(pages(store, &acme, later, limit(2, 3)), found);
    // With a state only the rows of that state are scanned.
    let cancelled = ProcessFilter { state: Some(State::Cancelled), ..later };
    assert_eq!(pages(store, &acme, cancelled, limit(2, 3)), [["A-4"]]);
}

/// For all filters and page sizes, each match is returned once and in order, and nothing else.
pub fn pages_give_every_match_once(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let owner = acme.clone();
    put(store, move |tx| {
        (0..60).try_for_each(|i| {
            let submission = Submission { is_dry_run: i % 2 == 0, ..Submission::default() };
            insert(tx, &owner, &format!("A-{i}"), submission, at(i / 7)).map(|_| ())
        })
    });
    let take = |i: i64, event| {
        assert!(step(store, &process(store, &acme, &format!("A-{i}")).process, event, at(100 + i)));
    };
    for i in 0..60 {
        match i % 5 {
            0 => take(i, Event::WindowMissed),
            1 if i % 2 == 0 => [Event::Claimed, Event::DryRunPassed].into_iter().for_each(|e| take(i, e)),
            2 if i % 2 == 0 => [Event::Claimed, Event::DryRunFailed].into_iter().for_each(|e| take(i, e)),
            2 => [Event::Claimed, Event::Rejected].into_iter().for_each(|e| take(i, e)),
            3 => take(i, Event::Cancelled),
            _ => {}
        }
    }
    let all: Vec<_> = (0..60).map(|i| process(store, &acme, &format!("A-{i}")).process).collect();
    let code =
        |process: &Process| process.snapshot().latest_error.as_ref().map(|error| error.code.to_string());
    let mut codes: Vec<_> = all.iter().map(code).collect();
    codes.sort();
    codes.dedup();
    assert_eq!(codes.len(), 3, "none, and two errors");
    let states = [None].into_iter().chain(State::ALL.iter().copied().map(Some));
    for (state, error_code) in states.flat_map(|state| codes.iter().map(move |code| (state, code.as_deref())))
    {
        for modified_after in [None, Some(at(130)), Some(at(1_000))] {
            let filter = ProcessFilter { state, error_code, modified_after, ..ProcessFilter::default() };
            let matches = |process: &&Process| {
                state.is_none_or(|state| process.state() == state)
                    && (error_code.is_none() || code(process).as_deref() == error_code)
                    && modified_after.is_none_or(|after| process.snapshot().modified_at > after)
            };
            let expected: Vec<_> = all.iter().filter(matches).map(number_of).collect();
            for (items, scanned) in [(1, 1), (1, 7), (3, 4), (7, 20), (60, 60)] {
                let found = pages(store, &acme, filter, PageLimit { items, scanned }).concat();
                assert_eq!(found, expected, "{filter:?}, {items} of {scanned}");
            }
        }
    }
}

fn number_of(process: &Process) -> String {
    process.snapshot().external_account_number.to_string()
}

/// Earlier processes of the supplier are found, but not cancelled ones; results keep the order.
pub fn numbers_that_look_alike_are_found_until_they_are_cancelled(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    create(store, &other, "7");
    // The longest folded number of all is not stored, and disturbs none.
    let long: &'static str = "\u{fdfa}".repeat(128).leak();
    create(store, &acme, long);
    for account in ["0012", "a-1", "12", "A-1", "\u{e9}1", "E\u{301}1", "7"] {
        create(store, &acme, account);
    }
    let similar = |numbers: &[&str]| {
        let numbers: Vec<_> = numbers.iter().map(|text| number(text)).collect();
        see(store, |tx| tx.similar_numbers(acme.id, &numbers))
    };
    let found = |text: &str| Some(text.to_owned());
    let sent = ["12", "0012", "A-1", "a-1", "7", "E\u{301}1"];
    assert_eq!(similar(&sent), [found("0012"), None, found("a-1"), None, None, found("\u{e9}1")]);
    let not_sent = ["00012", "A-2", "\u{c9}1", "07", &long[..long.len() - 3]];
    assert_eq!(similar(&not_sent), [found("0012"), None, found("\u{e9}1"), found("7"), None]);
    assert_eq!(similar(&[]), []);
    let first = process(store, &acme, "0012").process;
    assert!(step(store, &first, Event::Cancelled, at(1)));
    assert_eq!(similar(&["12", "00012"]), [None, found("12")]);
}

/// Prefixes are compared by bytes, without wildcards.
pub fn accounts_are_found_by_the_prefix_of_their_numbers(store: &dyn Store) {
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
    let numbers = ["A%", "A-9", "B"].map(str::to_owned);
    let known = |number: &str| {
        let process = process(store, &acme, number).process;
        (number.to_owned(), process.id(), process.snapshot().created_at)
    };
    let mut among = see(store, |tx| tx.processes_among(acme.id, &numbers));
    among.sort();
    assert_eq!(among, [known("A%"), known("B")]);
    assert_eq!(see(store, |tx| tx.processes_among(acme.id, &[])), []);
    assert_eq!(find("A-1", 10), ["A-1", "A-10"]);
    assert_eq!(find("A-", 10), ["A-1", "A-10", "A-2", "A-\u{ffff}"]);
    assert_eq!(find("A-", 2), ["A-1", "A-10"]);
    for (prefix, found) in
        [("A%", &["A%"][..]), ("A_", &["A_1"]), ("a", &["a-1"]), ("Ä", &["Ä-1"]), ("C", &[])]
    {
        assert_eq!(find(prefix, 10), found, "{prefix}");
    }
}

/// It is found by the service account number.
pub fn a_process_is_found_by_its_account(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create(store, &acme, "A-6");
    let imported = import(store, &acme, 7, r#""ledgers":[{}]"#);
    let of = |number| see(store, |tx| tx.process_of_account(&number));
    let found = of(ServiceAccountNumber::from_random(7)).unwrap();
    assert_eq!((found.process.id(), found.supplier_id), (imported.process_id, acme.id));
    assert_eq!(of(ServiceAccountNumber::from_random(8)), None);
}
