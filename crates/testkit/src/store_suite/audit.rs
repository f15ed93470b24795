//! The record of operators' actions.

use super::helpers::{at, create, put, see, supplier, supplier_of};
use cutover_app::port::{
    AuditAction, AuditEntry, AuditFilter, AuditRecord, Detail, Operator, Store, StoreError, Subject, write,
};

fn entry(seconds: i64, action: AuditAction, subject: Subject) -> AuditEntry {
    AuditEntry {
        at: at(seconds),
        by: Operator::Command { user: None },
        action,
        subject,
        detail: Detail::default(),
    }
}

fn tell(store: &dyn Store, entry: AuditEntry) {
    put(store, move |tx| tx.record(&entry));
}

fn found(store: &dyn Store, filter: AuditFilter, limit: u32) -> Vec<AuditRecord> {
    see(store, |tx| tx.audit_records(&filter, limit))
}

/// Entries have the names of suppliers and organisations.
pub fn actions_read_back(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let process = create(store, &acme, "A-1");
    let detail = Detail::default().word("status", "Paused").count("customers", u64::from(u32::MAX));
    let told = AuditEntry {
        by: Operator::Key { prefix: "cut_live_ab12".into() },
        detail: detail.clone(),
        ..entry(5, AuditAction::AccountErased, Subject::process(&acme, process.id()))
    };
    tell(store, told);
    let user = Operator::Command { user: Some("ünal".into()) };
    tell(store, AuditEntry { by: user, ..entry(6, AuditAction::SigningKeyRotated, Subject::default()) });
    let [last, first] = <[_; 2]>::try_from(found(store, AuditFilter::default(), 9)).unwrap();
    assert!(last.id > first.id);
    let expected = AuditRecord {
        id: first.id,
        at: at(5),
        by: "key:cut_live_ab12".into(),
        action: "account.erase".into(),
        organisation: Some("Retailer".into()),
        supplier: Some("ACME".into()),
        process_id: Some(process.id()),
        detail,
    };
    assert_eq!(first, expected);
    let expected = AuditRecord {
        id: last.id,
        at: at(6),
        by: "command:ünal".into(),
        action: "signing-key.rotate".into(),
        organisation: None,
        supplier: None,
        process_id: None,
        detail: Detail::default(),
    };
    assert_eq!(last, expected);
}

/// Entries are filtered by time, supplier and action, newest first, up to a limit.
pub fn actions_are_found_by_time_supplier_and_action(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    for (seconds, (of, action)) in (0..).zip([
        (&acme, AuditAction::SupplierAdded),
        (&other, AuditAction::SupplierAdded),
        (&acme, AuditAction::SupplierSet),
        (&other, AuditAction::SupplierSet),
        (&acme, AuditAction::SupplierSet),
    ]) {
        tell(store, entry(seconds, action, Subject::supplier(of)));
    }
    let seconds = |filter, limit| -> Vec<i64> {
        found(store, filter, limit).iter().map(|record| (record.at - at(0)).num_seconds()).collect()
    };
    let any = AuditFilter::default;
    assert_eq!(seconds(any(), 10), [4, 3, 2, 1, 0]);
    assert_eq!(seconds(any(), 2), [4, 3]);
    assert_eq!(seconds(AuditFilter { since: Some(at(2)), ..any() }, 10), [4, 3, 2]);
    let of_acme = AuditFilter { supplier_id: Some(acme.id), ..any() };
    assert_eq!(seconds(of_acme.clone(), 10), [4, 2, 0]);
    let set = AuditFilter { action: Some(AuditAction::SupplierSet), ..of_acme };
    assert_eq!(seconds(set, 1), [4]);
    assert_eq!(seconds(AuditFilter { action: Some(AuditAction::VendorAdded), ..any() }, 10), [0; 0]);
}

/// Pages of an organisation have its entries alone, of one author if wanted, each once.
pub fn actions_of_an_organisation_are_read_in_pages(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier_of(store, "Other", "OTHER", |_| {}));
    let by = |user: &str| Operator::Command { user: Some(user.to_owned()) };
    for seconds in 0..9 {
        let subject = Subject::supplier(if seconds % 3 == 0 { &other } else { &acme });
        let by = by(if seconds % 2 == 0 { "ada" } else { "bea" });
        tell(store, AuditEntry { by, ..entry(seconds, AuditAction::SupplierSet, subject) });
    }
    tell(store, entry(9, AuditAction::BackupBegun, Subject::default()));
    let pages = |filter: AuditFilter| {
        let (mut seconds, mut filter) = (Vec::new(), filter);
        loop {
            let page = found(store, filter.clone(), 2);
            seconds.extend(page.iter().map(|record| (record.at - at(0)).num_seconds()));
            let Some(last) = page.last() else { return seconds };
            filter.before = Some(last.id);
        }
    };
    let of =
        |organisation_id| AuditFilter { organisation_id: Some(organisation_id), ..AuditFilter::default() };
    assert_eq!(pages(of(acme.organisation_id)), [8, 7, 5, 4, 2, 1]);
    assert_eq!(pages(of(other.organisation_id)), [6, 3, 0]);
    let of_ada = AuditFilter { by: Some("command:ada".into()), ..of(acme.organisation_id) };
    assert_eq!(pages(of_ada.clone()), [8, 4, 2]);
    let none = AuditFilter { action: Some(AuditAction::VendorAdded), ..of_ada };
    assert_eq!(pages(none), [0; 0]);
}

/// A rolled-back action leaves no entry.
pub fn rolled_back_actions_are_not_recorded(store: &dyn Store) {
    let told = entry(1, AuditAction::BackupBegun, Subject::default());
    let undone = write(store, move |tx| {
        tx.record(&told)?;
        Err::<(), _>(StoreError::Conflict("on purpose".into()))
    });
    assert!(undone.is_err());
    assert_eq!(found(store, AuditFilter::default(), 9), []);
}
