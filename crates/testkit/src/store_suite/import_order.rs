//! Imported accounts in import order.

use super::helpers::{at, create, number, put, see, supplier};
use super::imported::{account_of, end_with, import, of_members};
use cutover_app::port::{FeedFilter, ImportedPage, PageLimit, Position, Store, Supplier};
use std::collections::HashSet;

fn page(store: &dyn Store, of: &Supplier, after: Option<Position>, limit: u32) -> ImportedPage {
    see(store, |tx| tx.imported_page(of.id, after, limit))
}

/// The numbers of all accounts, read in pages, with the position after the last one.
fn walk(
    store: &dyn Store,
    of: &Supplier,
    mut after: Option<Position>,
    limit: u32,
) -> (Vec<String>, Option<Position>) {
    let mut seen = Vec::new();
    loop {
        let found = page(store, of, after, limit);
        assert!(found.accounts.len() <= limit as usize);
        assert!(!found.accounts.is_empty() || !found.has_more);
        for (position, account) in &found.accounts {
            assert!(after.is_none_or(|after| after < *position));
            after = Some(*position);
            seen.push(account.account.external_account_number.as_sent().to_owned());
        }
        if !found.has_more {
            return (seen, after);
        }
    }
}

/// Imports the account `A-n` at a time.
fn import_at(store: &dyn Store, of: &Supplier, n: u64, seconds: i64, members: &str) -> i64 {
    let process = create(store, of, format!("A-{n}").leak());
    let mut new = account_of(&process, of, n, of_members(members));
    new.imported_at = at(seconds);
    let id = new.process_id;
    put(store, move |tx| end_with(tx, process, &new));
    id
}

/// `count` notes with three documents each, which make four times as many rows.
fn notes(count: usize) -> String {
    let paths = r#"[{"document_path":"1"},{"document_path":"2"},{"document_path":"3"}]"#;
    let notes: Vec<_> = (0..count).map(|n| format!(r#"{{"body":"{n}","document_paths":{paths}}}"#)).collect();
    format!(r#""notes":[{}]"#, notes.join(","))
}

/// Accounts are read in the order of their imports, each once, whatever the size of a page; others that are imported
/// meanwhile follow.
pub fn imported_accounts_are_read_in_import_order(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    assert_eq!(page(store, &acme, None, 5), ImportedPage { accounts: Vec::new(), has_more: false });
    for (n, seconds) in [(1, 30), (2, 10), (3, 20), (4, 20)] {
        import_at(store, &acme, n, seconds, &notes(1));
    }
    import_at(store, &other, 9, 15, &notes(1));
    let order = ["A-2", "A-3", "A-4", "A-1"];
    for size in [1, 2, 3, 4, 100] {
        assert_eq!(walk(store, &acme, None, size).0, order, "{size}");
    }
    let (_, end) = walk(store, &acme, None, 2);
    assert_eq!(walk(store, &acme, end, 2), (Vec::new(), end));
    import_at(store, &acme, 5, 40, &notes(1));
    assert_eq!(walk(store, &acme, end, 2).0, ["A-5"]);
    assert_eq!(walk(store, &other, None, 2).0, ["A-9"]);
}

/// Accounts that are read together are as if each was read alone, in the order that was asked for.
pub fn accounts_read_together_are_as_read_alone(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let members = [
        notes(3),
        r#""customers":[{"given_name":"Ann","family_name":"Lee"}],"ledgers":[{"ledger_balance":"1.50",
            "current_statement_transactions":[{"transaction_id":"T","transaction_date":"2026-01-01","amount":"1.10",
            "type":"CREDIT"}]},{"ledger_balance":"-2.0"}]"#
            .to_owned(),
        String::from(r#""billing_name":"B""#),
        notes(1),
    ];
    let ids: Vec<i64> =
        (1..).zip(&members).map(|(n, members)| import(store, &acme, n, members).process_id).collect();
    let wanted = [ids[3], ids[1], 77, ids[0], ids[2]];
    let (together, count) = see(store, |tx| tx.imported_accounts(&wanted));
    assert_eq!(count, wanted.len());
    let keys: Vec<i64> = together.iter().map(|((_, id), _)| *id).collect();
    assert_eq!(keys, [ids[3], ids[1], ids[0], ids[2]]);
    for ((_, id), account) in &together {
        assert_eq!(see(store, |tx| tx.imported_account(*id)).as_ref(), Some(account));
    }
    assert_eq!(see(store, |tx| tx.imported_accounts(&[])), (Vec::new(), 0));
    let numbers = ["A-4", "NONE", "A-1"].map(number);
    assert_eq!(see(store, |tx| tx.imported_ids(acme.id, &numbers)), [Some(ids[3]), None, Some(ids[0])]);
    let other = supplier(store, "OTHER");
    assert_eq!(see(store, |tx| tx.imported_ids(other.id, &numbers)), [None; 3]);
}

/// An account with more rows than are loaded at once is read, and those beside it are.
pub fn large_accounts_are_read_in_parts(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    for (n, count) in [(1, 1), (2, 2_500), (3, 3_000), (4, 5_500), (5, 2)] {
        import_at(store, &acme, n, i64::try_from(n).unwrap(), &notes(count));
    }
    assert_eq!(walk(store, &acme, None, 100).0, ["A-1", "A-2", "A-3", "A-4", "A-5"]);
    let ((_, id), account) = page(store, &acme, None, 100).accounts.remove(1);
    assert_eq!(account.account.notes.as_ref().map(Vec::len), Some(2_500));
    assert_eq!(see(store, |tx| tx.imported_account(id)), Some(account));
}

/// Accounts with long texts are read a few at a time.
pub fn accounts_with_long_texts_are_read_in_parts(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let text = "x".repeat(3 << 20);
    let members = [
        format!(r#""notes":[{{"body":"{text}"}}]"#),
        format!(
            r#""events":[{{"event_type":"E","category":"C","subcategory":"S","occurred_at":"2026-01-01T00:00Z",
                "description":"{text}"}}]"#
        ),
        format!(
            r#""ledgers":[{{"current_statement_transactions":[{{"transaction_id":"T","transaction_date":"2026-01-01",
                "amount":"1.10","type":"CREDIT","note":"{text}","display_note":"{text}"}}]}}]"#
        ),
        notes(1),
        notes(2),
    ];
    for (n, members) in (1..).zip(&members) {
        import_at(store, &acme, n, n as i64, members);
    }
    assert_eq!(walk(store, &acme, None, 100).0, ["A-1", "A-2", "A-3", "A-4", "A-5"]);
}

/// The end of the feed is the last event that readers are shown.
pub fn the_end_of_the_feed_is_known(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let end = || see(store, |tx| tx.feed_end(acme.organisation_id));
    let before = end();
    assert_eq!(before, Default::default());
    import(store, &acme, 1, &notes(1));
    let filter = FeedFilter::default();
    let read = |after| {
        see(store, |tx| tx.feed_page(acme.organisation_id, &filter, Some(after), PageLimit::of(9))).unwrap()
    };
    // An older transaction of another database may delay events.
    let mut events = HashSet::new();
    while events.len() < 2 {
        events.extend(read(before).events.into_iter().map(|event| event.position));
    }
    let last = events.iter().max().copied().unwrap();
    assert_eq!(end(), last);
    assert_eq!(read(last).events, []);
    put(store, |tx| tx.expire_events(at(1_000_000), 9));
    assert_eq!(end(), last, "expired");
}
