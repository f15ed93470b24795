//! Figures of rows that older programs, migrations or operators wrote.

use super::environment::TestEnvironment;
use chrono::DateTime;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{read, read_committed, write};
use cutover_model::Totals;
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit_postgres::{Cluster, ClusterOptions, psql, sql};

const RECOUNT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/postgres/recount.sql");

/// Two accounts of the supplier `ACME`, without processes, whose balances end with as many zeros as a payload
/// may have.
const ZEROS: &str = "
    SET session_replication_role = replica;
    INSERT INTO accounts (id, supplier_id, external_account_number, number, customer_emails, imported_at)
        SELECT n, 1, 'A-' || n, 'N-' || n, false, '2026-01-02' FROM generate_series(1, 2) n;
    INSERT INTO ledgers (account_id, position, balance)
        VALUES (1, 0, '1.25' || repeat('0', 18)), (2, 0, '-7.' || repeat('0', 40))";

fn recount(env: &TestEnvironment) {
    let mut command = psql(env.database.url()).unwrap();
    let output = command.args(["-1", "-f", RECOUNT]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn totals(env: &TestEnvironment, supplier: i64) -> Totals {
    read(&*env.store, |tx| tx.totals(supplier)).unwrap()
}

fn fold(env: &TestEnvironment) -> usize {
    write(&*env.store, |tx| tx.fold(100)).unwrap()
}

#[test]
fn trailing_zeros_of_a_balance_do_not_prevent_folding() {
    let Some(env) = TestEnvironment::new() else { return };
    env.database.sql(ZEROS).unwrap();
    recount(&env);
    assert_eq!(env.database.sql("SELECT ledger_balance FROM totals").unwrap().trim(), "-5.75");
    let expected = Totals { accounts: 2, ledger_balance: "-5.75".parse().unwrap(), ..Totals::default() };
    assert_eq!(totals(&env, 1), expected);
    // A total with all zeros, as an older recount wrote it, and a change with zeros.
    env.database.sql("UPDATE totals SET ledger_balance = '-5.75' || repeat('0', 38)").unwrap();
    let change = "INSERT INTO total_changes (supplier_id, accounts, ledger_balance, readings, transactions, documents) \
                  VALUES (1, 1, '3.' || repeat('0', 40), 0, 0, 0)";
    env.database.sql(change).unwrap();
    assert_eq!(fold(&env), 1);
    assert!(!read_committed(&*env.store, |tx| tx.has_changes()).unwrap());
    let expected = Totals { accounts: 3, ledger_balance: "-2.75".parse().unwrap(), ..Totals::default() };
    assert_eq!(totals(&env, 1), expected);
}

const CHANGE: &str = "INSERT INTO total_changes \
    (supplier_id, accounts, ledger_balance, readings, transactions, documents) VALUES";

/// Figures of the other supplier and of all processes are folded.
#[test]
fn an_unreadable_change_does_not_prevent_folding_the_others() {
    for unreadable in [
        format!("{CHANGE} (1, 1, 'x', 0, 0, 0)"),
        format!("INSERT INTO totals VALUES (1, 1, '1e5', 0, 0, 0); {CHANGE} (1, 1, '1', 0, 0, 0)"),
    ] {
        let Some(env) = TestEnvironment::new() else { return };
        env.app.as_command().add_supplier("OTHER", "Acme", SupplierChange::default()).unwrap();
        env.create("A-1");
        env.database.sql(&format!("{unreadable}; {CHANGE} (2, 1, '1', 0, 0, 0)")).unwrap();
        let kept = "SELECT accounts, ledger_balance FROM total_changes WHERE supplier_id = 1";
        let before = env.database.sql(kept).unwrap();
        assert_eq!(fold(&env), 4, "{unreadable}");
        assert_eq!(fold(&env), 0);
        assert_eq!(env.database.sql(kept).unwrap(), before);
        assert_eq!(totals(&env, 2).accounts, 1);
        assert!(read(&*env.store, |tx| tx.totals(1)).is_err());
        let left = "SELECT count(*) FROM process_changes";
        assert_eq!(env.database.sql(left).unwrap().trim(), "0");
    }
}

/// Keys are drawn in order but committed in any order.
#[test]
fn changes_that_are_committed_late_are_counted_and_folded() {
    let Some(env) = TestEnvironment::new() else { return };
    let mut late = env.hold(&format!("{CHANGE} (1, 1, '1', 0, 0, 0)"));
    for _ in 0..5 {
        env.database.sql(&format!("{CHANGE} (1, 1, '10', 0, 0, 0)")).unwrap();
        assert_eq!(fold(&env), 1);
    }
    assert_eq!(totals(&env, 1).accounts, 5);
    late.run("COMMIT").unwrap();
    assert_eq!(totals(&env, 1).accounts, 6);
    assert!(read_committed(&*env.store, |tx| tx.has_changes()).unwrap());
    assert_eq!(fold(&env), 1);
    assert_eq!(totals(&env, 1).accounts, 6);
    let left = "SELECT count(*) FROM total_changes";
    assert_eq!(env.database.sql(left).unwrap().trim(), "0");
}

/// No transaction after the newest one has ended, so its number is not below that of the next transaction in a
/// snapshot.
#[test]
fn changes_of_the_newest_transaction_are_not_skipped() {
    let Some(env) = TestEnvironment::new() else { return };
    let mut newest = env.hold(&format!("{CHANGE} (1, 1, '1', 0, 0, 0), (1, 1, '1', 0, 0, 0)"));
    for _ in 0..3 {
        assert_eq!(fold(&env), 0);
    }
    newest.run("COMMIT").unwrap();
    assert_eq!(totals(&env, 1).accounts, 2);
    assert_eq!(fold(&env), 2);
    assert_eq!(totals(&env, 1).accounts, 2);
}

/// After a change of rows without triggers, the other figures are still shown.
#[test]
fn a_negative_figure_is_0() {
    let Some(env) = TestEnvironment::new() else { return };
    let negative = "INSERT INTO process_counts VALUES (1, 'PENDING', '', -2), (1, 'ERRORED', 'error', 3);
        INSERT INTO process_minutes VALUES (1, '2026-01-02', 'ERRORED', -1);
        INSERT INTO totals VALUES (1, -1, '-5', -2, 3, -4)";
    env.database.sql(negative).unwrap();
    let (states, minutes) =
        read(&*env.store, |tx| Ok((tx.state_counts(1)?, tx.minute_counts(1, DateTime::UNIX_EPOCH)?)))
            .unwrap();
    assert_eq!(states.iter().map(|count| count.processes).collect::<Vec<_>>(), [3, 0]);
    assert_eq!(minutes.iter().map(|count| count.processes).collect::<Vec<_>>(), [0]);
    let expected = Totals { ledger_balance: "-5".parse().unwrap(), transactions: 3, ..Totals::default() };
    assert_eq!(totals(&env, 1), expected);
}

/// An operator's role may have rights on processes alone.
#[test]
fn a_role_that_writes_processes_needs_no_right_on_their_figures() {
    let Some(cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    let url = cluster.url("postgres");
    PostgresStore::open(&PostgresOptions { migrates: true, ..PostgresOptions::new(&url) }).unwrap();
    let setup = "CREATE ROLE clerk LOGIN; GRANT SELECT, INSERT ON processes, suppliers TO clerk; \
        INSERT INTO organisations VALUES (1, 'O', '2026-01-01'); \
        INSERT INTO suppliers (id, organisation_id, code, status, document_root, verify_documents, \
            send_customer_emails, dry_run, time_zone, created_at) \
            VALUES (1, 1, 'S', 'Ongoing', '/S', false, false, false, 'UTC', '2026-01-01')";
    cluster.sql("postgres", setup).unwrap();
    // The triggers do not write to a temporary table with the name of one of ours.
    let write = "CREATE TEMPORARY TABLE process_changes (id BIGINT); \
        INSERT INTO processes (id, supplier_id, external_account_number, state, attempt, tries, version, is_dry_run, \
            due_at, created_at, modified_at, latest_event_at, fingerprint) \
        SELECT 1, 1, 'A-1', 'PENDING', 0, 0, 1, false, t, t, t, t, sha256('x') \
            FROM (SELECT '2026-01-02'::TIMESTAMPTZ) AS now (t)";
    sql(&url.replace("://cutover_test@", "://clerk@"), write).unwrap();
    let counted = "SELECT state, change FROM process_changes";
    assert_eq!(cluster.sql("postgres", counted).unwrap().trim(), "PENDING|1");
}
