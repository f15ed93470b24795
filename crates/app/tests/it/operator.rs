use crate::env::TestEnv;
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::auth::Caller;
use cutover_app::operator::{OperatorError, SupplierChange};
use cutover_app::port::{ApiKeyRole, StoreError};
use cutover_core::Level;
use cutover_process::State;
use cutover_testkit::memory::{Fault, MemoryStore};
use std::sync::Arc;

#[test]
fn a_revoked_organisation_gets_no_key() {
    let env = TestEnv::new();
    env.app.as_command().revoke_organisation("Acme").unwrap();
    let refused = env.app.as_command().issue_api_key("Acme", ApiKeyRole::Supplier);
    assert!(matches!(refused, Err(OperatorError::Refused(_))));
}

#[test]
fn a_rotated_key_is_the_newest_after_the_clock_was_set_back() {
    let env = TestEnv::new();
    let old = env.app.list_signing_keys().unwrap().remove(0);
    env.clock.advance(Duration::hours(-1));
    let new = env.app.rotate_signing_key().unwrap();
    assert!(new.created_at > old.created_at);
    assert_eq!(env.app.list_signing_keys().unwrap(), [new, old]);
}

/// Sets the level of the rule that customers have a role.
fn require_roles(env: &TestEnv, level: Option<Level>) {
    let rules = [("CUS-09".to_owned(), level)].into();
    env.app.as_command().set_supplier("ACME", SupplierChange { rules, ..SupplierChange::default() }).unwrap();
}

#[test]
fn a_retry_removes_the_errors_of_the_last_attempt() {
    let env = TestEnv::new();
    env.create(r#""customers":[{"family_name":"B"}]"#);
    require_roles(&env, Some(Level::Error));
    env.worker.run_once().unwrap();
    assert_eq!(env.report().issues.errors[0].code, "required_user_role");
    require_roles(&env, None);
    env.app.as_command().retry_process("ACME", "A-1").unwrap();
    env.worker.run_once().unwrap();
    assert_eq!((env.report().status.status, env.report().issues.errors), (State::Processed, vec![]));
}

#[test]
fn the_last_hour_has_all_its_minutes() {
    let env = TestEnv::with("\"customers\":[]");
    env.clock.advance(Duration::minutes(2));
    let migration = env.app.as_caller(&env.caller).migration("ACME").unwrap();
    let activity = &migration.activity;
    assert_eq!(activity.len(), 60);
    assert!(activity.windows(2).all(|two| two[1].minute - two[0].minute == Duration::minutes(1)));
    assert!(activity[59].minute <= migration.at && migration.at < activity[59].minute + Duration::minutes(1));
    let busy: Vec<_> = activity.iter().enumerate().filter(|(_, a)| a.imported + a.failed > 0).collect();
    assert!(matches!(busy[..], [(57, a)] if a.imported == 1), "{busy:?}");
}

#[test]
fn texts_that_begin_no_number_are_not_searched() {
    let store = Arc::<MemoryStore>::default();
    let env = TestEnv::on(|ports| Ports { store: store.clone(), ..ports });
    // A search of the store would fail from now on.
    store.set_fault(Some(Fault::Error(StoreError::Unavailable("injected by the test".into()))));
    let find = |text: &str| env.app.as_caller(&env.caller).search_accounts(None, text, 10);
    assert!(find("A-1").is_err());
    for text in ["", " \t", "\0", "A-\0", &"A".repeat(129)] {
        assert!(find(text).unwrap().matches.is_empty(), "{text:?}");
    }
}

#[test]
fn accounts_of_other_organisations_are_not_found_by_their_number_here() {
    let env = TestEnv::with("\"customers\":[]");
    let stranger = Caller { organisation_id: 99, ..env.caller.clone() };
    let app = &env.app;
    let number = env.report().status.service_identifier.unwrap();
    assert!(app.as_caller(&stranger).search_accounts(None, number.as_str(), 10).unwrap().matches.is_empty());
    assert_eq!(
        app.as_caller(&env.caller).search_accounts(None, number.as_str(), 10).unwrap().matches.len(),
        1
    );
}

/// Suppliers that share a zone have it in common; others have UTC.
#[test]
fn times_of_several_suppliers_have_one_zone() {
    let env = TestEnv::new();
    env.app.add_organisation("Other").unwrap();
    let add = |code: &str, organisation: &str, zone: &str| {
        let time_zone = Some(zone.parse().unwrap());
        let change = SupplierChange { time_zone, ..SupplierChange::default() };
        env.app.as_command().add_supplier(code, organisation, change).unwrap();
    };
    let zone = |organisation: Option<&str>| env.app.as_command().common_zone(organisation).unwrap().name();
    assert_eq!([zone(None), zone(Some("Acme")), zone(Some("Other"))], ["UTC"; 3]);
    for code in ["FIRST", "SECOND"] {
        add(code, "Other", "Australia/Melbourne");
    }
    assert_eq!(zone(Some("Other")), "Australia/Melbourne");
    assert_eq!([zone(Some("Acme")), zone(None)], ["UTC"; 2]);
    add("THIRD", "Other", "Australia/Perth");
    assert_eq!(zone(Some("Other")), "UTC");

    let own = env.app.as_caller(&env.caller);
    assert_eq!(env.app.as_command().zone_of("THIRD").unwrap().name(), "Australia/Perth");
    assert_eq!(own.zone_of("THIRD").unwrap().name(), "UTC", "that of another organisation is not known");
    let time_zone = Some("Australia/Sydney".parse().unwrap());
    env.app
        .as_command()
        .set_supplier("ACME", SupplierChange { time_zone, ..SupplierChange::default() })
        .unwrap();
    assert_eq!(own.common_zone(None).unwrap().name(), "Australia/Sydney", "the only supplier of the caller");
    assert_eq!(own.zone_of("GONE").unwrap().name(), "Australia/Sydney");
}
