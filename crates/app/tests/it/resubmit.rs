//! A create whose commit was lost, and that the store asks for once more.

use crate::house::{House, account};
use crate::stand_ins::Restaging;
use chrono::Duration;
use cutover_app::account::{CreateRefused, CreateStep};
use cutover_app::operator::SupplierChange;
use cutover_app::port::{Staged, Staging, StoreError, Tx, write};
use cutover_app::worker::Worked;
use cutover_app::{Ports, Step};
use cutover_process::{EventKind, State};
use cutover_testkit::{accepted_account, create_account};
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
    let house = house(|house| assert_eq!(house.worker.turn(), Ok(Worked::Processes(1))));
    house.create(MEMBERS);
    assert_eq!(house.state_of("A-1"), State::Processed);
    assert_eq!(events(&house), [EventKind::Created, EventKind::Claimed, EventKind::Imported]);
    // Sent again later it is another submission.
    house.clock.advance(Duration::microseconds(1));
    let again = create_account(&house.app, &house.caller, None, account(MEMBERS).as_bytes());
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
    let again = create_account(&house.app, &house.caller, None, account(MEMBERS).as_bytes());
    again.unwrap();
    assert_eq!(house.state_of("A-1"), State::Pending);
}

#[test]
fn other_content_at_the_same_time_is_another_submission() {
    let house = House::new();
    house.create(MEMBERS);
    house.worker.turn().unwrap();
    let other = account(&format!(r#"{MEMBERS},"notes":[{{"body":"N"}}]"#));
    let refused = create_account(&house.app, &house.caller, None, other.as_bytes());
    assert!(matches!(refused, Err(CreateRefused::AlreadyImported(_))), "{refused:?}");
}

#[test]
fn what_was_checked_by_other_settings_is_not_submitted_again() {
    let house = House::new();
    house.create(MEMBERS);
    let body = account(OTHER);
    let CreateStep::Resubmit(resubmit) =
        accepted_account(&house.app, &house.caller, body.as_bytes()).staged(Staging::Exists).unwrap()
    else {
        panic!("it exists");
    };
    let dry_run = SupplierChange { dry_run: Some(true), ..SupplierChange::default() };
    house.app.set_supplier("ACME", dry_run).unwrap();
    let again = resubmit.run(&house.app);
    assert!(matches!(again, Ok(CreateStep::Check(_))), "{again:?}");
    assert_eq!(events(&house), [EventKind::Created]);
    // Checked again, it is a dry run.
    house.clock.advance(Duration::seconds(1));
    create_account(&house.app, &house.caller, None, body.as_bytes()).unwrap();
    assert_eq!(events(&house), [EventKind::Created, EventKind::Replaced]);
    house.worker.turn().unwrap();
    assert_eq!(house.state_of("A-1"), State::DryRunSucceeded);
}

/// Sends it again a moment later; what is in the history then.
fn again(house: &House, body: &str) -> Vec<EventKind> {
    house.clock.advance(Duration::seconds(1));
    let again = create_account(&house.app, &house.caller, None, body.as_bytes());
    again.unwrap();
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
    house.worker.turn().unwrap();
    assert_eq!(house.state_of("A-1"), State::Processed);
}
