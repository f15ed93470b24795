use super::connection::Role;
use super::dialect::Conn;
use super::store::{Options, SqliteStore};
use crate::error::OpenError;
use diesel::prelude::*;
use diesel::sql_types::Text;
use std::path::Path;

#[derive(QueryableByName)]
struct FaultRow {
    #[diesel(sql_type = Text)]
    found: String,
}

#[derive(QueryableByName)]
struct Column {
    #[diesel(sql_type = Text)]
    table: String,
    #[diesel(sql_type = Text)]
    column: String,
}

/// Columns that hold the position of another row of the same account, and the table of that row. The
/// references are not declared (decision 0031).
pub(crate) const PARENTS: [(&str, &str); 6] = [
    ("supply_address", "supply_addresses"),
    ("meter_point", "meter_points"),
    ("meter", "meters"),
    ("ledger", "ledgers"),
    ("txn", "transactions"),
    ("note", "notes"),
];

/// Integer columns of tables whose key begins with an account or a process.
const COLUMNS: &str = "SELECT t.name AS \"table\", c.name AS \"column\" \
    FROM sqlite_schema t, pragma_table_info(t.name) k, pragma_table_info(t.name) c \
    WHERE t.type = 'table' AND k.pk = 1 AND k.name IN ('account_id', 'process_id') AND c.type = 'INTEGER' \
    ORDER BY 1, 2";

/// The quicker check of the pages of the file.
pub(super) const QUICK: &str =
    "SELECT quick_check AS found FROM pragma_quick_check WHERE quick_check <> 'ok'";
/// The check of the pages of the file, indexes included.
pub(super) const FULL: &str =
    "SELECT integrity_check AS found FROM pragma_integrity_check WHERE integrity_check <> 'ok'";

/// The references that are declared.
const DECLARED: &str = "SELECT DISTINCT 'a row of ' || \"table\" || ' belongs to none of ' || parent AS found \
    FROM pragma_foreign_key_check";

impl SqliteStore {
    /// Returns the faults that SQLite finds in a file, or the rows whose parent is missing. Reads the whole
    /// file while others use it.
    ///
    /// # Errors
    /// [`OpenError`] if the file cannot be read as a database.
    pub fn quick_check(path: &Path) -> Result<Vec<String>, OpenError> {
        let mut conn = Options::default().target(path).connect(Role::Reader)?;
        check(&mut conn, QUICK).map_err(|e| OpenError::Connect(e.to_string()))
    }
}

/// Checks the pages and, if they have no fault, the references between rows.
pub(super) fn check(conn: &mut Conn, pages: &str) -> QueryResult<Vec<String>> {
    let mut find = |sql: &str| -> QueryResult<Vec<String>> {
        let faults: Vec<FaultRow> = diesel::sql_query(sql).load(conn)?;
        Ok(faults.into_iter().map(|row| row.found).collect())
    };
    let mut all = find(pages)?;
    // In a broken file the other queries mean nothing.
    if all.is_empty() {
        all = find(DECLARED)?;
        for reference in references(conn)? {
            let faults: Vec<FaultRow> = diesel::sql_query(reference).load(conn)?;
            all.extend(faults.into_iter().map(|row| row.found));
        }
    }
    Ok(all)
}

/// Returns a query for each reference that is not declared.
fn references(conn: &mut Conn) -> QueryResult<Vec<String>> {
    let columns: Vec<Column> = diesel::sql_query(COLUMNS).load(conn)?;
    let query = |Column { table, column }: Column| {
        let (parent, key) = match &*column {
            "account_id" => ("accounts", "p.id = c.account_id".to_owned()),
            "process_id" => ("processes", "p.id = c.process_id".to_owned()),
            other => {
                let (_, parent) = PARENTS.iter().find(|(name, _)| *name == other)?;
                (*parent, format!("p.account_id = c.account_id AND p.position = c.{other}"))
            }
        };
        Some(format!(
            "SELECT 'a row of {table} belongs to none of {parent}' AS found WHERE EXISTS (SELECT 1 FROM {table} c \
             WHERE c.{column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {parent} p WHERE {key}))"
        ))
    };
    Ok(columns.into_iter().filter_map(query).collect())
}

#[cfg(test)]
mod tests {
    use super::super::migrations;
    use super::super::store::INSPECTED;
    use super::super::testing::{add_account, add_supplier, connect};
    use super::*;
    use cutover_app::port::{DatabaseFault, Inspection, Store};
    use cutover_testkit::payload::account_json;
    use diesel::connection::SimpleConnection;

    #[test]
    fn rows_without_their_parents_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cutover.db");
        let mut conn = connect(&path);
        migrations::apply(&mut conn).unwrap();
        add_supplier(&mut conn);
        (1..=40).for_each(|id| add_account(&mut conn, id, &account_json(id.unsigned_abs())));
        assert_eq!(SqliteStore::quick_check(&path).unwrap(), [""; 0]);
        for (delete, expected) in [
            ("DELETE FROM meters", "a row of readings belongs to none of meters"),
            ("DELETE FROM transactions", "a row of line_items belongs to none of transactions"),
            ("DELETE FROM accounts WHERE id = 1", "a row of customers belongs to none of accounts"),
        ] {
            conn.batch_execute(&format!("SAVEPOINT whole; {delete}")).unwrap();
            let faults = check(&mut conn, FULL).unwrap();
            assert!(faults.iter().any(|fault| fault == expected), "{faults:?}");
            conn.batch_execute("ROLLBACK TO whole; RELEASE whole").unwrap();
        }
    }

    #[test]
    fn an_inspection_finds_damage_and_says_what_it_did_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cutover.db");
        let store = SqliteStore::open(&path, Options::default()).unwrap();
        assert_eq!(store.inspect(), Ok(Inspection::default()));
        let mut conn = connect(&path);
        add_supplier(&mut conn);
        add_account(&mut conn, 1, &account_json(1));
        conn.batch_execute("DELETE FROM meters").unwrap();
        let found = store.inspect().unwrap();
        let damaged = "a row of readings belongs to none of meters";
        assert!(matches!(&found.faults[..], [DatabaseFault::Damaged(what)] if what == damaged), "{found:?}");
        let size = INSPECTED + 1;
        std::fs::File::options().write(true).open(&path).unwrap().set_len(size).unwrap();
        assert_eq!(store.inspect(), Ok(Inspection { faults: vec![], unread: Some(size) }));
    }
}
