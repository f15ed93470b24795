//! Suppliers of two organisations that are added or changed at the same time.

use super::house::House;
use cutover_app::operator::{OperatorError, SupplierChange};
use cutover_app::port::Supplier;
use std::thread;

/// Does both at once: neither may write before both have looked.
fn at_once(house: &House, write: impl Fn(&str, &str) -> Result<Supplier, OperatorError> + Sync) {
    // Others may read.
    let writing = house.hold("LOCK TABLE suppliers IN SHARE MODE");
    thread::scope(|scope| {
        let write = &write;
        let one = scope.spawn(move || write("A", "/docs"));
        let other = scope.spawn(move || write("B", "/docs/b"));
        house.until_waiting(2);
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
fn document_roots_that_are_added_at_once_do_not_meet() {
    let Some(house) = House::new() else { return };
    house.app.add_organisation("Other").unwrap();
    at_once(&house, |code, root| house.app.add_supplier(code, owner(code), rooted(root)));
}

#[test]
fn document_roots_that_are_changed_at_once_do_not_meet() {
    let Some(house) = House::new() else { return };
    house.app.add_organisation("Other").unwrap();
    for code in ["A", "B"] {
        house.app.add_supplier(code, owner(code), SupplierChange::default()).unwrap();
    }
    at_once(&house, |code, root| house.app.set_supplier(code, rooted(root)));
}
