//! Statements that were planned while the tables were empty.

use super::environment::TestEnvironment;
use chrono::DateTime;
use cutover_app::port::{
    Cause, MeterPointKey, MeterPointQuestion, Outcome, PageLimit, ProcessFilter, RefusedCreate,
    read_committed, write,
};
use cutover_core::{Code, ExternalAccountNumber, Level};
use cutover_model::Totals;
use cutover_process::State;
use cutover_testkit_postgres::TestDatabase;

const MANY: &str = "INSERT INTO processes SELECT nextval('process_ids'), supplier_id, 'M-' || n, state, attempt, \
    tries, version, is_dry_run, NULL, NULL, due_at, NULL, created_at, modified_at, latest_event_at, NULL, NULL, \
    NULL, fingerprint, NULL FROM processes, generate_series(1, 20000) n";

/// Checks that few of 20,000 rows were read, by an index or without one.
#[track_caller]
pub(super) fn assert_few_are_read(database: &TestDatabase, table: &str) {
    let read = format!(
        "SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = '{table}') \
            + (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = '{table}')"
    );
    let read: u64 = database.sql(&read).unwrap().parse().unwrap();
    assert!(read < 10_000, "{read} of {table} were read");
}

/// Keeps the server from collecting statistics of new rows. A later change of this setting would invalidate
/// all plans.
const NOT_COUNTED: &str = "ALTER TABLE processes SET (autovacuum_enabled = false); \
    ALTER TABLE process_causes SET (autovacuum_enabled = false)";

/// Changes rows. The server counts the rows that this reads at once; otherwise it would when the connection ends,
/// which may be after a reset.
pub(super) fn fill(env: &TestEnvironment, sql: &str) {
    env.database.sql(&format!("{sql}; SELECT pg_stat_force_next_flush()")).unwrap();
}

/// Resets the counts of read rows.
pub(super) fn reset(env: &TestEnvironment, table: &str) {
    let reset = format!(
        "SELECT pg_stat_force_next_flush(); SELECT pg_stat_reset_single_table_counters(oid) FROM pg_class \
            WHERE relname = '{table}' OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = '{table}'::REGCLASS)"
    );
    env.database.sql(&reset).unwrap();
}

#[test]
fn a_process_is_found_by_its_key_from_the_first_day() {
    let Some(env) = TestEnvironment::new() else { return };
    let number: ExternalAccountNumber = "A-1".parse().unwrap();
    let find = || read_committed(&*env.store, |tx| tx.process(1, &number)).unwrap().is_some();
    let lock = || {
        let number = number.clone();
        write(&*env.store, move |tx| tx.lock_process(1, &number)).unwrap();
    };
    assert!(!find());
    lock();
    env.create("A-1");
    fill(&env, MANY);
    assert!(find());
    lock();
    let database = env.close();
    assert_few_are_read(&database, "processes");
}

#[test]
fn processes_are_found_by_their_numbers_from_the_first_day() {
    let Some(env) = TestEnvironment::new() else { return };
    let numbers = ["A-1", "M-7"].map(str::to_owned);
    let find = || read_committed(&*env.store, |tx| tx.processes_among(1, &numbers)).unwrap().len();
    often(|| assert_eq!(find(), 0));
    env.database.sql(NOT_COUNTED).unwrap();
    env.create("A-1");
    fill(&env, MANY);
    reset(&env, "processes");
    assert_eq!(find(), 2);
    let database = env.close();
    assert_few_are_read(&database, "processes");
}

#[test]
fn similar_numbers_are_found_by_their_keys_from_the_first_day() {
    let Some(env) = TestEnvironment::new() else { return };
    let numbers: [ExternalAccountNumber; 2] = ["A-1", "0M-7"].map(|number| number.parse().unwrap());
    let find = || read_committed(&*env.store, |tx| tx.similar_numbers(1, &numbers)).unwrap();
    often(|| assert_eq!(find(), [None, None]));
    env.database.sql(NOT_COUNTED).unwrap();
    env.create("a-1");
    fill(&env, MANY);
    let folded = "ALTER TABLE folded_numbers SET (autovacuum_enabled = false); \
        INSERT INTO folded_numbers SELECT id, supplier_id, 'F-' || external_account_number FROM processes \
        ON CONFLICT DO NOTHING";
    fill(&env, folded);
    ["processes", "folded_numbers"].iter().for_each(|table| reset(&env, table));
    assert_eq!(find(), [Some("a-1".to_owned()), Some("M-7".to_owned())]);
    let database = env.close();
    ["processes", "folded_numbers"].iter().for_each(|table| assert_few_are_read(&database, table));
}

#[test]
fn refused_creates_are_found_by_their_numbers_from_the_first_day() {
    let Some(env) = TestEnvironment::new() else { return };
    let numbers = ["R-1", "R-7"].map(str::to_owned);
    let find = || read_committed(&*env.store, |tx| tx.refused_among(1, &numbers)).unwrap().len();
    let nothing =
        || RefusedCreate { number: "R-0".into(), refused_at: DateTime::UNIX_EPOCH, causes: Vec::new() };
    let remove = || write(&*env.store, move |tx| tx.change_refusals(1, &[nothing()], &[], 0)).unwrap();
    often(|| assert_eq!(find(), 0));
    often(remove);
    let many = "ALTER TABLE refused_creates SET (autovacuum_enabled = false); INSERT INTO refused_creates \
        SELECT min(id), 'R-' || n, now(), '[]' FROM suppliers, generate_series(1, 20000) n GROUP BY n";
    fill(&env, many);
    reset(&env, "refused_creates");
    assert_eq!(find(), 2);
    write(&*env.store, |tx| {
        let found = tx.refused_among(1, &["R-1", "R-7"].map(str::to_owned))?;
        tx.lock_refusals(1)?;
        tx.change_refusals(1, &found, &[], 0)
    })
    .unwrap();
    assert_eq!(find(), 0);
    let database = env.close();
    assert_few_are_read(&database, "refused_creates");
}

/// Runs a query often enough to get the plan that is kept: a prepared statement is planned again a few times.
fn often<T>(mut query: impl FnMut() -> T) {
    (0..8).for_each(|_| drop(query()));
}

#[test]
fn accounts_are_found_by_a_prefix_of_their_numbers_from_the_first_day() {
    let Some(env) = TestEnvironment::new() else { return };
    let beginning: ExternalAccountNumber = "M-77".parse().unwrap();
    let find = || read_committed(&*env.store, |tx| tx.processes_like(1, &beginning, 5)).unwrap().len();
    env.database.sql(NOT_COUNTED).unwrap();
    often(find);
    env.create("A-1");
    fill(&env, MANY);
    reset(&env, "processes");
    assert_eq!(find(), 5);
    assert_few_are_read(&env.close(), "processes");
}

#[test]
fn examples_of_an_error_are_found_from_the_first_day() {
    let Some(env) = TestEnvironment::new() else { return };
    let cause = Cause { code: "error".into(), attr: None };
    let find =
        || read_committed(&*env.store, |tx| tx.accounts_with(1, Level::Error, &cause, 3)).unwrap().len();
    env.database.sql(NOT_COUNTED).unwrap();
    often(find);
    env.create("A-1");
    fill(&env, MANY);
    fill(
        &env,
        "UPDATE processes SET state = 'ERRORED', error_code = 'error', error_detail = '', \
            error_causes = '[[\"error\",\"\",0]]'",
    );
    ["processes", "process_causes"].iter().for_each(|table| reset(&env, table));
    assert_eq!(find(), 3);
    let database = env.close();
    assert_few_are_read(&database, "processes");
    assert_few_are_read(&database, "process_causes");
}

/// An account with many meter points of one identifier. By these statistics, a supplier has few accounts.
const FEW_ACCOUNTS: &str = "SET session_replication_role = replica; \
    INSERT INTO accounts (id, supplier_id, external_account_number, number, customer_emails, imported_at) \
        VALUES (100000, 1, 'S', 'N', false, '2026-01-02'); \
    INSERT INTO meter_points (account_id, position, supply_address, organisation_id, mpxn, supply_type, supply_start_date) \
        SELECT 100000, n, 0, 1, '6', 'ELECTRICITY', '2020-01-01' FROM generate_series(1, 1000) n; \
    ANALYZE accounts, meter_points, suppliers";

/// Other accounts of the supplier, each with a meter point.
const OTHERS: &str = "SET session_replication_role = replica; \
    INSERT INTO accounts (id, supplier_id, external_account_number, number, customer_emails, imported_at) \
        SELECT n, 1, 'M-' || n, 'N-' || n, false, '2026-01-02' FROM generate_series(1, 20000) n; \
    INSERT INTO meter_points (account_id, position, supply_address, organisation_id, mpxn, supply_type, supply_start_date) \
        SELECT n, 0, 0, 1, '6' || n, 'ELECTRICITY', '2020-01-01' FROM generate_series(1, 20000) n";

/// The query must not read all accounts of a supplier.
#[test]
fn meter_points_of_others_are_found_by_their_identifiers_from_the_first_day() {
    let Some(env) = TestEnvironment::new() else { return };
    let number: ExternalAccountNumber = "A-1".parse().unwrap();
    let sought = MeterPointKey { mpxn: "619999".into(), supply_start_date: "2026-01-01".parse().unwrap() };
    let question =
        MeterPointQuestion { organisation_id: 1, supplier_id: 1, number: &number, sought: &sought };
    let ask = || {
        let holders = read_committed(&*env.store, |tx| tx.meter_point_holders(&[question])).unwrap();
        holders[0].is_some()
    };
    let tables = ["accounts", "meter_points"];
    for table in tables {
        env.database.sql(&format!("ALTER TABLE {table} SET (autovacuum_enabled = false)")).unwrap();
    }
    fill(&env, FEW_ACCOUNTS);
    often(ask);
    fill(&env, OTHERS);
    tables.iter().for_each(|table| reset(&env, table));
    assert!(ask());
    let database = env.close();
    tables.iter().for_each(|table| assert_few_are_read(&database, table));
}

/// Half of the changes, in batches.
#[test]
fn changes_are_folded_by_their_keys_from_the_first_day() {
    let Some(env) = TestEnvironment::new() else { return };
    let fold = || write(&*env.store, |tx| tx.fold(1_000)).unwrap();
    while fold() > 0 {}
    often(fold);
    let many = "INSERT INTO total_changes (supplier_id, accounts, ledger_balance, readings, transactions, documents) \
                SELECT 1, 1, '1', 0, 0, 0 FROM generate_series(1, 20000)";
    fill(&env, many);
    reset(&env, "total_changes");
    assert_eq!((fold(), fold(), fold()), (1_000, 1_000, 1_000));
    assert_few_are_read(&env.close(), "total_changes");
}

/// A page of the outcomes of a run, and the replacement of one of them.
#[test]
fn outcomes_of_a_run_are_found_by_their_keys_from_the_first_day() {
    let Some(env) = TestEnvironment::new() else { return };
    env.database.sql("ALTER TABLE run_outcomes SET (autovacuum_enabled = false)").unwrap();
    write(&*env.store, |tx| tx.start_run(1, "night", DateTime::UNIX_EPOCH)).unwrap();
    let failed = |process_id| Outcome {
        process_id,
        state: State::Errored.into(),
        ended_at: DateTime::UNIX_EPOCH,
        content: None,
        paths: None,
        causes: Vec::new(),
        totals: Totals::default(),
    };
    let page = |after| read_committed(&*env.store, |tx| tx.outcomes(1, after, 10)).unwrap().len();
    let record = || write(&*env.store, move |tx| tx.record_outcomes(1, &[failed(15_000)])).unwrap();
    often(|| page(0));
    let many = "INSERT INTO run_outcomes (run_id, process_id, state, ended_at, content, causes, accounts, ledger_balance, readings, \
            transactions, documents) SELECT 1, n, 'ERRORED', now(), NULL, NULL, 0, '0', 0, 0, 0 \
                FROM generate_series(1, 20000) n WHERE n <> 15000";
    fill(&env, many);
    reset(&env, "run_outcomes");
    assert_eq!(page(12_000), 10);
    record();
    assert_few_are_read(&env.close(), "run_outcomes");
}

/// Checks a page of a list whose statements are planned with empty tables, then run on 20,000 rows that do
/// not match and one that does.
fn few_are_read_for(filter: ProcessFilter<'_>, others: &str, one: &str) {
    let Some(env) = TestEnvironment::new() else { return };
    let limit = PageLimit { items: 10, scanned: 50 };
    let page = || read_committed(&*env.store, |tx| tx.list_processes(1, filter, None, limit)).unwrap();
    env.database.sql(NOT_COUNTED).unwrap();
    often(page);
    env.create("A-1");
    let others = format!("UPDATE processes SET {others}");
    // The copies have no error.
    let many =
        if others.contains("'ERRORED'") { format!("{MANY}; {others}") } else { format!("{others}; {MANY}") };
    // The last row matches. No other row ever matched, so no index has dead entries of it.
    let many = format!(
        "{many}; UPDATE processes SET created_at = created_at + interval '1 hour', \
         modified_at = modified_at + interval '1 hour', latest_event_at = latest_event_at + interval '1 hour', {one} \
         WHERE external_account_number = 'A-1'"
    );
    fill(&env, &many);
    ["processes", "process_causes"].iter().for_each(|table| reset(&env, table));
    let found = page();
    let is_searched =
        filter.modified_after.is_some() || filter.error_code.is_some() && filter.state.is_some();
    assert_eq!(
        (found.processes.len(), found.next.is_some()),
        (usize::from(!is_searched), is_searched),
        "{filter:?}"
    );
    let database = env.close();
    let read = "SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes \
                    WHERE relname IN ('processes', 'process_causes')) \
                + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables \
                    WHERE relname IN ('processes', 'process_causes'))";
    let read: u64 = database.sql(read).unwrap().parse().unwrap();
    assert!(read < 300, "{read} were read for {filter:?}");
}

const ERRORED: &str = "state = 'ERRORED', is_dry_run = FALSE, error_detail = '', \
    error_code = 'import_process_failed_validation', \
    error_causes = '[[\"import_process_failed_validation\",\"\",0]]'";
const PENDING: &str = "state = 'PENDING', is_dry_run = FALSE, error_code = NULL, error_detail = NULL, \
    error_causes = NULL";
const REHEARSED: &str = "state = 'DRY_RUN_SUCCEEDED', is_dry_run = TRUE, error_code = NULL, error_detail = NULL, error_causes = NULL";

#[test]
fn a_list_of_one_state_reads_no_other_from_the_first_day() {
    few_are_read_for(ProcessFilter::of(State::Pending), REHEARSED, PENDING);
    few_are_read_for(ProcessFilter::of(State::DryRunSucceeded), PENDING, REHEARSED);
    few_are_read_for(ProcessFilter::of(State::Errored), REHEARSED, ERRORED);
}

#[test]
fn a_page_reads_a_bounded_number_of_rows_from_the_first_day() {
    let later = ProcessFilter {
        modified_after: Some("9000-01-01T00:00:00Z".parse().unwrap()),
        ..ProcessFilter::default()
    };
    few_are_read_for(later, PENDING, PENDING);
    few_are_read_for(ProcessFilter { state: Some(State::Pending), ..later }, PENDING, PENDING);
    let failed = ProcessFilter {
        error_code: Some(Code::ImportProcessFailedValidation.as_str()),
        ..ProcessFilter::default()
    };
    few_are_read_for(failed, PENDING, ERRORED);
    few_are_read_for(ProcessFilter { state: Some(State::DryRunErrored), ..failed }, ERRORED, ERRORED);
}

/// The checks before a wave read none of the accounts that have no window and name no contract.
#[test]
fn checks_before_a_wave_read_few_rows_from_the_first_day() {
    let Some(env) = TestEnvironment::new() else { return };
    let check = || {
        let windows_and_contracts = read_committed(&*env.store, |tx| {
            Ok((tx.waiting_windows(1)?.windows.len(), tx.absent_contracts(1, 1, 4)?.len()))
        });
        windows_and_contracts.unwrap()
    };
    often(|| assert_eq!(check(), (0, 0)));
    env.database.sql(NOT_COUNTED).unwrap();
    env.create("A-1");
    fill(&env, MANY);
    reset(&env, "processes");
    assert_eq!(check(), (0, 0));
    let database = env.close();
    assert_few_are_read(&database, "processes");
}

/// A page of a certificate reads no more than its accounts.
#[test]
fn a_page_of_a_certificate_reads_its_accounts_from_the_first_day() {
    let Some(env) = TestEnvironment::new() else { return };
    let page =
        |after: &str| read_committed(&*env.store, |tx| tx.accounts_to_certify(1, after, 10)).unwrap().len();
    often(|| assert_eq!(page(""), 0));
    env.database.sql(NOT_COUNTED).unwrap();
    env.create("A-1");
    fill(&env, MANY);
    reset(&env, "processes");
    assert_eq!((page("A-0"), page("M-5")), (10, 10));
    assert_few_are_read(&env.close(), "processes");
}
