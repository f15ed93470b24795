//! Refused creates.

use super::helpers::{at, on_threads, put, see, supplier};
use cutover_app::port::{RefusedCreate, RefusedFault, Store, Supplier};

fn cause(code: &str, attr: &str) -> RefusedFault {
    RefusedFault { code: code.into(), attr: attr.into() }
}

fn refused(number: &str, second: i64, causes: &[RefusedFault]) -> RefusedCreate {
    RefusedCreate { number: number.into(), refused_at: at(second), causes: causes.to_vec() }
}

fn change(
    store: &dyn Store,
    of: &Supplier,
    removed: &[RefusedCreate],
    added: &[RefusedCreate],
    without: u64,
) {
    let (id, removed, added) = (of.id, removed.to_vec(), added.to_vec());
    put(store, move |tx| {
        tx.lock_refusals(id)?;
        tx.change_refusals(id, &removed, &added, without)
    });
}

/// Rows and figures, which are kept, follow each change.
pub fn refused_creates_read_back_with_their_figures(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let (email, name) = (cause("invalid", "customers.#.email"), cause("blank", "customers.#.*"));
    let first = refused("A-1", 5, &[email.clone(), name.clone()]);
    let second = refused("A-2", 3, std::slice::from_ref(&email));
    let third = refused("B é'", 4, &[]);
    change(store, &acme, &[], &[first.clone(), second.clone(), third.clone()], 2);
    change(store, &other, &[], std::slice::from_ref(&second), 0);
    let after = |number: &str, limit| see(store, |tx| tx.refused_after(acme.id, number, limit));
    assert_eq!(after("", 9), [first.clone(), second.clone(), third.clone()]);
    assert_eq!(after("A-1", 1), std::slice::from_ref(&second));
    assert_eq!(see(store, |tx| tx.oldest_refused(acme.id, 2)), [second.clone(), third.clone()]);
    let among = see(store, |tx| tx.refused_among(acme.id, &["B é'".into(), "A-9".into()]));
    assert_eq!(among, std::slice::from_ref(&third));
    let figures = |limit| see(store, |tx| tx.refused_figures(acme.id, limit));
    assert_eq!((figures(9).accounts, figures(9).without_number), (3, 2));
    assert_eq!(figures(9).top, [(email.clone(), 2), (name.clone(), 1)]);
    assert_eq!(figures(1).top, [(email.clone(), 2)]);
    // The latest one of an account replaces the former.
    let again = refused("A-1", 9, std::slice::from_ref(&name));
    change(store, &acme, &[first, third], std::slice::from_ref(&again), 1);
    assert_eq!(after("", 9), [again, second.clone()]);
    assert_eq!((figures(9).accounts, figures(9).without_number), (2, 3));
    assert_eq!(figures(9).top, [(name, 1), (email.clone(), 1)]);
    assert_eq!(see(store, |tx| tx.refused_figures(other.id, 9)).top, [(email, 1)]);
}

/// Nodes write at the same time: the figures equal the rows.
pub fn refused_creates_of_many_nodes_are_all_counted(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let shared = cause("required", "customers");
    on_threads(4, |thread| {
        for n in 0..5 {
            let new = refused(&format!("A-{thread}-{n}"), n, std::slice::from_ref(&shared));
            change(store, &acme, &[], std::slice::from_ref(&new), 1);
            if n % 2 == 0 {
                change(store, &acme, &[new], &[], 0);
            }
        }
    });
    let figures = see(store, |tx| tx.refused_figures(acme.id, 9));
    assert_eq!((figures.accounts, figures.without_number), (8, 20));
    assert_eq!(figures.top, [(shared, 8)]);
    assert_eq!(see(store, |tx| tx.refused_after(acme.id, "", 99)).len(), 8);
}
