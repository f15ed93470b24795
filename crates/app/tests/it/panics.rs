//! A panic of the store for one account costs the others no attempt.

use crate::env::TestEnv;
use crate::test_doubles::PanickingStore;
use cutover_app::Ports;
use cutover_app::worker::Worked;
use cutover_process::State;
use std::sync::Arc;

const EMPTY: &str = r#""unknown_occupier":true"#;

/// Imports accounts, for one of which the store panics. With `escapes`, the panic leaves the store.
fn import(params: &str, escapes: bool) {
    let store = |ports: Ports| Ports {
        store: Arc::new(PanickingStore::new(ports.store, "poison", escapes)),
        ..ports
    };
    let env = TestEnv::on(store);
    env.create_as("A-1", EMPTY);
    env.create_with(params, "poison", EMPTY);
    env.create_as("A-2", EMPTY);
    assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(3));
    assert_eq!(["A-1", "A-2"].map(|number| env.state_of(number)), [State::Processed; 2]);
    let poison = env.report_of("poison");
    assert_eq!((poison.status.status, poison.attempt, poison.account), (State::Pending, 1, None));
}

#[test]
fn a_panic_within_the_store_costs_one_attempt() {
    import(r#"{"is_dry_run":false}"#, false);
    import(r#"{"is_dry_run":true}"#, false);
}

#[test]
fn a_panic_out_of_the_store_costs_one_attempt() {
    import(r#"{"is_dry_run":false}"#, true);
    import(r#"{"is_dry_run":true}"#, true);
}
