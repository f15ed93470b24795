//! Import suppliers and their settings.

use super::helpers::{ABSENT, at, on_threads, organisation, put, see, settings, supplier, supplier_of};
use cutover_app::port::ProfileName;
use cutover_app::port::{Store, Supplier, SupplierSettings};
use cutover_core::{Level, SupplierStatus, Word};
use cutover_model::{RuleValues, TariffCode};

fn unusual() -> SupplierSettings {
    SupplierSettings {
        status: SupplierStatus::Paused.into(),
        document_root: "/shared/ä b".into(),
        verify_documents: true,
        send_customer_emails: true,
        dry_run: true,
        max_concurrent_imports: Some(u32::MAX),
        time_zone: "Australia/Lord_Howe".parse().unwrap(),
        rules: [
            ("PIN-01".into(), Level::Off.into()),
            ("ADR-01".into(), Level::Warning.into()),
            ("X".into(), Level::Error.into()),
        ]
        .into(),
        waves: "100,5000,rest".parse().unwrap(),
        hold_on_errors: Some("0.5/200".parse().unwrap()),
        supplier_runs: true,
        profile: ProfileName::Strict.into(),
        country: Word::read("ZZ"),
        undocumented_members: "market_type,x".parse().unwrap(),
        rule_values: RuleValues {
            jump_factor: Some(7),
            own_email_addresses: vec!["@acme.example".into()],
            tariff_codes: Some(vec![TariffCode { code: "A".into(), ends_on: "2027-06-30".parse().ok() }]),
            ..RuleValues::default()
        }
        .into(),
    }
}

/// Every setting reads back, and can be reset.
pub fn settings_read_back(store: &dyn Store) {
    let owner = organisation(store, "Retailer");
    let added = put(store, move |tx| tx.add_supplier(owner.id, &"ACME".parse().unwrap(), &unusual(), at(3)));
    let added = added.unwrap();
    assert_eq!(added.settings, unusual());
    assert_eq!((added.organisation_id, added.organisation.as_str()), (owner.id, "Retailer"));
    assert_eq!((added.code.as_str(), added.created_at), ("ACME", at(3)));
    assert_eq!(see(store, |tx| tx.supplier(&added.code)).as_ref(), Some(&added));
    assert_eq!(see(store, |tx| tx.supplier_by_id(added.id)).as_ref(), Some(&added));

    assert!(see(store, |tx| tx.is_current(&added)));
    let id = added.id;
    put(store, move |tx| tx.set_supplier(id, &settings("ACME")));
    assert!(!see(store, |tx| tx.is_current(&added)));
    let changed = see(store, |tx| tx.supplier_by_id(id)).unwrap();
    assert!(see(store, |tx| tx.is_current(&changed)));
    assert!(!see(store, |tx| tx.is_current(&Supplier { id: ABSENT, ..changed.clone() })));
    assert_eq!(changed.settings, settings("ACME"));
    assert_eq!(changed.created_at, at(3));
}

/// A code is unique in the installation, over all organisations, and case-sensitive.
pub fn codes_are_unique(store: &dyn Store) {
    let first = supplier(store, "ACME");
    let other = organisation(store, "Other");
    let add = |code: &'static str| {
        put(store, move |tx| tx.add_supplier(other.id, &code.parse().unwrap(), &settings(code), at(1)))
    };
    assert_eq!(add("ACME"), None);
    let lower = add("acme").unwrap();
    assert_eq!((lower.organisation.as_str(), lower.organisation_id), ("Other", other.id));
    assert_eq!(see(store, |tx| tx.supplier(&first.code)).as_ref(), Some(&first));
    assert_eq!(see(store, |tx| tx.supplier_of(first.organisation_id, &first.code)).as_ref(), Some(&first));
    assert_eq!(see(store, |tx| tx.supplier_of(other.id, &first.code)), None);
    assert_eq!(see(store, |tx| tx.supplier(&"NOBODY".parse().unwrap())), None);
    assert_eq!(see(store, |tx| tx.supplier_by_id(ABSENT)), None);
}

/// Locking a supplier makes concurrent changes wait.
pub fn concurrent_changes_of_settings_are_all_kept(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    on_threads(8, |n| {
        let code = acme.code.clone();
        put(store, move |tx| {
            tx.lock_suppliers()?;
            let mut supplier = tx.supplier(&code)?.unwrap();
            supplier.settings.rules.insert(format!("R-{n}"), Level::Off.into());
            tx.set_supplier(supplier.id, &supplier.settings)
        });
    });
    assert_eq!(see(store, |tx| tx.supplier_by_id(acme.id)).unwrap().settings.rules.len(), 8);
}

/// Each is returned once, even if its key is repeated; an unknown key has none.
pub fn suppliers_are_found_together(store: &dyn Store) {
    let [a, b, _] = ["A", "B", "C"].map(|code| supplier(store, code));
    let mut found = see(store, |tx| tx.suppliers_by_ids(&[b.id, a.id, b.id, ABSENT]));
    found.sort_by_key(|supplier| supplier.id);
    assert_eq!(found, [a, b]);
    assert_eq!(see(store, |tx| tx.suppliers_by_ids(&[])), []);
}

/// Ordered by code, over all organisations or of one.
pub fn suppliers_are_listed_by_code(store: &dyn Store) {
    let [c, a] = ["C", "A"].map(|code| supplier(store, code));
    let b = supplier_of(store, "Other", "B", |_| {});
    let codes = |of| -> Vec<String> {
        see(store, |tx| tx.suppliers(of)).iter().map(|supplier| supplier.code.to_string()).collect()
    };
    assert_eq!(codes(None), ["A", "B", "C"]);
    assert_eq!(codes(Some(c.organisation_id)), ["A", "C"]);
    assert_eq!(codes(Some(b.organisation_id)), ["B"]);
    assert_eq!((a.organisation_id, codes(Some(ABSENT))), (c.organisation_id, Vec::new()));
}
