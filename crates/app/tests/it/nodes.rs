use crate::env::ports;
use chrono::Duration;
use cutover_app::nodes::NodeDescription;
use cutover_app::port::{Node, StoreError, read};
use cutover_app::{App, Settings};
use cutover_testkit::memory::{Fault, MemoryStore};
use cutover_testkit::{FakeClock, SeededRandom};
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
