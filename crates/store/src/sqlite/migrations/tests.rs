use super::*;
use crate::migrations::MigrationState;
use crate::sqlite::testing::{add_account, add_supplier, at, connect, found, with};
use cutover_app::port::{ImportedAccount, NewTransaction};
use cutover_core::Zone;
use cutover_model::Totals;
use cutover_testkit::payload::account_json;
use diesel::connection::SimpleConnection;
use std::path::Path;

const ACCOUNTS: i64 = 60;

/// Before 0002, rows of these were numbered over the whole account, by what they belong to.
const RENUMBERED: [(&str, &str); 3] =
    [("line_items", "txn"), ("tax_items", "txn"), ("note_documents", "note")];

fn accounts(conn: &mut Conn) -> Vec<ImportedAccount> {
    let account = |id| with(conn, |tx| tx.imported_account(id, Zone::UTC)).unwrap().unwrap();
    (1..=ACCOUNTS).map(account).collect()
}

/// The keys of the rows that 0002 numbers anew.
fn keys(conn: &mut Conn) -> Vec<String> {
    let keys = |(table, owner)| {
        let key = format!("'{table} ' || account_id || ' ' || {owner} || ' ' || position");
        found(conn, &format!("SELECT {key} AS found FROM {table} ORDER BY account_id, {owner}, position"))
    };
    RENUMBERED.into_iter().flat_map(keys).collect()
}

/// The database of a program that knew 0001 only, with the rows of one of today's.
fn of_0001(path: &Path, todays: &Path) -> Conn {
    let mut conn = connect(path);
    conn.run_next_migration(MIGRATIONS).unwrap();
    let tables = "SELECT name AS found FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '__*' \
                  ORDER BY rowid";
    let tables = found(&mut conn, tables);
    assert_eq!(tables.len(), 27);
    conn.batch_execute(&format!("ATTACH '{}' AS todays", todays.display())).unwrap();
    for table in tables {
        let columns = found(&mut conn, &format!("SELECT name AS found FROM pragma_table_info('{table}')"));
        let renumbered = RENUMBERED.iter().find(|(name, _)| *name == table);
        let position = renumbered.map(|(_, owner)| {
            format!("row_number() OVER (PARTITION BY account_id ORDER BY {owner}, position) - 1")
        });
        let value = |column: &String| match &position {
            Some(position) if column == "position" => position.clone(),
            _ => format!("\"{column}\""),
        };
        let values: Vec<_> = columns.iter().map(value).collect();
        let insert = format!("INSERT INTO main.{table} SELECT {} FROM todays.{table}", values.join(", "));
        conn.batch_execute(&insert).unwrap();
    }
    conn.batch_execute("DETACH todays").unwrap();
    conn
}

/// Accounts of a database at 0001 are the same after it is migrated, and go on from there.
#[test]
fn accounts_of_0001_read_back_after_0002() {
    let folder = tempfile::tempdir().unwrap();
    let todays = folder.path().join("todays.db");
    let mut conn = connect(&todays);
    apply(&mut conn).unwrap();
    add_supplier(&mut conn);
    (1..=ACCOUNTS).for_each(|id| add_account(&mut conn, id, &account_json(id.unsigned_abs())));
    for (account, zeros) in [("min", 20), ("max", 40)] {
        let zeros = "0".repeat(zeros);
        let ledgers = format!("account_id = (SELECT {account}(account_id) FROM ledgers)");
        let sent = format!("UPDATE ledgers SET balance = '7.{zeros}' WHERE {ledgers}");
        conn.batch_execute(&sent).unwrap();
    }
    let zeros = "SELECT count(*) || '' AS found FROM ledgers WHERE length(balance) > 40";
    assert_ne!(found(&mut conn, zeros), ["0"]);
    let (before, keys_before) = (accounts(&mut conn), keys(&mut conn));

    let mut conn = of_0001(&folder.path().join("old.db"), &todays);
    for (table, owner) in RENUMBERED {
        let later = format!("SELECT count(*) || '' AS found FROM {table} WHERE {owner} > 0 AND position > 1");
        assert_ne!(found(&mut conn, &later), ["0"], "{table} shows nothing");
    }
    let states: Vec<_> = apply(&mut conn).unwrap().iter().map(|m| m.state).collect();
    let (of_0001, later) = states.split_first().unwrap();
    assert_eq!(*of_0001, MigrationState::Applied);
    assert!(
        !later.is_empty() && later.iter().all(|state| *state == MigrationState::JustApplied),
        "{later:?}"
    );
    assert_eq!(accounts(&mut conn), before);
    assert_eq!(keys(&mut conn), keys_before);
    figures_are_counted(&mut conn, &before);
    let broken = found(&mut conn, "SELECT \"table\" AS found FROM pragma_foreign_key_check");
    assert_eq!(broken, [""; 0]);
    goes_on(&mut conn, &before);
}

/// What 0006 keeps of them is what they come to, before it is folded and after.
fn figures_are_counted(conn: &mut Conn, accounts: &[ImportedAccount]) {
    let add =
        |sum: Totals, of: &ImportedAccount| sum.checked_add(Totals::of(&of.account, Zone::UTC)).unwrap();
    let expected = accounts.iter().fold(Totals::default(), add);
    let states = "SELECT count(*) || '' AS found FROM processes GROUP BY state ORDER BY state";
    let states = found(conn, states);
    assert_ne!(expected.documents * expected.readings * expected.transactions, 0);
    loop {
        assert_eq!(with(conn, |tx| tx.totals(1)).unwrap(), expected);
        let counts = with(conn, |tx| tx.state_counts(1)).unwrap();
        assert_eq!(counts.iter().map(|count| count.processes.to_string()).collect::<Vec<_>>(), states);
        if with(conn, |tx| tx.fold(40)).unwrap() == 0 {
            break;
        }
    }
}

/// Another of its transactions can be added to each account that has a ledger and one.
fn goes_on(conn: &mut Conn, accounts: &[ImportedAccount]) {
    let mut added = 0;
    for (id, imported) in (1..).zip(accounts) {
        let ledgers = imported.account.ledgers.iter().flatten();
        let mut transactions = ledgers.flat_map(|l| l.historical_statement_transactions.iter().flatten());
        let Some(transaction) = transactions.next() else { continue };
        let new = NewTransaction { transaction: transaction.clone(), sent_date: Some(at(0).date_naive()) };
        let stored = with(conn, |tx| {
            tx.add_transaction(id, 0, &new)?;
            tx.find_transaction(id, transaction.transaction_id.trimmed())
        });
        assert_eq!(&stored.unwrap().unwrap().transaction, transaction);
        added += 1;
    }
    assert_ne!(added, 0);
}

#[test]
fn nothing_is_left_of_what_was_renamed() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = connect(&folder.path().join("cutover.db"));
    apply(&mut conn).unwrap();
    let named = "SELECT name AS found FROM sqlite_schema WHERE name LIKE '%before%' OR sql LIKE '%\\_before%' \
                 ESCAPE '\\'";
    assert_eq!(found(&mut conn, named), [""; 0]);
}
