use crate::env::{TestEnv, account, request};
use cutover_app::operator::OperatorError;
use cutover_app::port::{Staged, StoreError, write};

const MEMBERS: &str =
    r#""customers":[{"family_name":"B"}], "transfer_balance": 10.10, "ledgers": [{"ledger_balance": 10.10}]"#;

#[test]
fn an_export_contains_the_payload_and_all_additions() {
    let env = TestEnv::with(MEMBERS);
    let note = request("notes", &[r#"{"body":"Later"}"#.to_owned()]);
    env.app.add_notes(&env.caller, note.as_bytes(), None).unwrap();
    let export = env.app.as_command().export_account("ACME", "A-1").unwrap();
    assert_eq!(export.payload.as_deref(), Some(account(MEMBERS).as_bytes()));
    let report = env.report();
    assert_eq!((&export.report.account, &export.report.history), (&report.account, &report.history));
    let imported = export.report.account.unwrap();
    assert_eq!(imported.account.transfer_balance.unwrap().as_sent(), "10.10");
    assert_eq!(imported.account.notes.unwrap().len(), 1);
    assert_eq!(export.supplier, "ACME");
}

#[test]
fn an_unreadable_account_is_not_exported_in_part() {
    let env = TestEnv::with(MEMBERS);
    let id = env.app.as_command().erasable("ACME", "A-1").unwrap().process_id;
    let broken = Staged { payload: b"?".to_vec(), fingerprint: [0; 32], ..Staged::default() };
    write(&*env.store, move |tx| tx.restage(id, &broken)).unwrap_or_else(|e: StoreError| panic!("{e}"));
    let failed = env.app.as_command().export_account("ACME", "A-1");
    assert!(matches!(failed, Err(OperatorError::Store(StoreError::Corrupt(_)))), "{failed:?}");
}
