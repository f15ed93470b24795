//! How the workers' time is divided among suppliers.

use crate::env::{TestEnv, account_of};
use crate::test_doubles::HookedDocuments;
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::operator::SupplierChange;
use cutover_app::worker::Worked;
use cutover_process::State;
use cutover_testkit::create_account;
use std::sync::Arc;

const EMPTY: &str = r#""unknown_occupier":true"#;

/// The lookup of a document takes 200 ms, anything else no time.
#[test]
fn a_supplier_whose_accounts_take_long_does_not_slow_others() {
    let documents = Arc::<HookedDocuments>::default();
    let given = documents.clone();
    let env = TestEnv::on(|ports| Ports { documents: given, ..ports });
    let verifies = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    env.app.as_command().set_supplier("ACME", verifies).unwrap();
    env.app.as_command().add_supplier("QUICK", "Acme", SupplierChange::default()).unwrap();
    let slow: Vec<String> = (0..40).map(|n| format!("S-{n}")).collect();
    let with_document = format!(r#"{EMPTY},"notes":[{{"document_paths":[{{"document_path":"n.pdf"}}]}}]"#);
    slow.iter().for_each(|number| env.create_as(number, &with_document));
    let quick: Vec<String> = (0..8 + 10 * 16).map(|n| format!("Q-{n}")).collect();
    for number in &quick {
        let body = account_of(number, EMPTY).replace("ACME", "QUICK");
        create_account(&env.app, &env.caller, None, body.as_bytes()).unwrap();
    }
    let clock = env.clock.clone();
    documents.on_look_up(move |_| {
        clock.advance(Duration::milliseconds(200));
        Ok(())
    });
    let state = |supplier: &str, number: &String| {
        env.app.as_command().show_process(supplier, number).unwrap().status.status
    };
    while quick.iter().any(|number| state("QUICK", number) != State::Processed) {
        assert!(matches!(env.worker.run_once().unwrap(), Worked::Processes(_)));
    }
    let done = slow.iter().filter(|number| state("ACME", number) == State::Processed).count();
    // Half of the first claim: then it was not known yet how long they take.
    assert_eq!(done, 8);
    while env.worker.run_once().unwrap() != Worked::Nothing {}
    assert!(slow.iter().all(|number| state("ACME", number) == State::Processed));
}
