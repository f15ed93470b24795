use crate::house::House;
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::auth::Caller;
use cutover_app::operator::{OperatorError, SupplierChange};
use cutover_app::port::{ApiKeyRole, StoreError};
use cutover_core::{Level, SupplierStatus};
use cutover_process::State;
use cutover_testkit::memory::{Fault, MemoryStore};
use std::sync::Arc;

#[test]
fn a_revoked_organisation_gets_no_key() {
    let house = House::new();
    house.app.revoke_organisation("Acme").unwrap();
    let refused = house.app.issue_api_key("Acme", ApiKeyRole::Supplier);
    assert!(matches!(refused, Err(OperatorError::Refused(_))));
}

#[test]
fn a_rotated_key_is_the_newest_though_the_clock_went_back() {
    let house = House::new();
    let old = house.app.list_signing_keys().unwrap().remove(0);
    house.clock.advance(Duration::hours(-1));
    let new = house.app.rotate_signing_key().unwrap();
    assert!(new.created_at > old.created_at);
    assert_eq!(house.app.list_signing_keys().unwrap(), [new, old]);
}

/// Requires a role of every customer, or does no more.
fn require_roles(house: &House, level: Option<Level>) {
    let rules = [("CUS-09".to_owned(), level)].into();
    house.app.set_supplier("ACME", SupplierChange { rules, ..SupplierChange::default() }).unwrap();
}

#[test]
fn a_retry_leaves_the_errors_of_the_attempt_before_behind() {
    let house = House::new();
    house.create(r#""customers":[{"family_name":"B"}]"#);
    require_roles(&house, Some(Level::Error));
    house.worker.run_once().unwrap();
    assert_eq!(house.report().issues.errors[0].code, "required_user_role");
    require_roles(&house, None);
    house.app.retry_process("ACME", "A-1").unwrap();
    house.worker.run_once().unwrap();
    assert_eq!((house.report().status.status, house.report().issues.errors), (State::Processed, vec![]));
}

#[test]
fn the_last_hour_has_all_its_minutes() {
    let house = House::with("\"customers\":[]");
    house.clock.advance(Duration::minutes(2));
    let migration = house.app.own_migration(&house.caller, "ACME").unwrap();
    let activity = &migration.activity;
    assert_eq!(activity.len(), 60);
    assert!(activity.windows(2).all(|two| two[1].minute - two[0].minute == Duration::minutes(1)));
    assert!(activity[59].minute <= migration.at && migration.at < activity[59].minute + Duration::minutes(1));
    let busy: Vec<_> = activity.iter().enumerate().filter(|(_, a)| a.imported + a.failed > 0).collect();
    assert!(matches!(busy[..], [(57, a)] if a.imported == 1), "{busy:?}");
}

#[test]
fn what_no_number_begins_with_is_not_sought() {
    let store = Arc::<MemoryStore>::default();
    let house = House::on(|ports| Ports { store: store.clone(), ..ports });
    // What is sought, is sought in vain now.
    store.set_fault(Some(Fault::Error(StoreError::Unavailable("on purpose".into()))));
    let find = |text: &str| house.app.search_accounts(&house.caller, None, text, 10);
    assert!(find("A-1").is_err());
    for text in ["", " \t", "\0", "A-\0", &"A".repeat(129)] {
        assert!(find(text).unwrap().is_empty(), "{text:?}");
    }
}

#[test]
fn what_is_anothers_is_not_found() {
    let house = House::with("\"customers\":[]");
    let stranger = Caller { organisation_id: 99, ..house.caller.clone() };
    let app = &house.app;
    assert!(app.own_suppliers(&stranger).unwrap().is_empty());
    assert!(app.search_accounts(&stranger, None, "A-1", 10).unwrap().is_empty());
    let number = house.report().status.service_identifier.unwrap();
    assert!(app.search_accounts(&stranger, None, number.as_str(), 10).unwrap().is_empty());
    assert_eq!(app.search_accounts(&house.caller, None, number.as_str(), 10).unwrap().len(), 1);
    let refused = [
        app.own_migration(&stranger, "ACME").map(drop),
        app.set_own_supplier_status(&stranger, "ACME", SupplierStatus::Paused).map(drop),
        app.show_own_process(&stranger, "ACME", "A-1").map(drop),
        app.cancel_own_process(&stranger, "ACME", "A-1").map(drop),
        app.retry_own_process(&stranger, "ACME", "A-1").map(drop),
    ];
    assert!(refused.iter().all(|refused| matches!(refused, Err(OperatorError::NotFound { .. }))));
}
