//! A create whose commit was lost, and that the store asks for once more.

use crate::house::{House, account};
use crate::stand_ins::Restaging;
use chrono::Duration;
use cutover_app::account::CreateRefused;
use cutover_app::operator::SupplierChange;
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
    house.report().history.iter().map(|entry| entry.event).collect()
}

#[test]
fn an_account_that_was_imported_meanwhile_was_created() {
    let house = house(|house| assert_eq!(house.worker.turn(), Ok(Worked::Processes(1))));
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
    house.worker.turn().unwrap();
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
    house.worker.turn().unwrap();
    assert_eq!(house.state_of("A-1"), State::DryRunSucceeded);
}
