//! Changes of suppliers of two organisations at the same time.

use super::environment::TestEnvironment;
use cutover_app::operator::{OperatorError, SupplierChange};
use cutover_app::port::Supplier;
use std::thread;

/// Runs both changes at once: both have checked their document roots before either writes.
fn at_once(env: &TestEnvironment, write: impl Fn(&str, &str) -> Result<Supplier, OperatorError> + Sync) {
    // This lock allows reads.
    let writing = env.hold("LOCK TABLE suppliers IN SHARE MODE");
    thread::scope(|scope| {
        let write = &write;
        let one = scope.spawn(move || write("A", "/docs"));
        let other = scope.spawn(move || write("B", "/docs/b"));
        env.until_waiting(2);
        drop(writing);
        let refused = [one.join().unwrap(), other.join().unwrap()].into_iter().filter_map(Result::err);
        assert!(matches!(refused.collect::<Vec<_>>()[..], [OperatorError::Refused(_)]));
    });
}

fn rooted(root: &str) -> SupplierChange {
    SupplierChange { document_root: Some(root.to_owned()), ..SupplierChange::default() }
}

fn owner(code: &str) -> &'static str {
    if code == "A" { "Acme" } else { "Other" }
}

#[test]
fn document_roots_that_are_added_at_once_do_not_overlap() {
    let Some(env) = TestEnvironment::new() else { return };
    env.app.add_organisation("Other").unwrap();
    at_once(&env, |code, root| env.app.as_command().add_supplier(code, owner(code), rooted(root)));
}

#[test]
fn document_roots_that_are_changed_at_once_do_not_overlap() {
    let Some(env) = TestEnvironment::new() else { return };
    env.app.add_organisation("Other").unwrap();
    for code in ["A", "B"] {
        env.app.as_command().add_supplier(code, owner(code), SupplierChange::default()).unwrap();
    }
    at_once(&env, |code, root| env.app.as_command().set_supplier(code, rooted(root)));
}
