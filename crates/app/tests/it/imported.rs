use crate::env::TestEnv;
use cutover_app::account::{ImportCursor, ImportedAccounts, ImportedRefused};
use cutover_app::operator::SupplierChange;

fn numbers(page: &ImportedAccounts) -> Vec<&str> {
    page.accounts.iter().map(|(_, account)| account.account.external_account_number.as_sent()).collect()
}

fn env(count: u32) -> TestEnv {
    let env = TestEnv::new();
    for n in 0..count {
        env.create_as(&format!("A-{n}"), r#""billing_name":"B""#);
        env.clock.advance(chrono::Duration::seconds(1));
        env.worker.run_once().unwrap();
    }
    env
}

/// The operator reads the same pages as a reader.
#[test]
fn pages_go_on_from_their_cursors() {
    let env = env(5);
    let acme = env.app.as_command().show_supplier("ACME").unwrap();
    let first = env.app.imported_accounts_of(&acme, None, 3).unwrap();
    assert_eq!((numbers(&first), first.has_more), (vec!["A-0", "A-1", "A-2"], true));
    assert_eq!(env.app.imported_accounts(&env.caller, " ACME ", None, 3).unwrap(), first);
    // Another account is imported: the end of the feed remains that of the first page.
    env.create_as("A-9", r#""billing_name":"B""#);
    env.clock.advance(chrono::Duration::seconds(1));
    env.worker.run_once().unwrap();
    let (cursor, _) = first.accounts[2];
    let rest = env.app.imported_accounts_of(&acme, Some(cursor), 9).unwrap();
    assert_eq!((numbers(&rest), rest.has_more), (vec!["A-3", "A-4", "A-9"], false));
    assert_eq!(rest.events_after, first.events_after);
    assert!(env.app.imported_accounts_of(&acme, None, 1).unwrap().events_after > first.events_after);
    let of_another = ImportCursor { supplier_id: cursor.supplier_id + 1, ..cursor };
    let refused = env.app.imported_accounts_of(&acme, Some(of_another), 9);
    assert!(matches!(refused, Err(ImportedRefused::OtherSupplier)), "{refused:?}");
    for code in ["NONE", "", "%"] {
        let refused = env.app.imported_accounts(&env.caller, code, None, 9);
        assert!(matches!(refused, Err(ImportedRefused::UnknownSupplier)), "{refused:?}");
    }
}

#[test]
fn accounts_are_found_by_their_numbers() {
    let env = env(3);
    env.app.as_command().add_supplier("OTHER", "Acme", SupplierChange::default()).unwrap();
    let [acme, other] = ["ACME", "OTHER"].map(|code| env.app.as_command().show_supplier(code).unwrap());
    let numbers = ["A-2", "NONE", "A-0"].map(|number| number.parse().unwrap());
    let (found, looked_up) = env.app.imported_accounts_by_number(&acme, &numbers).unwrap();
    let of = |n: usize| found[n].account.external_account_number.as_sent();
    assert_eq!((found.len(), of(0), of(1), looked_up), (2, "A-2", "A-0", 3));
    assert_eq!(env.app.imported_accounts_by_number(&other, &numbers).unwrap(), (Vec::new(), 3));
    assert_eq!(env.app.imported_accounts_by_number(&acme, &[]).unwrap(), (Vec::new(), 0));
}
