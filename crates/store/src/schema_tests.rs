//! Tests that both folders of migrations create the same tables, which are those that `schema` declares.
//!
//! SQLite's schema is created again on PostgreSQL, with only the types replaced. Then PostgreSQL's catalogue
//! describes both schemas in the same words.

use crate::schema::{DECLARED, DECLARED_APART};
use crate::sqlite;
use cutover_testkit_postgres::{TestDatabase, server};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use std::fs;
use std::path::Path;

const COLUMNS: &str = "SELECT concat_ws(' ', c.relname || '.' || a.attname, format_type(a.atttypid, NULL), \
        CASE WHEN a.attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) \
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid \
        LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum) \
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 \
    ORDER BY c.relname, a.attnum";
/// Keys, unique constraints, references and checks, without those that SQLite needs for booleans.
const CONSTRAINTS: &str = "SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint \
    WHERE connamespace = 'public'::regnamespace \
        AND NOT (SELECT relispartition FROM pg_class c WHERE c.oid = conrelid) \
        AND pg_get_constraintdef(oid) NOT LIKE '% = ANY (ARRAY[(0)::bigint, (1)::bigint])))' ORDER BY 1";
const INDEXES: &str = "SELECT replace(indexdef, ' ON ONLY ', ' ON ') FROM pg_indexes WHERE schemaname = 'public' \
    AND NOT (SELECT relispartition FROM pg_class c WHERE c.oid = format('%I.%I', schemaname, tablename)::regclass) ORDER BY 1";

/// Types and values that SQLite lacks, with those that it stores instead.
const STORED_AS: [(&str, &str); 4] = [
    (" timestamp with time zone", " bigint"),
    (" boolean", " bigint"),
    (" date", " text"),
    (" DEFAULT false", " DEFAULT 0"),
];

#[derive(QueryableByName)]
struct Statement {
    #[diesel(sql_type = Text)]
    sql: String,
}

/// Returns the migrations of a database, oldest first.
fn migrations(database: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(database);
    let mut folders: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.iter().map(|folder| fs::read_to_string(folder.join("up.sql")).unwrap()).collect()
}

/// Returns the statements that create SQLite's final schema with PostgreSQL's types.
fn of_sqlite() -> Vec<String> {
    let mut conn = SqliteConnection::establish(":memory:").unwrap();
    migrations("sqlite").iter().for_each(|migration| conn.batch_execute(migration).unwrap());
    let made = "SELECT sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL AND name NOT LIKE 'sqlite%' \
         ORDER BY rowid";
    let made: Vec<Statement> = diesel::sql_query(made).load(&mut conn).unwrap();
    let words = [
        (" AUTOINCREMENT", ""),
        (" INTEGER", " BIGINT"),
        (" BLOB", " BYTEA"),
        (" STRICT, WITHOUT ROWID", ""),
        (" STRICT", ""),
    ];
    let translate = |made: Statement| words.iter().fold(made.sql, |sql, (from, to)| sql.replace(from, to));
    made.into_iter().map(translate).collect()
}

/// Creates a database with these statements; returns `None` if there is no server.
fn database(statements: &[String]) -> Option<TestDatabase> {
    let database = TestDatabase::create(server()?).unwrap();
    statements.iter().for_each(|statement| drop(database.sql(statement).unwrap()));
    Some(database)
}

fn lines(database: &TestDatabase, sql: &str) -> Vec<String> {
    database.sql(sql).unwrap().lines().map(str::to_owned).collect()
}

/// Declaration of a column in SQLite.
fn as_stored(line: String) -> String {
    STORED_AS.iter().fold(line, |line, (from, to)| line.replace(from, to))
}

#[test]
fn both_databases_have_the_same_tables() {
    let Some(postgres) = database(&migrations("postgres")) else { return };
    let sqlite = database(&of_sqlite()).unwrap();
    let columns: Vec<_> = lines(&postgres, COLUMNS).into_iter().map(as_stored).collect();
    assert_ne!(columns.len(), 0);
    assert_eq!(columns, lines(&sqlite, COLUMNS));
    assert_eq!(lines(&postgres, CONSTRAINTS), lines(&sqlite, CONSTRAINTS));
    // If the column has no collation, the index has one.
    let postgres = lines(&postgres, INDEXES).into_iter().map(|index| index.replace(" COLLATE \"C\"", ""));
    assert_eq!(postgres.collect::<Vec<_>>(), lines(&sqlite, INDEXES));
}

/// Returns the column of a declaration `name -> Type` in the form of [`COLUMNS`].
fn declared(table: &str, column: &str) -> String {
    let (name, declared) = column.split_once("->").unwrap();
    // Some columns have another name in the program.
    let name = name.split('"').nth(1).unwrap_or(name).trim();
    let declared: String = declared.split_whitespace().collect();
    let nullable = declared.strip_prefix("Nullable<").and_then(|rest| rest.strip_suffix('>'));
    let (kind, suffix) = nullable.map_or((&*declared, " NOT NULL"), |inner| (inner, ""));
    let kind = match kind {
        "BigInt" => "bigint",
        "Text" | "Digits" | "Json" => "text",
        "Binary" => "bytea",
        "Bool" => "boolean",
        "Instant" => "timestamp with time zone",
        "Day" => "date",
        other => panic!("{other} is no type of a column"),
    };
    format!("{table}.{name} {kind}{suffix}")
}

/// Returns the declarations of the program in the form of [`COLUMNS`].
fn all_declared() -> Vec<String> {
    let columns = |(table, columns): &(&str, &str)| {
        let columns = columns.split(',').filter(|column| !column.trim().is_empty());
        columns.map(|column| declared(table, column)).collect::<Vec<_>>()
    };
    let mut tables = DECLARED.to_vec();
    tables.push(DECLARED_APART);
    tables.sort_unstable();
    tables.iter().flat_map(columns).collect()
}

#[test]
fn queries_declare_the_tables_there_are() {
    let Some(postgres) = database(&migrations("postgres")) else { return };
    let sqlite = database(&of_sqlite()).unwrap();
    let actual = |database| {
        let without_default = |line: String| line.split(" DEFAULT ").next().unwrap().to_owned();
        lines(database, COLUMNS).into_iter().map(without_default).collect::<Vec<_>>()
    };
    let declared = all_declared();
    assert_eq!(actual(&postgres), declared);
    assert_eq!(actual(&sqlite), declared.into_iter().map(as_stored).collect::<Vec<_>>());
}

/// The order of texts may change with the locales of a machine, and an index would then be wrong.
#[test]
fn indexed_text_is_compared_by_its_bytes() {
    let Some(postgres) = database(&migrations("postgres")) else { return };
    let others = "SELECT DISTINCT i.indexrelid::regclass FROM pg_index i, unnest(i.indcollation) AS collated(id) \
        JOIN pg_collation c ON c.oid = collated.id \
        WHERE c.collname <> 'C' AND i.indrelid IN (SELECT oid FROM pg_class \
            WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace)";
    let others: Vec<_> = lines(&postgres, others);
    assert_eq!(others, [""; 0]);
}

/// Without an index, every change of a parent would read the whole child table.
#[test]
fn every_foreign_key_has_an_index() {
    let Some(postgres) = database(&migrations("postgres")) else { return };
    let bare = "SELECT f.conrelid::regclass || ' ' || pg_get_constraintdef(f.oid) FROM pg_constraint f \
        WHERE f.contype = 'f' AND f.connamespace = 'public'::regnamespace AND NOT EXISTS (SELECT 1 \
            FROM pg_index i WHERE i.indrelid = f.conrelid AND i.indkey[0] = f.conkey[1])";
    assert_eq!(lines(&postgres, bare), [""; 0]);
}

/// References between rows of an account are not declared, so both checks recognise their columns by name.
#[test]
fn the_script_of_operators_checks_the_references_that_doctor_checks() {
    let script = include_str!("../../../deploy/postgres/invariants.sql");
    for (column, parent) in sqlite::PARENTS {
        assert!(script.contains(&format!("('{column}', '{parent}')")), "{column}");
    }
}
