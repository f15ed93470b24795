//! Claims of several nodes at the same time.

use super::environment::TestEnvironment;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{FairShares, StoreError, StoredProcess, write};
use cutover_store::PostgresStore;
use cutover_testkit::create_account;
use std::sync::mpsc;
use std::thread;

/// Number of processes that a worker claims.
const CLAIM: u32 = 16;

/// Adds a supplier with pending accounts.
fn add(env: &TestEnvironment, code: &str, most: Option<u32>, accounts: usize) {
    let change = SupplierChange { max_concurrent_imports: Some(most), ..SupplierChange::default() };
    env.app.as_command().add_supplier(code, "Acme", change).unwrap();
    for n in 0..accounts {
        let body = format!(
            r#"{{"import_supplier":"{code}","external_account_number":"{code}-{n}","unknown_occupier":true}}"#
        );
        let created = create_account(&env.app, &env.caller, None, body.as_bytes());
        created.unwrap();
    }
}

/// Claims due processes and calls `hold` before the end of the transaction. Returns their suppliers.
fn claim(store: &PostgresStore, hold: impl FnOnce(&[StoredProcess]) + Send + 'static) -> Vec<String> {
    let due = write(store, |tx| {
        let due = tx.due_processes("2026-11-21T03:00:00Z".parse().unwrap(), CLAIM, &FairShares::default())?;
        hold(&due);
        Ok::<_, StoreError>(due)
    });
    due.unwrap().iter().map(|due| due.process.snapshot().supplier.to_string()).collect()
}

#[test]
fn suppliers_that_a_node_claims_from_do_not_hide_the_others() {
    let Some(env) = TestEnvironment::new() else { return };
    for n in 0..CLAIM {
        add(&env, &format!("S{n:02}"), Some(5), 1);
    }
    add(&env, "T", Some(5), 6);
    add(&env, "U", None, 12);
    let ((taken, is_taken), (go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
    thread::scope(|scope| {
        // Dropped if the test fails, which ends the other thread.
        let go = go;
        let store = &env.store;
        let first = scope.spawn(move || {
            claim(store, move |due| {
                taken.send(due.len()).unwrap();
                let _ = may_go.recv();
            })
        });
        assert_eq!(is_taken.recv().unwrap(), CLAIM as usize);
        let second = claim(store, |_| {});
        let of = |code: &str| second.iter().filter(|supplier| *supplier == code).count();
        assert_eq!((of("T"), of("U"), second.len()), (5, 11, 16));
        go.send(()).unwrap();
        assert!(first.join().unwrap().iter().all(|supplier| supplier.starts_with('S')));
    });
}

#[test]
fn a_supplier_whose_accounts_others_hold_does_not_hold_up_the_rest() {
    let Some(env) = TestEnvironment::new() else { return };
    for n in 0..CLAIM {
        add(&env, &format!("S{n:02}"), None, 1);
    }
    add(&env, "T", None, 1);
    let mut others = env.hold("SELECT 1 FROM processes WHERE external_account_number LIKE 'S%' FOR UPDATE");
    assert_eq!(claim(&env.store, |_| {}), ["T"]);
    others.run("ROLLBACK").unwrap();
    let claimed = claim(&env.store, |_| {});
    assert_eq!(claimed.len(), CLAIM as usize);
    assert_eq!(claimed[0], "S00");
}
