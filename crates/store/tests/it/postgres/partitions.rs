//! Partitions of payloads and history: they exist before they are needed, and archived ones are emptied whole.

use super::house::House;
use cutover_app::port::{StoreError, read, read_committed, write};
use cutover_testkit::create_account;
use diesel::connection::SimpleConnection;
use std::thread;

/// The number of process keys in a partition.
const SIZE: i64 = 1 << 22;
/// One more than a rewritten partition may keep.
const MANY: usize = 1_001;

fn create(house: &House, number: &str) {
    let body = format!(
        r#"{{"import_supplier":"ACME","external_account_number":"{number}","unknown_occupier":true}}"#
    );
    let created = create_account(&house.app, &house.caller, None, body.as_bytes());
    created.unwrap();
}

fn key(house: &House, number: &str) -> i64 {
    let key = format!("SELECT id FROM processes WHERE external_account_number = '{number}'");
    house.database.sql(&key).unwrap().parse().unwrap()
}

/// Cancels processes and marks them as archived, as a run that was cut off leaves them.
fn archive(house: &House, numbers: &str) {
    let archive = format!(
        "UPDATE processes SET state = 'CANCELLED', archived_at = modified_at \
         WHERE external_account_number LIKE '{numbers}'"
    );
    house.database.sql(&archive).unwrap();
}

/// Pending processes with payloads and histories.
fn add_many(house: &House) {
    let many = format!(
        "INSERT INTO processes SELECT nextval('process_ids'), supplier_id, 'M-' || n, state, attempt, tries, version, \
         is_dry_run, NULL, NULL, due_at, NULL, created_at, modified_at, latest_event_at, NULL, NULL, NULL, fingerprint, \
         NULL FROM processes, generate_series(1, {MANY}) n WHERE external_account_number = 'A-1'; \
         INSERT INTO payloads SELECT m.id, payload FROM payloads y JOIN processes a ON a.id = y.process_id, processes m \
         WHERE a.external_account_number = 'A-1' AND m.external_account_number LIKE 'M-%'; \
         INSERT INTO process_history SELECT m.id, h.version, event, from_state, to_state, occurred_at, h.attempt, actor \
         FROM process_history h JOIN processes a ON a.id = h.process_id, processes m \
         WHERE a.external_account_number = 'A-1' AND m.external_account_number LIKE 'M-%'"
    );
    house.database.sql(&many).unwrap();
}

/// Removes the rows of archived processes; returns the number of transactions.
fn remove(house: &House) -> usize {
    let (mut next, mut steps) = (Some(0), 0);
    while let Some(from) = next {
        next = write(&*house.store, move |tx| tx.remove_archived(from)).unwrap();
        steps += 1;
    }
    steps
}

/// The files of the first partitions. A rewritten partition has a new one.
fn files(house: &House) -> String {
    let files = "SELECT pg_relation_filenode('payloads_0'), pg_relation_filenode('process_history_0')";
    house.database.sql(files).unwrap()
}

/// The number of payloads and of rows of history.
fn left(house: &House) -> (usize, usize) {
    let count = |table| {
        house.database.sql(&format!("SELECT count(*) FROM {table}")).unwrap().parse::<usize>().unwrap()
    };
    (count("payloads"), count("process_history"))
}

#[test]
fn there_is_a_partition_before_its_first_process() {
    let Some(house) = House::new() else { return };
    let reach = |key: i64| {
        house.database.sql(&format!("SELECT setval('process_ids', {key})")).unwrap();
        read_committed(&*house.store, |tx| tx.has_partitions()).unwrap()
    };
    assert!(reach(SIZE - 1));
    assert!(!reach(SIZE));
    house.app.add_partitions().unwrap();
    assert!(reach(SIZE));
    assert!(reach(2 * SIZE - 1));
    assert!(reach(SIZE + 7));
    house.app.add_partitions().unwrap();
    create(&house, "A-1");
    assert_eq!(key(&house, "A-1"), SIZE + 8);
    let rows = "SELECT count(*) FROM payloads_1 JOIN process_history_1 USING (process_id)";
    assert_eq!(house.database.sql(rows).unwrap(), "1");
    // Each as the first is.
    let options = "SELECT DISTINCT reloptions, relkind FROM pg_class WHERE relname ~ '^payloads_[0-9]+$'";
    assert_eq!(house.database.sql(options).unwrap(), "{toast_tuple_target=8160}|r");
    let storage = "SELECT DISTINCT attstorage FROM pg_attribute WHERE attname = 'payload'";
    assert_eq!(house.database.sql(storage).unwrap(), "e");
}

#[test]
fn room_is_added_while_a_backup_reads_the_tables() {
    let Some(house) = House::new() else { return };
    let _backup = house.hold("LOCK TABLE payloads, process_history IN ACCESS SHARE MODE");
    let _create = house.hold("LOCK TABLE payloads, process_history IN ROW EXCLUSIVE MODE");
    house.database.sql(&format!("SELECT setval('process_ids', {})", 3 * SIZE)).unwrap();
    house.app.add_partitions().unwrap();
    assert_eq!(read_committed(&*house.store, |tx| tx.has_partitions()), Ok(true));
}

#[test]
fn a_partition_of_which_little_stays_is_written_anew() {
    let Some(house) = House::new() else { return };
    for number in ["A-1", "B-1", "B-2"] {
        create(&house, number);
    }
    add_many(&house);
    archive(&house, "M-%");
    let before = files(&house);
    assert_eq!(left(&house), (MANY + 3, MANY + 3));
    assert_eq!(remove(&house), 2);
    assert_eq!(left(&house), (3, 3));
    let after = files(&house);
    assert_ne!(before, after);
    let size = "SELECT pg_relation_size('payloads_0') + pg_relation_size('process_history_0')";
    assert_eq!(house.database.sql(size).unwrap(), (2 * 8192).to_string());
    // The others are unchanged, and a second run has nothing to do.
    let id = key(&house, "B-1");
    assert!(read(&*house.store, |tx| tx.staged(id)).unwrap().is_some());
    assert_eq!(read(&*house.store, |tx| tx.history(id)).unwrap().len(), 1);
    assert_eq!(remove(&house), 2);
    assert_eq!(files(&house), after);
}

#[test]
fn where_much_stays_rows_are_removed_one_by_one() {
    let Some(house) = House::new() else { return };
    for number in ["A-1", "B-1", "B-2"] {
        create(&house, number);
    }
    add_many(&house);
    archive(&house, "B-%");
    let before = files(&house);
    remove(&house);
    assert_eq!(left(&house), (MANY + 1, MANY + 1));
    assert_eq!(files(&house), before);
}

#[test]
fn of_a_small_partition_rows_are_removed_one_by_one() {
    let Some(house) = House::new() else { return };
    create(&house, "A-1");
    create(&house, "B-1");
    archive(&house, "B-%");
    let before = files(&house);
    assert_eq!(remove(&house), 2);
    assert_eq!(left(&house), (1, 1));
    assert_eq!(files(&house), before);
}

#[test]
fn of_a_partition_in_use_rows_are_removed_one_by_one() {
    let Some(house) = House::new() else { return };
    create(&house, "A-1");
    add_many(&house);
    archive(&house, "M-%");
    let before = files(&house);
    let _backup = house.hold("LOCK TABLE payloads IN ACCESS SHARE MODE");
    remove(&house);
    assert_eq!(left(&house), (1, 1));
    assert_eq!(files(&house), before);
}

/// A process that is sent again keeps its rows: the removal waits for it and then finds it not archived.
fn what_is_sent_again_stays(archived: &str, adds_many: bool, expected: usize) {
    let Some(house) = House::new() else { return };
    create(&house, "A-1");
    create(&house, "B-1");
    if adds_many {
        add_many(&house);
    }
    archive(&house, archived);
    let mut again = house.hold(
        "UPDATE processes SET state = 'PENDING', archived_at = NULL WHERE external_account_number = 'B-1'; \
         UPDATE payloads SET payload = 'again' \
         WHERE process_id = (SELECT id FROM processes WHERE external_account_number = 'B-1')",
    );
    thread::scope(|scope| {
        let removed = scope.spawn(|| remove(&house));
        house.until_waiting(1);
        again.batch_execute("COMMIT").unwrap();
        removed.join().unwrap();
    });
    assert_eq!(left(&house), (expected, expected));
    let id = key(&house, "B-1");
    let payload = read(&*house.store, |tx| Ok::<_, StoreError>(tx.staged(id)?.map(|staged| staged.payload)));
    assert_eq!(payload, Ok(Some(b"again".to_vec())));
}

#[test]
fn what_is_sent_again_while_a_partition_is_rewritten_stays() {
    what_is_sent_again_stays("%", true, 1);
}

#[test]
fn what_is_sent_again_while_rows_of_a_range_are_removed_stays() {
    what_is_sent_again_stays("B-%", true, MANY + 2);
}

#[test]
fn what_is_sent_again_while_rows_of_a_small_partition_are_removed_stays() {
    what_is_sent_again_stays("%", false, 1);
}
