//! Tests of the schema with SQLite's own catalogue.

use super::connection::{Role, Target};
use super::dialect::Conn;
use super::migrations;
use super::testing::target;
use diesel::prelude::*;
use diesel::sql_types::Text;
use std::time::Duration;

#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = Text)]
    found: String,
}

/// Returns the texts that a query finds in a migrated database.
fn texts(sql: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    let mut conn: Conn = target(&path).connect(Role::Writer).unwrap();
    migrations::apply(&mut conn).unwrap();
    let rows: Vec<TextRow> = diesel::sql_query(sql).load(&mut conn).unwrap();
    rows.into_iter().map(|row| row.found).collect()
}

const TABLES: &str = "SELECT name FROM pragma_table_list \
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'";

#[test]
fn no_column_is_a_floating_point_number() {
    let types = texts(&format!(
        "SELECT DISTINCT c.type AS found FROM ({TABLES}) t, pragma_table_info(t.name) c ORDER BY 1"
    ));
    assert_eq!(types, ["BLOB", "INTEGER", "TEXT"]);
}

#[test]
fn tables_take_only_values_of_their_types() {
    let loose = texts(&format!(
        "SELECT name AS found FROM pragma_table_list WHERE name IN ({TABLES}) AND NOT strict"
    ));
    assert_eq!(loose, [""; 0]);
    assert_eq!(texts(&format!("SELECT name AS found FROM ({TABLES})")).len(), 91);
}

/// Without an index, every change of a parent would read the whole child table. An index that starts with the
/// account reads only the account's rows.
#[test]
fn every_foreign_key_has_an_index() {
    let bare = texts(&format!(
        "SELECT t.name || '.' || f.\"from\" AS found FROM ({TABLES}) t, pragma_foreign_key_list(t.name) f \
         WHERE f.seq = 0 AND NOT EXISTS (SELECT 1 FROM pragma_index_list(t.name) i, pragma_index_info(i.name) c \
             WHERE c.seqno = 0 AND c.name = f.\"from\") \
         AND NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name) k WHERE k.pk = 1 AND k.name = f.\"from\")"
    ));
    assert_eq!(bare, [""; 0]);
}

#[test]
fn connections_are_durable_and_keep_references() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    let target = Target { busy_timeout: Duration::from_millis(1_234), ..target(&path) };
    for (role, query_only) in [(Role::Writer, "0"), (Role::Reader, "1")] {
        let mut conn = target.connect(role).unwrap();
        let mut value = |name: &str| {
            let sql = format!("SELECT CAST({name} AS TEXT) AS found FROM pragma_{name}");
            // This pragma names its column differently.
            let sql = sql.replace("CAST(busy_timeout", "CAST(timeout");
            diesel::sql_query(sql).get_result::<TextRow>(&mut conn).unwrap().found
        };
        assert_eq!(value("journal_mode"), "wal");
        assert_eq!(value("synchronous"), "2");
        assert_eq!(value("foreign_keys"), "1");
        assert_eq!(value("busy_timeout"), "1234");
        assert_eq!(value("query_only"), query_only);
        let overwrites = if role == Role::Writer { "1" } else { "0" };
        assert_eq!(value("secure_delete"), overwrites);
    }
}
