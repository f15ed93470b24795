//! Statements whose plans were made before there was anything to plan by.

use super::house::House;
use cutover_app::Step;
use cutover_app::port::{glance, write};
use cutover_core::ExternalAccountNumber;

const MANY: &str = "INSERT INTO processes SELECT nextval('process_ids'), supplier_id, 'M-' || n, state, attempt, \
    tries, version, is_dry_run, NULL, NULL, due_at, NULL, created_at, modified_at, latest_event_at, NULL, NULL, \
    NULL, fingerprint, NULL FROM processes, generate_series(1, 20000) n";

#[test]
fn a_process_is_found_by_its_key_from_the_first_day() {
    let Some(house) = House::new() else { return };
    let body = br#"{"import_supplier":"ACME","external_account_number":"A-1","unknown_occupier":true}"#;
    let number: ExternalAccountNumber = "A-1".parse().unwrap();
    let find = || glance(&*house.store, |tx| tx.process(1, &number)).unwrap().is_some();
    let lock = || {
        let number = number.clone();
        write(&*house.store, move |tx| tx.lock_process(1, &number)).unwrap();
    };
    assert!(!find());
    lock();
    let created = house.app.create_account(&house.caller, None, body, None);
    assert_eq!(created.unwrap(), Step::Done(()));
    house.database.sql(MANY).unwrap();
    assert!(find());
    lock();
    let database = house.close();
    let read = "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'processes'";
    let read: u64 = database.sql(read).unwrap().parse().unwrap();
    assert!(read < 20_000, "{read} entries were read");
}
