//! Figures of rows that others wrote: programs from before them, migrations, operators.

use super::house::House;
use chrono::DateTime;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{read, read_committed, write};
use cutover_model::Totals;
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit::create_account;
use cutover_testkit_postgres::{Cluster, ClusterOptions, psql, sql};
use diesel::connection::SimpleConnection;

const RECOUNT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/postgres/recount.sql");

/// Two accounts of the supplier `ACME`, without processes, whose balances end with as many zeros as can be sent.
const ZEROS: &str = "
    SET session_replication_role = replica;
    INSERT INTO accounts (id, supplier_id, external_account_number, number, customer_emails, imported_at)
        SELECT n, 1, 'A-' || n, 'N-' || n, false, '2026-01-02' FROM generate_series(1, 2) n;
    INSERT INTO ledgers (account_id, position, balance)
        VALUES (1, 0, '1.25' || repeat('0', 18)), (2, 0, '-7.' || repeat('0', 40))";

fn recount(house: &House) {
    let mut command = psql(house.database.url()).unwrap();
    let output = command.args(["-1", "-f", RECOUNT]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn totals(house: &House, supplier: i64) -> Totals {
    read(&*house.store, |tx| tx.totals(supplier)).unwrap()
}

fn fold(house: &House) -> usize {
    write(&*house.store, |tx| tx.fold(100)).unwrap()
}

#[test]
fn zeros_behind_a_balance_keep_nothing_from_being_folded() {
    let Some(house) = House::new() else { return };
    house.database.sql(ZEROS).unwrap();
    recount(&house);
    assert_eq!(house.database.sql("SELECT ledger_balance FROM totals").unwrap().trim(), "-5.75");
    let expected = Totals { accounts: 2, ledger_balance: "-5.75".parse().unwrap(), ..Totals::default() };
    assert_eq!(totals(&house, 1), expected);
    // As it was counted once, with all zeros, and as a change may have come.
    house.database.sql("UPDATE totals SET ledger_balance = '-5.75' || repeat('0', 38)").unwrap();
    let change = "INSERT INTO total_changes (supplier_id, accounts, ledger_balance, readings, transactions, documents) \
                  VALUES (1, 1, '3.' || repeat('0', 40), 0, 0, 0)";
    house.database.sql(change).unwrap();
    assert_eq!(fold(&house), 1);
    assert!(!read_committed(&*house.store, |tx| tx.has_changes()).unwrap());
    let expected = Totals { accounts: 3, ledger_balance: "-2.75".parse().unwrap(), ..Totals::default() };
    assert_eq!(totals(&house, 1), expected);
}

const CHANGE: &str = "INSERT INTO total_changes \
    (supplier_id, accounts, ledger_balance, readings, transactions, documents) VALUES";

/// Of one supplier only: the other's are folded, and all processes.
#[test]
fn what_cannot_be_read_keeps_nothing_else_from_being_folded() {
    for unreadable in [
        format!("{CHANGE} (1, 1, 'x', 0, 0, 0)"),
        format!("INSERT INTO totals VALUES (1, 1, '1e5', 0, 0, 0); {CHANGE} (1, 1, '1', 0, 0, 0)"),
    ] {
        let Some(house) = House::new() else { return };
        house.app.add_supplier("OTHER", "Acme", SupplierChange::default()).unwrap();
        let body = br#"{"import_supplier":"ACME","external_account_number":"A-1","unknown_occupier":true}"#;
        create_account(&house.app, &house.caller, None, body).unwrap();
        house.database.sql(&format!("{unreadable}; {CHANGE} (2, 1, '1', 0, 0, 0)")).unwrap();
        let kept = "SELECT accounts, ledger_balance FROM total_changes WHERE supplier_id = 1";
        let before = house.database.sql(kept).unwrap();
        assert_eq!(fold(&house), 2, "{unreadable}");
        assert_eq!(fold(&house), 0);
        assert_eq!(house.database.sql(kept).unwrap(), before);
        assert_eq!(totals(&house, 2).accounts, 1);
        assert!(read(&*house.store, |tx| tx.totals(1)).is_err());
        let left = "SELECT count(*) FROM process_changes";
        assert_eq!(house.database.sql(left).unwrap().trim(), "0");
    }
}

/// Keys are drawn in order and committed in any: one that comes late is counted, and folded, as the others.
#[test]
fn changes_that_are_committed_late_are_not_passed_over() {
    let Some(house) = House::new() else { return };
    let mut late = house.hold(&format!("{CHANGE} (1, 1, '1', 0, 0, 0)"));
    for _ in 0..5 {
        house.database.sql(&format!("{CHANGE} (1, 1, '10', 0, 0, 0)")).unwrap();
        assert_eq!(fold(&house), 1);
    }
    assert_eq!(totals(&house, 1).accounts, 5);
    late.batch_execute("COMMIT").unwrap();
    assert_eq!(totals(&house, 1).accounts, 6);
    assert!(read_committed(&*house.store, |tx| tx.has_changes()).unwrap());
    assert_eq!(fold(&house), 1);
    assert_eq!(totals(&house, 1).accounts, 6);
    let left = "SELECT count(*) FROM total_changes";
    assert_eq!(house.database.sql(left).unwrap().trim(), "0");
}

/// Where somebody changed rows without triggers, the other figures are shown nevertheless.
#[test]
fn a_figure_below_0_is_0() {
    let Some(house) = House::new() else { return };
    let negative = "INSERT INTO process_counts VALUES (1, 'PENDING', '', -2), (1, 'ERRORED', 'error', 3);
        INSERT INTO process_minutes VALUES (1, '2026-01-02', 'ERRORED', -1);
        INSERT INTO totals VALUES (1, -1, '-5', -2, 3, -4)";
    house.database.sql(negative).unwrap();
    let (states, minutes) =
        read(&*house.store, |tx| Ok((tx.state_counts(1)?, tx.minute_counts(1, DateTime::UNIX_EPOCH)?)))
            .unwrap();
    assert_eq!(states.iter().map(|count| count.processes).collect::<Vec<_>>(), [3, 0]);
    assert_eq!(minutes.iter().map(|count| count.processes).collect::<Vec<_>>(), [0]);
    let expected = Totals { ledger_balance: "-5".parse().unwrap(), transactions: 3, ..Totals::default() };
    assert_eq!(totals(&house, 1), expected);
}

/// As an operator's own statement does under a role with rights on processes alone.
#[test]
fn whoever_writes_processes_needs_no_right_on_their_figures() {
    let Some(cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    let url = cluster.url("postgres");
    PostgresStore::open(&PostgresOptions { migrates: true, ..PostgresOptions::new(&url) }).unwrap();
    let ground = "CREATE ROLE clerk LOGIN; GRANT SELECT, INSERT ON processes, suppliers TO clerk; \
        INSERT INTO organisations VALUES (1, 'O', '2026-01-01'); \
        INSERT INTO suppliers (id, organisation_id, code, status, document_root, verify_documents, \
            send_customer_emails, dry_run, time_zone, created_at) \
            VALUES (1, 1, 'S', 'Ongoing', '/S', false, false, false, 'UTC', '2026-01-01')";
    cluster.sql("postgres", ground).unwrap();
    // What it makes under the name of a table of ours is not written to.
    let write = "CREATE TEMPORARY TABLE process_changes (id BIGINT); \
        INSERT INTO processes (id, supplier_id, external_account_number, state, attempt, tries, version, is_dry_run, \
            due_at, created_at, modified_at, latest_event_at, fingerprint) \
        SELECT 1, 1, 'A-1', 'PENDING', 0, 0, 1, false, t, t, t, t, sha256('x') \
            FROM (SELECT '2026-01-02'::TIMESTAMPTZ) AS now (t)";
    sql(&url.replace("://cutover_test@", "://clerk@"), write).unwrap();
    let counted = "SELECT state, change FROM process_changes";
    assert_eq!(cluster.sql("postgres", counted).unwrap().trim(), "PENDING|1");
}
