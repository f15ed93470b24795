use crate::env::{TestEnv, account_of, request};
use cutover_app::account::CreateStep;
use cutover_app::additions::AddRefused;
use cutover_app::operator::OperatorError;
use cutover_app::port::{FairShares, Staged, Staging, StoreError, Traces, stage, write};
use cutover_core::Code;
use cutover_process::{Actor, Event, State};
use cutover_testkit::accepted_account;

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

#[test]
fn an_erased_account_can_be_imported_again() {
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

    let erased = env.app.as_command().erase_account("ACME", "A-1").unwrap();
    assert_eq!((erased.what.documents, erased.traces), (Some(documents), Traces::None));
    assert_eq!(erased.rows, [("accounts", 1), ("processes", 1)]);
    assert!(matches!(env.app.as_command().show_process("ACME", "A-1"), Err(OperatorError::NotFound { .. })));
    assert!(matches!(env.app.as_command().erase_account("ACME", "A-1"), Err(OperatorError::NotFound { .. })));
    let refused = add_note(&env);
    assert!(matches!(refused, Err(AddRefused::NotFound(Code::ImportProcessDoesNotExist))), "{refused:?}");
    let left = env.app.as_command().show_progress("ACME").unwrap();
    assert_eq!((left.reconciliation.imported.accounts, left.reconciliation.imported.documents), (1, 2));
    assert_eq!(left.reconciliation.imported.ledger_balance.to_string(), "7.5");

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
    let documents = env.app.as_command().erase_account("ACME", "A-1").unwrap().what.documents;
    assert_eq!(documents.unwrap(), ["/ACME/n.txt", "/ACME/s.pdf"]);
    env.create(MEMBERS);
    assert_eq!(env.state_of("A-1"), State::Pending);
    assert_eq!(env.app.as_command().erase_account("ACME", "A-1").unwrap().what.state, State::Pending);
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
        env.app.as_command().erase_account("ACME", "A-1").map(drop),
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
    assert_eq!(env.app.as_command().erase_account("ACME", "A-1").unwrap().what.documents, None);
}

/// A create that found the account, and resubmits it after its erasure, creates it.
#[test]
fn a_create_that_meets_an_erasure_is_accepted() {
    let env = TestEnv::with(MEMBERS);
    let body = account_of("A-1", MEMBERS);
    let accepted = accepted_account(&env.app, &env.caller, body.as_bytes());
    let staging = stage(&*env.store, accepted.creation().clone()).unwrap();
    assert_eq!(staging, Staging::Exists);
    let CreateStep::Resubmit(resubmit) = accepted.staged(staging).unwrap() else { panic!("it exists") };
    env.app.as_command().erase_account("ACME", "A-1").unwrap();
    assert!(matches!(resubmit.run(&env.app), Ok(CreateStep::Done(_))));
    env.worker.run_once().unwrap();
    assert_eq!(env.state_of("A-1"), State::Processed);
}
