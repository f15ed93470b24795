//! What certificates say of accounts, their keys, and their leaves.

use super::helpers::{at, create, number, process, put, see, staged, step, supplier};
use super::imported::{account_of, of_members, pending};
use cutover_app::port::{
    ArchivedVersion, CertificateKey, CertificateSubtree, CertifiedAccount, Sent, StepWrite, Store,
    StoreError, StoredCertificate, Supplier, Tx,
};
use cutover_model::certificate::certified_content;
use cutover_model::{ContentHash, RowCounts, Totals};
use cutover_process::{Actor, Event, Process, State};

const MEMBERS: &str = r#""ledgers":[{"ledger_balance":"1.50"}]"#;

fn key(n: u8) -> CertificateKey {
    CertificateKey {
        key_id: format!("{n:016x}"),
        public_key: [n; 32],
        secret: Ok([n + 1; 32]),
        created_at: at(n.into()),
        retired_at: None,
    }
}

/// A new key retires the others, which stay.
pub fn keys_of_certificates_are_listed_newest_first(store: &dyn Store) {
    assert_eq!(see(store, |tx| tx.certificate_keys()), []);
    for n in [1, 2, 3] {
        put(store, move |tx| tx.add_certificate_key(&key(n)));
    }
    let retired = |n: u8| CertificateKey { retired_at: Some(at(i64::from(n) + 1)), ..key(n) };
    assert_eq!(see(store, |tx| tx.certificate_keys()), [key(3), retired(2), retired(1)]);
}

fn content(n: u8) -> ContentHash {
    ContentHash([n; 32])
}

/// Takes a step that knows the hash of the payload.
fn hashed(tx: &mut dyn Tx, process: Process, event: Event, n: u8) -> Result<Process, StoreError> {
    let (process, entry) = process.step(event, at(1), Actor::Operator).unwrap();
    let sent = Some(Sent { content: Some(content(n)), ..Sent::default() });
    let step = StepWrite { process: &process, entry: &entry, issues: None, sent };
    assert_eq!(tx.step_processes(&[step])?, [true]);
    Ok(process)
}

/// Imports the account `A-<number>`, whose payload has this hash. Returns the key of the process.
fn import_hashed(store: &dyn Store, of: &Supplier, number: u64, n: u8) -> i64 {
    let process = pending(store, of, number);
    let (id, new) = (process.id(), account_of(&process, of, number, of_members(MEMBERS)));
    put(store, move |tx| {
        let (claimed, entry) = process.step(Event::Claimed, at(1), Actor::Operator).unwrap();
        assert!(tx.step_process(&claimed, &entry)?);
        hashed(tx, claimed, Event::Imported(new.number.clone()), n)?;
        tx.insert_accounts(&[&new])
    });
    id
}

fn certified(store: &dyn Store, of: &Supplier) -> Vec<CertifiedAccount> {
    see(store, |tx| tx.accounts_to_certify(of.id, "", 10))
}

fn one(store: &dyn Store, of: &Supplier, account: &str) -> CertifiedAccount {
    certified(store, of).into_iter().find(|one| one.number == number(account)).unwrap()
}

/// Accounts of every status are returned, in pages.
pub fn accounts_are_certified_by_number(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    import_hashed(store, &acme, 2, 7);
    create(store, &other, "A-1");
    create(store, &acme, "A-10");
    create(store, &acme, "A-é");
    create(store, &acme, "A-a");
    let numbers = |accounts: Vec<CertifiedAccount>| -> Vec<String> {
        accounts.iter().map(|account| account.number.to_string()).collect()
    };
    assert_eq!(numbers(certified(store, &acme)), ["A-10", "A-2", "A-a", "A-é"]);
    assert_eq!(numbers(see(store, |tx| tx.accounts_to_certify(acme.id, "A-10", 2))), ["A-2", "A-a"]);
    let waits = one(store, &acme, "A-10");
    assert_eq!((waits.state, waits.totals, waits.content), (State::Pending, None, None));
    assert_eq!(waits.id, process(store, &acme, "A-10").process.id());
    let imported = one(store, &acme, "A-2");
    assert_eq!(imported.state, State::Processed);
    assert_eq!(imported.content, Some(certified_content(content(7), Vec::new())));
    let totals = imported.totals.unwrap();
    assert_eq!((totals.ledger_balance.to_string(), totals.transactions), ("1.5".to_owned(), 0));
}

/// The hash of a payload stays until the account is sent again, also when the payload leaves the database.
pub fn hashes_belong_to_their_payload(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let of = |n| Some(certified_content(content(n), Vec::new()));
    let account = create(store, &acme, "A-1");
    let other = create(store, &acme, "A-2");
    let [claimed, unhashed] = put(store, move |tx| {
        let claimed = hashed(tx, account.clone(), Event::Claimed, 7)?;
        let (other, entry) = other.clone().step(Event::Claimed, at(1), Actor::Operator).unwrap();
        assert!(tx.step_process(&other, &entry)?);
        Ok([claimed, other])
    });
    assert_eq!(one(store, &acme, "A-1").content, of(7));
    assert_eq!(one(store, &acme, "A-2").content, None);
    // A step that does not know it leaves it.
    assert!(step(store, &claimed, Event::ShutDown, at(2)));
    assert!(step(store, &unhashed, Event::ShutDown, at(2)));
    assert_eq!(one(store, &acme, "A-1").content, of(7));
    let waits = process(store, &acme, "A-1").process;
    let id = waits.id();
    put(store, move |tx| tx.restage(id, &staged(b"new")));
    assert_eq!(one(store, &acme, "A-1").content, None);
    assert!(step(store, &waits, Event::Cancelled, at(3)));
    let ended = process(store, &acme, "A-1").process;
    let [late, archived] = [&waits, &ended].map(|process| ArchivedVersion::new(process, Some(content(8))));
    assert_eq!(put(store, move |tx| tx.archive(&[late], at(9))), 0);
    assert_eq!(one(store, &acme, "A-1").content, None);
    assert_eq!(put(store, move |tx| tx.archive(&[archived], at(9))), 1);
    assert_eq!(one(store, &acme, "A-1").content, of(8));
}

/// Additions count as often as they were added, and change the totals.
pub fn additions_are_certified_whatever_their_order(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let ids = [1, 2].map(|number| import_hashed(store, &acme, number, 9));
    let rows = RowCounts::of([("transactions", 1), ("line_items", 2)]);
    let added =
        Totals { ledger_balance: "-0.25".parse().unwrap(), transactions: 1, rows, ..Totals::default() };
    let before = see(store, |tx| tx.account_totals(ids[0])).unwrap().rows;
    for (id, contents) in [(ids[0], [3, 1, 3]), (ids[1], [1, 3, 3])] {
        put(store, move |tx| {
            tx.mark_added(id, at(1))?;
            let [first, rest @ ..] = contents.map(content);
            tx.certify_addition(id, &rest, &Totals { documents: 2, ..Totals::default() })?;
            tx.certify_addition(id, &[first], &added)
        });
    }
    let expected = certified_content(content(9), [1, 3, 3].map(content).to_vec());
    for account in ["A-1", "A-2"] {
        assert_eq!(one(store, &acme, account).content, Some(expected), "{account}");
    }
    assert_eq!(see(store, |tx| tx.account_totals(ids[0])).unwrap().rows, before.checked_add(rows).unwrap());
    assert_eq!(one(store, &acme, "A-1").totals.unwrap().rows, before.checked_add(rows).unwrap());
    // The store in memory counts the rows of an account.
    let totals = one(store, &acme, "A-1").totals.unwrap();
    if totals.documents > 0 {
        assert_eq!(
            totals,
            Totals {
                accounts: 1,
                ledger_balance: "1.25".parse().unwrap(),
                documents: 2,
                transactions: 1,
                ..totals
            }
        );
    }
}

/// Only the payload counts once the import was undone.
pub fn an_undone_account_loses_its_additions(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let id = import_hashed(store, &acme, 1, 9);
    put(store, move |tx| {
        tx.mark_added(id, at(1))?;
        tx.certify_addition(id, &[content(1)], &Totals::default())
    });
    let imported = process(store, &acme, "A-1").process;
    let (undone, entry) = imported.step(Event::Undone, at(2_000), Actor::Operator).unwrap();
    put(store, move |tx| {
        assert!(tx.step_process(&undone, &entry)?);
        tx.remove_accounts(&[id])
    });
    let account = one(store, &acme, "A-1");
    assert_eq!((account.state, account.totals), (State::Cancelled, None));
    assert_eq!(account.content, Some(certified_content(content(9), Vec::new())));
}

fn subtree(position: i64, first_number: &str) -> CertificateSubtree {
    let n = position as u8;
    CertificateSubtree {
        position,
        first_number: Some(first_number.to_owned()),
        root: [n; 32],
        leaves: vec![n, 7, n],
    }
}

fn begin(store: &dyn Store, of: &Supplier, name: &'static str, is_replaceable: bool) -> i64 {
    let id = of.id;
    put(store, move |tx| tx.begin_certificate(id, name, at(5), is_replaceable))
}

/// Issues a certificate with leaves.
pub(super) fn issue(store: &dyn Store, of: &Supplier, name: &'static str) -> i64 {
    let id = begin(store, of, name, true);
    put(store, move |tx| {
        tx.add_certificate_subtree(id, &subtree(0, "A"))?;
        tx.add_certificate_subtree(id, &subtree(1, "D"))?;
        assert!(tx.complete_certificate(id, "{}")?);
        Ok(())
    });
    id
}

/// The leaves of a number are those that begin at it or before it.
pub fn leaves_are_found_by_number(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let (first, second) = (issue(store, &acme, "c1"), issue(store, &acme, "c2"));
    put(store, move |tx| tx.add_certificate_subtree(first, &subtree(2, "Dé")));
    begin(store, &acme, "c3", false);
    let stored = |id: i64, name: &str| StoredCertificate {
        id,
        name: name.to_owned(),
        supplier_id: acme.id,
        begun_at: at(5),
        document: Some("{}".to_owned()),
        has_leaves: true,
        is_replaceable: true,
    };
    assert_eq!(see(store, |tx| tx.certificate(acme.id, None)), Some(stored(second, "c2")));
    assert_eq!(see(store, |tx| tx.certificate(acme.id, Some("c1"))), Some(stored(first, "c1")));
    assert_eq!(see(store, |tx| tx.certificate(acme.id, Some("c3"))), None);
    assert_eq!(see(store, |tx| tx.certificate(other.id, Some("c1"))), None);
    let names = |all: Vec<StoredCertificate>| all.into_iter().map(|one| one.name).collect::<Vec<_>>();
    assert_eq!(names(see(store, |tx| tx.certificates(acme.id, 2))), ["c3", "c2"]);

    let found = |number: &str| see(store, |tx| tx.certificate_subtree_of(first, number)).map(|s| s.position);
    let places = ["0", "A", "C", "D", "DZ", "Dé", "Z", "é"].map(found);
    assert_eq!(places, [None, Some(0), Some(0), Some(1), Some(1), Some(2), Some(2), Some(2)]);
    assert_eq!(see(store, |tx| tx.certificate_roots(first)), [[0; 32], [1; 32], [2; 32]]);
    assert_eq!(see(store, |tx| tx.certificate_subtree(first, 1)), Some(subtree(1, "D")));
    let changed = CertificateSubtree { first_number: None, leaves: vec![9], ..subtree(1, "D") };
    let written = changed.clone();
    put(store, move |tx| tx.replace_certificate_subtree(first, &written));
    assert_eq!(found("D"), Some(0));
    assert_eq!(see(store, |tx| tx.certificate_subtree(first, 1)), Some(changed));
    assert_eq!(see(store, |tx| tx.certificate_subtree(second, 1)), Some(subtree(1, "D")));

    let removed = move || put(store, move |tx| tx.remove_certificate_leaves(first, 2));
    assert_eq!((removed(), removed()), (true, false));
    assert_eq!(see(store, |tx| tx.certificate_roots(first)).len(), 0);
    assert!(!see(store, |tx| tx.certificate(acme.id, Some("c1"))).unwrap().has_leaves);
    assert_eq!(names(put(store, move |tx| tx.lock_certificates(acme.id))), ["c2", "c3"]);
    put(store, move |tx| tx.remove_certificate(first));
    assert_eq!(see(store, |tx| tx.certificate(acme.id, Some("c1"))), None);
}

/// Those that were begun are listed whoever asked for them: their issue may have been interrupted.
pub fn replaceable_certificates_are_listed_while_they_have_leaves(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let kept = begin(store, &acme, "kept", false);
    put(store, move |tx| tx.complete_certificate(kept, "{}").map(|_| ()));
    let first = issue(store, &acme, "c1");
    for name in ["c2", "c3"] {
        issue(store, &acme, name);
    }
    let begun = begin(store, &acme, "begun", false);
    issue(store, &other, "theirs");
    let listed = |limit: u32| -> Vec<String> {
        let all = see(store, |tx| tx.replaceable_certificates(acme.id, limit));
        all.into_iter().map(|one| one.name).collect()
    };
    assert_eq!(listed(9), ["begun", "c3", "c2", "c1"]);
    assert_eq!(listed(2), ["begun", "c3"]);
    assert!(!put(store, move |tx| tx.remove_certificate_leaves(first, 9)));
    assert!(!put(store, move |tx| tx.remove_certificate_leaves(begun, 9)));
    assert_eq!(listed(9), ["begun", "c3", "c2"]);
    assert!(!see(store, |tx| tx.certificate(acme.id, Some("kept"))).unwrap().is_replaceable);
}

/// They are given once, each to its certificate.
pub fn erasures_are_noted_while_a_certificate_is_issued(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let (first, second) = (begin(store, &acme, "c1", false), begin(store, &acme, "c2", false));
    put(store, move |tx| {
        tx.add_certificate_erasure(first, "A-1")?;
        tx.add_certificate_erasure(first, "A-1")?;
        tx.add_certificate_erasure(first, "A-2")?;
        tx.add_certificate_erasure(second, "A-3")
    });
    let mut taken = put(store, move |tx| tx.take_certificate_erasures(first));
    taken.sort();
    assert_eq!(taken, ["A-1", "A-2"]);
    assert_eq!(put(store, move |tx| tx.take_certificate_erasures(first)), [""; 0]);
    assert_eq!(put(store, move |tx| tx.take_certificate_erasures(second)), ["A-3"]);
}

/// A supplier is erased only after its certificates.
pub fn certificates_are_removed_with_their_supplier(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    issue(store, &acme, "c1");
    let pending = begin(store, &acme, "c2", false);
    put(store, move |tx| tx.add_certificate_erasure(pending, "A-1"));
    issue(store, &other, "c3");
    let id = acme.id;
    assert!(see(store, |tx| tx.supplier_rows(id)).contains(&("certificates", 2)));
    assert_eq!(put(store, move |tx| tx.erase_supplier(id)), None);
    while !put(store, move |tx| tx.erase_minutes_and_jobs(id, 0, 100)).is_empty() {}
    assert!(put(store, move |tx| tx.erase_supplier(id)).is_some());
    assert!(see(store, |tx| tx.certificate(other.id, None)).is_some());
}
