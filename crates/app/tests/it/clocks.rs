//! Failure 14: the clock is set by an hour or ten days, forward or back, while the service runs.

use crate::env::TestEnv;
use crate::test_doubles::HookedDocuments;
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::auth::Credential;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{ApiKeyRole, Clock};
use cutover_app::worker::{Swept, Worked};
use cutover_process::{EventKind, LEASE, State};
use std::sync::Arc;

/// Changes of the clock.
fn jumps() -> [Duration; 4] {
    [Duration::hours(1), Duration::hours(-1), Duration::days(10), Duration::days(-10)]
}

/// Failure 14: given a clock that is set during an import, then the import ends or is released, and none of
/// its times is before its creation.
#[test]
fn an_import_ends_although_the_clock_is_set() {
    for jump in jumps() {
        let documents = Arc::<HookedDocuments>::default();
        let given = documents.clone();
        let env = TestEnv::on(|ports| Ports { documents: given, ..ports });
        env.create(r#""unknown_occupier":true,"notes":[{"document_paths":[{"document_path":"a.pdf"}]}]"#);
        let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
        env.app.as_command().set_supplier("ACME", change).unwrap();
        let clock = env.clock.clone();
        documents.on_look_up(move |_| {
            clock.advance(jump);
            Ok(())
        });
        assert_eq!(env.worker.run_once().unwrap(), Worked::Processes(1));
        let report = env.report();
        let events: Vec<EventKind> =
            report.history.iter().map(|entry| *entry.event.known().unwrap()).collect();
        let given_back = [EventKind::Created, EventKind::Claimed, EventKind::ShutDown];
        let imported = [EventKind::Created, EventKind::Claimed, EventKind::Imported];
        assert!(events == imported || events == given_back, "{jump}: {events:?}");
        assert!(report.status.modified_at >= report.status.created_at, "{jump}");
        assert!(report.history.iter().all(|entry| entry.occurred_at >= report.status.created_at.0), "{jump}");
    }
}

/// Failure 14: a lease has its length on every day, also on days on which Sydney sets its clocks forward or
/// back.
#[test]
fn a_lease_has_the_same_length_on_every_day() {
    for now in ["2026-10-03T15:59:45Z", "2027-04-03T15:59:45Z", "2026-12-31T23:59:45Z"] {
        let env = TestEnv::new();
        env.clock.set(now.parse().unwrap());
        let zone = SupplierChange {
            time_zone: Some("Australia/Sydney".parse().unwrap()),
            ..SupplierChange::default()
        };
        env.app.as_command().set_supplier("ACME", zone).unwrap();
        crate::worker::claim(&env, "A-1");
        env.clock.advance(LEASE);
        assert_eq!(env.app.sweep().unwrap(), Swept::default(), "not early");
        env.clock.advance(Duration::milliseconds(1));
        assert_eq!(env.app.sweep().unwrap(), Swept { released: 1, missed: 0 }, "nor late");
        env.clock.advance(Duration::seconds(1));
        env.worker.run_once().unwrap();
        assert_eq!(env.state_of("A-1"), State::Processed);
    }
}

/// Failure 14: a token is valid for its lifetime, and a few seconds before it, because clocks differ.
#[test]
fn a_token_is_valid_for_its_lifetime() {
    let env = TestEnv::new();
    let key = env.app.as_command().issue_api_key("Acme", ApiKeyRole::Supplier).unwrap().key;
    let token = env.app.obtain_token(&Credential::ApiKey(key)).unwrap().token;
    let issued = env.clock.now();
    for (after, is_good) in [
        (Duration::zero(), true),
        (Duration::seconds(-5), true),
        (Duration::hours(-1), false),
        (Duration::minutes(59), true),
        (Duration::hours(2), false),
        (Duration::days(10), false),
        (Duration::minutes(30), true),
    ] {
        env.clock.set(issued + after);
        assert_eq!(env.app.authenticate(&token).is_ok(), is_good, "{after}");
    }
}
