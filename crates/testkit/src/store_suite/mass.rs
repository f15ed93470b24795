//! Accounts in any number: what is read equals what was sent. Not one of the stories, since it takes long.

use super::helpers::{at, insert, put, see, supplier, supplier_of};
use super::imported::{SYDNEY, account_of, decode, end_with, zone};
use super::kept::{comparable_json, difference};
use crate::payload::account_json;
use cutover_app::port::{ImportedAccount, Position, Store, Supplier};
use cutover_core::Zone;
use cutover_process::Submission;
use serde_json::{Value, json};

/// Accounts that are written in one transaction.
const WRITTEN: u64 = 100;
/// Accounts that are read at once, at most.
const READ: u32 = 128;

/// Imports generated accounts of these seeds, which have every documented member, and reads all of them in import order.
/// Each has to be equal to the JSON that was sent, member by member and digit by digit, but for what the contract says
/// (D19, "Imported accounts").
pub fn accounts_are_as_sent(store: &dyn Store, seeds: std::ops::Range<u64>) {
    let acme = supplier(store, "ACME");
    // Accounts of another supplier are not among them.
    let other = supplier_of(store, "Other", "OTHER", |_| {});
    import(store, &other, 0..3);
    let mut first = seeds.start;
    while first < seeds.end {
        let next = (first + WRITTEN).min(seeds.end);
        import(store, &acme, first..next);
        first = next;
    }
    let (mut seed, mut after): (u64, Option<Position>) = (seeds.start, None);
    loop {
        let page = see(store, |tx| tx.imported_page(acme.id, after, READ));
        for (position, account) in &page.accounts {
            assert_eq!(faults(&acme, seed, account), None, "account {seed}");
            after = Some(*position);
            seed += 1;
        }
        if !page.has_more {
            break;
        }
    }
    assert_eq!(seed, seeds.end);
}

fn import(store: &dyn Store, of: &Supplier, seeds: std::ops::Range<u64>) {
    let of = of.clone();
    put(store, move |tx| {
        seeds.clone().try_for_each(|seed| {
            let process = insert(tx, &of, &format!("A-{seed}"), Submission::default(), at(0))?;
            let account = decode(&account_json(seed), zone(SYDNEY));
            let mut new = account_of(&process, &of, of.id as u64 * 1_000_000_000 + seed, account);
            new.imported_at = at(seed as i64);
            end_with(tx, process, &new)
        })
    });
}

/// Returns the first difference of an account from the JSON that was sent.
fn faults(of: &Supplier, seed: u64, account: &ImportedAccount) -> Option<String> {
    let mut sent = comparable_json(&account_json(seed), zone(SYDNEY));
    complete(&mut sent, of, seed);
    let json = account.to_json(zone("America/St_Johns"));
    let mut read = comparable_json(std::str::from_utf8(&json).unwrap(), Zone::UTC);
    let members = read.as_object_mut().unwrap();
    for added in ["service_account_number", "customer_emails"] {
        assert!(members.remove(added).is_some(), "{added}");
    }
    difference(&read, &sent)
}

/// Sets what the story and the import decide.
fn complete(sent: &mut Value, of: &Supplier, seed: u64) {
    sent["import_supplier"] = json!(of.code.as_str());
    sent["external_account_number"] = json!(format!("A-{seed}"));
    for note in sent.get_mut("notes").and_then(Value::as_array_mut).into_iter().flatten() {
        let note = note.as_object_mut().unwrap();
        note.entry("created_at").or_insert_with(|| json!(at(seed as i64).to_rfc3339()));
    }
}
