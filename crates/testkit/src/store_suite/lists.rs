//! The lists of version 1 (contract 4.3).

use super::helpers::{at, create, create_many, insert, process, put, see, step, supplier, worker};
use super::imported::{account_of, end_with, import, of_members};
use chrono::{DateTime, Utc};
use cutover_app::port::{AccountList, ListedAccount, PageLimit, Position, Store, Supplier};
use cutover_process::{Event, State, Submission};

/// Returns an item: external number, service number and time of the import.
type Item = (String, Option<(String, DateTime<Utc>)>);

const EVER: i64 = 1_000_000;

/// Returns a page and the position of the next one.
fn page(
    store: &dyn Store,
    of: &Supplier,
    list: AccountList,
    after: Option<Position>,
    until: DateTime<Utc>,
    limit: u32,
) -> (Vec<Item>, Option<Position>) {
    see(store, |tx| {
        let mut items = Vec::new();
        let limit = PageLimit::of(limit);
        let next = tx.each_account(of.id, list, after, until, limit, &mut |item| {
            let account = item.account.map(|(number, at)| (number.to_owned(), at));
            items.push((item.external_account_number.to_owned(), account));
        })?;
        Ok((items, next))
    })
}

/// Returns the numbers of a whole list.
fn numbers(store: &dyn Store, of: &Supplier, list: AccountList) -> Vec<String> {
    page(store, of, list, None, at(EVER), 10_000).0.into_iter().map(|(number, _)| number).collect()
}

/// Creates an account and applies these events to its process.
fn go(store: &dyn Store, of: &Supplier, account: &str, events: &[Event]) -> State {
    for event in events {
        assert!(step(store, &process(store, of, account).process, event.clone(), at(50)));
    }
    process(store, of, account).process.state()
}

/// The same sorted by name, for processes that were created at the same time.
fn sorted(store: &dyn Store, of: &Supplier, list: AccountList) -> Vec<String> {
    let mut numbers = numbers(store, of, list);
    numbers.sort();
    numbers
}

/// Imported: with an account. Pending: without one, except cancelled. All: both.
pub fn lists_contain_the_accounts_in_their_states(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let dry = Submission { is_dry_run: true, ..Submission::default() };
    let (owner, dry_runs) = (acme.clone(), ["dry-good", "dry-bad"]);
    put(store, move |tx| dry_runs.iter().try_for_each(|a| insert(tx, &owner, a, dry, at(0)).map(|_| ())));
    for account in ["pending", "running", "cancelled", "errored"] {
        create(store, &acme, account);
    }
    let imported = import(store, &acme, 7, r#""ledgers":[{}]"#);
    create(store, &other, "foreign");
    let states = [
        go(store, &acme, "pending", &[]),
        go(store, &acme, "running", &[Event::Claimed]),
        go(store, &acme, "cancelled", &[Event::Cancelled]),
        go(store, &acme, "A-7", &[]),
        go(store, &acme, "dry-good", &[Event::Claimed, Event::DryRunPassed]),
        go(store, &acme, "errored", &[Event::Claimed, Event::Rejected]),
        go(store, &acme, "dry-bad", &[Event::Claimed, Event::DryRunFailed]),
    ];
    use State::{Cancelled, DryRunErrored, DryRunSucceeded, Errored, InProgress, Pending, Processed};
    assert_eq!(states, [Pending, InProgress, Cancelled, Processed, DryRunSucceeded, Errored, DryRunErrored]);

    assert_eq!(numbers(store, &acme, AccountList::Imported), ["A-7"]);
    let pending = ["dry-bad", "dry-good", "errored", "pending", "running"];
    assert_eq!(sorted(store, &acme, AccountList::Pending), pending);
    let all = ["A-7", "dry-bad", "dry-good", "errored", "pending", "running"];
    assert_eq!(sorted(store, &acme, AccountList::All), all);
    assert_eq!(numbers(store, &other, AccountList::All), ["foreign"]);
    assert_eq!(numbers(store, &other, AccountList::Imported), [""; 0]);

    let (items, _) = page(store, &acme, AccountList::All, None, at(EVER), 100);
    for (number, account) in items {
        let expected = (number == "A-7").then(|| (imported.number.as_str().to_owned(), imported.imported_at));
        assert_eq!(account, expected, "{number}");
    }
}

/// Processes of the same time are ordered by key; a page begins after a position and returns the next one.
pub fn lists_are_ordered_by_creation_and_key(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let owner = acme.clone();
    let created = [("A", 30), ("B", 10), ("C", 10), ("D", 20), ("E", 10)];
    let keys = put(store, move |tx| {
        let one = |(account, time): (&str, i64)| insert(tx, &owner, account, Submission::default(), at(time));
        created.into_iter().map(one).map(|made| made.map(|made| made.id())).collect::<Result<Vec<_>, _>>()
    });
    assert!(step(store, &process(store, &acme, "C").process, Event::Cancelled, at(40)));
    for list in [AccountList::Pending, AccountList::All] {
        assert_eq!(numbers(store, &acme, list), ["B", "E", "D", "A"]);
        let part = |after, limit| {
            let (items, next) = page(store, &acme, list, after, at(EVER), limit);
            (items.into_iter().map(|(number, _)| number).collect::<Vec<_>>().join(""), next)
        };
        let [a, b, c, d, e] = [(30, 0), (10, 1), (10, 2), (20, 3), (10, 4)].map(|(t, i)| (at(t), keys[i]));
        assert_eq!(part(None, 1), ("B".into(), Some(b)));
        assert_eq!(part(None, 3), ("BED".into(), Some(d)));
        assert_eq!(part(Some(b), 2), ("ED".into(), Some(d)));
        // The row at a position need not be in the list.
        assert_eq!(part(Some(c), 1), ("E".into(), Some(e)));
        assert_eq!(part(Some(d), 1), ("A".into(), Some(a)));
        assert_eq!(part(Some(d), 9), ("A".into(), None));
        assert_eq!(part(Some(a), 9), (String::new(), None));
    }
}

/// Processes created after the bound are not in the list; those created at it are.
pub fn lists_end_at_their_bound(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 5);
    let key = process(store, &acme, "A-3").process.id();
    let until = |time| {
        let (items, next) = page(store, &acme, AccountList::All, None, time, 10);
        (items.into_iter().map(|(number, _)| number).collect::<Vec<_>>().join(" "), next)
    };
    assert_eq!(until(at(3)), ("A-0 A-1 A-2 A-3".into(), None));
    assert_eq!(until(at(4) - chrono::Duration::microseconds(1)), ("A-0 A-1 A-2 A-3".into(), None));
    assert_eq!(until(at(-1)), (String::new(), None));
    assert_eq!(page(store, &acme, AccountList::All, Some((at(3), key)), at(3), 10), (vec![], None));
}

fn is_cancelled(n: i64) -> bool {
    n % 10 == 3
}

fn is_imported(n: i64) -> bool {
    n % 25 == 0
}

/// Creates processes of three states, many of them at the same time.
fn create_mixed(store: &dyn Store, supplier: &Supplier, count: i64) {
    let owner = supplier.clone();
    put(store, move |tx| {
        for n in 0..count {
            let process = insert(tx, &owner, &format!("L-{n}"), Submission::default(), at(n / 7))?;
            if is_cancelled(n) {
                let (cancelled, entry) = process.step(Event::Cancelled, at(500), worker()).unwrap();
                assert!(tx.step_process(&cancelled, &entry)?);
            } else if is_imported(n) {
                let account = of_members(r#""ledgers":[{}]"#);
                let new = account_of(&process, &owner, n.unsigned_abs(), account);
                end_with(tx, process, &new)?;
            }
        }
        Ok(())
    });
}

/// Reads 2,500 processes page by page to the end.
pub fn pages_give_every_account_once(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_mixed(store, &acme, 2_500);
    let names = |wanted: fn(i64) -> bool| -> Vec<String> {
        (0..2_500).filter(|n| wanted(*n)).map(|n| format!("L-{n}")).collect()
    };
    for (list, expected) in [
        (AccountList::Imported, names(is_imported)),
        (AccountList::Pending, names(|n| !is_imported(n) && !is_cancelled(n))),
        (AccountList::All, names(|n| !is_cancelled(n))),
    ] {
        let (mut after, mut seen) = (None, Vec::new());
        loop {
            let (items, next) = page(store, &acme, list, after, at(400), 300);
            assert!(items.len() == 300 || next.is_none() && items.len() < 300);
            seen.extend(items.into_iter().map(|(number, _)| number));
            if next.is_none() {
                break;
            }
            after = next;
        }
        assert_eq!(seen, expected);
    }
}

/// A page reads a limited number of rows, even if all are cancelled, and the next one continues after them.
pub fn pages_skip_cancelled_accounts(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 30);
    let cancelled = |n: i64| n % 3 == 1 || (10..20).contains(&n);
    for n in (0..30).filter(|n| cancelled(*n)) {
        assert!(step(store, &process(store, &acme, &format!("A-{n}")).process, Event::Cancelled, at(500)));
    }
    let expected: Vec<_> = (0..30).filter(|n| !cancelled(*n)).map(|n| format!("A-{n}")).collect();
    for (items, scanned) in [(1, 1), (3, 4), (4, 4), (30, 30)] {
        for list in [AccountList::Pending, AccountList::All] {
            let (mut after, mut seen) = (None, Vec::new());
            loop {
                let before = seen.len();
                let next = see(store, |tx| {
                    seen.truncate(before);
                    let mut each =
                        |item: ListedAccount<'_>| seen.push(item.external_account_number.to_owned());
                    tx.each_account(acme.id, list, after, at(EVER), PageLimit { items, scanned }, &mut each)
                });
                assert!(seen.len() - before <= items as usize);
                let Some(next) = next else { break };
                assert!(after.is_none_or(|after| after < next), "it goes on");
                after = Some(next);
            }
            assert_eq!(seen, expected, "{list:?}, {items} of {scanned}");
        }
    }
}
