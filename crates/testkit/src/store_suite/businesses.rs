//! Businesses and their contracts.

use super::helpers::{
    api, at, new_process, on_threads, process, put, see, staged, step, supplier, supplier_of,
};
use cutover_app::port::{
    self, Creation, NewBusiness, Staging, Store, StoreError, StoredBusiness, StoredIssues, Supplier, write,
};
use cutover_core::Zone;
use cutover_model::{IntoOwned, Limits, decode_business};
use cutover_process::{Event, Submission};
use std::sync::Arc;

/// Returns a business with contracts of these identifiers; `n` makes its fingerprint.
pub(super) fn business(of: &Supplier, identifier: &str, contracts: &[&str], n: u8) -> NewBusiness {
    let contract = |identifier: &&str| {
        format!(
            r#"{{"valid_from_date":"2026-01-01","signed_at_date":"2025-12-01","identifier":"{identifier}",
            "versions":[{{"applicable_at_date":"2026-01-01","terms":[{{"days":14.0}},null]}}]}}"#
        )
    };
    let contracts: Vec<_> = contracts.iter().map(contract).collect();
    let json = format!(
        r#"{{"import_supplier_code":"{}","external_business_identifier":"{identifier}",
        "business":{{"company_name":"Zoë's","details":[{{"key":"abn","value":"51 824 753 556"}}],
        "business_contracts":[{}]}}}}"#,
        of.code,
        contracts.join(",")
    );
    let decoded = decode_business(json.as_bytes(), Zone::UTC, Limits::default()).unwrap();
    NewBusiness {
        organisation_id: of.organisation_id,
        supplier_id: of.id,
        request: decoded.draft.unwrap().into_valid().unwrap().into_owned(),
        fingerprint: [n; 32],
        terms: Vec::new(),
        created_at: at(i64::from(n)),
    }
}

fn insert(store: &dyn Store, new: &NewBusiness) -> i64 {
    let new = new.clone();
    put(store, move |tx| tx.insert_business(&new)).number
}

fn refused(store: &dyn Store, new: &NewBusiness) {
    let new = new.clone();
    let refused = write(store, move |tx| tx.insert_business(&new)).unwrap_err();
    assert!(matches!(refused, StoreError::Conflict(_)), "{refused}");
}

/// The number and the fingerprint of a business.
fn find(store: &dyn Store, of: &Supplier, identifier: &str) -> Option<(i64, [u8; 32])> {
    let found = see(store, |tx| tx.business(of.organisation_id, identifier));
    found.map(|StoredBusiness { number, fingerprint, .. }| (number, fingerprint))
}

fn has_contract(store: &dyn Store, of: &Supplier, identifier: &str) -> bool {
    see(store, |tx| tx.contract_exists(of.organisation_id, identifier))
}

/// Uniqueness is by the trimmed identifier, over all suppliers of the organisation.
pub fn a_business_is_unique_in_its_organisation(store: &dyn Store) {
    let (acme, second) = (supplier(store, "ACME"), supplier(store, "SECOND"));
    let foreign = supplier_of(store, "Other", "FOREIGN", |_| {});
    let first = insert(store, &business(&acme, " B-1\\n", &[], 1));
    let stored = |number, n| Some((number, [n; 32]));
    assert_eq!(find(store, &acme, "B-1"), stored(first, 1));
    assert_eq!(["b-1", "B-2"].map(|identifier| find(store, &acme, identifier)), [None, None]);
    for sender in [&acme, &second] {
        refused(store, &business(sender, "B-1", &[], 2));
    }
    assert_eq!(find(store, &second, "B-1"), stored(first, 1));
    assert_eq!(find(store, &foreign, "B-1"), None);
    let theirs = insert(store, &business(&foreign, "B-1", &[], 3));
    let more = insert(store, &business(&second, "B-2", &[], 4));
    assert_eq!([first, theirs, more], [1, 1, 2], "counted in each organisation");
    assert_eq!(
        [find(store, &foreign, "B-1"), find(store, &acme, "B-2")],
        [stored(theirs, 3), stored(more, 4)]
    );
}

/// Uniqueness is by the trimmed identifier, over all businesses.
pub fn a_contract_is_unique_in_its_organisation(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let foreign = supplier_of(store, "Other", "FOREIGN", |_| {});
    assert!(!has_contract(store, &acme, "C-1"));
    insert(store, &business(&acme, "B-1", &["C-1", " C-2\\t"], 1));
    assert_eq!(
        ["C-1", "C-2", "c-1", "C-3"].map(|c| has_contract(store, &acme, c)),
        [true, true, false, false]
    );
    assert!(!has_contract(store, &foreign, "C-1"));
    refused(store, &business(&acme, "B-2", &["C-2"], 2));
    insert(store, &business(&foreign, "B-2", &["C-2"], 3));
    assert_eq!(["C-1", "C-2"].map(|c| has_contract(store, &foreign, c)), [false, true]);
    insert(store, &business(&acme, "B-2", &["c-2"], 4));
    assert!(has_contract(store, &acme, "c-2"));
}

/// Neither the business nor any of its contracts is stored.
pub fn a_refused_business_leaves_nothing(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    insert(store, &business(&acme, "B-1", &["C-1"], 1));
    refused(store, &business(&acme, "B-2", &["C-2", "C-1", "C-3"], 2));
    refused(store, &business(&acme, "B-1", &["C-4"], 3));
    refused(store, &business(&acme, "B-3", &["C-5", "C-5 "], 4));
    assert_eq!(["B-2", "B-3"].map(|b| find(store, &acme, b)), [None, None]);
    assert_eq!(["C-2", "C-3", "C-4", "C-5"].map(|c| has_contract(store, &acme, c)), [false; 4]);
    assert_eq!(find(store, &acme, "B-1").unwrap().1, [1; 32]);
    insert(store, &business(&acme, "B-2", &["C-2", "C-3"], 5));
    assert_eq!(find(store, &acme, "B-2").unwrap().1, [5; 32]);
}

/// Numbers of one organisation are 1, 2, 3 …, whoever asks for them at the same time.
pub fn concurrent_businesses_have_different_numbers(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let given = on_threads(6, |thread| {
        let numbers = (0..5).map(|n| {
            let new = business(&acme, &format!("B-{thread}-{n}"), &[], 1);
            // Two first businesses of an organisation may conflict.
            loop {
                let new = new.clone();
                match write(store, move |tx| tx.insert_business(&new)) {
                    Err(StoreError::Conflict(_)) => {}
                    done => return done.unwrap().number,
                }
            }
        });
        numbers.collect::<Vec<_>>()
    });
    let mut given: Vec<i64> = given.into_iter().flatten().collect();
    given.sort_unstable();
    assert_eq!(given, (1..=30).collect::<Vec<_>>());
}

/// Everything of the request reads back: in the order that it was sent, and after a replacement too.
pub fn businesses_read_back(store: &dyn Store) {
    let (acme, second) = (supplier(store, "ACME"), supplier(store, "SECOND"));
    let foreign = supplier_of(store, "Other", "FOREIGN", |_| {});
    let record =
        |of: &Supplier, identifier: &str| see(store, |tx| tx.business_record(of.organisation_id, identifier));
    let names = |after, limit| see(store, |tx| tx.businesses_after(acme.organisation_id, after, limit));
    assert_eq!(names(0, 9), [""; 0]);
    let first = business(&acme, "B-1", &["C-2", "C-1", "C-3"], 1);
    insert(store, &first);
    insert(store, &business(&second, "B-0", &[], 2));
    let found = record(&acme, "B-1").unwrap();
    assert_eq!((found.number, found.request), (1, first.request.clone()));
    assert_eq!((record(&acme, "B-2"), record(&foreign, "B-1")), (None, None));
    assert_eq!(
        (names(0, 9), names(0, 1), names(1, 9)),
        (vec!["B-1".into(), "B-0".into()], vec!["B-1".into()], vec!["B-0".into()],)
    );
    let (organisation, changed) = (acme.organisation_id, business(&second, "B-1", &["C-4", "C-2"], 3));
    let new = changed.clone();
    put(store, move |tx| {
        let id = tx.business(organisation, "B-1")?.unwrap().id;
        assert_eq!(tx.contracts_of(id)?, ["C-2", "C-1", "C-3"]);
        tx.replace_business(id, &new)
    });
    let found = record(&acme, "B-1").unwrap();
    assert_eq!((found.number, found.request), (1, changed.request));
    assert_eq!(find(store, &acme, "B-1"), Some((1, [3; 32])));
    assert_eq!(["C-1", "C-2", "C-4"].map(|c| has_contract(store, &acme, c)), [false, true, true]);
    // The contract of another business is refused.
    insert(store, &business(&acme, "B-3", &["C-9"], 4));
    let (organisation, stolen) = (acme.organisation_id, business(&acme, "B-1", &["C-9"], 5));
    let refused = write(store, move |tx| {
        let id = tx.business(organisation, "B-1")?.unwrap().id;
        tx.replace_business(id, &stolen)
    });
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    assert_eq!(find(store, &acme, "B-1"), Some((1, [3; 32])));
}

fn creation(of: &Supplier, account: &str, contract: &str) -> Arc<Creation> {
    Arc::new(Creation {
        supplier_id: of.id,
        supplier_revision: of.revision,
        process: new_process(of, account, Submission::default()),
        actor: api(),
        at: at(5),
        staged: staged(account.as_bytes()),
        issues: StoredIssues::default(),
        contract: Some(contract.to_owned()),
        mark: None,
    })
}

/// From the create on, until the process ends without an account.
pub fn contracts_are_in_use_while_accounts_wait_or_are_imported(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    insert(store, &business(&acme, "B-1", &["C-1", "C-2"], 1));
    let is_used = |contract: &str| see(store, |tx| tx.is_contract_in_use(acme.organisation_id, contract));
    assert!(!is_used("C-1"));
    assert_eq!(port::stage(store, creation(&acme, "A-1", "C-1")), Ok(Staging::Staged));
    assert_eq!(port::stage(store, creation(&acme, "A-2", "C-3")), Ok(Staging::SupplierChanged));
    assert_eq!((is_used("C-1"), is_used("C-2")), (true, false));
    let waiting = process(store, &acme, "A-1").process;
    assert!(step(store, &waiting, Event::Cancelled, at(6)));
    assert!(!is_used("C-1"));
    assert_eq!(see(store, |tx| tx.process(acme.id, &"A-2".parse().unwrap())), None);
    assert_eq!(port::stage(store, creation(&acme, "A-3", "C-2")), Ok(Staging::Staged));
    let claimed = process(store, &acme, "A-3").process;
    assert!(step(store, &claimed, Event::Claimed, at(6)));
    assert!(is_used("C-2"));
    let id = claimed.id();
    put(store, move |tx| tx.set_contract_of(id, None));
    assert!(!is_used("C-2"));
}

/// An account that refers to a contract is created while its business is replaced by one without the contract: either
/// the account finds the contract gone, or the replacement sees the account.
pub fn no_contract_goes_while_an_account_begins_to_refer_to_it(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    for round in 0..12_u8 {
        let (name, contract) = (format!("B-{round}"), format!("C-{round}"));
        insert(store, &business(&acme, &name, &[&contract], 1));
        let done = on_threads(4, |thread| {
            if thread > 0 {
                let account = format!("A-{round}-{thread}");
                return port::stage(store, creation(&acme, &account, &contract)) == Ok(Staging::Staged);
            }
            let (organisation, contract) = (acme.organisation_id, contract.clone());
            let new = business(&acme, &name, &[], 2);
            write(store, move |tx| {
                let id = tx.business(organisation, new.request.external_business_identifier.trimmed())?;
                tx.replace_business(id.unwrap().id, &new)?;
                match tx.is_contract_in_use(organisation, &contract)? {
                    true => Err(StoreError::Failed("it is in use".into())),
                    false => Ok(()),
                }
            })
            .is_ok()
        });
        let is_there = has_contract(store, &acme, &contract);
        let was_staged = done[1..].contains(&true);
        assert_ne!(done[0], is_there, "round {round}");
        assert_eq!(
            was_staged, is_there,
            "round {round}: an account refers to a contract that is gone, or none does"
        );
    }
}
