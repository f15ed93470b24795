//! Payment instructions of accounts and businesses.

use super::businesses::business;
use super::helpers::{at, put, see, supplier};
use super::imported::{import, seen};
use cutover_app::port::{
    InstructionDetails, InstructionKey, NewAccount, Store, StoreError, VendorBankAccount, VendorCard,
    VerifiedInstruction, write,
};
use cutover_model::choices::PaymentInstructionType;

const CARD: PaymentInstructionType = PaymentInstructionType::Card;
const DEBIT: PaymentInstructionType = PaymentInstructionType::DirectDebit;

fn key(vendor: &str, kind: PaymentInstructionType, reference: &str) -> InstructionKey {
    InstructionKey { vendor: vendor.into(), kind, reference: reference.into() }
}

/// Returns a confirmed instruction without details.
fn plain(key: InstructionKey) -> VerifiedInstruction {
    VerifiedInstruction { key, details: InstructionDetails::default(), verified_at: at(2_000) }
}

fn add(store: &dyn Store, to: &NewAccount, instruction: &VerifiedInstruction) -> Result<(), StoreError> {
    let (id, instruction) = (to.process_id, instruction.clone());
    write(store, move |tx| tx.add_account_instruction(id, &instruction))
}

fn has(store: &dyn Store, account: &NewAccount, key: &InstructionKey) -> bool {
    see(store, |tx| tx.account_has_instruction(account.process_id, key))
}

/// Instructions are found by trimmed vendor, kind and reference together.
pub fn instructions_of_the_payload_are_found(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let sent = r#""payment_instructions":[{"vendor":" pay","type":"CARD","reference":"r-1\t",
        "valid_from":"2026-01-01"}]"#;
    let (account, other) = (import(store, &acme, 1, sent), import(store, &acme, 2, r#""ledgers":[{}]"#));
    let known = key("pay", CARD, "r-1");
    assert!(has(store, &account, &known));
    assert!(!has(store, &other, &known));
    for unknown in [key("Pay", CARD, "r-1"), key("pay", DEBIT, "r-1"), key("pay", CARD, "R-1")] {
        assert!(!has(store, &account, &unknown), "{unknown:?}");
    }
    // An instruction of the payload was not added by a request.
    assert_eq!(seen(store, &account).verified_instructions, []);
}

/// A duplicate is refused; an instruction that differs, or of another account, is not a duplicate.
pub fn an_instruction_is_added_once_to_an_account(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let [account, other] = [1, 2].map(|n| import(store, &acme, n, r#""ledgers":[{}]"#));
    let keys = [
        key("pay", CARD, "r-1"),
        key("pay", DEBIT, "r-1"),
        key("other", CARD, "r-1"),
        key("pay", CARD, "r-2"),
    ];
    for key in &keys {
        assert!(!has(store, &account, key), "{key:?}");
        assert_eq!(add(store, &account, &plain(key.clone())), Ok(()));
        assert!(has(store, &account, key), "{key:?}");
    }
    let refused = add(store, &account, &plain(keys[0].clone())).unwrap_err();
    assert!(matches!(refused, StoreError::Conflict(_)), "{refused}");
    assert_eq!(seen(store, &account).verified_instructions, keys.clone().map(plain));
    assert!(!has(store, &other, &keys[0]));
    assert_eq!(add(store, &other, &plain(keys[0].clone())), Ok(()));
}

/// Instructions read back with all details of the vendor, oldest first.
pub fn added_instructions_read_back(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let account = import(store, &acme, 1, r#""ledgers":[{}]"#);
    let card = VendorCard {
        card_payment_network: Some("VISA".into()),
        card_type: Some("DEBIT".into()),
        last_digits: Some("0042".into()),
        expiry_month: Some(12),
        expiry_year: Some(2031),
    };
    let bank_account = VendorBankAccount {
        account_holder: Some("Zoë \"Z\" Ng".into()),
        account_number_last_digits: Some("07".into()),
        bsb: Some("083-170".into()),
    };
    let some = VendorCard { last_digits: Some("1".into()), ..VendorCard::default() };
    let details = [
        InstructionDetails { card: Some(card), bank_account: None },
        InstructionDetails { card: None, bank_account: Some(bank_account) },
        InstructionDetails { card: Some(some), bank_account: Some(VendorBankAccount::default()) },
        InstructionDetails::default(),
    ];
    let added = [("z", CARD), ("y", DEBIT), ("x", CARD), ("w", DEBIT)];
    let added: Vec<_> = (0..)
        .zip(added.into_iter().zip(details))
        .map(|(n, ((reference, kind), details))| VerifiedInstruction {
            key: key("pay", kind, reference),
            details,
            verified_at: at(2_000 - n),
        })
        .collect();
    for instruction in &added {
        assert_eq!(add(store, &account, instruction), Ok(()));
    }
    let kept = seen(store, &account).verified_instructions;
    // `Debug` masks details, so they are compared one by one.
    assert_eq!(kept.len(), added.len());
    for (kept, added) in kept.iter().zip(&added) {
        assert_eq!((&kept.key, kept.verified_at), (&added.key, added.verified_at));
        assert!(kept.details == added.details, "the details of {:?} differ", added.key);
    }
}

/// Accounts are listed by key, each once; each business and each vendor has instructions of its own.
pub fn accounts_are_added_to_an_instruction_of_a_business(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let accounts = [1, 2, 3].map(|n| import(store, &acme, n, r#""ledgers":[{}]"#).process_id);
    let [first, second] = ["B-1", "B-2"].map(|identifier| {
        let new = business(&acme, identifier, &[], 1);
        put(store, move |tx| tx.insert_business(&new)).id
    });
    let known = key("pay", CARD, "r-1");
    let applies_to = |business| see(store, |tx| tx.business_instruction(business, &known));
    let grow = |business, accounts: Vec<i64>| {
        let instruction = plain(known.clone());
        put(store, move |tx| tx.add_business_instruction(business, &instruction, &accounts));
    };
    assert_eq!(applies_to(first), None);
    let [a, b, c] = accounts;
    for (add, all) in [
        (vec![], vec![]),
        (vec![c, a], vec![a, c]),
        (vec![a], vec![a, c]),
        (vec![], vec![a, c]),
        (vec![c, b], vec![a, b, c]),
    ] {
        grow(first, add);
        assert_eq!(applies_to(first), Some(all));
    }
    assert_eq!(applies_to(second), None);
    grow(second, vec![b]);
    assert_eq!([first, second].map(applies_to), [Some(vec![a, b, c]), Some(vec![b])]);
    for unknown in [key("pay", DEBIT, "r-1"), key("Pay", CARD, "r-1"), key("pay", CARD, "r-2")] {
        assert_eq!(see(store, |tx| tx.business_instruction(first, &unknown)), None);
    }
}
