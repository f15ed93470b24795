//! Failure 14: a clock that is set by an hour or by ten days while the service runs, forth or back.

use crate::house::House;
use crate::stand_ins::Hooked;
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::auth::Credential;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{ApiKeyRole, Clock};
use cutover_app::worker::{Swept, Worked};
use cutover_process::{EventKind, LEASE, State};
use std::sync::Arc;

/// By how much the clock is set.
fn jumps() -> [Duration; 4] {
    [Duration::hours(1), Duration::hours(-1), Duration::days(10), Duration::days(-10)]
}

/// Failure 14: given a clock that is set in the middle of an import, then the import ends as it would have, and nothing of
/// it is modified before it was created.
#[test]
fn an_import_ends_whatever_the_clock_does_meanwhile() {
    for jump in jumps() {
        let documents = Arc::<Hooked>::default();
        let given = documents.clone();
        let house = House::on(|ports| Ports { documents: given, ..ports });
        house.create(r#""unknown_occupier":true,"notes":[{"document_paths":[{"document_path":"a.pdf"}]}]"#);
        let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
        house.app.set_supplier("ACME", change).unwrap();
        let clock = house.clock.clone();
        documents.on_look_up(move |_| {
            clock.advance(jump);
            Ok(())
        });
        assert_eq!(house.worker.turn().unwrap(), Worked::Processes(1));
        let report = house.report();
        let events: Vec<EventKind> =
            report.history.iter().map(|entry| *entry.event.known().unwrap()).collect();
        let given_back = [EventKind::Created, EventKind::Claimed, EventKind::ShutDown];
        let imported = [EventKind::Created, EventKind::Claimed, EventKind::Imported];
        assert!(events == imported || events == given_back, "{jump}: {events:?}");
        assert!(report.status.modified_at >= report.status.created_at, "{jump}");
        assert!(report.history.iter().all(|entry| entry.occurred_at >= report.status.created_at.0), "{jump}");
    }
}

/// Failure 14: a lease lasts as long as it is said to by the clock that it was given by, on whichever day that falls; in
/// Sydney clocks are set forward and back on these.
#[test]
fn a_lease_is_as_long_on_every_day() {
    for now in ["2026-10-03T15:59:45Z", "2027-04-03T15:59:45Z", "2026-12-31T23:59:45Z"] {
        let house = House::new();
        house.clock.set(now.parse().unwrap());
        let zone = SupplierChange {
            time_zone: Some("Australia/Sydney".parse().unwrap()),
            ..SupplierChange::default()
        };
        house.app.set_supplier("ACME", zone).unwrap();
        crate::worker::claim(&house, "A-1");
        house.clock.advance(LEASE);
        assert_eq!(house.app.sweep().unwrap(), Swept::default(), "not early");
        house.clock.advance(Duration::milliseconds(1));
        assert_eq!(house.app.sweep().unwrap(), Swept { released: 1, missed: 0 }, "nor late");
        house.clock.advance(Duration::seconds(1));
        house.worker.turn().unwrap();
        assert_eq!(house.state_of("A-1"), State::Processed);
    }
}

/// Failure 14: a token is good for its time by the clock that issued it: a little before, for clocks differ, and not after.
#[test]
fn a_token_is_good_for_its_time() {
    let house = House::new();
    let key = house.app.issue_api_key("Acme", ApiKeyRole::Supplier).unwrap().key;
    let token = house.app.obtain_token(&Credential::ApiKey(key)).unwrap().token;
    let issued = house.clock.now();
    for (after, is_good) in [
        (Duration::zero(), true),
        (Duration::seconds(-5), true),
        (Duration::hours(-1), false),
        (Duration::minutes(59), true),
        (Duration::hours(2), false),
        (Duration::days(10), false),
        (Duration::minutes(30), true),
    ] {
        house.clock.set(issued + after);
        assert_eq!(house.app.authenticate(&token).is_ok(), is_good, "{after}");
    }
}
