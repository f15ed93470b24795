use crate::env::{TestEnv, account, request};
use cutover_app::account::Refused;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{DocumentState, StoredIssue};
use cutover_app::{FoundDocuments, Step};
use cutover_core::IssueSource;
use cutover_process::State;

const ACCOUNT: &str = r#""unknown_occupier":true,"notes":[{"document_paths":[{"document_path":"/n.txt"}]}],
    "statements":[{"bill_period_from_date":"2026-01-01","bill_period_to_date":"2026-01-31","statement_id":"S",
    "statement_path":"s.pdf"}]"#;

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.app.as_command().set_supplier("ACME", verifying(true)).unwrap();
    env
}

fn verifying(verify: bool) -> SupplierChange {
    SupplierChange { verify_documents: Some(verify), ..SupplierChange::default() }
}

/// Validates as the HTTP server does: looks the documents up and calls again.
fn validate(env: &TestEnv) -> Vec<String> {
    let body = account(ACCOUNT);
    let validate =
        |found: Option<&FoundDocuments>| env.app.validate_account(&env.caller, body.as_bytes(), found);
    let wanted = match validate(None) {
        Ok(Step::Documents(wanted)) => wanted,
        Ok(Step::Done(())) => return Vec::new(),
        Err(other) => panic!("{other}"),
    };
    let found = pollster::block_on(env.app.look_up(&wanted)).unwrap();
    match validate(Some(&found)) {
        Ok(Step::Done(())) => Vec::new(),
        Err(Refused::Faults(faults)) => faults.iter().map(|f| format!("{} {}", f.attr, f.code)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn documents_are_looked_up_where_the_supplier_verifies_them() {
    let env = env();
    let (note, statement) = ("notes.0.document_paths.0.document_path", "statements.0.statement_path");
    let missing = "path_does_not_exist_in_file_store";
    assert_eq!(validate(&env), [format!("{note} {missing}"), format!("{statement} {missing}")]);
    env.documents.set("/ACME", "n.txt", DocumentState::Present);
    env.documents.set("/ACME", "s.pdf", DocumentState::Present);
    assert_eq!(validate(&env), [format!("{statement} document_not_pdf")]);
    env.documents.set("/ACME", "s.pdf", DocumentState::Pdf);
    assert!(validate(&env).is_empty());
    assert_eq!(env.documents.look_ups(), 3);
    env.app.as_command().set_supplier("ACME", verifying(false)).unwrap();
    assert!(validate(&env).is_empty());
    assert_eq!(env.documents.look_ups(), 3);
}

#[test]
fn an_import_looks_documents_up_again_and_retries_during_an_outage() {
    let env = TestEnv::new();
    env.create(ACCOUNT);
    env.app.as_command().set_supplier("ACME", verifying(true)).unwrap();
    env.documents.set_down(true);
    env.worker.run_once().unwrap();
    let report = env.report();
    assert_eq!((report.status.status, report.attempt, report.status.latest_error), (State::Pending, 1, None));
    env.documents.set_down(false);
    env.documents.set("/ACME", "n.txt", DocumentState::Present);
    env.clock.advance(chrono::Duration::minutes(10));
    env.worker.run_once().unwrap();
    let report = env.report();
    assert_eq!(report.status.status, State::Errored);
    let errors: Vec<String> = report.issues.errors.iter().map(|e| format!("{} {}", e.attr, e.code)).collect();
    assert_eq!(errors, ["statements.0.statement_path path_does_not_exist_in_file_store"]);
}

/// Operators see which document is missing, which meter point is taken and so on, and nothing of a person.
#[test]
fn operators_see_what_a_fault_is_about() {
    let env = TestEnv::new();
    let customers = r#""customers":[{"given_name":"Ada","email":"ada@example.com","role":"PRIMARY"}]"#;
    env.create(&ACCOUNT.replace(r#""unknown_occupier":true"#, customers));
    env.app.as_command().set_supplier("ACME", verifying(true)).unwrap();
    env.worker.run_once().unwrap();
    let report = env.report();
    let issues = report.issues.errors.iter().chain(&report.issues.warnings);
    let values: Vec<(&str, Option<&str>)> =
        issues.map(|issue| (&*issue.attr, report.references.of(issue))).collect();
    assert!(values.contains(&("notes.0.document_paths.0.document_path", Some("/n.txt"))), "{values:?}");
    assert!(values.contains(&("statements.0.statement_path", Some("s.pdf"))), "{values:?}");
    let others: Vec<_> = values.iter().filter(|(attr, _)| attr.starts_with("customers")).collect();
    assert!(!others.is_empty() && others.iter().all(|(_, value)| value.is_none()), "{values:?}");
    assert!(!format!("{report:?}").contains("s.pdf"));

    let of_notes = StoredIssue { source: IssueSource::Notes.into(), ..report.issues.errors[0].clone() };
    assert_eq!(report.references.of(&of_notes), None);
}

#[test]
fn additions_are_verified_as_well() {
    let env = TestEnv::with(r#""unknown_occupier":true"#);
    env.app.as_command().set_supplier("ACME", verifying(true)).unwrap();
    let note = r#"{"document_paths":[{"document_path":"a"}]}"#.to_owned();
    let notes = request("notes", &[note]);
    let wanted = env.app.add_notes(&env.caller, notes.as_bytes(), None).unwrap();
    assert!(matches!(wanted, Step::Documents(_)));
    let statement = r#"{"bill_period_from_date":"2026-01-01","bill_period_to_date":"2026-01-31","statement_id":"S",
        "statement_path":"s.pdf"}"#;
    let statements = request("statements", &[statement.to_owned()]);
    let wanted = env.app.add_historical_statements(&env.caller, statements.as_bytes(), None).unwrap();
    assert!(matches!(wanted, Step::Documents(_)));
}
