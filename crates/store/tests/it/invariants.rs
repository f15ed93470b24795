//! Tests of the operators' script that checks a database: it finds each kind of violation, and none in a
//! correct database.

use crate::databases::postgres_store;
use cutover_app::port::{StoreError, write};
use cutover_testkit_postgres::{TemplateCopy, psql};
use std::io::Write;
use tempfile::NamedTempFile;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/postgres/invariants.sql");
const RECOUNT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/postgres/recount.sql");

/// Accounts of the supplier `S`: `A-1` is imported and has rows in dependent tables, `A-2` waits, `A-3` is
/// archived, `A-4` was archived and sent again, `A-5` is being imported. The business `B-1` has contracts.
const SETUP: &str = "
    INSERT INTO organisations VALUES (1, 'O', '2026-01-01');
    INSERT INTO suppliers (id, organisation_id, code, status, document_root, verify_documents,
        send_customer_emails, dry_run, time_zone, created_at)
        VALUES (1, 1, 'S', 'Ongoing', '/S', false, false, false, 'UTC', '2026-01-01');
    INSERT INTO processes (id, supplier_id, external_account_number, state, attempt, tries, version, is_dry_run,
        due_at, lease_until, created_at, modified_at, latest_event_at, service_account_number, fingerprint,
        error_code, error_detail, archived_at, error_causes)
        SELECT id, 1, 'A-' || id, state, 1, 1, version, false, '2999-01-01', lease, '2026-01-01', '2026-01-02',
            '2026-01-02', number, sha256('x'), error, error, archived,
            CASE WHEN error IS NOT NULL THEN
                json_build_array(json_build_array(error, 'customers.#.email', 0))::TEXT END
        FROM (VALUES
            (1, 'PROCESSED', 3, NULL::TIMESTAMPTZ, 'N-1', NULL, NULL::TIMESTAMPTZ),
            (2, 'PENDING', 1, NULL, NULL, NULL, NULL),
            (3, 'ERRORED', 3, NULL, NULL, 'rejected', '2026-02-01'),
            (4, 'PENDING', 4, NULL, NULL, NULL, NULL),
            (5, 'IN_PROGRESS', 2, '2999-01-01', NULL, NULL, NULL)
        ) AS p (id, state, version, lease, number, error, archived);
    INSERT INTO payloads SELECT id, 'x' FROM processes WHERE id <> 3;
    INSERT INTO process_history
        SELECT process, version, event, nullif('PENDING', CASE version WHEN 1 THEN 'PENDING' END), state,
            '2026-01-02', 1, 'system'
        FROM (VALUES
            (1, 1, 'created', 'PENDING'), (1, 2, 'claimed', 'IN_PROGRESS'), (1, 3, 'imported', 'PROCESSED'),
            (2, 1, 'created', 'PENDING'), (4, 4, 'resubmitted', 'PENDING'),
            (5, 1, 'created', 'PENDING'), (5, 2, 'claimed', 'IN_PROGRESS')
        ) AS h (process, version, event, state);
    INSERT INTO accounts (id, supplier_id, external_account_number, number, customer_emails, imported_at)
        VALUES (1, 1, 'A-1', 'N-1', false, '2026-01-02');
    INSERT INTO ledgers (account_id, position, balance) VALUES (1, 0, '0010.10'), (1, 1, NULL);
    INSERT INTO statements (account_id, position, statement_id, bill_period_from_date, bill_period_to_date, statement_path)
        SELECT 1, n, 'S-' || n, '2026-01-01', '2026-01-02', path FROM (VALUES (0, '/a.pdf'), (1, ' '), (2, NULL)) s (n, path);
    INSERT INTO historical_statements (account_id, position, statement_id, bill_period_from_date, bill_period_to_date,
        statement_path, fingerprint, added_at) VALUES (1, 0, 'S', '2026-01-01', '2026-01-02', '/b.pdf', sha256('x'), '2026-01-02');
    INSERT INTO transactions (account_id, position, ledger, statement, transaction_id, transaction_date, amount, type)
        SELECT 1, n, 0, 'current', 'T', '2026-01-01', '1.00', 'CREDIT' FROM generate_series(0, 2) n;
    INSERT INTO tax_items SELECT 1, t, n, '1', 'GST', '1', '1', 'x' FROM generate_series(1, 2) t, generate_series(0, 1) n;
    INSERT INTO businesses VALUES (1, 1, 1, 1, 'B-1', NULL, NULL, NULL, sha256('x'), '2026-01-01');
    INSERT INTO business_contracts
        SELECT 1, n, 1, 'C-' || n, '2026-01-01', '2026-01-01' FROM generate_series(0, 1) n;
";

/// Changes that cause a violation, and its report. Foreign keys are not enforced for the change.
const VIOLATIONS: &[(&str, &str)] = &[
    (
        "DELETE FROM processes WHERE id = 2; DELETE FROM payloads WHERE process_id = 2;
         DELETE FROM process_history WHERE process_id = 2",
        "I1,S,A-2,\"was accepted, and has no process\"",
    ),
    ("DELETE FROM payloads WHERE process_id = 4", "I1,S,A-4,has no payload"),
    ("INSERT INTO payloads VALUES (3, 'x')", "I1,S,A-3,\"is archived, and its payload is here\""),
    (
        "INSERT INTO previous_attempts VALUES (1, 1, 'ERRORED', '2026-01-02', NULL, NULL, NULL, 'x')",
        "I1,S,A-1,\"is imported or archived, and its previous attempt is here\"",
    ),
    (
        "ALTER TABLE processes DROP CONSTRAINT processes_supplier_id_external_account_number_key;
         UPDATE processes SET external_account_number = 'A-5' WHERE id = 4",
        "I1,S,A-4,\"was accepted, and has no process\"\nI2,S,A-5,2 processes are its",
    ),
    (
        "ALTER TABLE accounts DROP CONSTRAINT accounts_supplier_id_external_account_number_key;
         INSERT INTO accounts SELECT 3, supplier_id, external_account_number, 'N-3', false, imported_at FROM accounts;
         INSERT INTO ledgers (account_id, position) VALUES (3, 0)",
        "I2,S,A-1,2 accounts are its\nI3,S,A-3,\"is ERRORED, and there is an account\"\n\
         I3,S,A-3,its account is that of another",
    ),
    (
        "ALTER TABLE accounts DROP CONSTRAINT accounts_number_key;
         INSERT INTO accounts SELECT 3, supplier_id, 'A-3', number, false, imported_at FROM accounts;
         INSERT INTO ledgers (account_id, position) VALUES (3, 0)",
        "I2,S,A-1,2 accounts have its number\nI3,S,A-3,\"is ERRORED, and there is an account\"",
    ),
    (
        "ALTER TABLE processes DROP CONSTRAINT processes_check6;
         UPDATE processes SET service_account_number = NULL WHERE id = 1",
        "I3,S,A-1,\"is PROCESSED, with no account number\"",
    ),
    (
        "ALTER TABLE processes DROP CONSTRAINT processes_check6;
         UPDATE processes SET service_account_number = 'N-2' WHERE id = 2",
        "I3,S,A-2,\"is PENDING, with an account number\"",
    ),
    (
        "DELETE FROM accounts; DELETE FROM ledgers; DELETE FROM transactions; DELETE FROM tax_items;
         DELETE FROM statements; DELETE FROM historical_statements",
        "I3,S,A-1,\"is PROCESSED, and there is no account\"",
    ),
    ("UPDATE accounts SET number = 'N-9'", "I3,S,A-1,its account has another number"),
    ("UPDATE accounts SET external_account_number = 'A-9'", "I3,S,A-1,its account is that of another"),
    (
        "DELETE FROM ledgers; DELETE FROM transactions; DELETE FROM tax_items",
        "I3,S,A-1,its account has no first ledger",
    ),
    ("DELETE FROM process_history WHERE process_id = 2", "I3,S,A-2,has no history"),
    (
        "INSERT INTO process_history VALUES (3, 3, 'resubmitted', 'ERRORED', 'ERRORED', '2026-01-02', 1, 'system')",
        "I3,S,A-3,\"is archived, and its history is here\"",
    ),
    (
        "DELETE FROM process_history WHERE process_id = 1 AND version = 1",
        "I3,S,A-1,\"its history begins with version 2, claimed\"",
    ),
    (
        "DELETE FROM process_history WHERE process_id = 1 AND version = 2",
        "I3,S,A-1,its history has 2 entries from version 1 to 3",
    ),
    (
        "DELETE FROM process_history WHERE process_id = 5 AND version = 2",
        "I3,S,A-5,\"is IN_PROGRESS since 2026-01-02 00:00:00+00, and its history ends with PENDING at \
         2026-01-02 00:00:00+00\"\nI3,S,A-5,\"is at version 2, and its history ends at 1\"",
    ),
    (
        "UPDATE processes SET modified_at = '2026-01-03' WHERE id = 1",
        "I3,S,A-1,\"is PROCESSED since 2026-01-03 00:00:00+00, and its history ends with PROCESSED at \
         2026-01-02 00:00:00+00\"",
    ),
    (
        "UPDATE process_history SET event = 'rejected' WHERE event = 'imported'",
        "I3,S,A-1,\"is PROCESSED, and was imported 0 times\"",
    ),
    (
        "UPDATE processes SET version = 4 WHERE id = 1;
         INSERT INTO process_history VALUES (1, 4, 'imported', 'IN_PROGRESS', 'PROCESSED', '2026-01-02', 1, 'system')",
        "I3,S,A-1,\"is PROCESSED, and was imported 2 times\"\n\
         I4,S,A-1,\"was imported at version 3, and is PROCESSED at version 4\"",
    ),
    (
        "UPDATE processes SET version = 4 WHERE id = 1;
         INSERT INTO process_history VALUES (1, 4, 'deferred', 'IN_PROGRESS', 'PROCESSED', '2026-01-02', 1, 'system')",
        "I4,S,A-1,\"was imported at version 3, and is PROCESSED at version 4\"",
    ),
    (
        "UPDATE processes SET version = 5, state = 'CANCELLED', service_account_number = NULL WHERE id = 1;
         INSERT INTO process_history VALUES (1, 4, 'released', 'PROCESSED', 'PENDING', '2026-01-02', 1, 'system'),
            (1, 5, 'undone', 'PENDING', 'CANCELLED', '2026-01-02', 1, 'operator');
         DELETE FROM accounts; DELETE FROM ledgers; DELETE FROM transactions; DELETE FROM tax_items;
         DELETE FROM statements; DELETE FROM historical_statements",
        "I4,S,A-1,\"at version 3 it was imported, and then released\"\n\
         I4,S,A-1,\"at version 4 it was released, and then undone\"",
    ),
    (
        "INSERT INTO retired_numbers VALUES ('N-1')",
        "I4,S,A-1,has the number of an account that was undone",
    ),
    (
        "DELETE FROM ledgers WHERE position = 0; UPDATE transactions SET ledger = 1",
        "I3,S,A-1,its account has no first ledger\n\
         I3,S,A-1,ledgers: 1 rows of account_id 1 have positions from 1 to 1",
    ),
    (
        "DELETE FROM transactions WHERE position = 1; DELETE FROM tax_items WHERE txn = 1",
        "I3,S,A-1,transactions: 2 rows of account_id 1 have positions from 0 to 2",
    ),
    (
        "UPDATE tax_items SET position = 2 WHERE txn = 1 AND position = 1",
        "I3,S,A-1,tax_items: 2 rows of account_id 1 have positions from 0 to 2",
    ),
    ("DELETE FROM ledgers WHERE position = 1; UPDATE transactions SET ledger = 1 WHERE position = 2",
     "I3,S,A-1,transactions: a row of account_id 1 has no ledgers"),
    (
        "INSERT INTO customers (account_id, position) VALUES (9, 0)",
        "I3,,,customers: a row of account_id 9 has no accounts",
    ),
    (
        "DELETE FROM business_contracts WHERE position = 0",
        "I3,S,B-1,business_contracts: 1 rows of business_id 1 have positions from 1 to 1",
    ),
    (
        "INSERT INTO audit_trail (occurred_at, actor, action, process_id) VALUES ('2026-01-03', 'command',
            'account.erase', 2)",
        "I3,S,A-2,\"was erased, and is there\"",
    ),
    ("UPDATE processes SET due_at = '2026-01-03' WHERE id = 2", "I5,S,A-2,is due since 2026-01-03 00:00:00+00"),
    (
        "UPDATE processes SET due_at = '2026-01-03', window_end = '2026-01-04' WHERE id = 2",
        "I5,S,A-2,missed its window at 2026-01-04 00:00:00+00",
    ),
    (
        "UPDATE processes SET lease_until = '2026-01-04' WHERE id = 5",
        "I5,S,A-5,was claimed until 2026-01-04 00:00:00+00",
    ),
    (
        "UPDATE processes SET error_causes = NULL",
        "I6,S,,\"1 processes have failed without a cause, or have not and have one\"",
    ),
    (
        "INSERT INTO runs VALUES (1, 1, 'night', '2026-01-01', NULL);
         INSERT INTO run_figures VALUES (1, 0, '{\"states\":[[\"ERRORED\",3]]}'), (1, 1, '{\"states\":[[\"ERRORED\",-2]]}');
         INSERT INTO run_outcomes SELECT 1, id, state, '2026-01-02', NULL, NULL, 0, '0', 0, 0, 0 FROM processes WHERE id IN (1, 3)",
        "I6,S,,\"0 accounts of the run night are kept as PROCESSED, and there are 1\"",
    ),
];

/// Changes that cause a violation of figures, and its report.
const FIGURES: &[(&str, &str)] = &[
    (
        "UPDATE process_counts SET sent_units = 7 WHERE state = 'PROCESSED'",
        "I6,S,,\"sent_units of accounts that are PROCESSED are kept as 7, and come to 0\"",
    ),
    (
        "UPDATE process_counts SET processes = processes + 1 WHERE state = 'PROCESSED'",
        "I6,S,,\"2 processes are kept as PROCESSED, and there are 1\"",
    ),
    (
        "UPDATE processes SET error_code = 'other' WHERE error_code IS NOT NULL",
        "I6,S,,\"0 processes are kept as ERRORED other, and there are 1\"\n\
         I6,S,,\"1 processes are kept as ERRORED rejected, and there are 0\"",
    ),
    (
        "INSERT INTO process_changes (supplier_id, state, error_code, change) VALUES (1, 'PENDING', '', -2)",
        "I6,S,,\"0 processes are kept as PENDING, and there are 2\"",
    ),
    (
        "UPDATE cause_counts SET accounts = accounts + 1",
        "I6,S,,\"2 accounts are kept and 1 are listed with the error rejected at customers.#.email, and there are 1\"",
    ),
    (
        "DELETE FROM process_causes",
        "I6,S,,\"1 accounts are kept and 0 are listed with the error rejected at customers.#.email, and there are 1\"",
    ),
    (
        "DELETE FROM process_minutes WHERE state = 'ERRORED'",
        "I6,S,,\"0 processes are kept as ERRORED in 2026-01-02 00:00:00+00, and there are 1\"",
    ),
    (
        "UPDATE ledgers SET balance = '-0.06' WHERE position = 1",
        "I6,S,,\"ledger_balance are kept as 10.1, and come to 10.04\"",
    ),
    (
        "INSERT INTO total_changes (supplier_id, accounts, ledger_balance, readings, transactions, documents)
            VALUES (1, 1, '0', 2, 3, 4)",
        "I6,S,,\"accounts are kept as 2, and come to 1\"\nI6,S,,\"documents are kept as 6, and come to 2\"\n\
         I6,S,,\"readings are kept as 2, and come to 0\"\nI6,S,,\"transactions are kept as 6, and come to 3\"",
    ),
    (
        "INSERT INTO row_changes (supplier_id, is_sent, times, counts) VALUES (1, FALSE, 2, repeat(',', 25) || '3')",
        "I6,S,,\"rows of table 26 that were imported are kept as 6, and come to 0\"",
    ),
    (
        "UPDATE totals SET ledger_balance = '10.0999999999'",
        "I6,S,,\"ledger_balance are kept as 10.0999999999, and come to 10.1\"",
    ),
];

/// Changes that cause no violation.
const NO_VIOLATIONS: &[&str] = &[
    "ANALYZE",
    "UPDATE suppliers SET status = 'Paused'; UPDATE processes SET due_at = '2026-01-03' WHERE id = 2",
    "UPDATE suppliers SET max_concurrent_imports = 0; UPDATE processes SET due_at = '2026-01-03' WHERE id = 2",
    "UPDATE processes SET due_at = now() - interval '4 minutes' WHERE id = 2",
    // Its import was undone.
    "UPDATE processes SET version = 4, state = 'CANCELLED', service_account_number = NULL WHERE id = 1;
     INSERT INTO process_history VALUES (1, 4, 'undone', 'PROCESSED', 'CANCELLED', '2026-01-02', 1, 'operator');
     INSERT INTO retired_numbers VALUES ('N-1');
     DELETE FROM accounts; DELETE FROM ledgers; DELETE FROM transactions; DELETE FROM tax_items;
     DELETE FROM statements; DELETE FROM historical_statements",
    // And it was imported again.
    "UPDATE processes SET version = 7, service_account_number = 'N-2' WHERE id = 1;
     UPDATE accounts SET number = 'N-2'; INSERT INTO retired_numbers VALUES ('N-1');
     INSERT INTO process_history VALUES (1, 4, 'undone', 'PROCESSED', 'CANCELLED', '2026-01-02', 1, 'operator'),
        (1, 5, 'resubmitted', 'CANCELLED', 'PENDING', '2026-01-02', 1, 'system'),
        (1, 6, 'claimed', 'PENDING', 'IN_PROGRESS', '2026-01-02', 2, 'system'),
        (1, 7, 'imported', 'IN_PROGRESS', 'PROCESSED', '2026-01-02', 2, 'system')",
    "CREATE TABLE later (account_id BIGINT REFERENCES accounts, position BIGINT, PRIMARY KEY (account_id, position))",
];

struct Checked {
    database: TemplateCopy,
    accepted: NamedTempFile,
}

impl Checked {
    fn new() -> Option<Self> {
        let (store, database) = postgres_store()?;
        database.sql(SETUP).unwrap();
        // The rows were not written by the program, which adds totals.
        database.sql("INSERT INTO totals VALUES (1, 1, '10.10', 0, 3, 2)").unwrap();
        assert_ne!(write(&store, |tx| tx.fold(100)), Ok::<_, StoreError>(0));
        let mut accepted = NamedTempFile::with_prefix("it's accepted").unwrap();
        accepted.write_all(b"S,A-1\nS,A-2\nS,\"A-3\"\nS,A-4\nS,A-5\n").unwrap();
        Some(Self { database, accepted })
    }

    /// Returns exit code and output of the script after a change, which is undone. Triggers do not count the
    /// change, so the figures are counted again.
    fn after(&self, change: &str, options: &[&str]) -> (Option<i32>, String) {
        self.after_all(change, &[&["-f", RECOUNT], options].concat())
    }

    /// Like `after`, but runs the given options instead of the recount.
    fn after_all(&self, change: &str, options: &[&str]) -> (Option<i32>, String) {
        let accepted = format!("accepted={}", self.accepted.path().display());
        let mut command = psql(self.database.url()).unwrap();
        command.env("PGTZ", "UTC").args(["-v", &accepted]);
        command.args(["-c", "BEGIN", "-c", "SET LOCAL session_replication_role = replica", "-c", change]);
        command.args(options);
        let output = command.args(["-f", SCRIPT, "-c", "ROLLBACK"]).output().unwrap();
        let (stdout, stderr) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        let is_expected = stderr.is_empty() || stderr.contains("the invariants do not hold");
        assert!(is_expected, "{change}: {stderr}");
        (output.status.code(), stdout.trim_end().to_owned())
    }
}

#[test]
fn each_kind_of_violation_is_reported() {
    let Some(checked) = Checked::new() else { return };
    for (change, expected) in VIOLATIONS {
        assert_eq!(checked.after(change, &[]), (Some(3), (*expected).to_owned()), "{change}");
    }
}

/// A recount fixes each of them.
#[test]
fn wrong_figures_are_reported_and_fixed() {
    let Some(checked) = Checked::new() else { return };
    for (change, expected) in FIGURES {
        assert_eq!(checked.after_all(change, &[]), (Some(3), (*expected).to_owned()), "{change}");
        assert_eq!(checked.after(change, &[]), (Some(0), String::new()), "{change}");
    }
    assert_eq!(checked.after_all("ANALYZE", &[]), (Some(0), String::new()));
}

#[test]
fn a_correct_database_has_no_violations() {
    let Some(checked) = Checked::new() else { return };
    for change in NO_VIOLATIONS {
        assert_eq!(checked.after(change, &[]), (Some(0), String::new()), "{change}");
    }
    let late = "UPDATE processes SET due_at = now() - interval '4 minutes' WHERE id = 2";
    let (code, _) = checked.after(late, &["-v", "bound=3 minutes"]);
    assert_eq!(code, Some(3));
}
