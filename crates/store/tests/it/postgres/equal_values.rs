//! Lookups of values that 50,000 accounts have: their costs do not depend on how many.

use super::environment::TestEnvironment;
use super::plans::{assert_few_are_read, fill, reset};
use chrono::DateTime;
use cutover_app::port::{
    InstructionKey, MeterPointKey, MeterPointQuestion, NewNote, NoteContent, read_committed, write,
};
use cutover_core::ExternalAccountNumber;
use cutover_model::Note;
use cutover_model::choices::PaymentInstructionType;

/// The meter point 6 of accounts that are supplied, 7 of accounts whose supply has ended, and 8 of another
/// organisation. The last account that has 6 is the only one with a row of its own.
const METER_POINTS: &str = "SET session_replication_role = replica; \
    INSERT INTO accounts (id, supplier_id, external_account_number, number, customer_emails, imported_at) \
        VALUES (50000, 1, 'S', 'N', false, '2026-01-02'); \
    INSERT INTO meter_points (account_id, position, supply_address, organisation_id, mpxn, supply_type, \
        supply_start_date, supply_end_date) SELECT n, position, 0, organisation_id, mpxn, 'ELECTRICITY', \
        '2020-01-01', supply_end_date::DATE FROM generate_series(1, 50000) n, (VALUES (0, 1, '6', NULL), \
        (1, 1, '7', '2025-12-31'), (2, 2, '8', NULL)) AS v (position, organisation_id, mpxn, supply_end_date)";

/// Contracts of accounts that have been imported, and of accounts that have all failed.
const CONTRACTS: &str = "SET session_replication_role = replica; \
    INSERT INTO process_contracts (process_id, organisation_id, identifier, is_in_use) \
        SELECT id, 1, 'IMPORTED', true FROM processes; \
    INSERT INTO process_contracts (process_id, organisation_id, identifier, is_in_use) \
        SELECT 1000 + n, 1, CASE n % 2 WHEN 0 THEN 'IMPORTED' ELSE 'FAILED' END, n % 2 = 0 \
        FROM generate_series(1, 100000) n";

/// A transaction, a statement and an instruction that each account has. The account 1 has the transaction 50,000 times,
/// because it was added once more on demand, and a note as often, at other times.
const ADDITIONS: &str = "SET session_replication_role = replica; \
    INSERT INTO transactions (account_id, position, ledger, statement, transaction_id, transaction_date, amount, type) \
        SELECT account, position, 0, 'current', 'T', '2026-01-01', '1', 'CHARGE' FROM (SELECT n AS account, 0 AS position \
            FROM generate_series(1, 50000) n UNION ALL SELECT 1, n FROM generate_series(1, 50000) n) AS added; \
    INSERT INTO notes (account_id, position, content_hash, created_at) \
        SELECT 1, n, '\\xHASH', '2026-01-01'::TIMESTAMPTZ + n * interval '1 second' FROM generate_series(1, 50000) n; \
    INSERT INTO historical_statements (account_id, position, statement_id, bill_period_from_date, bill_period_to_date, \
        fingerprint, added_at) SELECT n, 0, 'S', '2026-01-01', '2026-01-31', '\\xFINGERPRINT', '2026-02-01' \
        FROM generate_series(1, 50000) n; \
    INSERT INTO account_instructions (account_id, position, vendor, type, reference, details, verified_at) \
        SELECT n, 0, 'V', 'CARD', 'R', '{}', '2026-02-01' FROM generate_series(1, 50000) n";

#[test]
fn a_meter_point_that_many_accounts_have_is_read_once() {
    let Some(env) = TestEnvironment::new() else { return };
    fill(&env, METER_POINTS);
    reset(&env, "meter_points");
    let number: ExternalAccountNumber = "A-1".parse().unwrap();
    let holder = |mpxn: &str| {
        let sought = MeterPointKey { mpxn: mpxn.into(), supply_start_date: "2026-01-01".parse().unwrap() };
        let question =
            MeterPointQuestion { organisation_id: 1, supplier_id: 1, number: &number, sought: &sought };
        let holders = read_committed(&*env.store, |tx| tx.meter_point_holders(&[question])).unwrap();
        holders[0].as_ref().map(|held| held.holder.number.clone())
    };
    assert_eq!(["6", "7", "8"].map(holder), [Some("S".to_owned()), None, None]);
    assert_few_are_read(&env.close(), "meter_points");
}

#[test]
fn a_contract_that_many_accounts_name_is_read_once() {
    let Some(env) = TestEnvironment::new() else { return };
    env.create("A-1");
    fill(&env, CONTRACTS);
    reset(&env, "process_contracts");
    let is_in_use =
        |contract: &str| read_committed(&*env.store, |tx| tx.is_contract_in_use(1, contract)).unwrap();
    assert_eq!(["IMPORTED", "FAILED", "UNKNOWN"].map(is_in_use), [true, false, false]);
    assert_few_are_read(&env.close(), "process_contracts");
}

#[test]
fn additions_that_many_accounts_have_are_read_once() {
    let Some(env) = TestEnvironment::new() else { return };
    let note = Note {
        body: Some("N".into()),
        document_paths: None,
        created_at: None,
        is_pinned: None,
        unpin_at: None,
    };
    let content = NoteContent::of(&note);
    let hash: String = content.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    fill(&env, &ADDITIONS.replace("HASH", &hash).replace("FINGERPRINT", &"01".repeat(32)));
    let tables = ["transactions", "notes", "historical_statements", "account_instructions"];
    tables.iter().for_each(|table| reset(&env, table));
    let key =
        InstructionKey { vendor: "V".into(), kind: PaymentInstructionType::Card, reference: "R".into() };
    let find = |account| {
        read_committed(&*env.store, |tx| {
            assert_eq!(tx.historical_statement(account, "S")?, Some([1; 32]));
            assert!(tx.account_has_instruction(account, &key)?);
            Ok((
                tx.find_transaction(account, "T")?.is_some(),
                tx.find_note(account, content, None)?.is_some(),
            ))
        })
    };
    assert_eq!([1, 50_000].map(|account| find(account).unwrap()), [(true, true), (true, false)]);
    let last = "2026-01-01T13:53:20Z".parse().unwrap();
    let found = read_committed(&*env.store, |tx| tx.find_note(1, content, Some(last))).unwrap();
    assert_eq!(found, Some(last));
    let again = NewNote { note, created_at: DateTime::UNIX_EPOCH, unpin_at: None };
    write(&*env.store, move |tx| tx.add_note(1, &again)).unwrap();
    let database = env.close();
    tables.iter().for_each(|table| assert_few_are_read(&database, table));
}
