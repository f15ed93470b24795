use crate::env::{TestEnv, account, ports};
use chrono::Duration;
use cutover_app::nodes::NodeDescription;
use cutover_app::port::{Node, StoreError, read};
use cutover_app::{App, Ports, Settings};
use cutover_testkit::memory::{Fault, MemoryStore};
use cutover_testkit::{FakeClock, SeededRandom, create_account};
use std::sync::Arc;

fn ids(nodes: &[Node]) -> Vec<&str> {
    nodes.iter().map(|node| node.id.as_str()).collect()
}

#[test]
fn a_node_is_listed_while_it_records_that_it_runs() {
    let (store, clock) = (Arc::<MemoryStore>::default(), Arc::new(FakeClock::of_fixtures()));
    let app =
        App::new(ports(store.clone(), clock.clone(), Arc::new(SeededRandom::new(1))), Settings::default());
    let add = |role: &str| {
        let keys = vec!["new".to_owned(), "old".to_owned()];
        let (role, version) = (role.to_owned(), "1.2.3".to_owned());
        app.add_node(NodeDescription { role, version, encryption_keys: keys }).unwrap()
    };
    let first = add("api");
    assert_eq!(app.running_nodes().unwrap(), std::slice::from_ref(&first));
    clock.advance(Duration::seconds(20));
    let second = add("worker");
    assert_ne!(first.id, second.id);
    app.renew_node(&second).unwrap();
    assert_eq!(app.running_nodes().unwrap(), [first.clone(), second.clone()]);
    clock.advance(Duration::seconds(11));
    assert_eq!(app.running_nodes().unwrap(), std::slice::from_ref(&second), "the first was silent for 31 s");
    app.renew_node(&second).unwrap();
    let all = read(&*store, |tx| tx.nodes_seen_since(chrono::DateTime::UNIX_EPOCH)).unwrap();
    assert_eq!(ids(&all), [&second.id], "running nodes remove it");
    app.renew_node(&first).unwrap();
    assert_eq!(ids(&app.running_nodes().unwrap()), [&first.id, &second.id], "it was only late");
    app.remove_node(&first).unwrap();
    assert_eq!(ids(&app.running_nodes().unwrap()), [&second.id]);
}

/// Decision 0057: reads may answer meanwhile, so the age of the last record is what tells.
#[test]
fn writes_stall_if_the_record_of_a_node_is_10_seconds_late() {
    let (store, clock) = (Arc::<MemoryStore>::default(), Arc::new(FakeClock::of_fixtures()));
    let app =
        App::new(ports(store.clone(), clock.clone(), Arc::new(SeededRandom::new(1))), Settings::default());
    clock.advance(Duration::hours(1));
    assert!(!app.writes_stall(), "it has recorded nothing");
    let (role, version) = ("api".to_owned(), "1.2.3".to_owned());
    let node = app.add_node(NodeDescription { role, version, encryption_keys: Vec::new() }).unwrap();
    store.set_fault(Some(Fault::Error(StoreError::Unavailable("on purpose".into()))));
    clock.advance(Duration::seconds(19));
    app.renew_node(&node).unwrap_err();
    assert!(!app.writes_stall());
    clock.advance(Duration::seconds(1));
    assert!(app.writes_stall());
    store.set_fault(None);
    app.renew_node(&node).unwrap();
    assert!(!app.writes_stall());
}

fn recorded_app() -> (App, Arc<MemoryStore>, Arc<FakeClock>, Node) {
    let (store, clock) = (Arc::<MemoryStore>::default(), Arc::new(FakeClock::of_fixtures()));
    let app =
        App::new(ports(store.clone(), clock.clone(), Arc::new(SeededRandom::new(1))), Settings::default());
    let (role, version) = ("api".to_owned(), "1.2.3".to_owned());
    let node = app.add_node(NodeDescription { role, version, encryption_keys: Vec::new() }).unwrap();
    (app, store, clock, node)
}

fn full() -> StoreError {
    StoreError::Unwritable("database or disk is full".into())
}

/// Decision 0057: between large writes that fail, small ones may succeed.
#[test]
fn a_refused_write_counts_for_a_minute() {
    let (app, store, clock, node) = recorded_app();
    assert_eq!(app.refused_write(), None);
    store.set_fault(Some(Fault::OfWrites(full())));
    app.add_organisation("Acme").unwrap_err();
    store.set_fault(None);
    clock.advance(Duration::seconds(59));
    app.renew_node(&node).unwrap();
    assert_eq!(app.refused_write(), Some(full()));
    clock.advance(Duration::seconds(1));
    assert_eq!(app.refused_write(), None);
}

/// A new account is no ordinary write: many share a commit.
#[test]
fn an_account_that_could_not_be_stored_counts_as_a_refused_write() {
    let store = Arc::<MemoryStore>::default();
    let given = store.clone();
    let env = TestEnv::on(|ports| Ports { store: given, ..ports });
    store.set_fault(Some(Fault::OfWrites(full())));
    let body = account("\"unknown_occupier\":true");
    assert!(create_account(&env.app, &env.caller, None, body.as_bytes()).is_err());
    assert_eq!(env.app.refused_write(), Some(full()));
}

#[test]
fn other_failures_are_no_refused_writes() {
    let (app, store, ..) = recorded_app();
    let others = [StoreError::Unavailable, StoreError::Busy, StoreError::Conflict, StoreError::Failed];
    for error in others {
        store.set_fault(Some(Fault::Error(error("on purpose".into()))));
        app.add_organisation("Acme").unwrap_err();
        assert_eq!(app.refused_write(), None);
    }
}

/// Its own record alone would not show it: it is written where the last one was.
#[test]
fn an_idle_process_notices_a_full_disk() {
    let (app, store, clock, node) = recorded_app();
    store.set_fault(Some(Fault::OfRoom(full())));
    assert_eq!(app.renew_node(&node), Err(full()));
    assert_eq!(app.refused_write(), Some(full()));
    assert!(!app.writes_stall(), "the record itself was written");
    store.set_fault(None);
    clock.advance(Duration::minutes(1));
    app.renew_node(&node).unwrap();
    assert_eq!(app.refused_write(), None);
}

/// A server may refuse to say, for example because it limits temporary files.
#[test]
fn room_that_could_not_be_found_out_is_no_fault() {
    let (app, store, _, node) = recorded_app();
    store.set_fault(Some(Fault::OfRoom(StoreError::Unavailable("on purpose".into()))));
    assert_eq!(app.renew_node(&node), Ok(()));
    assert_eq!(app.try_to_write(), Ok(()));
    assert_eq!(app.refused_write(), None);
}

#[test]
fn a_process_starts_on_a_full_disk_and_tells() {
    let store = Arc::<MemoryStore>::default();
    store.set_fault(Some(Fault::OfRoom(full())));
    let (clock, random) = (Arc::new(FakeClock::of_fixtures()), Arc::new(SeededRandom::new(1)));
    let app = App::new(ports(store, clock, random), Settings::default());
    let (role, version) = ("api".to_owned(), "1.2.3".to_owned());
    app.add_node(NodeDescription { role, version, encryption_keys: Vec::new() }).unwrap();
    assert_eq!(app.refused_write(), Some(full()));
}

/// After a failover a node must not be kept out for a minute.
#[test]
fn a_database_that_takes_writes_again_is_not_read_only_any_more() {
    let (app, store, _, node) = recorded_app();
    let read_only = StoreError::ReadOnly("cannot execute INSERT (SQLSTATE 25006)".into());
    store.set_fault(Some(Fault::OfWrites(read_only.clone())));
    assert_eq!(app.renew_node(&node), Err(read_only.clone()));
    assert_eq!(app.refused_write(), Some(read_only));
    store.set_fault(None);
    app.renew_node(&node).unwrap();
    assert_eq!(app.refused_write(), None);
}

#[test]
fn an_attempt_to_write_leaves_no_trace() {
    let (app, store, _, node) = recorded_app();
    assert_eq!(app.try_to_write(), Ok(()));
    let all = read(&*store, |tx| tx.nodes_seen_since(chrono::DateTime::UNIX_EPOCH)).unwrap();
    assert_eq!(ids(&all), [&node.id]);
    for fault in [Fault::OfWrites(full()), Fault::OfRoom(full())] {
        store.set_fault(Some(fault));
        assert_eq!(app.try_to_write(), Err(full()));
    }
}
