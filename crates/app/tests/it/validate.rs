//! Validation rests on settings that the store has confirmed within 10 ms.

use crate::env::{TestEnv, account};
use crate::test_doubles::{StoreCall, WatchedStore};
use crate::two_nodes::Nodes;
use chrono::Duration;
use cutover_app::auth::Credential;
use cutover_app::operator::SupplierChange;
use cutover_app::port::ApiKeyRole;
use cutover_app::{App, Ports};
use cutover_core::Level;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An account that is valid unless the supplier requires roles of customers.
const CUSTOMER: &str = r#""customers":[{"family_name":"B"}]"#;

fn require_roles() -> SupplierChange {
    let rules = [("CUS-09".to_owned(), Some(Level::Error))].into();
    SupplierChange { rules, ..SupplierChange::default() }
}

#[test]
fn settings_are_confirmed_once_in_ten_milliseconds() {
    let reads = Arc::<AtomicUsize>::default();
    let counted = reads.clone();
    let watch = move |call| {
        counted.fetch_add(usize::from(call == StoreCall::ReadCommitted), Ordering::SeqCst);
    };
    let poll = std::time::Duration::from_secs(1);
    let env =
        TestEnv::on(|ports| Ports { store: Arc::new(WatchedStore::new(ports.store, poll, watch)), ..ports });
    let validate = || {
        let before = reads.load(Ordering::SeqCst);
        env.app.validate_account(&env.caller, account(CUSTOMER).as_bytes(), None).unwrap();
        reads.load(Ordering::SeqCst) - before
    };
    assert_eq!([validate(), validate(), validate()], [1, 0, 0]);
    for _ in 0..700 {
        env.clock.advance(Duration::milliseconds(10));
        assert_eq!([validate(), validate()], [1, 0]);
    }
}

#[test]
fn changed_settings_apply_at_once_here_and_a_moment_later_elsewhere() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let token = nodes.one.obtain_token(&Credential::ApiKey(nodes.key.clone())).unwrap().token;
    let is_valid = |app: &App| {
        let caller = app.authenticate(&token).unwrap();
        app.validate_account(&caller, account(CUSTOMER).as_bytes(), None).is_ok()
    };
    assert!(is_valid(&nodes.one) && is_valid(&nodes.other));
    nodes.one.as_command().set_supplier("ACME", require_roles()).unwrap();
    assert!(!is_valid(&nodes.one));
    assert!(is_valid(&nodes.other), "it asked the store a moment ago");
    nodes.clock.advance(Duration::milliseconds(10));
    assert!(!is_valid(&nodes.other));
}
