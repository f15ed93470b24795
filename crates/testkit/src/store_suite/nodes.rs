//! Nodes.

use super::helpers::{at, put, see};
use cutover_app::port::{Node, Store};

fn node(id: &str, started: i64, seen: i64) -> Node {
    Node {
        id: id.into(),
        role: "worker".into(),
        version: "1.2.3".into(),
        encryption_keys: vec!["new-1".into(), "old.0".into()],
        started_at: at(started),
        seen_at: at(seen),
        refused_as_of: (seen != started).then(|| at(started)),
    }
}

fn seen_since(store: &dyn Store, seconds: i64) -> Vec<Node> {
    see(store, |tx| tx.nodes_seen_since(at(seconds)))
}

/// The id stays the same.
pub fn an_installation_has_an_id(store: &dyn Store) {
    let id = see(store, |tx| tx.installation());
    assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    assert_eq!(put(store, |tx| tx.installation()), id);
}

/// The id stays the same while the database runs.
pub fn a_history_has_an_id(store: &dyn Store) {
    let id = see(store, |tx| tx.database_history());
    assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    assert_eq!(put(store, |tx| tx.database_history()), id);
}

/// A node that is recorded again replaces its row.
pub fn nodes_read_back_the_oldest_first(store: &dyn Store) {
    let without_keys = Node { encryption_keys: Vec::new(), ..node("a", 5, 5) };
    for node in [without_keys.clone(), node("b", 1, 1), node("b", 1, 7)] {
        put(store, move |tx| tx.put_node(&node));
    }
    assert_eq!(seen_since(store, 0), [node("b", 1, 7), without_keys]);
    assert_eq!(seen_since(store, 7), [node("b", 1, 7)]);
    assert_eq!(seen_since(store, 8), []);
}

/// Nodes are removed by name, or by the time they were last seen.
pub fn nodes_are_removed(store: &dyn Store) {
    for id in ["a", "b", "c"] {
        let seen = if id == "c" { 9 } else { 3 };
        put(store, move |tx| tx.put_node(&node(id, 0, seen)));
    }
    put(store, |tx| tx.remove_node("a"));
    put(store, |tx| tx.remove_node("a"));
    assert_eq!(seen_since(store, 0), [node("b", 0, 3), node("c", 0, 9)]);
    assert_eq!(put(store, |tx| tx.remove_nodes_seen_before(at(3))), 0);
    assert_eq!(put(store, |tx| tx.remove_nodes_seen_before(at(9))), 1);
    assert_eq!(seen_since(store, 0), [node("c", 0, 9)]);
}
