//! The words of accounts.

use super::businesses::business;
use super::helpers::{api, at, new_process, process, put, see, staged, supplier};
use cutover_app::port::{
    Creation, NewBusiness, RefusedCreate, SearchKey, SearchTerm, Staged, Staging, Store, StoreError,
    StoredIssues, Supplier,
};
use cutover_process::{Process, Submission};
use std::sync::Arc;

fn term(bytes: &[u8]) -> SearchTerm {
    SearchTerm(bytes.to_vec())
}

fn with_terms(account: &str, terms: &[&[u8]]) -> Staged {
    Staged { terms: terms.iter().map(|bytes| term(bytes)).collect(), ..staged(account.as_bytes()) }
}

fn creation(of: &Supplier, account: &str, terms: &[&[u8]]) -> Creation {
    Creation {
        supplier_id: of.id,
        supplier_revision: of.revision,
        process: new_process(of, account, Submission::default()),
        actor: api(),
        at: at(5),
        staged: with_terms(account, terms),
        issues: StoredIssues::default(),
        contract: None,
        mark: None,
    }
}

/// Stages accounts at the same time, so that they are stored together where the store does that, and returns their keys.
fn stage(store: &dyn Store, of: &Supplier, accounts: &[(&str, &[&[u8]])]) -> Vec<i64> {
    let answers: Vec<_> = accounts
        .iter()
        .map(|(account, terms)| {
            let (done, answer) = std::sync::mpsc::sync_channel(1);
            let done = move |staging: Result<Staging, StoreError>| done.send(staging).unwrap();
            store.stage(Arc::new(creation(of, account, terms)), Box::new(done));
            answer
        })
        .collect();
    for answer in answers {
        assert_eq!(answer.recv().unwrap(), Ok(Staging::Staged));
    }
    accounts.iter().map(|(account, _)| process(store, of, account).process.id()).collect()
}

fn with(store: &dyn Store, word: &[u8]) -> Vec<i64> {
    see(store, |tx| tx.processes_with(&term(word), 0, 9))
}

/// Each account has its own words, whether it is stored alone or together with others, or again.
pub fn accounts_are_found_by_their_terms(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let ids = stage(
        store,
        &acme,
        &[
            ("A-1", &[b"\0same", b"\0one"]),
            ("A-2", &[]),
            ("A-3", &[b"\0same"]),
            ("A-4", &[b"\0last", b"\0same"]),
        ],
    );
    assert_eq!(with(store, b"\0one"), [ids[0]]);
    assert_eq!(with(store, b"\0last"), [ids[3]]);
    assert_eq!(with(store, b"\0none"), [0_i64; 0]);
    let mut same = vec![ids[0], ids[2], ids[3]];
    same.sort_unstable();
    assert_eq!(with(store, b"\0same"), same);
    assert_eq!(see(store, |tx| tx.processes_with(&term(b"\0same"), same[0], 1)), [same[1]]);
    assert_eq!(see(store, |tx| tx.processes_among_with(&ids, &term(b"\0same"))), same);
    assert_eq!(see(store, |tx| tx.processes_among_with(&ids[1..2], &term(b"\0same"))), [0_i64; 0]);
    let (first, other) = (ids[0], with_terms("A-1", &[b"\0other"]));
    put(store, move |tx| tx.restage(first, &other));
    assert_eq!((with(store, b"\0one"), with(store, b"\0other")), (Vec::new(), vec![first]));
    assert_eq!(see(store, |tx| tx.staged(first)).unwrap().terms, [term(b"\0other")]);
    put(store, move |tx| tx.erase(&[first]).map(drop));
    assert_eq!(with(store, b"\0other"), [0_i64; 0]);
}

/// Also where the last byte is the greatest one.
pub fn accounts_are_found_by_the_beginning_of_a_term(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let ids = stage(
        store,
        &acme,
        &[("A-1", &[b"\x01\xff", b"\x01\xff7"]), ("A-2", &[b"\x02"]), ("A-3", &[b"\x01\xff6"])],
    );
    let beginning = |word: &[u8], limit| see(store, |tx| tx.processes_with_beginning(&term(word), limit));
    assert_eq!(beginning(b"\x01\xff", 9), [ids[0], ids[2], ids[0]]);
    assert_eq!(beginning(b"\x01\xff", 2), [ids[0], ids[2]]);
    assert_eq!(beginning(b"\xff", 9), [0_i64; 0]);
    assert_eq!(beginning(b"\x02", 9), [ids[1]]);
}

/// Words of accounts are looked up in their order of creation, a part of the accounts at a time.
pub fn accounts_that_are_far_apart_are_found_together(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let ids = [1, 32_767, 32_768, 70_000, 99_000];
    for id in ids {
        let (process, entry) =
            Process::create(id, new_process(&acme, &format!("A-{id}"), Submission::default()), at(5), api());
        let (with, supplier_id) = (with_terms(&format!("A-{id}"), &[b"\0same", b"\x01part"]), acme.id);
        put(store, move |tx| {
            tx.insert_process(supplier_id, &process, &entry, &with, &StoredIssues::default())
        });
    }
    let same = |after, limit| see(store, |tx| tx.processes_with(&term(b"\0same"), after, limit));
    assert_eq!(same(0, 9), ids);
    assert_eq!((same(0, 3), same(32_768, 9)), (ids[..3].to_vec(), ids[3..].to_vec()));
    assert_eq!((same(32_766, 1), same(32_767, 1), same(99_000, 9)), (vec![ids[1]], vec![ids[2]], vec![]));
    let part = |limit| see(store, |tx| tx.processes_with_beginning(&term(b"\x01pa"), limit));
    assert_eq!((part(9), part(4)), (ids.to_vec(), ids[..4].to_vec()));
    assert_eq!(see(store, |tx| tx.processes_among_with(&ids[2..], &term(b"\x01part"))), ids[2..]);
}

/// A business has the words that it was last stored with.
pub fn businesses_are_found_by_their_terms(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let stored = |identifier: &str, words: &[&[u8]]| {
        let terms = words.iter().map(|bytes| term(bytes)).collect();
        let new = NewBusiness { terms, ..business(&acme, identifier, &[], 1) };
        put(store, move |tx| tx.insert_business(&new)).id
    };
    let (first, second) = (stored("B-1", &[b"cold", b"store"]), stored("B-2", &[b"store"]));
    let with = |word: &[u8], after, limit| see(store, |tx| tx.businesses_with(&term(word), after, limit));
    assert_eq!(with(b"store", 0, 9), [first, second]);
    assert_eq!((with(b"store", 0, 1), with(b"store", first, 9)), (vec![first], vec![second]));
    let among = |ids: &[i64]| see(store, |tx| tx.businesses_among_with(ids, &term(b"cold")));
    assert_eq!((among(&[first, second]), among(&[second])), (vec![first], vec![]));
    let renamed = NewBusiness { terms: vec![term(b"ice")], ..business(&acme, "B-1", &[], 2) };
    put(store, move |tx| tx.replace_business(first, &renamed));
    assert_eq!((with(b"cold", 0, 9), with(b"ice", 0, 9)), (vec![], vec![first]));
    put(store, move |tx| tx.erase_business(first).map(drop));
    assert_eq!(with(b"ice", 0, 9), [0_i64; 0]);
}

/// Signs that the pattern of a comparison would take for others are signs of the number.
pub fn refused_creates_are_found_by_a_part_of_their_number(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    for (of, numbers) in [(&acme, &["A-100%", "a-1001", "B_2\\3"][..]), (&other, &["A-1002"])] {
        let added: Vec<_> = numbers
            .iter()
            .map(|number| RefusedCreate { number: (*number).into(), refused_at: at(1), causes: Vec::new() })
            .collect();
        let id = of.id;
        put(store, move |tx| {
            tx.lock_refusals(id)?;
            tx.change_refusals(id, &[], &added, 0)
        });
    }
    let found = |part: &str, limit| {
        let found = see(store, |tx| tx.refused_with_part(acme.id, part, limit)).into_iter();
        found.map(|refused| refused.number).collect::<Vec<_>>()
    };
    assert_eq!(found("-100", 9), ["A-100%", "a-1001"]);
    assert_eq!(found("A-100", 1), ["A-100%"]);
    assert_eq!(found("00%", 9), ["A-100%"]);
    assert_eq!(found("b_2\\", 9), ["B_2\\3"]);
    assert_eq!(found("_", 9), ["B_2\\3"]);
}

/// All processes hash words with the same key.
pub fn the_key_of_the_words_stays_the_same(store: &dyn Store) {
    put(store, |tx| tx.add_search_key(&SearchKey([7; 32])));
    put(store, |tx| tx.add_search_key(&SearchKey([8; 32])));
    assert!(see(store, |tx| tx.search_key()) == Some(SearchKey([7; 32])));
}
