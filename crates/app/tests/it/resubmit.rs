//! Creates whose commit was lost, so that the store stages them again.

use crate::env::{TestEnv, account};
use crate::test_doubles::RestagingStore;
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::account::{CreateRefused, CreateStep};
use cutover_app::operator::SupplierChange;
use cutover_app::port::{Staged, Staging, StoreError, Tx, write};
use cutover_app::worker::Worked;
use cutover_process::{EventKind, State};
use cutover_testkit::{accepted_account, create_account};
use std::sync::Arc;

const MEMBERS: &str = r#""unknown_occupier":true"#;
const OTHER: &str = r#""unknown_occupier":true,"notes":[{"body":"Changed."}]"#;

/// Creates an environment whose store stages twice and calls `between` in between.
fn env(between: impl Fn(&TestEnv) + Send + Sync + 'static) -> Arc<TestEnv> {
    Arc::new_cyclic(|weak: &std::sync::Weak<TestEnv>| {
        let weak = weak.clone();
        let between = move || between(&weak.upgrade().unwrap());
        TestEnv::on(|ports| Ports { store: Arc::new(RestagingStore::new(ports.store, between)), ..ports })
    })
}

fn events(env: &TestEnv) -> Vec<EventKind> {
    env.report().history.iter().map(|entry| *entry.event.known().unwrap()).collect()
}

#[test]
fn a_create_succeeds_if_the_account_was_imported_meanwhile() {
    let env = env(|env| assert_eq!(env.worker.run_once(), Ok(Worked::Processes(1))));
    env.create(MEMBERS);
    assert_eq!(env.state_of("A-1"), State::Processed);
    assert_eq!(events(&env), [EventKind::Created, EventKind::Claimed, EventKind::Imported]);
    // Sent again later, it is another submission.
    env.clock.advance(Duration::microseconds(1));
    let again = create_account(&env.app, &env.caller, None, account(MEMBERS).as_bytes());
    assert!(matches!(again, Err(CreateRefused::AlreadyImported(_))), "{again:?}");
}

#[test]
fn a_create_succeeds_if_the_account_was_cancelled_meanwhile() {
    let env = env(|env| {
        env.app.as_command().cancel_process("ACME", "A-1").unwrap();
    });
    env.create(MEMBERS);
    assert_eq!(env.state_of("A-1"), State::Cancelled);
    env.clock.advance(Duration::microseconds(1));
    let again = create_account(&env.app, &env.caller, None, account(MEMBERS).as_bytes());
    again.unwrap();
    assert_eq!(env.state_of("A-1"), State::Pending);
}

#[test]
fn other_content_at_the_same_time_is_another_submission() {
    let env = TestEnv::new();
    env.create(MEMBERS);
    env.worker.run_once().unwrap();
    let other = account(&format!(r#"{MEMBERS},"notes":[{{"body":"N"}}]"#));
    let refused = create_account(&env.app, &env.caller, None, other.as_bytes());
    assert!(matches!(refused, Err(CreateRefused::AlreadyImported(_))), "{refused:?}");
}

#[test]
fn an_account_checked_with_old_settings_is_not_resubmitted() {
    let env = TestEnv::new();
    env.create(MEMBERS);
    let body = account(OTHER);
    let CreateStep::Resubmit(resubmit) =
        accepted_account(&env.app, &env.caller, body.as_bytes()).staged(Staging::Exists).unwrap()
    else {
        panic!("it exists");
    };
    let dry_run = SupplierChange { dry_run: Some(true), ..SupplierChange::default() };
    env.app.as_command().set_supplier("ACME", dry_run).unwrap();
    let again = resubmit.run(&env.app);
    assert!(matches!(again, Ok(CreateStep::Check(_))), "{again:?}");
    assert_eq!(events(&env), [EventKind::Created]);
    // Checked again, it is a dry run.
    env.clock.advance(Duration::seconds(1));
    create_account(&env.app, &env.caller, None, body.as_bytes()).unwrap();
    assert_eq!(events(&env), [EventKind::Created, EventKind::Replaced]);
    env.worker.run_once().unwrap();
    assert_eq!(env.state_of("A-1"), State::DryRunSucceeded);
}

/// Sends the account again a moment later, and returns the events in its history.
fn again(env: &TestEnv, body: &str) -> Vec<EventKind> {
    env.clock.advance(Duration::seconds(1));
    let again = create_account(&env.app, &env.caller, None, body.as_bytes());
    again.unwrap();
    events(env)
}

/// Returns the payload of [`account`] in another notation.
fn reworded(members: &str) -> String {
    let account = format!(r#"{{ {members}, "external_account_number":"A-1", "import_supplier":"ACME"}}"#);
    format!(r#"{{"payload":{account},"task_params":{{"is_dry_run":false}}}}"#)
}

#[test]
fn equal_content_in_another_notation_changes_nothing() {
    let env = TestEnv::new();
    env.create(MEMBERS);
    assert_eq!(again(&env, &account(MEMBERS)), [EventKind::Created]);
    assert_eq!(again(&env, &reworded(MEMBERS)), [EventKind::Created]);
    assert_eq!(again(&env, &reworded(OTHER)), [EventKind::Created, EventKind::Replaced]);
    let dry_run = reworded(OTHER).replace("false", "true");
    assert_eq!(again(&env, &dry_run), [EventKind::Created, EventKind::Replaced, EventKind::Replaced]);
}

/// Replaces the fingerprint, and the payload if given, of the staged account.
fn put(env: &TestEnv, fingerprint: [u8; 32], payload: Option<&[u8]>) {
    let id = env.app.as_command().erasable("ACME", "A-1").unwrap().process_id;
    let payload = payload.map(<[u8]>::to_vec);
    let put = move |tx: &mut dyn Tx| {
        let payload = payload.clone().or(tx.staged(id)?.map(|staged| staged.payload)).unwrap();
        tx.restage(id, &Staged { payload, fingerprint, ..Staged::default() })
    };
    write(&*env.store, put).unwrap_or_else(|e: StoreError| panic!("{e}"));
}

/// Earlier versions made fingerprints of the content.
#[test]
fn fingerprints_of_earlier_versions_are_compared_by_content() {
    let env = TestEnv::new();
    env.create(MEMBERS);
    put(&env, [7; 32], None);
    assert_eq!(again(&env, &account(MEMBERS)), [EventKind::Created]);
    assert_eq!(again(&env, &account(OTHER)), [EventKind::Created, EventKind::Replaced]);
}

#[test]
fn an_unreadable_payload_is_replaced() {
    let env = TestEnv::new();
    env.create(MEMBERS);
    put(&env, [7; 32], Some(b"?"));
    assert_eq!(again(&env, &account(MEMBERS)), [EventKind::Created, EventKind::Replaced]);
    env.worker.run_once().unwrap();
    assert_eq!(env.state_of("A-1"), State::Processed);
}
