//! Lookups of values that 50,000 accounts have: their costs do not depend on how many.

use super::environment::TestEnvironment;
use super::plans::{assert_few_are_read, fill, reset};
use cutover_app::port::{MeterPointKey, MeterPointQuestion, read_committed};
use cutover_core::ExternalAccountNumber;

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
        holders[0].as_ref().map(|holder| holder.number.clone())
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
