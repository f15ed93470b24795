//! A create whose commit was lost, and that the store asks for once more.

use crate::house::{House, account};
use crate::stand_ins::Restaging;
use chrono::Duration;
use cutover_app::account::CreateRefused;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{Staged, StoreError, Tx, write};
use cutover_app::worker::Worked;
use cutover_app::{Ports, Step};
use cutover_process::{EventKind, State};
use std::sync::Arc;

const MEMBERS: &str = r#""unknown_occupier":true"#;
const OTHER: &str = r#""unknown_occupier":true,"notes":[{"body":"Changed."}]"#;

/// A house whose store stages twice, and does this in between.
fn house(between: impl Fn(&House) + Send + Sync + 'static) -> Arc<House> {
    Arc::new_cyclic(|weak: &std::sync::Weak<House>| {
        let weak = weak.clone();
        let between = move || between(&weak.upgrade().unwrap());
        House::on(|ports| Ports { store: Arc::new(Restaging::new(ports.store, between)), ..ports })
    })
}

fn events(house: &House) -> Vec<EventKind> {
    house.report().history.iter().map(|entry| *entry.event.known().unwrap()).collect()
}

#[test]
fn an_account_that_was_imported_meanwhile_was_created() {
    let house = house(|house| assert_eq!(house.worker.run_once(), Ok(Worked::Processes(1))));
    house.create(MEMBERS);
    assert_eq!(house.state_of("A-1"), State::Processed);
    assert_eq!(events(&house), [EventKind::Created, EventKind::Claimed, EventKind::Imported]);
    // Sent again later it is another submission.
    house.clock.advance(Duration::microseconds(1));
    let again = house.app.create_account(&house.caller, None, account(MEMBERS).as_bytes(), None);
    assert!(matches!(again, Err(CreateRefused::AlreadyImported(_))), "{again:?}");
}

#[test]
fn an_account_that_was_cancelled_meanwhile_was_created_and_stays_so() {
    let house = house(|house| {
        house.app.cancel_process("ACME", "A-1").unwrap();
    });
    house.create(MEMBERS);
    assert_eq!(house.state_of("A-1"), State::Cancelled);
    house.clock.advance(Duration::microseconds(1));
    let again = house.app.create_account(&house.caller, None, account(MEMBERS).as_bytes(), None);
    assert_eq!(again.unwrap(), Step::Done(()));
    assert_eq!(house.state_of("A-1"), State::Pending);
}

#[test]
fn other_content_at_the_same_time_is_another_submission() {
    let house = House::new();
    house.create(MEMBERS);
    house.worker.run_once().unwrap();
    let other = account(&format!(r#"{MEMBERS},"notes":[{{"body":"N"}}]"#));
    let refused = house.app.create_account(&house.caller, None, other.as_bytes(), None);
    assert!(matches!(refused, Err(CreateRefused::AlreadyImported(_))), "{refused:?}");
}

#[test]
fn what_was_checked_by_other_settings_is_not_submitted_again() {
    let house = House::new();
    house.create(MEMBERS);
    let Step::Done(creation) =
        house.app.creation(&house.caller, None, account(OTHER).as_bytes(), None).unwrap()
    else {
        panic!("it names no documents");
    };
    let dry_run = SupplierChange { dry_run: Some(true), ..SupplierChange::default() };
    house.app.set_supplier("ACME", dry_run).unwrap();
    let refused = house.app.resubmit(creation);
    assert!(matches!(refused, Err(CreateRefused::SupplierChanging)), "{refused:?}");
    assert_eq!(events(&house), [EventKind::Created]);
    // Checked anew it is a dry run.
    house.clock.advance(Duration::seconds(1));
    house.app.create_account(&house.caller, None, account(OTHER).as_bytes(), None).unwrap();
    assert_eq!(events(&house), [EventKind::Created, EventKind::Replaced]);
    house.worker.run_once().unwrap();
    assert_eq!(house.state_of("A-1"), State::DryRunSucceeded);
}

/// Sends it again a moment later; what is in the history then.
fn again(house: &House, body: &str) -> Vec<EventKind> {
    house.clock.advance(Duration::seconds(1));
    let again = house.app.create_account(&house.caller, None, body.as_bytes(), None);
    assert_eq!(again.unwrap(), Step::Done(()));
    events(house)
}

/// The same as [`account`] in other words.
fn reworded(members: &str) -> String {
    let account = format!(r#"{{ {members}, "external_account_number":"A-1", "import_supplier":"ACME"}}"#);
    format!(r#"{{"payload":{account},"task_params":{{"is_dry_run":false}}}}"#)
}

#[test]
fn the_same_in_other_words_changes_nothing() {
    let house = House::new();
    house.create(MEMBERS);
    assert_eq!(again(&house, &account(MEMBERS)), [EventKind::Created]);
    assert_eq!(again(&house, &reworded(MEMBERS)), [EventKind::Created]);
    assert_eq!(again(&house, &reworded(OTHER)), [EventKind::Created, EventKind::Replaced]);
    let dry_run = reworded(OTHER).replace("false", "true");
    assert_eq!(again(&house, &dry_run), [EventKind::Created, EventKind::Replaced, EventKind::Replaced]);
}

/// Puts this fingerprint, and this payload if there is one, in the place of what waits.
fn put(house: &House, fingerprint: [u8; 32], payload: Option<&[u8]>) {
    let id = house.app.erasable("ACME", "A-1").unwrap().process_id;
    let payload = payload.map(<[u8]>::to_vec);
    let put = move |tx: &mut dyn Tx| {
        let payload = payload.clone().or(tx.staged(id)?.map(|staged| staged.payload)).unwrap();
        tx.restage(id, &Staged { payload, fingerprint })
    };
    write(&*house.store, put).unwrap_or_else(|e: StoreError| panic!("{e}"));
}

/// An earlier program made fingerprints of the content.
#[test]
fn what_has_the_fingerprint_of_an_earlier_program_is_known_by_its_content() {
    let house = House::new();
    house.create(MEMBERS);
    put(&house, [7; 32], None);
    assert_eq!(again(&house, &account(MEMBERS)), [EventKind::Created]);
    assert_eq!(again(&house, &account(OTHER)), [EventKind::Created, EventKind::Replaced]);
}

#[test]
fn what_cannot_be_read_is_replaced() {
    let house = House::new();
    house.create(MEMBERS);
    put(&house, [7; 32], Some(b"?"));
    assert_eq!(again(&house, &account(MEMBERS)), [EventKind::Created, EventKind::Replaced]);
    house.worker.run_once().unwrap();
    assert_eq!(house.state_of("A-1"), State::Processed);
}
