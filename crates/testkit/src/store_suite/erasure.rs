//! Erasure of accounts.

use super::businesses::business;
use super::helpers::{
    api, at, insert, new_process, number, on_threads, process, put, see, step, supplier, worker,
};
use super::imported::{SYDNEY, account_of, decode, end_with, import, zone};
use cutover_app::port::{
    AuditAction, AuditEntry, Creation, Detail, ErasureMark, InstructionDetails, InstructionKey, NewAccount,
    NewHistoricalStatement, NewNote, NewTransaction, Operator, PageLimit, ProcessFilter, SearchTerm, Staged,
    Staging, StateCount, Store, StoreError, StoredIssue, StoredIssues, Subject, Supplier, Tx,
    VerifiedInstruction, stage,
};
use cutover_core::Zone;
use cutover_model::choices::PaymentInstructionType;
use cutover_model::service::read_transaction;
use cutover_model::{
    ContentHash, HistoricalStatement, IntoOwned, Limits, Note, Totals, decode_historical_statements,
};
use cutover_process::{Event, Process, State, Submission};
use std::path::Path;
use std::sync::Arc;

/// Words that occur in the account of [`furnish`] and in no other row.
pub const CANARIES: [&str; 9] = [
    "CANARY-NUMBER",
    "CANARY-PAYLOAD",
    "CANARY-ISSUE",
    "CANARY-NOTE",
    "CANARY-REFERENCE",
    "mara.okafor",
    "61023456789",
    "MD000ELEC1001",
    "CANARY-TERM",
];

/// The number of the account of [`furnish`]; it is stored without the zero too.
const NUMBER: &str = "0CANARY-NUMBER";

/// Imports an account with rows in every table of accounts, and another that stays. Returns the key of
/// the first one's process.
pub fn furnish(store: &dyn Store) -> i64 {
    let acme = supplier(store, "ACME");
    import(store, &acme, 1, r#""customers":[{"family_name":"Stays"}],"ledgers":[{"ledger_balance":"1.50"}]"#);
    let owner = acme.clone();
    let pending = put(store, move |tx| {
        let new = new_process(&owner, NUMBER, Submission::default());
        let (process, entry) = Process::create(tx.next_process_id()?, new, at(0), api());
        let staged = Staged {
            payload: CANARIES[1].into(),
            fingerprint: [7; 32],
            terms: vec![SearchTerm(CANARIES[8].into())],
            ..Staged::default()
        };
        let detail = CANARIES[2].into();
        let issue = StoredIssue { attr: "a".into(), code: "c".into(), detail, ..StoredIssue::default() };
        let issues = StoredIssues { errors: Vec::new(), warnings: vec![issue] };
        tx.insert_process(owner.id, &process, &entry, &staged, &issues)?;
        Ok(process)
    });
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/accounts/valid/electricity.json");
    let payload = decode(&std::fs::read_to_string(fixture).unwrap(), zone(SYDNEY));
    let new = account_of(&pending, &acme, 77, payload);
    let written = new.clone();
    put(store, move |tx| end_with(tx, pending, &written));
    add_to(store, &acme, &new);
    let (supplier, process) = (acme.id, new.process_id);
    put(store, move |tx| tx.join_wave(supplier, &[process]));
    super::gates::save(store, super::gates::held(&acme));
    let run = super::runs::start(store, &acme, "rehearsal");
    super::runs::record(store, &run, vec![super::runs::failed(process, 7)]);
    put(store, move |tx| tx.begin_wave(supplier, 1, at(7)));
    new.process_id
}

/// Adds one of everything that can be added.
fn add_to(store: &dyn Store, acme: &Supplier, to: &NewAccount) {
    let (id, organisation) = (to.process_id, acme.organisation_id);
    let business = business(acme, "B-1", &["C-1"], 1);
    put(store, move |tx| {
        tx.add_note(id, &added_note())?;
        tx.add_historical_statement(id, &added_statement())?;
        add_transaction(tx, id)?;
        let key = |reference: &str| InstructionKey {
            vendor: "pay".into(),
            kind: PaymentInstructionType::Card,
            reference: reference.into(),
        };
        let verified =
            |key| VerifiedInstruction { key, details: InstructionDetails::default(), verified_at: at(5) };
        tx.add_account_instruction(id, &verified(key(CANARIES[4])))?;
        tx.certify_addition(id, &[ContentHash([7; 32])], &Totals::default())?;
        let business = tx.insert_business(&business)?.id;
        tx.set_contract_of(id, Some((organisation, "C-1")))?;
        tx.add_business_instruction(business, &verified(key("of the business")), &[id])
    });
}

fn added_note() -> NewNote {
    let note = Note {
        body: Some(CANARIES[3].to_owned().into()),
        document_paths: None,
        created_at: None,
        is_pinned: None,
        unpin_at: None,
    };
    NewNote { note, created_at: at(4), unpin_at: None }
}

fn statement(path: &str) -> HistoricalStatement<'static> {
    let body = format!(
        r#"{{"import_supplier":"S","external_account_number":"N","statements":[{{"statement_id":"S",
        "bill_period_from_date":"2025-01-01","bill_period_to_date":"2025-03-31","statement_path":"{path}"}}]}}"#
    );
    let decoded = decode_historical_statements(body.as_bytes(), Zone::UTC, Limits::default()).unwrap();
    decoded.draft.unwrap().into_valid().unwrap().statements.remove(0).into_owned()
}

fn added_statement() -> NewHistoricalStatement {
    NewHistoricalStatement { statement: statement("/added.pdf"), fingerprint: [3; 32], added_at: at(6) }
}

fn add_transaction(tx: &mut dyn Tx, id: i64) -> Result<(), StoreError> {
    let sent = r#"{"transaction_id":"T-9","transaction_date":"2026-11-01","amount":1,"type":"CHARGE"}"#;
    let transaction = read_transaction(sent).unwrap().into_owned();
    let ledger = tx.first_ledger(id)?.unwrap().position;
    tx.add_transaction(id, ledger, &NewTransaction { transaction, sent_date: None })?;
    Ok(())
}

/// Removes a process like the use case, with its audit entry, but without changing figures. Returns the
/// number of removed rows by table.
pub fn erase(store: &dyn Store, of: &Supplier, id: i64) -> Vec<(&'static str, u64)> {
    let of = of.clone();
    put(store, move |tx| erase_in(tx, &of, id))
}

fn erase_in(tx: &mut dyn Tx, of: &Supplier, id: i64) -> Result<Vec<(&'static str, u64)>, StoreError> {
    tx.lock_account(id)?;
    let rows = tx.erase(&[id])?;
    tx.record(&AuditEntry {
        at: at(9),
        by: Operator::Command { user: None },
        action: AuditAction::AccountErased,
        subject: Subject::process(of, id),
        detail: Detail::default(),
    })?;
    Ok(rows)
}

/// No query finds anything of the account; another account is unchanged.
pub fn an_erased_account_leaves_nothing(store: &dyn Store) {
    let id = furnish(store);
    let acme = see(store, |tx| tx.supplier(&"ACME".parse().unwrap())).unwrap();
    let here = process(store, &acme, NUMBER).process.service_account_number().unwrap().clone();
    let other = process(store, &acme, "A-1");
    let kept = see(store, |tx| tx.imported_account(other.process.id())).unwrap();
    let rows = erase(store, &acme, id);
    assert!(rows.contains(&("processes", 1)) && rows.contains(&("accounts", 1)), "{rows:?}");
    assert!(rows.iter().all(|(_, rows)| *rows > 0), "{rows:?}");
    assert_eq!(see(store, |tx| tx.process(acme.id, &number(NUMBER))), None);
    assert_eq!(see(store, |tx| tx.process_of_account(&here)), None);
    assert_eq!(see(store, |tx| tx.imported_account(id)), None);
    assert_eq!(see(store, |tx| tx.staged(id)), None);
    assert_eq!((see(store, |tx| tx.history(id)), see(store, |tx| tx.payloads(&[id]))), (vec![], vec![]));
    assert_eq!(see(store, |tx| tx.account_totals(id)), None);
    assert_eq!(see(store, |tx| tx.account_documents(id)), [""; 0]);
    let listed =
        see(store, |tx| tx.list_processes(acme.id, ProcessFilter::default(), None, PageLimit::of(9)));
    assert_eq!(listed.processes.len(), 1);
    assert_eq!(erase(store, &acme, id), []);
    assert_eq!(process(store, &acme, "A-1"), other);
    assert_eq!(see(store, |tx| tx.imported_account(other.process.id())), Some(kept));
    // The instruction of the business stays, but no longer applies to the account.
    let business = see(store, |tx| tx.business(acme.organisation_id, "B-1")).unwrap();
    let key = InstructionKey {
        vendor: "pay".into(),
        kind: PaymentInstructionType::Card,
        reference: "of the business".into(),
    };
    assert_eq!(see(store, |tx| tx.business_instruction(business.id, &key)), Some(vec![]));
    assert!(see(store, |tx| tx.contract_exists(acme.organisation_id, "C-1")));
}

/// Counts and totals of its supplier are those of the remaining accounts, folded or not.
pub fn an_erased_account_is_removed_from_the_figures(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let members = |balance: &str| {
        format!(
            r#""ledgers":[{{"ledger_balance":"{balance}","current_statement_transactions":[{{"transaction_id":"T",
            "transaction_date":"2026-05-01","amount":1,"type":"CHARGE"}}]}}],
            "notes":[{{"body":"N","document_paths":[{{"document_path":"a.pdf"}}]}}],
            "statements":[{{"statement_id":"S","bill_period_from_date":"2025-01-01",
            "bill_period_to_date":"2025-02-01","statement_path":"/s.pdf"}}]"#
        )
    };
    let accounts =
        [(1, "-10.25"), (2, "0"), (3, "7.5")].map(|(n, balance)| import(store, &acme, n, &members(balance)));
    let counted = accounts.each_ref().map(|new| new.totals);
    for totals in counted {
        put(store, move |tx| tx.add_totals(acme.id, &totals));
    }
    let (first, acme_id) = (accounts[0].process_id, acme.id);
    put(store, move |tx| tx.add_historical_statement(first, &added_statement()));
    let document = Totals { documents: 1, ..Totals::default() };
    put(store, move |tx| tx.add_totals(acme.id, &document));
    assert_eq!(see(store, |tx| tx.account_totals(first)), counted[0].checked_add(document));
    assert_eq!(see(store, |tx| tx.account_documents(first)), ["a.pdf", "/s.pdf", "/added.pdf"],);
    let rest = [counted[1].checked_add(counted[2]).unwrap(), counted[2], Totals::default()];
    for (account, rest) in accounts.iter().zip(rest) {
        put(store, |tx| tx.fold(2));
        let id = account.process_id;
        put(store, move |tx| {
            let totals = tx.account_totals(id)?.unwrap();
            tx.remove_totals(acme_id, &totals)
        });
        erase(store, &acme, id);
        assert_eq!(see(store, |tx| tx.totals(acme.id)), rest);
    }
    while put(store, |tx| tx.fold(3)) > 0 {}
    assert_eq!(see(store, |tx| tx.totals(acme.id)), Totals::default());
    assert_eq!(see(store, |tx| tx.state_counts(acme.id)), []);
    assert_eq!(see(store, |tx| tx.minute_counts(acme.id, at(-9_999))), []);
}

/// Keys are not reused, so that a worker that still has the old one cannot change another account.
pub fn an_erased_number_gets_another_key_when_it_is_sent_again(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let owner = acme.clone();
    let first = put(store, move |tx| insert(tx, &owner, "A-1", Submission::default(), at(0)));
    let (claimed, entry) = first.clone().step(Event::Claimed, at(1), worker()).unwrap();
    erase(store, &acme, first.id());
    let staging = stage(store, creation(&acme, "A-1", at(5)));
    assert_eq!(staging, Ok(Staging::Staged));
    let again = process(store, &acme, "A-1").process;
    assert_ne!(again.id(), first.id());
    assert_eq!(again.version(), first.version());
    assert!(!put(store, move |tx| tx.step_process(&claimed, &entry)));
    assert_eq!(process(store, &acme, "A-1").process, again);
    assert!(step(store, &again, Event::Claimed, at(6)));
}

/// Leaves the mark of an account, and removes its process if it has one.
fn erase_with_mark(store: &dyn Store, of: &Supplier, account: &'static str, mark: ErasureMark) {
    let of = of.clone();
    put(store, move |tx| {
        tx.lock_process(of.id, &number(account))?;
        if let Some(stored) = tx.process(of.id, &number(account))? {
            erase_in(tx, &of, stored.process.id())?;
        }
        tx.add_erasure_mark(of.id, mark)
    });
}

/// The marks of a supplier are found and removed; those of another supplier are others. The key is read with the supplier.
pub fn erasure_marks_read_back(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let (acme_id, other_id) = (acme.id, other.id);
    let mark = |n: u8| ErasureMark([n; 32]);
    let marks = [mark(1), mark(2), mark(3)];
    let among = |of, marks: &[ErasureMark]| {
        see(store, |tx| tx.erasure_marks_among(of, marks)).into_iter().collect::<Vec<_>>()
    };
    assert_eq!(among(acme_id, &marks), []);
    put(store, move |tx| {
        tx.add_erasure_mark(acme_id, mark(1))?;
        tx.add_erasure_mark(acme_id, mark(3))?;
        tx.add_erasure_mark(acme_id, mark(1))?;
        tx.add_erasure_mark(other_id, mark(2))
    });
    assert_eq!(among(acme_id, &marks), [mark(1), mark(3)]);
    assert_eq!((among(acme_id, &[mark(1)]), among(acme_id, &[mark(2)])), (vec![mark(1)], vec![]));
    assert_eq!((among(other_id, &marks), among(acme_id, &[])), (vec![mark(2)], vec![]));
    assert!(put(store, move |tx| tx.remove_erasure_mark(acme_id, mark(1))));
    assert!(!put(store, move |tx| tx.remove_erasure_mark(acme_id, mark(1))));
    assert!(!put(store, move |tx| tx.remove_erasure_mark(acme_id, mark(2))));
    assert_eq!((among(acme_id, &marks), among(other_id, &marks)), (vec![mark(3)], vec![mark(2)]));

    assert_eq!(acme.mark_key, None);
    put(store, move |tx| tx.set_mark_key(acme_id, "k1"));
    let marked = see(store, |tx| tx.supplier_by_id(acme_id)).unwrap();
    assert_eq!((marked.mark_key.as_deref(), marked.revision), (Some("k1"), acme.revision + 1));
    assert!(!see(store, |tx| tx.is_current(&acme)));
    // Settings leave the key alone.
    let settings = marked.settings.clone();
    put(store, move |tx| tx.set_supplier(acme_id, &settings));
    assert_eq!(see(store, |tx| tx.supplier_by_id(acme_id)).unwrap().mark_key, marked.mark_key);
    assert_eq!(see(store, |tx| tx.supplier(&other.code)), Some(other));
}

/// A new account is staged unless the supplier has its mark. One without a mark is staged all the same.
pub fn an_account_with_a_mark_is_not_staged(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let mark = |n: u8| Some(ErasureMark([n; 32]));
    let send = |of: &Supplier, account: &str, mark| {
        let creation = Creation { mark, ..Arc::into_inner(creation(of, account, at(5))).unwrap() };
        stage(store, Arc::new(creation)).unwrap()
    };
    let id = acme.id;
    put(store, move |tx| tx.add_erasure_mark(id, ErasureMark([1; 32])));
    assert_eq!(send(&acme, "A-1", mark(1)), Staging::SupplierChanged);
    assert_eq!(see(store, |tx| tx.process(acme.id, &number("A-1"))), None);
    assert_eq!(send(&acme, "A-2", mark(2)), Staging::Staged);
    assert_eq!(send(&other, "A-1", mark(1)), Staging::Staged);
    assert_eq!(send(&acme, "A-1", None), Staging::Staged);
    put(store, move |tx| tx.remove_erasure_mark(id, ErasureMark([1; 32])).map(drop));
    erase(store, &acme, process(store, &acme, "A-1").process.id());
    assert_eq!(send(&acme, "A-1", mark(1)), Staging::Staged);
}

/// Of several accounts that are stored together only the one with a mark is left out.
pub fn accounts_beside_one_with_a_mark_are_staged(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let id = acme.id;
    put(store, move |tx| tx.add_erasure_mark(id, ErasureMark([3; 32])));
    let stagings = on_threads(8, |thread| {
        let mark = Some(ErasureMark([thread as u8; 32]));
        let account = format!("A-{thread}");
        let creation = Creation { mark, ..Arc::into_inner(creation(&acme, &account, at(5))).unwrap() };
        (thread, stage(store, Arc::new(creation)).unwrap())
    });
    for (thread, staging) in stagings {
        let expected = if thread == 3 { Staging::SupplierChanged } else { Staging::Staged };
        assert_eq!(staging, expected, "{thread}");
    }
}

/// A number that is sent while it is erased is not stored again: neither by creates that look for its mark, nor, if it is
/// the first mark of the supplier, by creates that know of none.
pub fn a_number_sent_during_its_erasure_is_not_staged_again(store: &dyn Store) {
    const NUMBERS: [&str; 6] = ["A-1", "A-2", "A-3", "A-4", "A-5", "A-6"];
    let acme = supplier(store, "ACME");
    for (round, account) in NUMBERS.into_iter().enumerate() {
        let mark = ErasureMark([round as u8; 32]);
        // Each create has the supplier as it was before the erasure.
        let now = see(store, |tx| tx.supplier_by_id(acme.id)).unwrap();
        let known = now.mark_key.is_some().then_some(mark);
        let is_first = round % 2 == 0;
        let send = |when| {
            let creation = Arc::into_inner(creation(&now, account, at(when))).unwrap();
            stage(store, Arc::new(Creation { mark: known, ..creation })).unwrap()
        };
        assert_eq!(send(0), Staging::Staged);
        on_threads(4, |thread| {
            if thread == 0 {
                if is_first {
                    let (id, key) = (acme.id, format!("k{round}"));
                    let of = acme.clone();
                    put(store, move |tx| {
                        tx.set_mark_key(id, &key)?;
                        tx.lock_process(id, &number(account))?;
                        let stored = tx.process(id, &number(account))?.unwrap();
                        erase_in(tx, &of, stored.process.id())?;
                        tx.add_erasure_mark(id, mark)
                    });
                } else {
                    erase_with_mark(store, &acme, account, mark);
                }
                return;
            }
            for n in 1..=10 {
                assert_ne!(send(100 * thread as i64 + n), Staging::Staged, "{account}");
            }
        });
        assert_eq!(see(store, |tx| tx.process(acme.id, &number(account))), None);
        assert_eq!(send(9_999), Staging::SupplierChanged);
    }
}

fn creation(of: &Supplier, account: &str, when: chrono::DateTime<chrono::Utc>) -> Arc<Creation> {
    Arc::new(Creation {
        supplier_id: of.id,
        supplier_revision: of.revision,
        process: new_process(of, account, Submission::default()),
        actor: api(),
        at: when,
        staged: Staged { payload: b"p".to_vec(), fingerprint: [1; 32], ..Staged::default() },
        issues: StoredIssues::default(),
        contract: None,
        mark: None,
    })
}

/// Concurrent additions succeed before the erasure or find no account; nothing of them is left.
pub fn additions_during_an_erasure_leave_nothing(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    for round in 1..=5 {
        let account = import(store, &acme, round, r#""ledgers":[{}]"#);
        let id = account.process_id;
        let added = on_threads(5, |thread| {
            if thread == 0 {
                erase(store, &acme, id);
                return None;
            }
            let added = put(store, move |tx| {
                let is_there = tx.lock_account(id)?;
                if is_there {
                    tx.add_note(id, &added_note())?;
                    add_transaction(tx, id)?;
                }
                Ok(is_there)
            });
            Some(added)
        });
        assert_eq!(added.len(), 5);
        assert_eq!(see(store, |tx| tx.imported_account(id)), None);
        assert!(!put(store, move |tx| tx.lock_account(id)));
    }
    assert_eq!(see(store, |tx| tx.state_counts(acme.id)), []);
}

/// While a number is repeatedly sent and erased, it has one process or none.
pub fn a_number_sent_during_its_erasure_has_at_most_one_process(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let mut counted = 0;
    on_threads(4, |thread| {
        for n in 0..15 {
            if thread == 0 {
                let of = acme.clone();
                put(store, move |tx| {
                    tx.lock_process(of.id, &number("A-1"))?;
                    match tx.process(of.id, &number("A-1"))? {
                        Some(stored) => erase_in(tx, &of, stored.process.id()).map(drop),
                        None => Ok(()),
                    }
                });
            } else {
                let staging = stage(store, creation(&acme, "A-1", at(100 * thread as i64 + n))).unwrap();
                assert_ne!(staging, Staging::SupplierChanged);
            }
        }
    });
    for StateCount { state, processes, .. } in see(store, |tx| tx.state_counts(acme.id)) {
        assert_eq!(state, State::Pending);
        counted += processes;
    }
    let found = see(store, |tx| tx.list_processes(acme.id, ProcessFilter::default(), None, PageLimit::of(9)));
    assert_eq!(found.processes.len() as u64, counted);
    assert!(counted <= 1, "{counted}");
}
