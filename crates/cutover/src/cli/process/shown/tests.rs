use super::account::embedded;
use super::*;
use cutover_app::account::process_status;
use cutover_app::port::{
    ImportedAccount, InstructionDetails, InstructionKey, StoredIssues, VendorCard, VerifiedInstruction,
};
use cutover_model::choices::PaymentInstructionType;
use cutover_model::{HistoricalStatement, IntoOwned, decode_account, decode_historical_statements};
use cutover_process::{Actor, Event, NewProcess, Process, Submission};
use std::collections::BTreeMap;

fn zone() -> Zone {
    "Australia/Melbourne".parse().unwrap()
}

fn issue(attr: &str, code: &str) -> StoredIssue {
    let rule = Some("CUS-02".to_owned());
    StoredIssue {
        attr: attr.into(),
        code: code.into(),
        rule,
        detail: "What it says.".into(),
        ..StoredIssue::default()
    }
}

/// A process after some events, a minute apart.
fn report(events: &[Event]) -> ProcessReport {
    let at = |minute: usize| format!("2026-11-21T00:{minute:02}:00Z").parse().unwrap();
    let new = NewProcess {
        supplier: "ACME".parse().unwrap(),
        external_account_number: "A-1".parse().unwrap(),
        submission: Submission::default(),
    };
    let (mut process, created) =
        Process::create(1, new, at(0), Actor::Api { key_prefix: "cut_live_ab".into(), request_id: None });
    let mut history = vec![created];
    for (i, event) in events.iter().enumerate() {
        let (next, entry) =
            process.step(event.clone(), at(i + 1), Actor::Worker { name: "w-1".into() }).unwrap();
        process = next;
        history.push(entry);
    }
    ProcessReport {
        status: process_status(&process, zone()),
        stored_status: process.stored_state(),
        is_undone: process.is_undone(),
        waits_for: None,
        sentence: "Where it stands".into(),
        external_account_number: "A-1".into(),
        attempt: process.snapshot().attempt,
        billed_at: None,
        archived_at: None,
        history,
        issues: StoredIssues::default(),
        references: References::default(),
        account: None,
        zone: zone(),
    }
}

fn imported(body: &'static str) -> ImportedAccount {
    let decoded = decode_account(body.as_bytes(), zone()).unwrap();
    let (account, _) = decoded.draft.unwrap().into_valid().unwrap();
    let number = "A-7K2M9XR0".parse().unwrap();
    ImportedAccount {
        number,
        customer_emails: true,
        account: account.into_owned(),
        historical_statements: Vec::new(),
        verified_instructions: Vec::new(),
    }
}

fn statement() -> HistoricalStatement<'static> {
    let body = r#"{"import_supplier":"A","external_account_number":"B","statements":[{"statement_id":"S-1",
        "bill_period_from_date":"2026-01-01","bill_period_to_date":"2026-01-31","gross_amount":12.50}]}"#;
    let decoded = decode_historical_statements(body.as_bytes(), zone(), Default::default()).unwrap();
    decoded.draft.unwrap().into_valid().unwrap().into_owned().statements.remove(0)
}

fn instruction() -> VerifiedInstruction {
    let card = VendorCard {
        last_digits: Some("4242".into()),
        expiry_month: Some(4),
        expiry_year: Some(2029),
        ..VendorCard::default()
    };
    VerifiedInstruction {
        key: InstructionKey {
            vendor: "STRIPE".into(),
            kind: PaymentInstructionType::Card,
            reference: "pm_1".into(),
        },
        details: InstructionDetails { card: Some(card), bank_account: None },
        verified_at: "2026-11-21T01:00:00Z".parse().unwrap(),
    }
}

#[test]
fn the_json_of_an_import_has_every_member() {
    let number = "A-7K2M9XR0".parse().unwrap();
    let mut report = report(&[Event::Claimed, Event::Imported(number)]);
    report.issues.warnings = vec![issue("customers.0.email", "possible_test_email_address")];
    report.account = Some(imported(
        r#"{"import_supplier":"ACME","external_account_number":"A-1","transfer_balance":9007199254.0000000310}"#,
    ));
    insta::assert_snapshot!(serde_json::to_string_pretty(&Shown::from(report)).unwrap());
}

#[test]
fn the_text_names_the_errors_of_a_rejected_import() {
    let mut report = report(&[Event::Claimed, Event::Rejected]);
    report.issues.errors = vec![issue("customers.0.mobile", "invalid_phone_number")];
    insta::assert_snapshot!(Shown::from(report).text());
}

#[test]
fn a_fault_of_a_document_names_the_document() {
    let mut report = report(&[Event::Claimed, Event::Rejected]);
    let path = "statements.0.statement_path";
    report.issues.errors = vec![issue(path, "document_not_pdf"), issue("customers.0.mobile", "required")];
    report.references =
        [(path.to_owned(), "a.txt".to_owned())].into_iter().collect::<BTreeMap<_, _>>().into();
    let shown = Shown::from(report);
    assert!(shown.text().contains("statements.0.statement_path = a.txt"), "{}", shown.text());
    let shown = serde_json::to_value(&shown).unwrap();
    assert_eq!(shown["errors"][0]["value"], "a.txt");
    assert_eq!(shown["errors"][1].get("value"), None);
}

#[test]
fn an_archived_import_shows_its_time() {
    let mut report = report(&[Event::Cancelled]);
    report.archived_at = Some("2026-12-01T00:00:00Z".parse().unwrap());
    report.history.clear();
    let shown = Shown::from(report);
    assert!(shown.text().contains("archived  2026-12-01 11:00:00+11:00"), "{}", shown.text());
    let shown = serde_json::to_value(&shown).unwrap();
    assert_eq!(shown["archived_at"], "2026-12-01T11:00:00.000000+11:00");
    assert_eq!(shown["history"], serde_json::json!([]));
}

#[test]
fn an_account_without_members_is_still_an_object() {
    let mut account = imported(r#"{"import_supplier":"A","external_account_number":"B"}"#);
    account.customer_emails = false;
    assert_eq!(
        embedded(&account, zone()).unwrap().get(),
        r#"{"service_account_number":"A-7K2M9XR0","customer_emails":false,"import_supplier":"A","external_account_number":"B"}"#
    );
}

#[test]
fn additions_since_the_import_are_part_of_the_account() {
    let mut account = imported(r#"{"import_supplier":"A","external_account_number":"B"}"#);
    account.historical_statements = vec![statement(), statement()];
    account.verified_instructions = vec![instruction()];
    insta::assert_snapshot!(embedded(&account, zone()).unwrap().get());
    let number = "A-7K2M9XR0".parse().unwrap();
    let mut report = report(&[Event::Claimed, Event::Imported(number)]);
    report.account = Some(account);
    let text = Shown::from(report).text();
    assert!(text.contains("added since  2 historical statements, 1 payment instruction"), "{text}");
}
