//! Businesses and their contracts.

use super::helpers::{at, put, see, supplier, supplier_of};
use cutover_app::port::{NewBusiness, Store, StoreError, StoredBusiness, Supplier, write};
use cutover_core::Zone;
use cutover_model::{IntoOwned, Limits, decode_business};

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
        created_at: at(i64::from(n)),
    }
}

fn insert(store: &dyn Store, new: &NewBusiness) -> i64 {
    let new = new.clone();
    put(store, move |tx| tx.insert_business(&new))
}

fn refused(store: &dyn Store, new: &NewBusiness) {
    let new = new.clone();
    let refused = write(store, move |tx| tx.insert_business(&new)).unwrap_err();
    assert!(matches!(refused, StoreError::Conflict(_)), "{refused}");
}

fn find(store: &dyn Store, of: &Supplier, identifier: &str) -> Option<StoredBusiness> {
    see(store, |tx| tx.business(of.organisation_id, identifier))
}

fn has_contract(store: &dyn Store, of: &Supplier, identifier: &str) -> bool {
    see(store, |tx| tx.contract_exists(of.organisation_id, identifier))
}

/// Uniqueness is by the trimmed identifier, over all suppliers of the organisation.
pub fn a_business_is_unique_in_its_organisation(store: &dyn Store) {
    let (acme, second) = (supplier(store, "ACME"), supplier(store, "SECOND"));
    let foreign = supplier_of(store, "Other", "FOREIGN", |_| {});
    let first = insert(store, &business(&acme, " B-1\\n", &[], 1));
    assert!(first > 0);
    let stored = |id, n| Some(StoredBusiness { id, fingerprint: [n; 32] });
    assert_eq!(find(store, &acme, "B-1"), stored(first, 1));
    assert_eq!(["b-1", "B-2"].map(|identifier| find(store, &acme, identifier)), [None, None]);
    for sender in [&acme, &second] {
        refused(store, &business(sender, "B-1", &[], 2));
    }
    assert_eq!(find(store, &second, "B-1"), stored(first, 1));
    assert_eq!(find(store, &foreign, "B-1"), None);
    let theirs = insert(store, &business(&foreign, "B-1", &[], 3));
    let more = insert(store, &business(&second, "B-2", &[], 4));
    assert!(theirs > 0 && more > 0 && theirs != first && more != first && more != theirs);
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
    assert_eq!(find(store, &acme, "B-1").unwrap().fingerprint, [1; 32]);
    insert(store, &business(&acme, "B-2", &["C-2", "C-3"], 5));
    assert_eq!(find(store, &acme, "B-2").unwrap().fingerprint, [5; 32]);
}
