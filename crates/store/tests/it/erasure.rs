//! Tests that nothing is left of an erased account, in any table or in the bytes on the disk. They also find
//! tables that are added later.

use crate::databases::{of_file, postgres_store};
use chrono::{DateTime, Utc};
use cutover_app::port::{Store, StoreError, Traces, read, write};
use cutover_store::{Options, SqliteStore};
use cutover_testkit::store_suite::erasure::{CANARIES, erase, furnish};
use cutover_testkit::store_suite::supplier_erasure;
use cutover_testkit_machine::wait_until;
use diesel::prelude::*;
use diesel::sql_types::Text;
use std::path::Path;

/// The table that names an erased account on purpose, by our key.
const AUDIT_TRAIL: &str = "audit_trail";
/// The table that has nothing of an imported account. The story `the_previous_attempt_goes_with_the_account` erases one
/// that failed.
const PREVIOUS_ATTEMPTS: &str = "previous_attempts";

/// Erases an account that has rows in every table and checks that nothing is left. `of_process` and `dump`
/// read the database without the store.
fn check_erasure(
    store: &dyn Store,
    tables: &[(String, String)],
    of_process: &dyn Fn(&str, &str, i64) -> u64,
    dump: &dyn Fn() -> String,
) {
    let id = furnish(store);
    let acme = read(store, |tx| tx.supplier(&"ACME".parse().unwrap())).unwrap().unwrap();
    assert!(tables.len() > 20, "{tables:?}");
    for (table, column) in tables {
        assert_ne!(of_process(table, column, id), 0, "{table} has nothing of the account: furnish it");
    }
    let text = dump();
    let unseen: Vec<_> = CANARIES.iter().filter(|canary| !text.contains(**canary)).collect();
    assert!(unseen.is_empty(), "{unseen:?}");
    let erased = erase(store, &acme, id);
    for (table, column) in tables {
        assert_eq!(of_process(table, column, id), 0, "{table} still has rows of the account");
        assert!(erased.iter().any(|(name, rows)| name == table && *rows > 0), "{table} is not reported");
    }
    assert_eq!(erased.len(), tables.len());
    forget_events(store, dump);
    let text = dump();
    for canary in CANARIES {
        assert!(!text.contains(canary), "{canary} is still stored");
    }
}

/// Lets the events of the feed expire: numbers of an erased account stay in it for as long as events are kept. On a
/// database server the latest events wait for transactions that are open.
fn forget_events(store: &dyn Store, dump: &dyn Fn() -> String) {
    wait_until("events expire", || {
        write(store, |tx| tx.expire_events(DateTime::<Utc>::MAX_UTC, 1_000)).unwrap();
        !dump().contains("account_import_process.")
    });
}

#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = Text)]
    found: String,
}

fn ask(path: &Path, sql: &str) -> Vec<String> {
    let mut conn = diesel::SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    diesel::sql_query(sql).load::<TextRow>(&mut conn).unwrap().into_iter().map(|row| row.found).collect()
}

/// Tables with rows of a process or an account, and the column with its key.
const OF_SQLITE: &str = "SELECT t.name || ' ' || c.name AS found FROM pragma_table_list t, pragma_table_info(t.name) c \
    WHERE t.schema = 'main' AND t.type = 'table' AND (c.name IN ('account_id', 'process_id') \
    OR t.name IN ('accounts', 'processes') AND c.name = 'id')";
const OF_POSTGRES: &str = "SELECT table_name || ' ' || column_name FROM information_schema.columns \
    WHERE table_schema = 'public' \
    AND NOT (SELECT relispartition FROM pg_class c WHERE c.oid = format('%I.%I', table_schema, table_name)::regclass) \
    AND (column_name IN ('account_id', 'process_id') \
    OR table_name IN ('accounts', 'processes') AND column_name = 'id')";

fn tables(lines: &[String]) -> Vec<(String, String)> {
    let pairs = lines.iter().map(|line| line.split_once(' ').unwrap());
    pairs
        .filter(|(table, _)| ![AUDIT_TRAIL, PREVIOUS_ATTEMPTS].contains(table))
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .collect()
}

/// Returns the SQL that shows a column as text. Hashes are left out.
fn cell(name: &String) -> String {
    format!(
        "CASE WHEN typeof(\"{name}\") = 'blob' AND length(\"{name}\") <> 32 THEN CAST(\"{name}\" AS TEXT) \
        ELSE quote(\"{name}\") END"
    )
}

/// Returns the content of all tables.
fn dump_of_sqlite(path: &Path) -> String {
    let tables =
        ask(path, "SELECT name AS found FROM pragma_table_list WHERE schema = 'main' AND type = 'table'");
    let rows = |table: &String| {
        let columns = ask(path, &format!("SELECT name AS found FROM pragma_table_info('{table}')"));
        let columns: Vec<_> = columns.iter().map(cell).collect();
        ask(path, &format!("SELECT concat_ws('|', {}) AS found FROM \"{table}\"", columns.join(", ")))
    };
    tables.iter().flat_map(rows).collect::<Vec<_>>().join("\n")
}

#[test]
fn nothing_is_left_in_a_sqlite_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    let store = SqliteStore::open(&path, of_file()).unwrap();
    let count = |table: &str, column: &str, id: i64| {
        let sql = format!("SELECT CAST(count(*) AS TEXT) AS found FROM {table} WHERE {column} = {id}");
        ask(&path, &sql)[0].parse().unwrap()
    };
    check_erasure(&store, &tables(&ask(&path, OF_SQLITE)), &count, &|| dump_of_sqlite(&path));
    assert_eq!(store.scrub(), Ok(Traces::None));
    for name in ["cutover.db", "cutover.db-wal"] {
        let bytes = std::fs::read(folder.path().join(name)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(name.ends_with("wal") || text.contains("Stays"));
        for canary in CANARIES {
            assert!(!text.contains(canary), "{canary} is in {name}");
        }
    }
}

/// A reader prevents the write-ahead log from being emptied.
#[test]
fn traces_that_a_reader_keeps_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    let options = Options { busy_timeout: std::time::Duration::from_millis(50), ..of_file() };
    let store = SqliteStore::open(&path, options).unwrap();
    let id = furnish(&store);
    let acme = read(&store, |tx| tx.supplier(&"ACME".parse().unwrap())).unwrap().unwrap();
    let during = read(&store, |tx| {
        tx.suppliers(None)?;
        erase(&store, &acme, id);
        store.scrub()
    });
    assert_eq!(during, Ok(Traces::UntilCheckpoint));
    assert_eq!(store.scrub(), Ok(Traces::None));
}

#[test]
fn nothing_is_left_in_a_postgres_database() {
    let Some((store, database)) = postgres_store() else { return };
    let lines = |sql: &str| database.sql(sql).unwrap().lines().map(str::to_owned).collect::<Vec<_>>();
    let count = |table: &str, column: &str, id: i64| {
        lines(&format!("SELECT count(*) FROM {table} WHERE {column} = {id}"))[0].parse().unwrap()
    };
    let dump = || {
        let all = lines("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
        // Bytes are shown as text if they are one.
        let rows =
            |table: &String| lines(&format!("SET bytea_output = 'escape'; SELECT t::TEXT FROM {table} t"));
        all.iter().flat_map(rows).collect::<Vec<_>>().join("\n")
    };
    check_erasure(&store, &tables(&lines(OF_POSTGRES)), &count, &dump);
    assert_eq!(store.scrub(), Ok(Traces::UntilVacuum));
}

/// Tables that name suppliers, and the column with their key. The trail and the job of the erasure stay.
const SUPPLIERS_OF_SQLITE: &str = "SELECT t.name || ' ' || c.name AS found FROM pragma_table_list t, \
    pragma_table_info(t.name) c WHERE t.schema = 'main' AND t.type = 'table' AND (c.name = 'supplier_id' \
    OR t.name = 'suppliers' AND c.name = 'id') AND t.name <> 'jobs'";
const SUPPLIERS_OF_POSTGRES: &str = "SELECT table_name || ' ' || column_name FROM information_schema.columns \
    WHERE table_schema = 'public' AND (column_name = 'supplier_id' \
    OR table_name = 'suppliers' AND column_name = 'id') AND table_name <> 'jobs'";

/// Erases a supplier that has rows in every table of suppliers. `count` counts rows of a table with this key.
fn check_erasure_of_supplier(
    store: &dyn Store,
    tables: &[(String, String)],
    count: &dyn Fn(&str, &str, i64) -> u64,
) {
    let account = furnish(store);
    let acme = read(store, |tx| tx.supplier(&"ACME".parse().unwrap())).unwrap().unwrap();
    let other = read(store, |tx| tx.process(acme.id, &"A-1".parse().unwrap())).unwrap().unwrap();
    let erasure = supplier_erasure::furnish(store, &acme);
    let has_none = |(table, column): &&(String, String)| count(table, column, acme.id) == 0;
    let without = tables.iter().filter(has_none).map(|(table, _)| table.as_str());
    // Changes are kept until they are added up, and on a server only.
    let without: Vec<_> = without.filter(|table| !table.ends_with("_changes")).collect();
    assert_eq!(without, [""; 0], "they have nothing of the supplier: furnish them");
    let keys = [account, other.process.id()];
    let erased: Result<_, StoreError> = write(store, move |tx| tx.erase(&keys));
    erased.unwrap();
    supplier_erasure::erase_rest(store, &acme, &erasure);
    for (table, column) in tables {
        assert_eq!(count(table, column, acme.id), 0, "{table} still has rows of the supplier");
    }
}

#[test]
fn nothing_is_left_of_a_supplier_in_a_sqlite_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    let store = SqliteStore::open(&path, of_file()).unwrap();
    let count = |table: &str, column: &str, id: i64| {
        let sql = format!("SELECT CAST(count(*) AS TEXT) AS found FROM {table} WHERE {column} = {id}");
        ask(&path, &sql)[0].parse().unwrap()
    };
    check_erasure_of_supplier(&store, &tables(&ask(&path, SUPPLIERS_OF_SQLITE)), &count);
}

#[test]
fn nothing_is_left_of_a_supplier_in_a_postgres_database() {
    let Some((store, database)) = postgres_store() else { return };
    let lines = |sql: &str| database.sql(sql).unwrap().lines().map(str::to_owned).collect::<Vec<_>>();
    let count = |table: &str, column: &str, id: i64| {
        lines(&format!("SELECT count(*) FROM {table} WHERE {column} = {id}"))[0].parse().unwrap()
    };
    check_erasure_of_supplier(&store, &tables(&lines(SUPPLIERS_OF_POSTGRES)), &count);
}

/// Triggers refuse changes of its rows for every role.
#[test]
fn the_audit_trail_only_accepts_new_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    let store = SqliteStore::open(&path, of_file()).unwrap();
    furnish_trail(&store);
    let mut conn = diesel::SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    for change in ["UPDATE audit_trail SET actor = 'nobody'", "DELETE FROM audit_trail"] {
        let refused = diesel::sql_query(change).execute(&mut conn).unwrap_err().to_string();
        assert_eq!(refused, "the audit trail is only added to", "{change}");
    }
    let Some((store, database)) = postgres_store() else { return };
    furnish_trail(&store);
    for change in
        ["UPDATE audit_trail SET actor = 'nobody'", "DELETE FROM audit_trail", "TRUNCATE audit_trail"]
    {
        let refused = database.sql(change).unwrap_err().to_string();
        assert!(refused.contains("the audit trail is only added to"), "{change}: {refused}");
    }
    assert_eq!(database.sql("SELECT count(*) FROM audit_trail").unwrap(), "1");
}

fn furnish_trail(store: &dyn Store) {
    let id = furnish(store);
    let acme = read(store, |tx| tx.supplier(&"ACME".parse().unwrap())).unwrap().unwrap();
    erase(store, &acme, id);
}
