//! Partitions of payloads and history: they exist before they are needed, and archived ones are emptied at
//! once.

use super::environment::TestEnvironment;
use cutover_app::port::{StoreError, read, read_committed, write};
use std::thread;

/// Number of process keys in a partition.
const SIZE: i64 = 1 << 22;
/// One more process than a rewritten partition may keep.
const MANY: usize = 1_001;

fn key(env: &TestEnvironment, number: &str) -> i64 {
    let key = format!("SELECT id FROM processes WHERE external_account_number = '{number}'");
    env.database.sql(&key).unwrap().parse().unwrap()
}

/// Cancels processes and marks them as archived, like an interrupted run.
fn archive(env: &TestEnvironment, numbers: &str) {
    let archive = format!(
        "UPDATE processes SET state = 'CANCELLED', archived_at = modified_at \
         WHERE external_account_number LIKE '{numbers}'"
    );
    env.database.sql(&archive).unwrap();
}

/// Adds pending processes with payloads and histories.
fn add_many(env: &TestEnvironment) {
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
    env.database.sql(&many).unwrap();
}

/// Removes the rows of archived processes. Returns the number of transactions.
fn remove(env: &TestEnvironment) -> usize {
    let (mut next, mut steps) = (Some(0), 0);
    while let Some(from) = next {
        next = write(&*env.store, move |tx| tx.remove_archived(from)).unwrap();
        steps += 1;
    }
    steps
}

/// Returns the files of the first partitions. A rewritten partition has a new one.
fn files(env: &TestEnvironment) -> String {
    let files = "SELECT pg_relation_filenode('payloads_0'), pg_relation_filenode('process_history_0')";
    env.database.sql(files).unwrap()
}

/// Returns the numbers of payloads and of rows of history.
fn left(env: &TestEnvironment) -> (usize, usize) {
    let count =
        |table| env.database.sql(&format!("SELECT count(*) FROM {table}")).unwrap().parse::<usize>().unwrap();
    (count("payloads"), count("process_history"))
}

#[test]
fn there_is_a_partition_before_its_first_process() {
    let Some(env) = TestEnvironment::new() else { return };
    let reach = |key: i64| {
        env.database.sql(&format!("SELECT setval('process_ids', {key})")).unwrap();
        read_committed(&*env.store, |tx| tx.has_partitions()).unwrap()
    };
    assert!(reach(SIZE - 1));
    assert!(!reach(SIZE));
    env.app.add_partitions().unwrap();
    assert!(reach(SIZE));
    assert!(reach(2 * SIZE - 1));
    assert!(reach(SIZE + 7));
    env.app.add_partitions().unwrap();
    env.create("A-1");
    assert_eq!(key(&env, "A-1"), SIZE + 8);
    let rows = "SELECT count(*) FROM payloads_1 JOIN process_history_1 USING (process_id)";
    assert_eq!(env.database.sql(rows).unwrap(), "1");
    // Each is like the first one.
    let options = "SELECT DISTINCT reloptions, relkind FROM pg_class WHERE relname ~ '^payloads_[0-9]+$'";
    assert_eq!(env.database.sql(options).unwrap(), "{toast_tuple_target=8160}|r");
    let storage = "SELECT DISTINCT attstorage FROM pg_attribute WHERE attname = 'payload'";
    assert_eq!(env.database.sql(storage).unwrap(), "e");
}

#[test]
fn partitions_are_added_while_a_backup_reads_the_tables() {
    let Some(env) = TestEnvironment::new() else { return };
    let _backup = env.hold("LOCK TABLE payloads, process_history IN ACCESS SHARE MODE");
    let _create = env.hold("LOCK TABLE payloads, process_history IN ROW EXCLUSIVE MODE");
    env.database.sql(&format!("SELECT setval('process_ids', {})", 3 * SIZE)).unwrap();
    env.app.add_partitions().unwrap();
    assert_eq!(read_committed(&*env.store, |tx| tx.has_partitions()), Ok(true));
}

#[test]
fn a_partition_with_few_remaining_rows_is_rewritten() {
    let Some(env) = TestEnvironment::new() else { return };
    for number in ["A-1", "B-1", "B-2"] {
        env.create(number);
    }
    add_many(&env);
    archive(&env, "M-%");
    let before = files(&env);
    assert_eq!(left(&env), (MANY + 3, MANY + 3));
    assert_eq!(remove(&env), 2);
    assert_eq!(left(&env), (3, 3));
    let after = files(&env);
    assert_ne!(before, after);
    let size = "SELECT pg_relation_size('payloads_0') + pg_relation_size('process_history_0')";
    assert_eq!(env.database.sql(size).unwrap(), (2 * 8192).to_string());
    // The others are unchanged, and a second run has nothing to do.
    let id = key(&env, "B-1");
    assert!(read(&*env.store, |tx| tx.staged(id)).unwrap().is_some());
    assert_eq!(read(&*env.store, |tx| tx.history(id)).unwrap().len(), 1);
    assert_eq!(remove(&env), 2);
    assert_eq!(files(&env), after);
}

#[test]
fn in_a_partition_with_many_remaining_rows_rows_are_removed_one_by_one() {
    let Some(env) = TestEnvironment::new() else { return };
    for number in ["A-1", "B-1", "B-2"] {
        env.create(number);
    }
    add_many(&env);
    archive(&env, "B-%");
    let before = files(&env);
    remove(&env);
    assert_eq!(left(&env), (MANY + 1, MANY + 1));
    assert_eq!(files(&env), before);
}

#[test]
fn in_a_small_partition_rows_are_removed_one_by_one() {
    let Some(env) = TestEnvironment::new() else { return };
    env.create("A-1");
    env.create("B-1");
    archive(&env, "B-%");
    let before = files(&env);
    assert_eq!(remove(&env), 2);
    assert_eq!(left(&env), (1, 1));
    assert_eq!(files(&env), before);
}

#[test]
fn in_a_partition_in_use_rows_are_removed_one_by_one() {
    let Some(env) = TestEnvironment::new() else { return };
    env.create("A-1");
    add_many(&env);
    archive(&env, "M-%");
    let before = files(&env);
    let _backup = env.hold("LOCK TABLE payloads IN ACCESS SHARE MODE");
    remove(&env);
    assert_eq!(left(&env), (1, 1));
    assert_eq!(files(&env), before);
}

/// Checks that a process that is sent again keeps its rows: the removal waits for it and then finds it not
/// archived.
fn resubmission_is_kept(archived: &str, adds_many: bool, expected: usize) {
    let Some(env) = TestEnvironment::new() else { return };
    env.create("A-1");
    env.create("B-1");
    if adds_many {
        add_many(&env);
    }
    archive(&env, archived);
    let mut again = env.hold(
        "UPDATE processes SET state = 'PENDING', archived_at = NULL WHERE external_account_number = 'B-1'; \
         UPDATE payloads SET payload = 'again' \
         WHERE process_id = (SELECT id FROM processes WHERE external_account_number = 'B-1')",
    );
    thread::scope(|scope| {
        let removed = scope.spawn(|| remove(&env));
        env.until_waiting(1);
        again.run("COMMIT").unwrap();
        removed.join().unwrap();
    });
    assert_eq!(left(&env), (expected, expected));
    let id = key(&env, "B-1");
    let payload = read(&*env.store, |tx| Ok::<_, StoreError>(tx.staged(id)?.map(|staged| staged.payload)));
    assert_eq!(payload, Ok(Some(b"again".to_vec())));
}

#[test]
fn a_resubmission_while_a_partition_is_rewritten_is_kept() {
    resubmission_is_kept("%", true, 1);
}

#[test]
fn a_resubmission_while_rows_of_a_range_are_removed_is_kept() {
    resubmission_is_kept("B-%", true, MANY + 2);
}

#[test]
fn a_resubmission_while_rows_of_a_small_partition_are_removed_is_kept() {
    resubmission_is_kept("%", false, 1);
}
