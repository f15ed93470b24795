//! Refused creates (contract D13).

use crate::env::{TestEnv, account_of};
use chrono::{DateTime, Duration};
use cutover_app::port::{RefusedCreate, RefusedFault, write};
use cutover_testkit::create_account;

/// The greatest number of refused creates that is kept of a supplier.
const KEPT: u64 = 100_000;

fn refuse(env: &TestEnv, number: &str) {
    let faulty = account_of(number, r#""customers":[{"family_name":7}]"#);
    assert!(create_account(&env.app, &env.caller, None, faulty.as_bytes()).is_err());
}

/// Fills the log of a supplier up to its limit, one create a second, and returns the code of all of them.
fn fill(env: &TestEnv) -> RefusedFault {
    let cause = RefusedFault { code: "required".into(), attr: "customers".into() };
    let supplier = env.app.show_supplier("ACME").unwrap().id;
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
    refuse(&env, "N-1");
    refuse(&env, "N-2");
    // A refusal again of an account that is there takes no place of another.
    refuse(&env, "R-000024");
    let supplier = env.app.show_supplier("ACME").unwrap();
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
