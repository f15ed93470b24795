use crate::house::{House, account, request};
use cutover_app::operator::OperatorError;
use cutover_app::port::{Staged, StoreError, write};

const MEMBERS: &str = r#""customers":[{"family_name":"B"}], "transfer_balance": 10.10"#;

#[test]
fn an_export_is_what_was_sent_and_what_was_added() {
    let house = House::with(MEMBERS);
    let note = request("notes", &[r#"{"body":"Later"}"#.to_owned()]);
    house.app.add_notes(&house.caller, note.as_bytes(), None).unwrap();
    let export = house.app.export_account("ACME", "A-1").unwrap();
    assert_eq!(export.payload.as_deref(), Some(account(MEMBERS).as_bytes()));
    let report = house.report();
    assert_eq!((&export.report.account, &export.report.history), (&report.account, &report.history));
    let imported = export.report.account.unwrap();
    assert_eq!(imported.account.transfer_balance.unwrap().as_sent(), "10.10");
    assert_eq!(imported.account.notes.unwrap().len(), 1);
    assert_eq!(export.supplier, "ACME");
}

#[test]
fn what_cannot_be_read_is_not_exported_in_part() {
    let house = House::with(MEMBERS);
    let id = house.app.erasable("ACME", "A-1").unwrap().process_id;
    let broken = Staged { payload: b"?".to_vec(), fingerprint: [0; 32] };
    write(&*house.store, move |tx| tx.restage(id, &broken)).unwrap_or_else(|e: StoreError| panic!("{e}"));
    let failed = house.app.export_account("ACME", "A-1");
    assert!(matches!(failed, Err(OperatorError::Store(StoreError::Corrupt(_)))), "{failed:?}");
}
