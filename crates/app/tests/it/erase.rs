use crate::house::{House, account_of, request};
use cutover_app::Step;
use cutover_app::additions::AddRefused;
use cutover_app::operator::OperatorError;
use cutover_app::port::{Staged, Staging, StoreError, Traces, stage, write};
use cutover_core::Code;
use cutover_process::{Actor, Event, State};

/// With a balance, a document of a note and one of a statement.
const MEMBERS: &str = r#""customers":[{"family_name":"B"}],"ledgers":[{"ledger_balance":"7.50"}],
    "notes":[{"body":"N","document_paths":[{"document_path":"/n.txt"}]}],
    "statements":[{"statement_id":"S","bill_period_from_date":"2026-01-01","bill_period_to_date":"2026-02-01",
    "statement_path":"s.pdf"}]"#;

fn add_note(house: &House) -> Result<(), AddRefused> {
    let note =
        r#"{"body":"Later","document_paths":[{"document_path":"later.txt"},{"document_path":"n.txt"}]}"#;
    let body = request("notes", &[note.to_owned()]);
    house.app.add_notes(&house.caller, body.as_bytes(), None).map(drop)
}

#[test]
fn an_erased_account_can_be_imported_again() {
    let house = House::with(MEMBERS);
    house.create_as("A-2", MEMBERS);
    house.worker.run_once().unwrap();
    let one = house.app.show_progress("ACME").unwrap();
    add_note(&house).unwrap();
    let number = house.imported().number;
    let shown = house.app.erasable("ACME", " A-1 ").unwrap();
    let documents = ["/ACME/later.txt", "/ACME/n.txt", "/ACME/s.pdf"].map(str::to_owned).to_vec();
    assert_eq!(
        (shown.state, shown.account, &shown.documents),
        (State::Processed, Some(number), &Some(documents.clone()))
    );
    assert_eq!(house.imported().number, house.imported().number);

    let erased = house.app.erase_account("ACME", "A-1").unwrap();
    assert_eq!((erased.what.documents, erased.traces), (Some(documents), Traces::None));
    assert_eq!(erased.rows, [("accounts", 1), ("processes", 1)]);
    assert!(matches!(house.app.show_process("ACME", "A-1"), Err(OperatorError::NotFound { .. })));
    assert!(matches!(house.app.erase_account("ACME", "A-1"), Err(OperatorError::NotFound { .. })));
    let refused = add_note(&house);
    assert!(matches!(refused, Err(AddRefused::NotFound(Code::ImportProcessDoesNotExist))), "{refused:?}");
    let left = house.app.show_progress("ACME").unwrap();
    assert_eq!((left.totals.accounts, left.totals.documents), (1, 2));
    assert_eq!(left.totals.ledger_balance.to_string(), "7.5");

    house.create(MEMBERS);
    house.worker.run_once().unwrap();
    assert_eq!(house.state_of("A-1"), State::Processed);
    let again = house.app.show_progress("ACME").unwrap();
    assert_eq!((again.totals, again.counts), (one.totals, one.counts));
    assert_ne!(house.app.erasable("ACME", "A-1").unwrap().process_id, erased.what.process_id);
}

#[test]
fn what_was_never_imported_can_be_erased() {
    let house = House::new();
    house.create(MEMBERS);
    house.app.cancel_process("ACME", "A-1").unwrap();
    let documents = house.app.erase_account("ACME", "A-1").unwrap().what.documents;
    assert_eq!(documents.unwrap(), ["/ACME/n.txt", "/ACME/s.pdf"]);
    house.create(MEMBERS);
    assert_eq!(house.state_of("A-1"), State::Pending);
    assert_eq!(house.app.erase_account("ACME", "A-1").unwrap().what.state, State::Pending);
    let left = house.app.show_progress("ACME").unwrap();
    assert!(left.counts.iter().all(|count| count.accounts == 0), "{:?}", left.counts);
}

/// Claims the account `A-1`, as a worker elsewhere.
fn claim(house: &House) {
    let at = cutover_app::port::Clock::now(&*house.clock);
    let claimed = write(&*house.store, move |tx| {
        let due = tx.due_processes(at, 1)?.remove(0).process;
        let worker = Actor::Worker { name: "elsewhere".into() };
        let (process, entry) = due.step(Event::Claimed, at, worker).unwrap();
        tx.step_process(&process, &entry)
    });
    assert_eq!(claimed, Ok::<_, StoreError>(true));
}

#[test]
fn what_is_being_imported_is_not_erased() {
    let house = House::new();
    house.create(MEMBERS);
    claim(&house);
    for refused in
        [house.app.erase_account("ACME", "A-1").map(drop), house.app.erasable("ACME", "A-1").map(drop)]
    {
        let refused = refused.unwrap_err().to_string();
        assert_eq!(refused, "it is being imported: wait until that has ended");
    }
    assert_eq!(house.state_of("A-1"), State::InProgress);
}

/// A payload whose key was lost must not keep the account from being erased.
#[test]
fn what_cannot_be_read_can_be_erased() {
    let house = House::new();
    house.create(MEMBERS);
    let id = house.app.erasable("ACME", "A-1").unwrap().process_id;
    let broken = Staged { payload: b"?".to_vec(), fingerprint: [0; 32] };
    write(&*house.store, move |tx| tx.restage(id, &broken)).unwrap_or_else(|e: StoreError| panic!("{e}"));
    assert_eq!(house.app.erase_account("ACME", "A-1").unwrap().what.documents, None);
}

/// A create that found the number taken, and comes to resubmit it after it was erased, is as if it had come
/// later.
#[test]
fn a_create_that_meets_an_erasure_is_accepted() {
    let house = House::with(MEMBERS);
    let body = account_of("A-1", MEMBERS);
    let creation = match house.app.creation(&house.caller, None, body.as_bytes(), None) {
        Ok(Step::Done(creation)) => creation,
        other => panic!("{other:?}"),
    };
    assert_eq!(stage(&*house.store, creation.clone()), Ok(Staging::Exists));
    house.app.erase_account("ACME", "A-1").unwrap();
    house.app.resubmit(creation).unwrap();
    house.worker.run_once().unwrap();
    assert_eq!(house.state_of("A-1"), State::Processed);
}
