use crate::env::{TestEnv, account_of, ports, request};
use crate::two_nodes::Nodes;
use chrono::Duration;
use cutover_app::account::{CreateRefused, CreateStep, Refused};
use cutover_app::additions::AddRefused;
use cutover_app::auth::{Caller, Credential};
use cutover_app::operator::{AuditScope, OperatorError, SupplierChange};
use cutover_app::port::{
    ApiKeyRole, FairShares, JobState, Staged, Staging, StoreError, Traces, stage, write,
};
use cutover_app::{App, Settings, Step};
use cutover_core::{Code, Issue, Level, SupplierStatus};
use cutover_process::{Actor, Event, State};
use cutover_testkit::{SeededRandom, accepted_account, create_account};
use std::sync::Arc;

/// An account with a balance, a document of a note and one of a statement.
const MEMBERS: &str = r#""customers":[{"family_name":"B"}],"ledgers":[{"ledger_balance":"7.50"}],
    "notes":[{"body":"N","document_paths":[{"document_path":"/n.txt"}]}],
    "statements":[{"statement_id":"S","bill_period_from_date":"2026-01-01","bill_period_to_date":"2026-02-01",
    "statement_path":"s.pdf"}]"#;

fn add_note(env: &TestEnv) -> Result<(), AddRefused> {
    let note =
        r#"{"body":"Later","document_paths":[{"document_path":"later.txt"},{"document_path":"n.txt"}]}"#;
    let body = request("notes", &[note.to_owned()]);
    env.app.add_notes(&env.caller, body.as_bytes(), None).map(drop)
}

/// What a refused create or validation reports of an erased account.
const ERASED: &str = "external_account_number account_erased PST-17";

fn lines(issues: &[Issue]) -> Vec<String> {
    issues.iter().map(|issue| format!("{} {} {}", issue.attr, issue.code, issue.rule)).collect()
}

/// Creates an account, and returns the faults that it is refused with.
fn faults_as(app: &App, caller: &Caller, number: &str, members: &str) -> Vec<String> {
    match create_account(app, caller, None, account_of(number, members).as_bytes()) {
        Ok(()) => Vec::new(),
        Err(CreateRefused::Payload(Refused::Faults(issues))) => lines(&issues),
        Err(other) => panic!("{other:?}"),
    }
}

fn faults(env: &TestEnv, number: &str) -> Vec<String> {
    faults_as(&env.app, &env.caller, number, MEMBERS)
}

fn validated(env: &TestEnv, number: &str) -> Vec<String> {
    match env.app.validate_account(&env.caller, account_of(number, MEMBERS).as_bytes(), None) {
        Ok(Step::Done(())) => Vec::new(),
        Err(Refused::Faults(issues)) => lines(&issues),
        other => panic!("{other:?}"),
    }
}

fn erase(env: &TestEnv, number: &str) {
    env.app.as_command().erase_account("ACME", number, "asked for").unwrap();
}

fn set_level(env: &TestEnv, level: Option<Level>) {
    let rules = [("PST-17".to_owned(), level)].into();
    env.app.as_command().set_supplier("ACME", SupplierChange { rules, ..SupplierChange::default() }).unwrap();
}

#[test]
fn an_erased_account_is_refused_until_that_is_forgotten() {
    let env = TestEnv::with(MEMBERS);
    erase(&env, "A-1");
    // Also while the supplier as it was before is cached.
    assert_eq!((faults(&env, "A-1"), faults(&env, " A-1 ")), (vec![ERASED.into()], vec![ERASED.into()]));
    assert_eq!((validated(&env, "A-1"), validated(&env, "A-2")), (vec![ERASED.into()], vec![]));
    assert_eq!(faults(&env, "A-2"), [""; 0]);
    // Every fault at once.
    let both = faults_as(&env.app, &env.caller, "A-1", r#""customers":[{"email":7}]"#);
    assert!(both.len() > 1 && both.contains(&ERASED.to_owned()), "{both:?}");
    assert!(env.app.as_command().is_erased("ACME", "A-1").unwrap());
    assert!(!env.app.as_command().is_erased("ACME", "A-2").unwrap());

    env.app.as_command().forget_erasure("ACME", " A-1", "withdrawn").unwrap();
    assert!(!env.app.as_command().is_erased("ACME", "A-1").unwrap());
    let again = env.app.as_command().forget_erasure("ACME", "A-1", "withdrawn");
    assert!(matches!(again, Err(OperatorError::NotFound { .. })), "{again:?}");
    assert_eq!((validated(&env, "A-1"), faults(&env, "A-1")), (vec![], vec![]));
    env.worker.run_once().unwrap();
    assert_eq!(env.state_of("A-1"), State::Processed);
}

#[test]
fn the_marks_of_a_supplier_are_not_those_of_another() {
    let env = TestEnv::with(MEMBERS);
    env.app.as_command().add_supplier("OTHER", "Acme", SupplierChange::default()).unwrap();
    erase(&env, "A-1");
    let body = account_of("A-1", MEMBERS).replace("ACME", "OTHER");
    create_account(&env.app, &env.caller, None, body.as_bytes()).unwrap();
    // The other supplier has marks too from now on, and no key of its own.
    env.app.as_command().erase_account("OTHER", "A-1", "asked for").unwrap();
    let refused = create_account(&env.app, &env.caller, None, body.as_bytes());
    assert!(matches!(refused, Err(CreateRefused::Payload(Refused::Faults(_)))), "{refused:?}");
    assert_eq!(env.app.certificate_keys().unwrap().len(), 1);
}

#[test]
fn a_lowered_level_takes_erased_accounts() {
    let env = TestEnv::with(MEMBERS);
    erase(&env, "A-1");
    set_level(&env, Some(Level::Warning));
    assert_eq!((validated(&env, "A-1"), faults(&env, "A-1")), (vec![], vec![]));
    env.worker.run_once().unwrap();
    let warnings = env.report().issues.warnings;
    assert!(warnings.iter().any(|warning| warning.code == "account_erased"), "{warnings:?}");
    erase(&env, "A-1");
    set_level(&env, Some(Level::Off));
    assert_eq!(faults(&env, "A-1"), [""; 0]);
    // It waits, and the level is raised: what was not imported by then is rejected, and cannot be sent again.
    set_level(&env, None);
    assert_eq!(faults(&env, "A-1"), [ERASED]);
    env.worker.run_once().unwrap();
    let report = env.report();
    assert_eq!(report.status.status, State::Errored);
    assert_eq!(report.issues.errors[0].code, "account_erased");
}

/// Between its check and its staging the account is imported and erased: the transaction decides, whether it is the
/// first mark of the supplier or another one.
#[test]
fn an_account_that_is_erased_after_its_check_is_not_stored() {
    for has_marks in [false, true] {
        let env = TestEnv::new();
        if has_marks {
            env.create_as("A-9", MEMBERS);
            erase(&env, "A-9");
        }
        let body = account_of("A-1", MEMBERS);
        let accepted = accepted_account(&env.app, &env.caller, body.as_bytes());
        assert_eq!(accepted.creation().mark.is_some(), has_marks);
        env.create(MEMBERS);
        env.worker.run_once().unwrap();
        erase(&env, "A-1");
        let staging = stage(&*env.store, accepted.creation().clone()).unwrap();
        assert_eq!(staging, Staging::SupplierChanged, "{has_marks}");
        assert_eq!(checked_again(&env, accepted.staged(staging).unwrap(), &body), [ERASED]);
    }
}

/// Returns the faults of a create that has to be checked again.
fn checked_again(env: &TestEnv, step: CreateStep, body: &str) -> Vec<String> {
    let CreateStep::Check(check) = step else { panic!("it is to be checked again: {step:?}") };
    match check.run(&env.app, body.as_bytes()) {
        Err(CreateRefused::Payload(Refused::Faults(issues))) => lines(&issues),
        other => panic!("it is not refused: {other:?}"),
    }
}

/// The node that checks has the supplier as it was before the erasure, and has never read the key.
#[test]
fn another_node_refuses_an_erased_account() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let caller = |app: &App| {
        let token = app.obtain_token(&Credential::ApiKey(nodes.key.clone())).unwrap().token;
        app.authenticate(&token).unwrap()
    };
    let (one, other) = (caller(&nodes.one), caller(&nodes.other));
    for number in ["A-1", "A-2"] {
        assert_eq!(faults_as(&nodes.other, &other, number, MEMBERS), [""; 0]);
    }
    nodes.one.as_command().erase_account("ACME", "A-1", "asked for").unwrap();
    assert_eq!(faults_as(&nodes.other, &other, "A-1", MEMBERS), [ERASED]);
    // A certificate key that takes the place of the first one changes no mark.
    nodes.one.rotate_certificate_key().unwrap();
    nodes.one.as_command().erase_account("ACME", "A-2", "asked for").unwrap();
    for number in ["A-1", "A-2"] {
        assert_eq!(faults_as(&nodes.one, &one, number, MEMBERS), [ERASED]);
        assert_eq!(faults_as(&nodes.other, &other, number, MEMBERS), [ERASED]);
    }
    // A node that has just started.
    let (store, clock) = (nodes.store.clone(), nodes.clock.clone());
    let third = App::new(ports(store, clock, Arc::new(SeededRandom::new(3))), Settings::default());
    assert_eq!(faults_as(&third, &other, "A-1", MEMBERS), [ERASED]);
}

/// A supplier that is erased takes its marks with it, and its accounts leave none.
#[test]
fn the_erasure_of_a_supplier_leaves_no_marks() {
    let env = TestEnv::with(MEMBERS);
    env.create_as("A-2", MEMBERS);
    erase(&env, "A-1");
    let by = env.app.as_command();
    let status = Some(SupplierStatus::Paused);
    by.set_supplier("ACME", SupplierChange { status, ..SupplierChange::default() }).unwrap();
    let (job, claim) = by.begin_supplier_erasure("ACME", "a trial").unwrap();
    let ended = by.run_job(&job.name, claim, |_| {}).unwrap();
    assert_eq!((ended.state, ended.removed.get("erased_accounts")), (JobState::Done.into(), Some(&1)));
    by.add_supplier("ACME", "Acme", SupplierChange::default()).unwrap();
    assert_eq!((faults(&env, "A-1"), faults(&env, "A-2")), (vec![], vec![]));
}

#[test]
fn an_erasure_needs_a_reason_and_records_it() {
    let env = TestEnv::with(MEMBERS);
    for because in ["", " ", &"x".repeat(1_001)] {
        let refused = env.app.as_command().erase_account("ACME", "A-1", because).unwrap_err();
        assert!(matches!(refused, OperatorError::Refused(_)), "{refused:?}");
        let refused = env.app.as_command().forget_erasure("ACME", "A-1", because).unwrap_err();
        assert!(matches!(refused, OperatorError::Refused(_)), "{refused:?}");
    }
    env.app.as_command().erase_account("ACME", "A-1", "request 17").unwrap();
    env.app.as_command().forget_erasure("ACME", "A-1", "withdrawn").unwrap();
    let trail = env.app.as_command().audit(&AuditScope { limit: 2, ..AuditScope::default() }).unwrap();
    let reasons = trail.iter().map(|record| {
        let because = record.detail.facts().find(|(name, _)| *name == "because");
        format!("{} {}", record.action, because.unwrap().1)
    });
    let reasons: Vec<_> = reasons.collect();
    assert_eq!(reasons, ["account.forget-erasure withdrawn", "account.erase request 17"]);
}

#[test]
fn an_erased_account_that_is_forgotten_can_be_imported_again() {
    let env = TestEnv::with(MEMBERS);
    env.create_as("A-2", MEMBERS);
    env.worker.run_once().unwrap();
    let one = env.app.as_command().show_progress("ACME").unwrap();
    add_note(&env).unwrap();
    let number = env.imported().number;
    let shown = env.app.as_command().erasable("ACME", " A-1 ").unwrap();
    let documents = ["/ACME/later.txt", "/ACME/n.txt", "/ACME/s.pdf"].map(str::to_owned).to_vec();
    assert_eq!(
        (shown.state, shown.account, &shown.documents),
        (State::Processed, Some(number), &Some(documents.clone()))
    );
    assert_eq!(env.imported().number, env.imported().number);

    let erased = env.app.as_command().erase_account("ACME", "A-1", "asked for").unwrap();
    assert_eq!((erased.what.documents, erased.traces), (Some(documents), Traces::None));
    assert_eq!(erased.rows, [("accounts", 1), ("processes", 1)]);
    assert!(matches!(env.app.as_command().show_process("ACME", "A-1"), Err(OperatorError::NotFound { .. })));
    assert!(matches!(
        env.app.as_command().erase_account("ACME", "A-1", "asked for"),
        Err(OperatorError::NotFound { .. })
    ));
    let refused = add_note(&env);
    assert!(matches!(refused, Err(AddRefused::NotFound(Code::ImportProcessDoesNotExist))), "{refused:?}");
    let left = env.app.as_command().show_progress("ACME").unwrap();
    assert_eq!((left.reconciliation.imported.accounts, left.reconciliation.imported.documents), (1, 2));
    assert_eq!(left.reconciliation.imported.ledger_balance.to_string(), "7.5");

    env.app.as_command().forget_erasure("ACME", "A-1", "withdrawn").unwrap();
    env.create(MEMBERS);
    env.worker.run_once().unwrap();
    assert_eq!(env.state_of("A-1"), State::Processed);
    let again = env.app.as_command().show_progress("ACME").unwrap();
    assert_eq!((again.reconciliation, again.counts), (one.reconciliation, one.counts));
    assert_ne!(env.app.as_command().erasable("ACME", "A-1").unwrap().process_id, erased.what.process_id);
}

#[test]
fn an_account_that_was_not_imported_can_be_erased() {
    let env = TestEnv::new();
    env.create(MEMBERS);
    env.app.as_command().cancel_process("ACME", "A-1").unwrap();
    let documents = env.app.as_command().erase_account("ACME", "A-1", "asked for").unwrap().what.documents;
    assert_eq!(documents.unwrap(), ["/ACME/n.txt", "/ACME/s.pdf"]);
    env.app.as_command().forget_erasure("ACME", "A-1", "withdrawn").unwrap();
    env.create(MEMBERS);
    assert_eq!(env.state_of("A-1"), State::Pending);
    assert_eq!(
        env.app.as_command().erase_account("ACME", "A-1", "asked for").unwrap().what.state,
        State::Pending
    );
    let left = env.app.as_command().show_progress("ACME").unwrap();
    assert!(left.counts.iter().all(|count| count.accounts == 0), "{:?}", left.counts);
}

/// Claims the account `A-1` as a worker of another process.
fn claim(env: &TestEnv) {
    let at = cutover_app::port::Clock::now(&*env.clock);
    let claimed = write(&*env.store, move |tx| {
        let due = tx.due_processes(at, 1, &FairShares::default())?.remove(0).process;
        let worker = Actor::Worker { name: "elsewhere".into() };
        let (process, entry) = due.step(Event::Claimed, at, worker).unwrap();
        tx.step_process(&process, &entry)
    });
    assert_eq!(claimed, Ok::<_, StoreError>(true));
}

#[test]
fn an_account_that_is_being_imported_is_not_erased() {
    let env = TestEnv::new();
    env.create(MEMBERS);
    claim(&env);
    for refused in [
        env.app.as_command().erase_account("ACME", "A-1", "asked for").map(drop),
        env.app.as_command().erasable("ACME", "A-1").map(drop),
    ] {
        let refused = refused.unwrap_err().to_string();
        assert_eq!(refused, "it is being imported: wait until the import has ended");
    }
    assert_eq!(env.state_of("A-1"), State::InProgress);
}

/// An account can be erased although the key of its payload is lost.
#[test]
fn an_unreadable_account_can_be_erased() {
    let env = TestEnv::new();
    env.create(MEMBERS);
    let id = env.app.as_command().erasable("ACME", "A-1").unwrap().process_id;
    let broken = Staged { payload: b"?".to_vec(), fingerprint: [0; 32], ..Staged::default() };
    write(&*env.store, move |tx| tx.restage(id, &broken)).unwrap_or_else(|e: StoreError| panic!("{e}"));
    assert_eq!(env.app.as_command().erase_account("ACME", "A-1", "asked for").unwrap().what.documents, None);
}

/// A create that found the account, and resubmits it after its erasure, is refused as well.
#[test]
fn a_create_that_meets_an_erasure_is_refused() {
    for has_marks in [false, true] {
        let env = TestEnv::with(MEMBERS);
        if has_marks {
            env.create_as("A-9", MEMBERS);
            erase(&env, "A-9");
        }
        let body = account_of("A-1", MEMBERS);
        let accepted = accepted_account(&env.app, &env.caller, body.as_bytes());
        let staging = stage(&*env.store, accepted.creation().clone()).unwrap();
        assert_eq!(staging, Staging::Exists);
        let CreateStep::Resubmit(resubmit) = accepted.staged(staging).unwrap() else { panic!("it exists") };
        erase(&env, "A-1");
        assert_eq!(checked_again(&env, resubmit.run(&env.app).unwrap(), &body), [ERASED], "{has_marks}");
    }
}

/// An account that was taken in spite of its mark, while the level was lowered, cannot be sent again once it refuses.
#[test]
fn a_resubmission_meets_the_mark_too() {
    let env = TestEnv::with(MEMBERS);
    erase(&env, "A-1");
    set_level(&env, Some(Level::Off));
    env.create(MEMBERS);
    env.app.as_command().cancel_process("ACME", "A-1").unwrap();
    set_level(&env, None);
    env.clock.advance(Duration::seconds(1));
    // The supplier is cached from here on, so that the next check accepts.
    env.create_as("A-2", MEMBERS);
    assert_eq!(faults(&env, "A-1"), [ERASED]);
    assert_eq!(env.state_of("A-1"), State::Cancelled);
}
