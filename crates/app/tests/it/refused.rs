//! Refused creates (contract D13).

use crate::env::{TestEnv, ports};
use chrono::{DateTime, Duration, Utc};
use cutover_app::nodes::NodeDescription;
use cutover_app::operator::{Checks, Services};
use cutover_app::port::{Clock, Node, RefusedCreate, RefusedFault, StoreError, write};
use cutover_app::{App, Settings};
use cutover_testkit::SeededRandom;
use cutover_testkit::memory::{Fault, MemoryStore};
use std::sync::Arc;

/// The greatest number of refused creates that is kept of a supplier.
const KEPT: u64 = 100_000;

/// Another process over the same store.
fn beside(env: &TestEnv) -> App {
    let ports = cutover_app::Ports {
        store: env.store.clone(),
        ..ports(Arc::<MemoryStore>::default(), env.clock.clone(), Arc::new(SeededRandom::new(2)))
    };
    App::new(ports, Settings::default())
}

fn node(app: &App) -> Node {
    let (role, version) = ("all".to_owned(), "1.2.3".to_owned());
    app.add_node(NodeDescription { role, version, encryption_keys: Vec::new() }).unwrap()
}

/// The number of refused accounts in a certificate, and the time of which it is.
fn certified(app: &App) -> (u64, DateTime<Utc>) {
    let certificate = app.as_command().issue_certificate("ACME").unwrap().certificate;
    (certificate.refused_accounts, certificate.refused_as_of.unwrap().parse().unwrap())
}

fn ready_as_of(app: &App) -> DateTime<Utc> {
    app.as_command().readiness("ACME", &Services::default(), Checks::All).unwrap().as_of
}

fn stored(env: &TestEnv) -> u64 {
    let other = beside(env);
    other.refused_figures(&other.as_command().show_supplier("ACME").unwrap()).unwrap().accounts
}

#[test]
fn answers_count_what_was_refused_just_before() {
    let env = TestEnv::new();
    node(&env.app);
    env.clock.advance(Duration::seconds(3));
    env.refuse("A-1");
    env.clock.advance(Duration::milliseconds(1));
    assert_eq!(certified(&env.app), (1, env.clock.now()));
    env.app.as_command().start_run("ACME", "first").unwrap();
    env.refuse("A-2");
    assert_eq!(stored(&env), 1);
    env.app.as_command().end_run("ACME").unwrap();
    assert_eq!(stored(&env), 2);
    env.refuse("A-3");
    env.clock.advance(Duration::milliseconds(1));
    assert_eq!((ready_as_of(&env.app), stored(&env)), (env.clock.now(), 3));
    env.refuse("A-4");
    env.app.as_command().show_progress("ACME").unwrap();
    assert_eq!(stored(&env), 4);
}

/// It cannot write what another one has in memory, so it says of which time it is.
#[test]
fn answers_of_another_process_are_of_the_time_that_every_node_has_written() {
    let env = TestEnv::new();
    let (node, command) = (node(&env.app), beside(&env));
    let started_at = env.clock.now();
    env.clock.advance(Duration::seconds(3));
    env.refuse("A-1");
    env.clock.advance(Duration::milliseconds(1));
    assert_eq!(certified(&command), (0, started_at));
    assert_eq!(ready_as_of(&command), started_at);
    env.app.record_refused_of(&node).unwrap();
    let written_at = env.clock.now();
    env.clock.advance(Duration::seconds(1));
    assert_eq!((certified(&command), ready_as_of(&command)), ((1, written_at), written_at));
    // Without refused creates nothing is written between two heartbeats.
    env.app.record_refused_of(&node).unwrap();
    assert_eq!(ready_as_of(&command), written_at);
    env.app.renew_node(&node).unwrap();
    assert_eq!(ready_as_of(&command), env.clock.now());
    // A node that is gone holds nothing back.
    env.clock.advance(Duration::seconds(31));
    assert_eq!(ready_as_of(&command), env.clock.now());
}

/// Those of a flood follow later, and so do those that could not be written: answers are of the time before.
#[test]
fn answers_are_of_the_time_before_what_is_left_to_write() {
    let env = TestEnv::new();
    let (node, command) = (node(&env.app), beside(&env));
    let begun = env.clock.now();
    for n in 0..5_002 {
        env.refuse(&format!("A-{n}"));
        env.clock.advance(Duration::microseconds(1));
    }
    assert_eq!(certified(&env.app), (5_000, begun));
    env.app.renew_node(&node).unwrap();
    assert_eq!(certified(&command), (5_000, begun));
    env.clock.advance(Duration::seconds(1));
    assert_eq!(certified(&env.app), (5_002, env.clock.now()));
}

#[test]
fn creates_that_could_not_be_written_are_kept() {
    let store = Arc::<MemoryStore>::default();
    let env = TestEnv::on(|ports| cutover_app::Ports { store: store.clone(), ..ports });
    env.refuse("A-1");
    store.set_fault(Some(Fault::Error(StoreError::Unavailable("on purpose".into()))));
    env.app.record_refused().unwrap_err();
    store.set_fault(None);
    assert_eq!(stored(&env), 0);
    env.app.record_refused().unwrap();
    assert_eq!(stored(&env), 1);
}

/// Fills the log of a supplier up to its limit, one create a second, and returns the code of all of them.
fn fill(env: &TestEnv) -> RefusedFault {
    let cause = RefusedFault { code: "required".into(), attr: "customers".into() };
    let supplier = env.app.as_command().show_supplier("ACME").unwrap().id;
    let causes = vec![cause.clone()];
    write(&*env.store, move |tx| {
        tx.lock_refusals(supplier)?;
        let refused_at = |n| DateTime::UNIX_EPOCH + Duration::seconds(n);
        let old = (0..100_000).map(|n| RefusedCreate {
            // The numbers do not follow the times.
            number: format!("R-{:06}", (n * 7 + 3) % 100_000),
            refused_at: refused_at(n),
            causes: causes.clone(),
        });
        tx.change_refusals(supplier, &[], &old.collect::<Vec<_>>(), 0)
    })
    .unwrap();
    cause
}

#[test]
fn the_oldest_refused_creates_go_first() {
    let env = TestEnv::new();
    let cause = fill(&env);
    env.refuse("N-1");
    env.refuse("N-2");
    // A refusal again of an account that is there takes no place of another.
    env.refuse("R-000024");
    let supplier = env.app.as_command().show_supplier("ACME").unwrap();
    let figures = env.app.refused_figures(&supplier).unwrap();
    assert_eq!(figures.accounts, KEPT);
    let top =
        figures.top.iter().map(|(cause, accounts)| (cause.code.as_str(), *accounts)).collect::<Vec<_>>();
    assert_eq!((figures.top[0].0 == cause, top[0].1, top[1].1), (true, KEPT - 3, 3), "{top:?}");
    let mut kept = Vec::new();
    env.app.each_refused(&supplier, |refused| kept.push(refused.external_account_number)).unwrap();
    assert_eq!(kept.len() as u64, KEPT);
    for (number, is_kept) in [
        ("N-1", true),
        ("N-2", true),
        ("R-000003", false),
        ("R-000010", false),
        ("R-000017", true),
        ("R-000024", true),
    ] {
        assert_eq!(kept.iter().any(|of| of == number), is_kept, "{number}");
    }
}
