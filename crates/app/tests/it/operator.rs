use crate::house::House;
use chrono::Duration;
use cutover_app::operator::{OperatorError, SupplierChange};
use cutover_app::port::ApiKeyRole;
use cutover_core::Level;
use cutover_process::State;

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
    house.worker.turn().unwrap();
    assert_eq!(house.report().issues.errors[0].code, "required_user_role");
    require_roles(&house, None);
    house.app.retry_process("ACME", "A-1").unwrap();
    house.worker.turn().unwrap();
    assert_eq!((house.report().status.status, house.report().issues.errors), (State::Processed, vec![]));
}
