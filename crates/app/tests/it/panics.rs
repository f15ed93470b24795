//! An account at which the store panics costs no other its attempt.

use crate::house::House;
use crate::stand_ins::Panicking;
use cutover_app::Ports;
use cutover_app::worker::Worked;
use cutover_process::State;
use std::sync::Arc;

const EMPTY: &str = r#""unknown_occupier":true"#;

/// Imports accounts, one of which the store panics at; `escapes` says whether it lets its panics out.
fn import(params: &str, escapes: bool) {
    let store =
        |ports: Ports| Ports { store: Arc::new(Panicking::new(ports.store, "poison", escapes)), ..ports };
    let house = House::on(store);
    house.create_as("A-1", EMPTY);
    house.create_with(params, "poison", EMPTY);
    house.create_as("A-2", EMPTY);
    assert_eq!(house.worker.run_once().unwrap(), Worked::Processes(3));
    assert_eq!(["A-1", "A-2"].map(|number| house.state_of(number)), [State::Processed; 2]);
    let poison = house.report_of("poison");
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
