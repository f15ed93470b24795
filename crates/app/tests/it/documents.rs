use crate::house::{House, account, request};
use cutover_app::account::Refused;
use cutover_app::operator::SupplierChange;
use cutover_app::port::DocumentState;
use cutover_app::{FoundDocuments, Step};
use cutover_process::State;

const ACCOUNT: &str = r#""unknown_occupier":true,"notes":[{"document_paths":[{"document_path":"/n.txt"}]}],
    "statements":[{"bill_period_from_date":"2026-01-01","bill_period_to_date":"2026-01-31","statement_id":"S",
    "statement_path":"s.pdf"}]"#;

fn house() -> House {
    let house = House::new();
    house.app.set_supplier("ACME", verifying(true)).unwrap();
    house
}

fn verifying(verify: bool) -> SupplierChange {
    SupplierChange { verify_documents: Some(verify), ..SupplierChange::default() }
}

/// What the edge does: looks up what is wanted and calls again.
fn validate(house: &House) -> Vec<String> {
    let body = account(ACCOUNT);
    let validate =
        |found: Option<&FoundDocuments>| house.app.validate_account(&house.caller, body.as_bytes(), found);
    let wanted = match validate(None) {
        Ok(Step::Documents(wanted)) => wanted,
        Ok(Step::Done(())) => return Vec::new(),
        Err(other) => panic!("{other}"),
    };
    let found = pollster::block_on(house.app.look_up(&wanted)).unwrap();
    match validate(Some(&found)) {
        Ok(Step::Done(())) => Vec::new(),
        Err(Refused::Faults(faults)) => faults.iter().map(|f| format!("{} {}", f.attr, f.code)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn documents_are_looked_up_where_the_supplier_verifies_them() {
    let house = house();
    let (note, statement) = ("notes.0.document_paths.0.document_path", "statements.0.statement_path");
    let missing = "path_does_not_exist_in_file_store";
    assert_eq!(validate(&house), [format!("{note} {missing}"), format!("{statement} {missing}")]);
    house.documents.set("/ACME", "n.txt", DocumentState::Present);
    house.documents.set("/ACME", "s.pdf", DocumentState::Present);
    assert_eq!(validate(&house), [format!("{statement} document_not_pdf")]);
    house.documents.set("/ACME", "s.pdf", DocumentState::Pdf);
    assert!(validate(&house).is_empty());
    assert_eq!(house.documents.look_ups(), 3);
    house.app.set_supplier("ACME", verifying(false)).unwrap();
    assert!(validate(&house).is_empty());
    assert_eq!(house.documents.look_ups(), 3);
}

#[test]
fn an_import_looks_again_and_waits_for_a_storage_that_is_down() {
    let house = House::new();
    house.create(ACCOUNT);
    house.app.set_supplier("ACME", verifying(true)).unwrap();
    house.documents.set_down(true);
    house.worker.run_once().unwrap();
    let report = house.report();
    assert_eq!((report.status.status, report.attempt, report.status.latest_error), (State::Pending, 1, None));
    house.documents.set_down(false);
    house.documents.set("/ACME", "n.txt", DocumentState::Present);
    house.clock.advance(chrono::Duration::minutes(10));
    house.worker.run_once().unwrap();
    let report = house.report();
    assert_eq!(report.status.status, State::Errored);
    let errors: Vec<String> = report.issues.errors.iter().map(|e| format!("{} {}", e.attr, e.code)).collect();
    assert_eq!(errors, ["statements.0.statement_path path_does_not_exist_in_file_store"]);
}

#[test]
fn requests_after_the_import_are_verified_as_well() {
    let house = House::with(r#""unknown_occupier":true"#);
    house.app.set_supplier("ACME", verifying(true)).unwrap();
    let note = r#"{"document_paths":[{"document_path":"a"}]}"#.to_owned();
    let notes = request("notes", &[note]);
    let wanted = house.app.add_notes(&house.caller, notes.as_bytes(), None).unwrap();
    assert!(matches!(wanted, Step::Documents(_)));
    let statement = r#"{"bill_period_from_date":"2026-01-01","bill_period_to_date":"2026-01-31","statement_id":"S",
        "statement_path":"s.pdf"}"#;
    let statements = request("statements", &[statement.to_owned()]);
    let wanted = house.app.add_historical_statements(&house.caller, statements.as_bytes(), None).unwrap();
    assert!(matches!(wanted, Step::Documents(_)));
}
